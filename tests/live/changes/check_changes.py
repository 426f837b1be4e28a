# SPDX-License-Identifier: BSD-3-Clause
"""Records programs that change their process while they run (the environment, the user, the limits, the signal mask),
that end MPI in two threads, handle their own faults, or have children. They run as without the recorder, and all
barriers are recorded.

usage: check_changes.py --fermata F --mpirun M --program P NAME...
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import mpi_command, run_launcher  # noqa: E402

BARRIERS = 40
SAMPLED = ("blocked", "deleted", "stacks")
# Copies of the program, and their experiments, by the name of the test.
FILES = {"deleted": "deleted", "named": "a b 'c' \"d\" <e> \u00fc & 100%s\tf"}
FEWEST_SAMPLES = 20  # of 0.8 s of CPU time, at 100 a second and more


def shown(fermata, experiment):
    """The experiment, as `fermata info` describes it."""
    done = subprocess.run([fermata, "info", "--format=json", str(experiment)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr}


def lines(output):
    """Without those of MPICH's launcher about processes that fail, which have their numbers, and of its transport, which
    a rank may find gone with its partner."""
    return sorted(line for line in output.split("\n") if not line.startswith("=") and " UCX " not in line)


def check(options, name, folder):
    experiment = folder / "experiments" / FILES.get(name, name)
    experiment.parent.mkdir(mode=0o755, exist_ok=True)
    program, environment = options.program, dict(os.environ)
    if name in FILES:
        program = shutil.copy(options.program, folder / FILES[name])
    if name == "home":
        environment.update(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        for variable in ("HOME", "TMPDIR", "USER", "TERM"):
            environment.pop(variable, None)
    run = mpi_command(options.mpirun, 2, [program, name])
    plain = run_launcher(run, env=environment)
    if name in FILES:  # it may have deleted itself
        shutil.copy(options.program, folder / FILES[name])
    record = [options.fermata, "record", *([] if name in SAMPLED else ["--sample=off"]), "-o", str(experiment), "--", *run]
    done = run_launcher(record, env=environment)
    if (done.returncode, lines(done.stdout)) != (plain.returncode, lines(plain.stdout)):
        yield f"{name}: exit code {done.returncode}, not {plain.returncode}: {done.stdout}{done.stderr}"
    if name == "user":  # completed from the journals: no communication in MPI_Finalize
        subprocess.run([options.fermata, "check", str(experiment)], capture_output=True)
    info = shown(options.fermata, experiment)
    visits = {region["name"]: region["visits"] for region in info.get("regions", [])}
    if name == "memory":
        if "the program has limited its memory" not in done.stderr:
            yield f"{name}: {done.stderr}"
    elif visits.get("MPI_Barrier") != BARRIERS:
        yield f"{name}: {visits}: {info.get('failed')}{done.stderr}"
    if name == "blocked":
        samples = info.get("environment", info).get("sampling", {}).get("samples", 0)
        if samples < FEWEST_SAMPLES:
            yield f"{name}: {samples} samples: {done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-changes-") as folder:
        os.chmod(folder, 0o755)
        names = [name for name in options.names if name != "user" or os.getuid() == 0]
        wrong = [problem for name in names for problem in check(options, name, pathlib.Path(folder))]
    if wrong:
        sys.exit("\n".join(wrong))


main()
