/* SPDX-License-Identifier: BSD-3-Clause */
/* Fifty parallel regions of three threads: each thread enters a critical section, one creates a
 * task.
 */
#include <mpi.h>

enum { REGIONS = 50, THREADS = 3 };

int main(int argc, char **argv)
{
    int level;
    static volatile long sum;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp critical
            sum = sum + 1;
#pragma omp single
            {
#pragma omp task
                sum = sum + 1;
            }
        }
    }
    MPI_Finalize();
    return sum == REGIONS * (THREADS + 1) ? 0 : 1;
}
