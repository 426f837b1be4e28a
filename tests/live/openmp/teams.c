/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams on the host, with parallel regions inside of them.
 * A comment `LINE name` marks the line that a region is expected at. */
#include <omp.h>
#include <stdio.h>

static long sum;

int main(void)
{
#pragma omp teams num_teams(2) thread_limit(2) /* LINE teams */
    {
#pragma omp parallel num_threads(2) /* LINE parallel */
        {
#pragma omp atomic
            sum += 1 + omp_get_thread_num();
        }
    }
#pragma omp teams distribute parallel for num_teams(2) num_threads(2) /* LINE all */
    for (int i = 0; i < 10; i++) {
#pragma omp atomic
        sum += i;
    }
    printf("%ld\n", sum);
    return 0;
}
