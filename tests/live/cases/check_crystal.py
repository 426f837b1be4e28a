# SPDX-License-Identifier: BSD-3-Clause
"""Records crystal-melt, whose slabs have fewer cells the nearer they are to the wall: a rank waits for its neighbours
(Late Sender) and then for all (Wait at N x N), together as long as it computes less than the slowest. The waits are
those of the recorded events, and the first problem is the computation on the ranks in the middle.

usage: check_crystal.py --fermata F --mpirun M --program P
"""

import sys

import neighbours

RANKS = 6
MIDDLE = {2, 3}
TOLERANCE = 0.1  # of the longest wait of a rank


def judge(run, waits, report):
    parts = [run.visits(rank, "compute_cells") for rank in range(RANKS)]
    idle = [0.0] * RANKS
    for step in zip(*parts, strict=True):
        longest = max(part.leave - part.enter for part in step)
        for rank, part in enumerate(step):
            idle[rank] += (longest - (part.leave - part.enter)) / run.ticks_per_second
    for rank in range(RANKS):
        waited = waits["mpi_latesender", rank] + waits["mpi_wait_nxn", rank]
        print(f"rank {rank}: computes {idle[rank]:.4f} s less than the slowest, waits {waited:.4f} s, "
              f"{waits['mpi_latesender', rank]:.4f} s of them for its neighbours")
        if abs(waited - idle[rank]) > TOLERANCE * max(idle):
            sys.exit(f"rank {rank} waits for something else")
    for rank in range(1, RANKS - 1):
        if waits["mpi_latesender", rank] >= min(waits["mpi_latesender", end] for end in (0, RANKS - 1)):
            sys.exit(f"rank {rank} waits longer for its neighbours than the ranks at the wall")
    function, ranks, kind = neighbours.first_problem(report, ["compute_cells"])
    if (function, kind) != ("compute_cells", "imbalance") or not MIDDLE.intersection(ranks):
        sys.exit(f"the first problem is {function} on {ranks}, {kind}")


neighbours.check(RANKS, ["--steps", "10", "--work", "0.03"],
                 "crystal-melt: 6948 melt cells, 10 steps, the velocities are right", "velo", "MPI_Isend", judge)
