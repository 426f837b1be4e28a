/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a recorder could change in the program it is loaded into: recorded and unrecorded
 * runs must print the same. */
#include <errno.h>
#include <fenv.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;
    (void)comm;
    MPI_Error_class(*code, &class);
    handled += class == MPI_ERR_RANK;
}

static void print_signals(int rank, const char *when)
{
    sigset_t mask;
    char line[256]; /* written at once, or the launcher mixes the ranks' lines */
    int length = 0;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < 32; i++) {
        struct sigaction action;
        sigaction(i, NULL, &action);
        length += sprintf(line + length, " %d%c", sigismember(&mask, i),
                          action.sa_handler == SIG_DFL   ? 'd'
                          : action.sa_handler == SIG_IGN ? 'i'
                                                         : 'h');
    }
    printf("rank %d %s:%s\n", rank, when, line);
}

int main(int argc, char **argv)
{
    int rank, in = 0, errors = 0, bad_errno = 0, finalized;
    char line[64] = "";
    MPI_Errhandler mine;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    print_signals(rank, "after Init");
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_OVERFLOW);
    for (int i = 0; i < 200; i++) {
        int position = 0;
        char packed[8];
        errno = 77;
        MPI_Pack(&i, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF);
        bad_errno += errno != 77;
        MPI_Sendrecv(&i, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    printf("rank %d: errno changed %d times, rounding %s, flags %s\n", rank, bad_errno,
           fegetround() == FE_UPWARD ? "kept" : "lost",
           fetestexcept(FE_ALL_EXCEPT) == FE_OVERFLOW ? "kept" : "changed");
    fesetround(FE_TONEAREST);

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Send(&in, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD), class;
    MPI_Error_class(code, &class);
    errors += class == MPI_ERR_RANK;
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Send(&in, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    printf("rank %d: %d error returned, %d handled\n", rank, errors, handled);
    if (rank == 0 && fgets(line, sizeof line, stdin) != NULL) {
        printf("rank 0 read: %s", line);
    }
    feclearexcept(FE_ALL_EXCEPT);
    print_signals(rank, "before Finalize");
    fflush(stdout);
    MPI_Finalize();
    MPI_Finalized(&finalized);
    print_signals(rank, "after Finalize");
    return 7;
}
