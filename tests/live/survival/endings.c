/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes 100 barriers, and ends in the way that is asked for, on rank 0: by the C library's own
 * abort (assert, stack, free), by a signal (kill, twice: in the handler of another one), by
 * MPI_Abort, or waits for ever, until its launcher ends. Compiled with -fstack-protector-all.
 *
 * usage: endings assert|stack|free|kill|twice|abort|hang */
#undef NDEBUG
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static void smash(volatile size_t bytes)
{
    char small[8];
    memset(small, 'x', bytes);
    __asm__ volatile("" : : "r"(small) : "memory");
}

__attribute__((noinline)) static void free_twice(void *volatile memory)
{
    free(memory);
    free(memory);
}

static void fail_again(int number)
{
    (void)number;
    signal(SIGSEGV, SIG_DFL);
    *(volatile int *)8 = 1;
}

static void end(const char *how)
{
    if (strcmp(how, "stack") == 0) {
        smash(64);
    } else if (strcmp(how, "free") == 0) {
        free_twice(malloc(24));
    } else if (strcmp(how, "assert") == 0) {
        assert(how == NULL);
    } else if (strcmp(how, "kill") == 0) {
        raise(SIGKILL);
    } else if (strcmp(how, "twice") == 0) {
        signal(SIGUSR1, fail_again);
        raise(SIGUSR1);
    } else if (strcmp(how, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    } else if (strcmp(how, "hang") == 0) {
        pause();
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0 && argc > 1) {
        end(argv[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
