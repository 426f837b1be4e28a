# SPDX-License-Identifier: BSD-3-Clause
"""Records hybrid.f90, which uses coarrays and MPI: the calls of both are recorded, but not those of MPI inside
coarray statements, and each has its communicator of all processes.

usage: check_hybrid.py FERMATA MPIRUN PROGRAM
"""
import collections
import pathlib
import sys
import tempfile

import otf2
from caf_archive import record, run
from otf2.events import Enter, MpiCollectiveEnd

IMAGES = 2
ROUNDS = 5


def main():
    fermata, mpirun, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = record(fermata, experiment, mpirun, IMAGES, [program], ["--sample=off"])
        assert result.stdout.count("is done") == IMAGES, result.stdout + result.stderr
        calls, collectives = collections.Counter(), collections.Counter()
        with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
            for _, event in trace.events:
                if isinstance(event, Enter) and event.region.name.startswith(("MPI_", "caf ")):
                    calls[event.region.name] += 1
                elif isinstance(event, MpiCollectiveEnd):
                    collectives[event.communicator.name] += 1
            names = {comm.name for comm in trace.definitions.comms}
        assert calls["caf put"] == calls["MPI_Allreduce"] == IMAGES * ROUNDS, calls
        assert {name for name in calls if name.startswith("MPI_")} == {"MPI_Allreduce"}, calls
        assert collectives == {"MPI_COMM_WORLD": IMAGES * ROUNDS}, collectives
        assert {"coarrays", "MPI_COMM_WORLD"} <= names, names
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", "--check", experiment])


main()
