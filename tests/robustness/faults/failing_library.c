/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: the MPI library's PMPI_Allreduce fails in the call with the number FAIL_AT (and
 * later). What follows is, as for any failure, the communicator's error handler's business. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

int PMPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm)
{
    static int calls;
    int (*real)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm) =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))dlsym(RTLD_NEXT,
                                                                                  "PMPI_Allreduce");
    const char *at = getenv("FAIL_AT");
    calls++;
    if (at != NULL && calls >= atoi(at)) {
        PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
        return MPI_ERR_OTHER;
    }
    return real(sendbuf, recvbuf, count, datatype, op, comm);
}
