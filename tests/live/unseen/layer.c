/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with a layer of the profiling interface: it defines MPI_Barrier. */
#include <mpi.h>

int MPI_Barrier(MPI_Comm comm)
{
    return PMPI_Barrier(comm);
}
