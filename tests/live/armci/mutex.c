/* Every process adds to a counter of process 0 under an ARMCI mutex; process 1 holds it for long.
 *
 * usage: mutex ROUNDS MILLISECONDS
 */
#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long *counter; /* of process 0 */

static void add(void)
{
    long value = 0;
    ARMCI_Get(counter, &value, sizeof value, 0);
    value++;
    ARMCI_Put(&value, counter, sizeof value, 0);
    ARMCI_Fence(0);
}

__attribute__((noinline)) static void hold_long(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

int main(int argc, char **argv)
{
    int me, size;
    const int rounds = argc > 1 ? atoi(argv[1]) : 10, milliseconds = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ARMCI_Init();
    void **memory = calloc((size_t)size, sizeof *memory);
    ARMCI_Malloc(memory, sizeof *counter);
    ARMCI_Create_mutexes(me == 0 ? 1 : 0);
    counter = memory[0];
    if (me == 0) {
        ARMCI_Access_begin(counter);
        *counter = 0;
        ARMCI_Access_end(counter);
    }
    ARMCI_Barrier();
    for (int round = 0; round < rounds; round++) {
        ARMCI_Lock(0, 0);
        add();
        if (me == 1) {
            hold_long(milliseconds);
        }
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    if (me == 0) {
        long value = 0;
        ARMCI_Get(counter, &value, sizeof value, 0);
        printf("armci-mutex: %ld increments, %s\n", value,
               value == (long)rounds * size ? "right" : "wrong");
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
