# SPDX-License-Identifier: BSD-3-Clause
"""Each algorithm that Open MPI is forced to is counted, those without a counter of its own included; findings
see when it changes between them.

usage: check_algorithms.py FERMATA MPIRUN PROGRAM
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from hooked_run import hooked_run  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
CALLS, RANKS, BIG = 25, 2, 200

# {operation: {number of the algorithm: its name}}; by run. Operations that perform another one inside
# (reduce_scatter_block linear: reduce; allgatherv linear: bcast) are not forced together with that.
FORCED = [
    {"bcast": (7, "knomial"), "reduce": (7, "redscat_gather"), "allreduce": (6, "redscat_allgather"),
     "reduce_scatter": (4, "butterfly"), "reduce_scatter_block": (2, "recursive_doubling"),
     "scan": (1, "linear"), "exscan": (1, "linear"), "scatter": (3, "linear_nb"),
     "alltoallv": (1, "linear"), "allgatherv": (5, "two_procs")},
    {"bcast": (8, "scatter_allgather"), "reduce_scatter_block": (3, "recursive_halving"),
     "scan": (2, "recursive_doubling"), "exscan": (2, "recursive_doubling"),
     "alltoallv": (2, "pairwise"), "allgatherv": (2, "bruck")},
    {"bcast": (9, "scatter_allgather_ring"), "reduce_scatter_block": (4, "butterfly"),
     "allgatherv": (3, "ring")},
    {"reduce_scatter_block": (1, "linear"), "allgatherv": (4, "neighbor_exchange")},
    {"allgatherv": (1, "linear")},
]
# reduce_scatter_block linear: reduce and scatter; allgatherv linear: bcast (gatherv has no choice)
NESTED = [0, 0, 0, 2 * CALLS, CALLS]


def recorded(experiment, arguments, forced=()):
    variables = {f"OMPI_MCA_coll_tuned_{operation}_algorithm": str(forced[operation][0]) for operation in forced}
    if forced:
        variables["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1"
    return hooked_run(fermata, experiment, mpi_command(mpirun, RANKS, [program, *arguments]),
                      variables=variables)


def check_forced(folder):
    seen = set()
    for run, forced in enumerate(FORCED):
        counters = recorded(f"{folder}/{run}", [str(CALLS)], forced)
        assert counters["algorithms.nested"]["values"] == [NESTED[run]] * RANKS, (run, counters)
        for operation, (_, name) in forced.items():
            uses = {counter: value for counter, value in counters.items()
                    if counter.startswith(f"algorithm.{operation}.")}
            mine = f"algorithm.{operation}.{name}"
            seen.add(mine)
            assert mine in uses, (mine, list(counters))
            for counter, value in uses.items():
                assert value["values"] == [CALLS if counter == mine else 0] * RANKS, (counter, value)
            assert uses[mine]["obtained"] == "exact (hook)", uses[mine]
            # 64 numbers of 8 bytes for each of two ranks are a small operation.
            assert [bin["values"][0] for bin in uses[mine]["bins"]] == [CALLS, 0, 0, 0], uses[mine]
    offered = {counter for counter in counters if counter.startswith("algorithm.")}
    assert seen == offered, seen ^ offered


def check_switch(folder):
    counters = recorded(f"{folder}/switch", [str(BIG), "switch"])
    small, large = "BASE_ALLREDUCE_RECURSIVE_DOUBLING", "algorithm.allreduce.redscat_allgather"
    assert [bin["values"][0] for bin in counters[small]["bins"]] == [BIG, 0, 0, 0], counters[small]
    assert [bin["values"][0] for bin in counters[large]["bins"]] == [0, 0, BIG, 0], counters[large]
    text = " ".join(subprocess.run([fermata, "counters", "findings", f"{folder}/switch"], check=True,
                                   capture_output=True, text=True).stdout.split())
    assert f"Several algorithms performed MPI_Allreduce" in text, text
    assert f"{BIG} by recursive doubling" in text and f"{BIG} by redscat allgather" in text, text


def main():
    with tempfile.TemporaryDirectory() as folder:
        recorded(f"{folder}/place", [str(CALLS), "place"])
        check_forced(folder)
        check_switch(folder)


main()
