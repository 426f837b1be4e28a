# SPDX-License-Identifier: BSD-3-Clause
"""A planted cause of waiting in Python: a function takes six times as long on rank 1. Nothing is marked, and nothing
sleeps. Rank 0 prints how long the steps took.

usage: planted_python.py [fixed], two ranks"""

import math
import sys

from mpi4py import MPI

COMM = MPI.COMM_WORLD


def forces(count):
    total = 0.0
    for i in range(count):
        total += math.sin(i) * 0.5
    return total


def build_neighbours(count):
    cells = {}
    for i in range(count):
        cells.setdefault(i % 97, []).append(i * 2)
    return len(cells)


def step(is_slow):
    value = forces(60000) + build_neighbours(120000 if is_slow else 20000)
    return COMM.allreduce(value)


def main():
    is_slow = COMM.rank == 1 and len(sys.argv) < 2
    COMM.barrier()
    begin = MPI.Wtime()
    for _ in range(120):
        step(is_slow)
    if COMM.rank == 0:
        print(f"steps {MPI.Wtime() - begin:.6f}")


main()
