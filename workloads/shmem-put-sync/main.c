/* SPDX-License-Identifier: BSD-3-Clause */
/* The example of Hermanns 2005, figure 3, in OpenSHMEM: odd PEs put into the memory of the PE
 * before them, between two flags (docs/case-studies/put-and-sync.md). The origins come late to the
 * first flag and compute before the second one. */
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

enum { LENGTH = 512 };

/* Symmetric. */
static long row[LENGTH];
static long posted;    /* at an origin: its target's row may be written */
static long completed; /* at a target: its row is written */

__attribute__((noinline)) static void prepare(void)
{
    usleep(20000);
}

__attribute__((noinline)) static void continue_work(void)
{
    usleep(30000);
}

static void update(int target)
{
    long own[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        own[i] = target + 1;
    }
    prepare();
    shmem_long_wait_until(&posted, SHMEM_CMP_EQ, 1); /* as MPI_Win_start */
    shmem_long_put(row, own, LENGTH, target);
    continue_work();
    shmem_quiet(); /* as MPI_Win_complete, together with the flag */
    shmem_long_p(&completed, 1, target);
}

/* @return whether the row is that of the origin */
static int be_target(int origin)
{
    shmem_long_p(&posted, 1, origin);                   /* as MPI_Win_post */
    shmem_long_wait_until(&completed, SHMEM_CMP_EQ, 1); /* as MPI_Win_wait */
    for (int i = 0; i < LENGTH; i++) {
        if (row[i] != origin) {
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (shmem_n_pes() % 2 != 0) {
        fprintf(stderr, "shmem-put-sync: an even number of PEs is needed\n");
        shmem_global_exit(2);
    }
    shmem_barrier_all();
    if (me % 2 == 1) {
        update(me - 1);
    } else if (!be_target(me + 1)) {
        fprintf(stderr, "shmem-put-sync: PE %d: wrong result\n", me);
        shmem_global_exit(1);
    }
    shmem_barrier_all();
    if (me == 0) {
        printf("shmem-put-sync: right\n");
        fflush(stdout);
    }
    shmem_finalize();
    return 0;
}
