/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses OpenSHMEM, and MPI where it is compiled with it.
 * usage: program END   shmem or mpi: which library is finalized last; kill: PE 1 dies of a signal;
 *                      exit: PE 0 calls shmem_global_exit; pes: begun by start_pes, ended by
 * return; full: the symmetric heap has no room left at the end */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { ROUNDS = 5, PART = 32 * 1024 };

static int data;

/* Both libraries in turn. */
static void communicate(int me, int size)
{
    for (int i = 0; i < ROUNDS; i++) {
        shmem_int_p(&data, me, (me + 1) % size);
        shmem_barrier_all();
#ifdef WITH_MPI
        int sum = 0;
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != size * (size - 1) / 2) {
            exit(1);
        }
#endif
    }
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "shmem";
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    const int has_old_names = strcmp(end, "pes") == 0;
    if (has_old_names) {
        start_pes(0);
    } else {
        shmem_init();
    }
    int me = has_old_names ? _my_pe() : shmem_my_pe();
    int size = has_old_names ? _num_pes() : shmem_n_pes();
    communicate(me, size);
    if (data != (me + size - 1) % size) {
        return 1;
    }
    printf("PE %d of %d is done\n", me, size);
    fflush(stdout);
    if (strcmp(end, "kill") == 0) {
        if (me == 1) {
            raise(SIGKILL);
        }
        shmem_barrier_all();
    } else if (strcmp(end, "exit") == 0) {
        if (me == 0) {
            shmem_global_exit(3);
        }
        shmem_barrier_all();
    } else if (strcmp(end, "pes") == 0) {
        return 0;
    } else if (strcmp(end, "full") == 0) {
        while (shmem_malloc(PART) != NULL) {
        }
    }
#ifdef WITH_MPI
    if (strcmp(end, "mpi") != 0) {
        MPI_Finalize();
        shmem_int_p(&data, me, (me + 1) % size); /* is recorded, too */
    }
#endif
    shmem_finalize();
#ifdef WITH_MPI
    if (strcmp(end, "mpi") == 0) {
        MPI_Finalize();
    }
#endif
    return 0;
}
