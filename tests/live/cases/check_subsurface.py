# SPDX-License-Identifier: BSD-3-Clause
"""Records subsurface-cg, one rank being longer in its product: its neighbours wait for its message (Late Sender), all
others in the dot product (Wait at N x N), each as long as the product is longer. The waits are those of the recorded
events, and the first problem is the product on that rank.

usage: check_subsurface.py --fermata F --mpirun M --program P
"""

import sys

import neighbours

RANKS, SLOW = 4, 1
LEAST = 0.9  # part of what was planted that each other rank waits for


def judge(run, waits, report):
    times = [neighbours.seconds_in(run, rank, "femultiply") for rank in range(RANKS)]
    for rank in range(RANKS):
        if rank == SLOW:
            continue
        kind = "mpi_latesender" if abs(rank - SLOW) == 1 else "mpi_wait_nxn"
        planted = times[SLOW] - times[rank]
        print(f"rank {rank}: {planted:.4f} s planted, {kind} {waits[kind, rank]:.4f} s")
        if waits[kind, rank] < LEAST * planted:
            sys.exit(f"rank {rank} waits less than planted")
    found = neighbours.first_problem(report, ["femultiply"])
    if found != ("femultiply", [SLOW], "imbalance"):
        sys.exit(f"the first problem is {found}")


neighbours.check(RANKS, ["--iterations", "10", "--imbalance", f"300:{SLOW}"],
                 "subsurface-cg: 32 elements, 10 iterations, the solution is right", "exchangebufferswf",
                 "MPI_Send", judge)
