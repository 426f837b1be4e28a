# SPDX-License-Identifier: BSD-3-Clause
"""Records workloads that are built with a sanitizer: output and exit code are those without the recorder, the calls
are those of a build without sanitizers, and no report of the sanitizer has the recorder in it.

usage: check_sanitizers.py --fermata F --mpirun M --plain FOLDER --sanitized FOLDER NAME...

FOLDER: of the programs without and with the sanitizer; NAME: of WORKLOADS.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command, run_launcher  # noqa: E402

WORKLOADS = {
    "ocean-cg": ["--matvec", "0", "--size", "20x33", "--iterations", "15"],
    "sor": ["--size", "16x16", "--iterations", "20", "--tolerance", "0", "--check", "10"],
    "srumma": ["--blocks", "4", "--length", "8"],
}
RANKS = 2

# Launchers of these tests preload a library in front of AddressSanitizer's runtime, which without a recorder ends the
# program. MPI libraries leak, and have what ThreadSanitizer takes for races: not in each run the same.
OPTIONS = {"ASAN_OPTIONS": "verify_asan_link_order=0:exitcode=0", "TSAN_OPTIONS": "exitcode=0",
           "LSAN_OPTIONS": "exitcode=0", "UBSAN_OPTIONS": "halt_on_error=1"}


def calls(fermata, experiment):
    """How often each function of MPI was called, without those that are repeated until something happens."""
    shown = subprocess.run([fermata, "info", "--format=json", str(experiment)], capture_output=True, text=True)
    regions = json.loads(shown.stdout)["regions"] if shown.returncode == 0 else []
    return {region["name"]: region["visits"] for region in regions
            if region["name"].startswith("MPI_") and "Test" not in region["name"] and "probe" not in region["name"]}


def lines(done):
    """Of the output, without those of MPICH's launcher about programs that fail: with GCC's ThreadSanitizer and MPICH
    they do so behind their last output."""
    return sorted(line for line in done.stdout.splitlines() if line and not line.startswith("="))


def check(options, name, folder):
    environment = dict(os.environ, **OPTIONS)
    recorded = {}
    for kind, programs in (("plain", options.plain), ("sanitized", options.sanitized)):
        run = mpi_command(options.mpirun, RANKS, [str(pathlib.Path(programs) / name), *WORKLOADS[name]])
        experiment = folder / f"{name}-{kind}"
        done = run_launcher([options.fermata, "record", "--sample=off", "-o", str(experiment), "--", *run],
                            env=environment)
        recorded[kind] = calls(options.fermata, experiment)
        if kind == "plain":
            continue
        alone = run_launcher(run, env=environment)
        if not lines(alone) or (done.returncode, lines(done)) != (alone.returncode, lines(alone)):
            yield f"{name}: exit code {done.returncode}, not {alone.returncode}: {done.stdout}{done.stderr}"
        reported = [line for line in done.stderr.splitlines() if "libfermata" in line and line.lstrip().startswith("#")]
        if reported:
            yield f"{name}: the sanitizer reports the recorder: {reported}"
    if not recorded["plain"] or recorded["sanitized"] != recorded["plain"]:
        yield f"{name}: recorded {recorded['sanitized']}, not {recorded['plain']}: {done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--plain", "--sanitized"):
        parser.add_argument(name, required=True)
    parser.add_argument("names", nargs="+", choices=WORKLOADS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-sanitizers-") as folder:
        wrong = [problem for name in options.names for problem in check(options, name, pathlib.Path(folder))]
    if wrong:
        sys.exit("\n".join(wrong))


main()
