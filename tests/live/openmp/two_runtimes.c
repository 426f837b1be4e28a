/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of clang with a library of GCC: two runtimes are in the process. */
#include <stdio.h>

void count_in_library(int *count);

int main(void)
{
    int count = 0;
#pragma omp parallel num_threads(2) /* LINE first */
#pragma omp critical                /* LINE critical */
    count++;
    count_in_library(&count);
#pragma omp parallel num_threads(2) /* LINE second */
#pragma omp atomic
    count++;
    printf("%d\n", count);
    return 0;
}
