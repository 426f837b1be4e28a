/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that switches its marks by MPI_Pcontrol, or names regions by it.
 *
 * usage: pcontrol levels|names */
#include <fermata/fermata.h>

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Long enough for samples. */
static void compute(void)
{
    const clock_t begin = clock();
    while (clock() - begin < CLOCKS_PER_SEC / 50) {
    }
}

static void recursive(int depth)
{
    FERMATA_BEGIN("recursive");
    if (depth > 1) {
        recursive(depth - 1);
    }
    FERMATA_END("recursive");
}

static void levels(void)
{
    for (int i = 0; i < 10; i++) {
        if (i == 4) {
            MPI_Pcontrol(0);
        }
        FERMATA_BEGIN("step");
        compute();
        MPI_Barrier(MPI_COMM_WORLD);
        FERMATA_END("step");
        if (i == 6) {
            MPI_Pcontrol(1);
        }
    }
    FERMATA_BEGIN("recursive"); /* the inner ones end while this one is open */
    MPI_Pcontrol(0);
    recursive(3);
    MPI_Pcontrol(2);
    MPI_Pcontrol(-7);
    FERMATA_BEGIN("begun while off");
    MPI_Pcontrol(1);
    FERMATA_BEGIN("inside");
    FERMATA_END("inside");
    FERMATA_END("begun while off");
    FERMATA_END("recursive");
}

static void names(void)
{
    for (int i = 0; i < 5; i++) {
        MPI_Pcontrol(1, "outer");
        for (int j = 0; j < 2; j++) {
            MPI_Pcontrol(1, "inner");
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Pcontrol(-1, "inner");
        }
        MPI_Pcontrol(-1, "outer");
        MPI_Pcontrol(-1, "outer");
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "levels") == 0) {
        levels();
    } else {
        names();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("done\n");
    }
    MPI_Finalize();
    return 0;
}
