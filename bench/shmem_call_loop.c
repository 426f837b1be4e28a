/* SPDX-License-Identifier: BSD-3-Clause */
/* A tight loop of the cheapest calls of OpenSHMEM, by one PE to itself (call_loop.h): measures the
 * cost that recording adds to a call.
 *
 *   shmem_call_loop shmem-put COUNT     shmem_char_p and shmem_quiet
 *   shmem_call_loop shmem-get COUNT     shmem_char_g
 *   shmem_call_loop shmem-atomic COUNT  shmem_long_atomic_fetch_inc
 *
 * The loops have COUNT turns; with a third argument N there are N loops (default 9). */
#include "call_loop.h"

#include <shmem.h>

/* Symmetric. */
static char byte;
static long counter;

static inline void put(long count, bool clock)
{
    for (long i = 0; i < count; ++i) {
        CALL(clock, shmem_char_p(&byte, 1, 0));
        CALL(clock, shmem_quiet());
    }
}

static inline void get(long count, bool clock)
{
    for (long i = 0; i < count; ++i) {
        CALL(clock, shmem_char_g(&byte, 0));
    }
}

static inline void add(long count, bool clock)
{
    for (long i = 0; i < count; ++i) {
        CALL(clock, shmem_long_atomic_fetch_inc(&counter, 0));
    }
}

CALL_LOOP(put)
CALL_LOOP(get)
CALL_LOOP(add)

static const struct call_loop loops[] = {{"shmem-put", 2, put_plainly, put_with_clock},
                                         {"shmem-get", 1, get_plainly, get_with_clock},
                                         {"shmem-atomic", 1, add_plainly, add_with_clock}};

int main(int argc, char **argv)
{
    shmem_init();
    const struct call_loop_choice choice =
        call_loop_choose(argc, argv, loops, sizeof loops / sizeof *loops);
    if (choice.loop == NULL) {
        shmem_global_exit(2);
    }
    const struct call_loop_times times = call_loop_measure(&choice);
    call_loop_print(&times); /* some libraries end the program in shmem_finalize */
    shmem_finalize();
    return 0;
}
