/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenSHMEM programs of two PEs that deadlock. They are killed.
 *
 * usage: shmem FOLDER NAME */
#include "note.h"

#include <shmem.h>
#include <string.h>

static long locks[2], flag;

static void shmem_wait_first(void) /* both wait before they change the other's variable */
{
    const int other = 1 - shmem_my_pe();
    shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
    shmem_long_p(&flag, 1, other);
}

static void shmem_lock_order(void)
{
    const int own = shmem_my_pe();
    shmem_set_lock(&locks[own]);
    shmem_barrier_all();
    shmem_set_lock(&locks[1 - own]);
}

int main(int argc, char **argv)
{
    shmem_init();
    shmem_barrier_all();
    if (argc < 3) {
        return 2;
    }
    note_begin(argv[1], shmem_my_pe());
    if (strcmp(argv[2], "shmem_wait_first") == 0) {
        shmem_wait_first();
    } else {
        shmem_lock_order();
    }
    shmem_finalize();
    return 0;
}
