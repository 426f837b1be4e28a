# SPDX-License-Identifier: BSD-3-Clause
"""Recursive doubling of an allreduce sends and receives as many messages in each rank as the algorithm says: of 5 ranks
rank 0 has 1, its partner 1 + log2(4), the others log2(4); of 4 ranks all have 2.

usage: check_stripes.py FERMATA MPIRUN PROGRAM
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
CALLS, BYTES, RECURSIVE_DOUBLING = 500, 8, "3"
OTHERS = 8  # empty messages that begin and end MPI; when they arrive differs from run to run
EXPECTED = {4: [2, 2, 2, 2], 5: [1, 3, 2, 2, 2]}


def recorded(folder, ranks, calls):
    """By name: the counters of each rank"""
    experiment = f"{folder}/{ranks}-{calls}"
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_pml="ob1", OMPI_MCA_coll_tuned_use_dynamic_rules="1",
                       OMPI_MCA_coll_tuned_allreduce_algorithm=RECURSIVE_DOUBLING)
    subprocess.run([fermata, "record", "--counters-only", "--hooks", "--counters=all,OMPI_SPC_*", "-o", experiment, "--",
                    *mpi_command(mpirun, ranks, [program, str(calls)])], check=True, capture_output=True,
                   env=environment)
    counters = shown_counters(fermata, experiment)[0]
    return {name: counter["values"] for name, counter in counters.items()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        for ranks, expected in EXPECTED.items():
            none, some = recorded(folder, ranks, 0), recorded(folder, ranks, CALLS)
            if "EAGER_MESSAGES" not in some:
                print("not checked: hooks are not tested with this version")
                return
            assert some["BASE_ALLREDUCE_RECURSIVE_DOUBLING"] == [CALLS] * ranks, some
            arrived = [more - less for more, less in zip(some["EAGER_MESSAGES"], none["EAGER_MESSAGES"])]
            before = none.get("BYTES_SENT_MPI", [0] * ranks)
            sent = [(more - less) // BYTES for more, less in zip(some["BYTES_SENT_MPI"], before)]
            wanted = [CALLS * each for each in expected]
            assert sent == wanted, (ranks, sent, wanted)
            assert all(abs(number - right) <= OTHERS for number, right in zip(arrived, wanted)), (ranks, arrived, wanted)


main()
