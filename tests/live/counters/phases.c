/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank sends itself 1, 2, ... STEPS messages in the visits of the phase "step". With the argument
 * "signal", SIGUSR2 arrives behind those of the second visit; with "slow", each visit begins with
 * twice the shortest period of snapshots. */
#include <fermata/fermata.h>

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { STEPS = 4 };

int main(int argc, char **argv)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    bool is_slow = argc > 1 && strcmp(argv[1], "slow") == 0;
    char out = 0, in;
    MPI_Init(&argc, &argv);
    for (int step = 1; step <= STEPS; step++) {
        FERMATA_ITERATION("step");
        FERMATA_COUNTER_DOUBLE("half", "", FERMATA_LEVEL, step / 2.0);
        if (is_slow) {
            nanosleep(&pause, NULL);
        }
        for (int i = 0; i < step; i++) {
            MPI_Sendrecv(&out, 1, MPI_CHAR, 0, 0, &in, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        }
        if (step == 2 && argc > 1 && strcmp(argv[1], "signal") == 0) {
            raise(SIGUSR2);
        }
    }
    FERMATA_ITERATIONS_END("step");
    MPI_Finalize();
    return 0;
}
