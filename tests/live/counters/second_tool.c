/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: a tool that counts some calls of MPI, and goes on with the next definition of the
 * function (NEXT), or, as most tools do, with that of the profiling interface (PMPI).
 *
 * SECOND_TOOL=NEXT|PMPI; SECOND_TOOL_OUTPUT: MPI_Finalize writes "sends receives broadcasts" to
 * this path with ".RANK" behind it. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sends, receives, broadcasts; /* of the first thread alone */

static void *next(const char *profiling_name)
{
    int is_pmpi = strcmp(getenv("SECOND_TOOL"), "PMPI") == 0;
    return dlsym(RTLD_NEXT, profiling_name + !is_pmpi);
}

#define NEXT(name) ((__typeof__(&name))next("P" #name))

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sends++;
    return NEXT(MPI_Send)(buffer, count, type, to, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    receives++;
    return NEXT(MPI_Recv)(buffer, count, type, from, tag, comm, status);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    broadcasts++;
    return NEXT(MPI_Bcast)(buffer, count, type, root, comm);
}

/* Goes on with the next definition in any case: a recorder that misses this call has no regular
 * end. */
int MPI_Finalize(void)
{
    char path[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", getenv("SECOND_TOOL_OUTPUT"), rank);
    FILE *file = fopen(path, "w");
    fprintf(file, "%d %d %d\n", sends, receives, broadcasts);
    fclose(file);
    return ((__typeof__(&MPI_Finalize))dlsym(RTLD_NEXT, "MPI_Finalize"))();
}
