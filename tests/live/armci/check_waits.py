# SPDX-License-Identifier: BSD-3-Clause
"""Which operations ARMCI_Wait completes: with ARMCI-MPI those on all targets, with other libraries those of its handle.

usage: check_waits.py FERMATA LAUNCHER PROGRAM mpi|native
"""
import pathlib
import shlex
import sys
import tempfile

import otf2
from otf2.events import Enter, RmaOpCompleteNonBlocking, RmaPut

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shmem"))

from shmem_archive import pe_of, run  # noqa: E402

EXPECTED = {"mpi": [{1, 2}, set()], "native": [{1}, {2}]}


def completed(archive):
    """@return targets of the operations that each ARMCI_Wait of process 0 completes"""
    waits, targets, region = [], {}, None
    with otf2.reader.open(str(archive)) as trace:
        for location, event in trace.events:
            if pe_of(location) != 0:
                continue
            if isinstance(event, Enter):
                region = event.region.name
                if region == "ARMCI_Wait":
                    waits.append(set())
            elif isinstance(event, RmaPut):
                targets[event.matching_id] = event.remote
            elif isinstance(event, RmaOpCompleteNonBlocking) and region == "ARMCI_Wait":
                waits[-1].add(targets[event.matching_id])
    return waits


def main():
    fermata, launcher, program, library = sys.argv[1], shlex.split(sys.argv[2]), *sys.argv[3:5]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        run([fermata, "record", "--sample=off", "-o", experiment, "--", *launcher, "-n", 3, program])
        found = completed(experiment / "traces.otf2")
        assert found == EXPECTED[library], found


main()
