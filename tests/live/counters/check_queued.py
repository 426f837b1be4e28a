# SPDX-License-Identifier: BSD-3-Clause
"""Unexpected messages are counted exactly, those included that no receive takes; the longest queue is that
of all communicators of the program.

usage: check_queued.py FERMATA MPIRUN PROGRAM
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from hooked_run import hooked_run  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
COUNT = 1000
INTERNAL = 16  # most messages of the library that MPI_Comm_dup and MPI_Comm_free need in a rank


def recorded(experiment, names, arguments):
    return hooked_run(fermata, experiment, mpi_command(mpirun, 2, [program, *arguments]),
                      [f"--counters={names}"])


def main():
    cases = [(where, taken, end) for where in ("world", "dup") for taken in (COUNT, 400, 0)
             for end in ("keep", "free") if (where, end) != ("world", "free")]
    with tempfile.TemporaryDirectory() as folder:
        for where, taken, end in cases:
            case = (where, taken, end)
            arguments = [where, str(COUNT), str(taken), end]
            counters = recorded(f"{folder}/{where}-{taken}-{end}", "all,MAX_UNEXPECTED_IN_QUEUE", arguments)
            unexpected, longest = counters["UNEXPECTED"], counters["MAX_UNEXPECTED_IN_QUEUE"]
            most = COUNT + (0 if where == "world" else INTERNAL)
            assert COUNT <= unexpected["values"][1] <= most, (case, unexpected)
            assert longest["values"][1] == COUNT, (case, longest)
            assert unexpected["values"][0] <= 1 + most - COUNT, (case, unexpected)
            assert unexpected["obtained"] == longest["obtained"] == "exact (hook)", (unexpected, longest)
        # The number of messages does not need the length of the queue.
        counters = recorded(f"{folder}/few", "UNEXPECTED", ["world", str(COUNT), "400", "keep"])
        assert counters["UNEXPECTED"]["values"][1] == COUNT, counters
        assert "MAX_UNEXPECTED_IN_QUEUE" not in counters, counters


main()
