/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that paths.c loads and unloads. */
#include <mpi.h>

int plugin_function(void);

int plugin_function(void)
{
    int provided;
    MPI_Query_thread(&provided);
    return provided + 1;
}
