/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that ends in a parallel region, by its argument: exit, _exit, exit_other (by a thread
 * for which the master waits, in the implicit barrier); many: a team of 64 threads. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int is_waiting; /* the master, from the end of its part of the region on */

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(strcmp(how, "many") == 0 ? 64 : 3)
        {
#pragma omp barrier
            if (i == 2 && omp_get_thread_num() == 2 && strcmp(how, "exit_other") == 0) {
                while (!atomic_load(&is_waiting)) {
                    usleep(1000);
                }
                usleep(50000);
                exit(0);
            }
#pragma omp critical
            if (i == 2 && omp_get_thread_num() == 0) {
                if (strcmp(how, "exit") == 0) {
                    exit(0);
                }
                if (strcmp(how, "_exit") == 0) {
                    _exit(0);
                }
            }
            if (i == 2 && omp_get_thread_num() == 0) {
                atomic_store(&is_waiting, 1);
            }
        }
    }
    puts("end");
    return 0;
}
