/* SPDX-License-Identifier: BSD-3-Clause */
/* A tight loop of the cheapest calls of ARMCI, by one process to itself (call_loop.h): measures the
 * cost that recording adds to a call.
 *
 *   armci_call_loop armci-put COUNT  ARMCI_Put and ARMCI_Fence
 *   armci_call_loop armci-get COUNT  ARMCI_Get
 *
 * The loops have COUNT turns; with a third argument N there are N loops (default 9). */
#include "call_loop.h"

#include <armci.h>
#include <mpi.h>

enum { SIZE = 64 }; /* bytes; ARMCI-MPI loses data in memory of a few bytes */

static char local[SIZE];
static void *shared;

static inline void put(long count, bool clock)
{
    for (long i = 0; i < count; ++i) {
        CALL(clock, ARMCI_Put(local, shared, SIZE, 0));
        CALL(clock, ARMCI_Fence(0));
    }
}

static inline void get(long count, bool clock)
{
    for (long i = 0; i < count; ++i) {
        CALL(clock, ARMCI_Get(shared, local, SIZE, 0));
    }
}

CALL_LOOP(put)
CALL_LOOP(get)

static const struct call_loop loops[] = {{"armci-put", 2, put_plainly, put_with_clock},
                                         {"armci-get", 1, get_plainly, get_with_clock}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    const struct call_loop_choice choice =
        call_loop_choose(argc, argv, loops, sizeof loops / sizeof *loops);
    if (choice.loop == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    ARMCI_Malloc(&shared, SIZE);
    const struct call_loop_times times = call_loop_measure(&choice);
    call_loop_print(&times);
    ARMCI_Free(shared);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
