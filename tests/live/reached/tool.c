/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool, preloaded in front of the recorder: it counts the messages that are sent, and wraps
 * MPI_Init, MPI_Finalize or both by the profiling interface; or all by RTLD_NEXT. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int sent;

#if defined(TOOL_NEXT)
#define CALL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
#else
#define CALL(name, ...) P##name(__VA_ARGS__)
#endif

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sent++;
    return CALL(MPI_Send, data, count, type, to, tag, comm);
}

#if !defined(TOOL_FINALIZE)
int MPI_Init(int *argc, char ***argv)
{
#if defined(TOOL_INIT) /* the other way to the profiling interface */
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "PMPI_Init");
    return init(argc, argv);
#else
    return CALL(MPI_Init, argc, argv);
#endif
}
#endif

#if !defined(TOOL_INIT)
int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d sent\n", sent);
    return CALL(MPI_Finalize);
}
#endif
