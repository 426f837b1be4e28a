/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of two_runtimes.c that GCC compiles. */
void count_in_library(int *count);

void count_in_library(int *count)
{
#pragma omp parallel num_threads(3)
#pragma omp critical
    (*count)++;
}
