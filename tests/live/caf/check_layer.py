# SPDX-License-Identifier: BSD-3-Clause
"""Records caf-sor by its MPI calls instead of its coarray statements: --layer=mpi.

usage: check_layer.py FERMATA MPIRUN PROGRAM
"""
import collections
import pathlib
import sys
import tempfile

import otf2
from caf_archive import record, run
from otf2.events import Enter

IMAGES = 2
ITERATIONS = 3


def main():
    fermata, mpirun, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = record(fermata, experiment, mpirun, IMAGES, [program, "--iterations", str(ITERATIONS)],
                        ["--sample=off", "--layer=mpi"])
        assert "right" in result.stdout, result.stdout + result.stderr
        visits = collections.Counter()
        with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
            for _, event in trace.events:
                if isinstance(event, Enter):
                    visits[event.region.name] += 1
            processes = sorted(group.name for group in trace.definitions.location_groups)
        assert not [name for name in visits if name.startswith("caf ")], visits
        assert visits["MPI_Put"] == visits["_gfortran_caf_send"] == IMAGES * 2 * ITERATIONS, visits
        assert visits["MPI_Init_thread"] == visits["MPI_Finalize"] == IMAGES, visits
        assert processes == [f"MPI Rank {rank}" for rank in range(IMAGES)], processes
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", "--check", experiment])


main()
