# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that calls every function of ARMCI that is recorded, and compares call by call.

usage: check_families.py FERMATA LAUNCHER PROGRAM

A call is a line: the function, and a word for each record inside (shmem_archive.py); mutexes with their
process and number.
"""
import json
import pathlib
import shlex
import sys
import tempfile

import otf2
from otf2.events import Enter, Leave

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shmem"))

from shmem_archive import compare, pe_of, run, word  # noqa: E402

PROCESSES = 4
MUTEX = {"RmaAcquireLock": "acquire", "RmaReleaseLock": "release"}


def recorded(archive):
    """@return the recorded calls of ARMCI of each process, in order; the MPI calls inside them"""
    calls, open_call, targets, inside = {}, {}, {}, set()
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            process, kind = pe_of(location), type(event).__name__
            if isinstance(event, Enter) and event.region.name.startswith(("ARMCI_", "ARMCIX_")):
                open_call[process] = [event.region.name]
            elif isinstance(event, Enter) and process in open_call:
                inside.add(event.region.name)
            elif isinstance(event, Leave) and event.region.name.startswith(("ARMCI_", "ARMCIX_")):
                calls.setdefault(process, []).append(" ".join(open_call.pop(process)))
            elif kind in MUTEX:
                open_call[process].append(f"{MUTEX[kind]}:{event.remote}:{event.lock_id}")
            elif kind.startswith("Rma") and kind != "RmaCollectiveBegin":
                open_call[process].append(word(kind, event, targets.setdefault(process, {})))
    return calls, inside


def check_definitions(archive):
    with otf2.reader.open(str(archive)) as trace:
        definitions = trace.definitions
        assert len(definitions.rma_wins) == 2, "windows: one of all processes, one of the even ones"
        assert "ARMCI_WORLD" in [window.name for window in definitions.rma_wins]
        names = sorted(group.name for group in definitions.location_groups)
        assert names == [f"MPI Rank {rank}" for rank in range(PROCESSES)], names


def check_layer(fermata, launch, program, folder):
    """Selected by --layer=mpi, the MPI calls inside are recorded instead, below functions of the library."""
    experiment = folder / "inside"
    run([fermata, "record", "--sample=off", "--layer=mpi", "-o", experiment, "--", *launch, program, folder])
    names, below = set(), set()
    stack = {}
    with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
        for location, event in trace.events:
            if isinstance(event, Enter):
                names.add(event.region.name)
                stack.setdefault(location, []).append(event.region.name)
                if event.region.name == "MPI_Barrier":
                    below.update(stack[location])
            elif isinstance(event, Leave):
                stack[location].pop()
            assert not type(event).__name__ == "RmaGet" or "ARMCI" not in event.win.name, event
    assert "PARMCI_Barrier" in below, sorted(below)
    assert {"MPI_Win_allocate", "MPI_Barrier"} <= names, sorted(names)


def main():
    fermata, launcher, program = sys.argv[1], shlex.split(sys.argv[2]), sys.argv[3]
    launch = [*launcher, "-n", PROCESSES]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        experiment = folder / "experiment"
        result = run([fermata, "record", "--sample=off", "-o", experiment, "--", *launch, program, folder])
        assert "all families" in result.stdout, result.stdout + result.stderr
        calls, inside = recorded(experiment / "traces.otf2")
        assert sorted(calls) == list(range(PROCESSES)), result.stderr
        assert not inside, f"recorded inside calls of ARMCI: {sorted(inside)}"
        for process in range(PROCESSES):
            compare(calls[process], (folder / f"expected.{process}").read_text().splitlines(),
                    f"process {process}")
        check_definitions(experiment / "traces.otf2")
        assert json.loads((experiment / "environment.json").read_text())["complete"]
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", "--check", "-q", experiment])
        assert "ARMCI" in run([fermata, "report", experiment]).stdout
        check_layer(fermata, launch, program, folder)


main()
