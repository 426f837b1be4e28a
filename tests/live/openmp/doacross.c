/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose iterations wait for others, of one and of two dimensions, and a loop with a reduction
 * over tasks. */
#include <omp.h>
#include <stdio.h>
enum { N = 30, M = 8 };
static long a[N], b[N][M], c[N];
int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
            a[i] = (i > 0 ? a[i - 1] : 0) + i;
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(2) schedule(dynamic, 1)
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < M; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                b[i][j] = (i > 0 ? b[i - 1][j] : 1) + (j > 0 ? b[i][j - 1] : 1);
#pragma omp ordered depend(source)
            }
        }
#pragma omp for ordered(1) schedule(guided)
        for (unsigned long long i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
            c[i] = c[i - 1] + 2;
#pragma omp ordered depend(source)
        }
#pragma omp for reduction(task, + : sum) schedule(dynamic)
        for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
    }
    printf("%ld %ld %ld %ld\n", a[N - 1], b[3][3], c[N - 1], sum);
    return 0;
}
