# SPDX-License-Identifier: BSD-3-Clause
"""Ranks compute in Python and exchange; rank 1 is slow in Grid.assemble. One line for each rank."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
steps, work = int(sys.argv[1]), int(sys.argv[2])


def spin(count):  # plain Python: samples must land here
    total = 0
    for i in range(count):
        total += i * i % 7
    return total


class Grid:
    def __init__(self):
        self.total = 0

    def assemble(self):
        for _ in range(6 if rank == 1 else 1):
            total = 0
            for i in range(work):
                total += i * i % 7
            self.total += total

    def smooth(self):
        self.total += spin(work)

    def exchange(self):
        right, left = (rank + 1) % size, (rank - 1) % size
        comm.Sendrecv(bytearray(8), dest=right, recvbuf=bytearray(8), source=left)
        comm.Barrier(); comm.Barrier()
        comm.Barrier()


def levels(depth, grid):
    if depth > 0:
        levels(depth - 1, grid)
    else:
        grid.exchange()


def main():
    grid = Grid()
    for _ in range(steps):
        grid.assemble()
        grid.smooth()
        levels(2, grid)
    # print would write the line and its end apart, and the launcher mix the lines of ranks.
    sys.stdout.write(f"rank {rank} of {size}: {grid.total}\n")
    if len(sys.argv) > 3 and rank == 0:
        comm.Abort(3)


if __name__ == "__main__":
    main()
