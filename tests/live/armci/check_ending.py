# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that uses ARMCI and MPI, and that ends in different ways.

usage: check_ending.py FERMATA LAUNCHER PROGRAM END

END is the argument of ending.c.
"""
import collections
import json
import pathlib
import shlex
import sys
import tempfile

import otf2
from otf2.events import Enter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shmem"))

from shmem_archive import pe_of, run  # noqa: E402

PROCESSES = 2
ROUNDS = 5


def count_calls(archive):
    """@return by process: how often each function was called"""
    calls = {}
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if isinstance(event, Enter) and event.region.name.startswith(("MPI_", "ARMCI_")):
                calls.setdefault(pe_of(location), collections.Counter())[event.region.name] += 1
    return calls


def main():
    fermata, launcher, program, end = sys.argv[1], shlex.split(sys.argv[2]), *sys.argv[3:5]
    complete = end == "regular"
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = run([fermata, "record", "--sample=off", "--flush-interval", "0", "-o", experiment, "--",
                      *launcher, "-n", PROCESSES, program, end], may_fail=not complete)
        for process in range(PROCESSES if complete else 0):  # a launcher may lose output of a killed run
            assert f"process {process} of {PROCESSES} is done" in result.stdout, result.stdout + result.stderr
        calls = count_calls(experiment / "traces.otf2")
        for process in range(PROCESSES):
            assert calls[process]["ARMCI_Put"] == ROUNDS, calls
            assert calls[process]["ARMCI_Barrier"] >= ROUNDS, calls
            assert calls[process]["MPI_Allreduce"] == ROUNDS, calls
            assert calls[process]["ARMCI_Get"] == 1, calls
            assert calls[process]["ARMCI_Finalize"] == calls[process]["MPI_Finalize"] == complete, calls
        environment = json.loads((experiment / "environment.json").read_text())
        assert environment["complete"] == complete, environment
        assert not (experiment / "journal").exists(), "journals are left"
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", "--check", "-q", experiment])


main()
