# SPDX-License-Identifier: BSD-3-Clause
"""Who serves one-sided operations is said once, when the program is recorded or analysed, and holds for
later analyses of the experiment: check_progress.py --fermata F --mpirun M --program P"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "support"))

from mpi_launcher import TIMEOUT, mpi_command  # noqa: E402

TOLD = "Analysed with --progress=async"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    failures = []

    def fermata(*arguments):
        return subprocess.run([options.fermata, *map(str, arguments)], capture_output=True,
                              text=True, timeout=TIMEOUT, errors="replace")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def expect(experiment, noted, *arguments):
            """After the command the experiment says `noted`, which the analysis went by."""
            done = fermata(*arguments)
            environment = json.loads((experiment / "environment.json").read_text())
            if done.returncode != 0 or environment.get("progress") != noted:
                failures.append(f"{arguments}: exit code {done.returncode}, noted is"
                                f" {environment.get('progress')}: {done.stderr}")
            report = fermata("report", "--format=json", experiment)
            if (TOLD in report.stdout) != (noted == "async"):
                failures.append(f"{arguments}: the report says otherwise: {report.stdout[:2000]}")
            if environment["ranks"] != 2 or environment["complete"] is not True:
                failures.append(f"{arguments}: environment.json has changed: {environment}")

        program = mpi_command(options.mpirun, 2, [options.program])
        plain, told = folder / "plain", folder / "told"
        expect(plain, None, "run", "-o", plain, "--", *program)
        expect(plain, None, "analyze", plain)
        expect(plain, "async", "analyze", "--progress=async", plain)
        expect(plain, "async", "analyze", plain)
        expect(plain, "async", "analyze", plain / "traces.otf2")
        expect(plain, "target", "analyze", "--progress", "target", plain / "traces.otf2")
        expect(plain, "target", "analyze", plain)
        expect(told, "async", "run", "--progress=async", "-o", told, "--", *program)

        # No experiment of ours: nothing is noted. What is no word for it is refused.
        (told / "environment.json").unlink()
        done = fermata("analyze", "--progress=async", told)
        if done.returncode != 0 or (told / "environment.json").exists():
            failures.append(f"without environment.json: {done.returncode}: {done.stderr}")
        for command in (["analyze", told], ["record", "true"], ["run", "true"]):
            done = fermata(command[0], "--progress=sometimes", command[1])
            if done.returncode != 2 or "target or async" not in done.stderr:
                failures.append(f"{command}: {done.returncode}: {done.stderr}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
