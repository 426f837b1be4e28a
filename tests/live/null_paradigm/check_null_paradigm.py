# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that uses the null library, alone or together with MPI, and looks for the calls
of both in the archive and in the report.

usage: check_null_paradigm.py --fermata FERMATA [--mpirun MPIRUN] PROGRAM ORDER

ORDER is the argument of program.c.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import otf2
from otf2.events import Enter

RANKS = 2
CALLS = 3


def expected(order, rank, with_mpi):
    """Names and numbers of the calls of a rank, in the order of the first ones."""
    calls = {"null_init": 1, "null_work": CALLS}
    if with_mpi:
        calls |= {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Allreduce": 1}
        calls["null_work"] += CALLS + (rank == 0)
        calls["MPI_Finalize"] = 1
        if order != "mpi":
            calls["MPI_Finalized"] = 1
    if order not in ("exit", "_exit"):
        calls["null_finalize"] = 1
    return calls


def recorded(archive):
    """Numbers of calls by name of each process, and the processes' names."""
    calls = {}
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            process = calls.setdefault(location.group.name, {})
            if isinstance(event, Enter) and event.region.name.startswith(("MPI_", "null_")):
                process[event.region.name] = process.get(event.region.name, 0) + 1
        paradigms = [paradigm.name for paradigm in trace.definitions.paradigms]
    return calls, sorted(paradigms)


def run(command, may_fail=False):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    result = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment)
    if result.returncode != 0 and not may_fail:
        sys.exit(f"{shlex.join(map(str, command))}: {result.returncode}\n{result.stderr}")
    return result


def check(arguments, experiment):
    # Launchers kill the other processes when one has gone without having finalized MPI.
    killed = arguments.order == "_exit"
    ranks = 1 if killed else RANKS
    launcher = [*shlex.split(arguments.mpirun), "-n", str(ranks)] if arguments.mpirun else []
    run([arguments.fermata, "record", "--sample=off", "-o", experiment, "--", *launcher, arguments.program,
         arguments.order], may_fail=killed)
    calls, paradigms = recorded(experiment / "traces.otf2")
    names = [f"MPI Rank {rank}" for rank in range(ranks)] if launcher else ["Process 0"]
    wanted = {name: expected(arguments.order, rank, bool(launcher))
              for rank, name in enumerate(names)}
    assert calls == wanted, f"recorded {calls} instead of {wanted}"
    assert paradigms == (["MPI", "Null"] if launcher else ["Null"]), paradigms
    environment = json.loads((experiment / "environment.json").read_text())
    assert environment["complete"] != killed, environment
    last_call = "MPI_Finalize" if launcher else "null_finalize"
    assert not killed or f"without {last_call}" in environment["incomplete"], environment
    assert environment["null_library"] == "null library 1.0", environment
    assert ("mpi_library" in environment) == bool(launcher), environment
    assert not (experiment / "journal").exists(), "journals are left"
    run([arguments.fermata, "analyze", experiment])
    report = run([arguments.fermata, "report", experiment]).stdout
    assert "null_work" in report, report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun")
    parser.add_argument("program")
    parser.add_argument("order")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check(arguments, pathlib.Path(folder) / "experiment")


main()
