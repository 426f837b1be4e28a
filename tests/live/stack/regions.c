/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that the program marks, among functions of its call stack. */
#include <fermata/fermata.h>

#include <mpi.h>

#define NOINLINE __attribute__((noinline))

static NOINLINE int work(int which)
{
    int value = 0;
    if (which == 0) {
        MPI_Comm_rank(MPI_COMM_WORLD, &value);
    } else if (which == 1) {
        MPI_Comm_size(MPI_COMM_WORLD, &value);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return value + 1;
}

/* Returns while the region goes on: the region still lies inside it. */
static NOINLINE int begin_somewhere(void)
{
    FERMATA_BEGIN("held");
    return 1;
}

static NOINLINE int end_somewhere(void)
{
    FERMATA_END("held");
    return 1;
}

/* Marked by a region of its own name, behind which it goes on. */
static NOINLINE int marked(void)
{
    int value = 0;
    FERMATA_BEGIN("marked");
    MPI_Comm_test_inter(MPI_COMM_WORLD, &value);
    FERMATA_END("marked");
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &value);
    return value;
}

int main(int argc, char **argv)
{
    int sum = 0;
    MPI_Init(&argc, &argv);
    FERMATA_BEGIN("outer region");
    sum += work(0);
    sum += begin_somewhere();
    sum += work(1);
    sum += end_somewhere();
    FERMATA_END("outer region");
    sum += marked();
    for (int i = 0; i < 3; i++) {
        FERMATA_ITERATION("step");
        sum += work(2);
    }
    FERMATA_ITERATIONS_END("step");
    MPI_Finalize();
    return sum < 0;
}
