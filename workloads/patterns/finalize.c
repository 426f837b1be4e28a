/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program. */
#include "pattern.h"

static void late_finalize(const context *c)
{
    if (c->rank == last_rank(c))
        delay(c);
}

const pattern finalize_patterns[] = {{"finalize", "mpi_finalize_wait", 2, late_finalize,
                                      "all wait in MPI_Finalize for the last rank"},
                                     {0}};
