/* SPDX-License-Identifier: BSD-3-Clause */
/* Many short instrumented functions: some with nothing in them, some with others, some with a
 * barrier, in which they have to be recorded by themselves. */
#include <stdio.h>

enum { SWEEPS = 40, CELLS = 100, PARTS = 10, DEPTH = 20 };

__attribute__((noinline)) static long part(long x)
{
    __asm__ volatile("" : "+r"(x)); /* each call counts */
    return x * 3 + 1;
}

__attribute__((noinline)) static long cell(long x)
{
    long sum = 0;
    for (int i = 0; i < PARTS; i++) {
        sum += part(x + i);
    }
    return sum;
}

/* Calls another function between its calls of itself, so that it is no loop. */
__attribute__((noinline)) static long descend(int depth)
{
    if (depth == 0) {
        return 0;
    }
    long sum = descend(depth - 1);
    __asm__ volatile("" : "+r"(sum));
    return sum + part(sum);
}

__attribute__((noinline)) static long exchange(long x)
{
    long sum = part(x);
#pragma omp barrier
    return sum + part(x);
}

int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < CELLS; i++) {
            sum += cell(i);
        }
        sum += descend(DEPTH) + exchange(sweep);
    }
    printf("%ld\n", sum);
    return 0;
}
