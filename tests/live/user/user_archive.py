# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs under fermata for the checks of this folder."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import recordings  # noqa: E402

TIMEOUT = 120  # seconds; a run takes a few
VARIABLES = {"FERMATA_CALLPATH": "flat", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
             "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


# Where all ranks call exit(3), MPICH's launcher returns 3, or 9 if it has killed one that had not ended yet.
EXITED = {3, 9}


def run(command, folder, **settings):
    """The completed process, with its output as text."""
    environment = {**os.environ, **VARIABLES, **settings}
    return subprocess.run(command, cwd=folder, env=environment, timeout=TIMEOUT,
                          capture_output=True, text=True, errors="replace")


def record(options, folder, program, ranks=2, how=(), chatty=False, **settings):
    """Records `program` (a list of words behind `mpirun -n RANKS`) with the options `how`; returns the
    experiment, without samples, and what is wrong: another exit code than unrecorded, findings of `fermata check`, a
    failing analysis. `chatty`: the launcher prints something of its own, the output may differ."""
    command = [options.mpirun, "-n", str(ranks), *program]
    plain = recordings.plain(command, VARIABLES)  # the same for all options of a recording
    recorded = run([options.fermata, "record", "--sample=off", "-o", "experiment", *how, "--", *command], folder,
                   **settings)
    problems = []
    codes = {recorded.returncode, plain.returncode}
    is_other_code = len(codes) > 1 and not ("exit" in program and codes <= EXITED)
    if is_other_code or (not chatty and recorded.stdout != plain.stdout):
        problems.append(f"exit code {recorded.returncode}, unrecorded {plain.returncode}: "
                        f"{recorded.stdout}{recorded.stderr}{plain.stderr}")
    experiment = folder / "experiment"
    checked = run([options.fermata, "check", str(experiment)], folder)
    if " 0 findings" not in checked.stdout:
        problems.append(f"fermata check: {checked.stdout}{checked.stderr}")
    # Which calls need progress is concluded from the run: no part of the waiting expected here.
    analysed = run([options.fermata, "analyze", "--check", "--progress", "async", str(experiment)], folder)
    if analysed.returncode != 0 or "received before they were sent" in analysed.stderr:
        problems.append(f"fermata analyze: {analysed.stdout}{analysed.stderr}")
    return experiment, problems


def information(options, experiment):
    """What `fermata info` tells of an experiment."""
    return json.loads(run([options.fermata, "info", "--format=json", str(experiment)],
                          experiment).stdout)
