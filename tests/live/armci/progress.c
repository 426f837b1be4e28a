/* SPDX-License-Identifier: BSD-3-Clause */
/* Process 1 adds to memory of process 0 while that does not call ARMCI for long: with a library
 * that needs the target for it, process 1 waits for the progress of process 0.
 *
 * usage: progress ROUNDS MILLISECONDS
 */
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ELEMENTS = 8192 };

__attribute__((noinline)) static void compute(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

int main(int argc, char **argv)
{
    static double ones[ELEMENTS], scale = 1;
    int me, size;
    const int rounds = argc > 1 ? atoi(argv[1]) : 5, milliseconds = argc > 2 ? atoi(argv[2]) : 50;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ARMCI_Init();
    void **memory = calloc((size_t)size, sizeof *memory);
    ARMCI_Malloc(memory, sizeof ones);
    ARMCI_Access_begin(memory[me]);
    for (int i = 0; i < ELEMENTS; i++) {
        ones[i] = 1;
        ((double *)memory[me])[i] = 0;
    }
    ARMCI_Access_end(memory[me]);
    ARMCI_Barrier();
    for (int round = 0; round < rounds; round++) {
        if (me == 0) {
            compute(milliseconds);
        } else if (me == 1) {
            ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones, memory[0], sizeof ones, 0);
        }
        ARMCI_Barrier();
    }
    if (me == 0) {
        double sum = 0;
        ARMCI_Access_begin(memory[0]);
        for (int i = 0; i < ELEMENTS; i++) {
            sum += ((double *)memory[0])[i];
        }
        ARMCI_Access_end(memory[0]);
        printf("armci-progress: sum %.0f, %s\n", sum,
               sum == (double)rounds * ELEMENTS ? "right" : "wrong");
    }
    ARMCI_Barrier();
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
