/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with PETSc's events and stages.
 *
 * usage: petsc plain|view|set  without PETSc's own log, with it, with handlers of the program */
#include "petsc_stub.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 10 };

static int own_begins, own_ends;

static int own_begin(int event, int unused, void *a, void *b, void *c, void *d)
{
    (void)event, (void)unused, (void)a, (void)b, (void)c, (void)d;
    own_begins++;
    return 0;
}

static int own_end(int event, int unused, void *a, void *b, void *c, void *d)
{
    (void)event, (void)unused, (void)a, (void)b, (void)c, (void)d;
    own_ends++;
    return 0;
}

/* As the macros of PETSc do. */
static void begin_event(int event)
{
    if (PetscLogPLB != NULL) {
        PetscLogPLB(event, 0, NULL, NULL, NULL, NULL);
    }
}

static void end_event(int event)
{
    if (PetscLogPLE != NULL) {
        PetscLogPLE(event, 0, NULL, NULL, NULL, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "plain";
    int rank, reaction, stage, begins, ends;
    const int solve = 0; /* of the library */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PetscInitializeStub(strcmp(mode, "view") == 0);
    PetscLogEventRegister("Reaction", 0, &reaction);
    PetscLogStageRegister("Time loop", &stage);
    if (strcmp(mode, "set") == 0) {
        PetscLogSet(own_begin, own_end);
    }
    PetscLogStagePush(stage);
    for (int i = 0; i < STEPS; i++) {
        begin_event(reaction);
        begin_event(solve);
        MPI_Barrier(MPI_COMM_WORLD);
        end_event(solve);
        end_event(reaction);
    }
    PetscLogStagePop();
    count_events(&begins, &ends);
    if (rank == 0) {
        printf("%s: %d %d events of the library, %d %d of the program; %d\n", mode, begins, ends,
               own_begins, own_ends, PetscLogStagePop());
    }
    MPI_Finalize();
    return 0;
}
