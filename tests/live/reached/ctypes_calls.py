# SPDX-License-Identifier: BSD-3-Clause
"""The calls of exchange.c by Python's ctypes: handles and constants are those of each library.

usage: ctypes_calls.py LIBRARY
"""
import ctypes
import os
import sys

library = ctypes.CDLL(sys.argv[1])
if hasattr(library, "ompi_mpi_comm_world"):
    def handle(name):
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, name)))
    WORLD, INT, IGNORE = handle("ompi_mpi_comm_world"), handle("ompi_mpi_int"), None
else:
    WORLD, INT, IGNORE = ctypes.c_int(0x44000000), ctypes.c_int(0x4C000405), ctypes.c_void_p(1)

rank, value = ctypes.c_int(), ctypes.c_int()
library.MPI_Init(None, None)
library.MPI_Comm_rank(WORLD, ctypes.byref(rank))
for i in range(3):
    if rank.value == 0:
        library.MPI_Send(ctypes.byref(ctypes.c_int(i)), 1, INT, 1, 5, WORLD)
    else:
        library.MPI_Recv(ctypes.byref(value), 1, INT, 0, 5, WORLD, IGNORE)
    library.MPI_Barrier(WORLD)
library.MPI_Barrier(WORLD)
os.write(1, f"rank {rank.value}: {value.value}\n".encode())  # lines of ranks do not mix
library.MPI_Finalize()
