/* SPDX-License-Identifier: BSD-3-Clause */
/* Every process adds to a counter of process 0 under an ARMCI mutex; process 1 holds it for long.
 *
 * usage: mutex ROUNDS MILLISECONDS [set]   set: the mutex is one of a set of mutexes (armcix.h)
 */
#include <armcix.h>
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

static armcix_mutex_hdl_t set; /* NULL: the mutexes of ARMCI_Create_mutexes */

static void create_mutex(int me, int of_set)
{
    const int count = me == 0 ? 1 : 0;
    if (of_set) {
        ARMCI_Group world;
        ARMCI_Group_get_world(&world);
        set = ARMCIX_Create_mutexes_hdl(count, &world);
    } else {
        ARMCI_Create_mutexes(count);
    }
}

static void destroy_mutex(void)
{
    if (set != NULL) {
        ARMCIX_Destroy_mutexes_hdl(set);
    } else {
        ARMCI_Destroy_mutexes();
    }
}

static void lock(void)
{
    if (set != NULL) {
        ARMCIX_Lock_hdl(set, 0, 0);
    } else {
        ARMCI_Lock(0, 0);
    }
}

static void unlock(void)
{
    if (set != NULL) {
        ARMCIX_Unlock_hdl(set, 0, 0);
    } else {
        ARMCI_Unlock(0, 0);
    }
}

__attribute__((noinline)) static void hold_long(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

int main(int argc, char **argv)
{
    int me, size;
    const int rounds = argc > 1 ? atoi(argv[1]) : 10, milliseconds = argc > 2 ? atoi(argv[2]) : 20;
    const int of_set = argc > 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ARMCI_Init();
    void **memory = calloc((size_t)size, sizeof *memory);
    ARMCI_Malloc(memory, sizeof *counter);
    create_mutex(me, of_set);
    counter = memory[0];
    if (me == 0) {
        ARMCI_Access_begin(counter);
        *counter = 0;
        ARMCI_Access_end(counter);
    }
    if (me == 1) {
        lock(); /* first, or processes that hold it briefly were ready before it */
    }
    ARMCI_Barrier();
    for (int round = 0; round < rounds; round++) {
        if (me != 1 || round > 0) {
            lock();
        }
        add();
        if (me == 1) {
            hold_long(milliseconds);
        }
        unlock();
    }
    ARMCI_Barrier();
    if (me == 0) {
        long value = 0;
        ARMCI_Get(counter, &value, sizeof value, 0);
        printf("armci-mutex%s: %ld increments, %s\n", of_set ? "-set" : "", value,
               value == (long)rounds * size ? "right" : "wrong");
    }
    ARMCI_Barrier();
    destroy_mutex();
    ARMCI_Free(memory[me]);
    free(memory);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
