/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks in tasks exchange messages with the other rank, in a barrier while another thread is late,
 * and in taskwait. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { REGIONS = 3, TASKS = 3, LATE = 20000 };

static int rank;
static long sum;

static void exchange(int tag)
{
    int number = tag;
    if (rank == 0) {
        usleep(2000);
        MPI_Send(&number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&number, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#pragma omp atomic
    sum += number;
}

static void spread(int first)
{
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
        {
            exchange(first + i);
#pragma omp task firstprivate(i)
            exchange(first + TASKS + i);
#pragma omp taskwait
        }
    }
#pragma omp taskwait
}

int main(int count, char **arguments)
{
    int provided;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int region = 0; region < REGIONS; region++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp single nowait
            {
#pragma omp task
                spread(region * 2 * TASKS);
            }
            if (omp_get_thread_num() == 2) {
                usleep(LATE);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("%ld\n", sum);
    MPI_Finalize();
    return 0;
}
