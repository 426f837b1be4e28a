/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses ARMCI and MPI in turn, and ends in different ways.
 * usage: ending END   regular; kill: process 1 dies of a signal; error: process 0 calls ARMCI_Error
 */
#include <armci.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, ROOM = 64 };

static void communicate(int me, int size, int **memory)
{
    for (int i = 0; i < ROUNDS; i++) {
        int sum = 0, next = (me + 1) % size;
        ARMCI_Put(&me, memory[next], sizeof me, next);
        ARMCI_Barrier();
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != size * (size - 1) / 2) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "regular";
    int me, size, received = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ARMCI_Init();
    int **memory = calloc((size_t)size, sizeof *memory);
    ARMCI_Malloc((void **)memory, ROOM);
    communicate(me, size, memory);
    ARMCI_Get(memory[me], &received, sizeof received, me);
    if (received == (me + size - 1) % size) {
        printf("process %d of %d is done\n", me, size);
    } else {
        fprintf(stderr, "process %d has received %d\n", me, received);
    }
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(end, "kill") == 0) {
        if (me == 1) {
            raise(SIGKILL);
        }
        ARMCI_Barrier();
    } else if (strcmp(end, "error") == 0) {
        if (me == 0) {
            ARMCI_Error("planted", 3);
        }
        ARMCI_Barrier();
    }
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
