/* SPDX-License-Identifier: BSD-3-Clause */
/* Short functions of short_events.c. Compiled with instrumentation of functions. */
long call_functions(long number);

enum { LEAVES = 10 };

static __attribute__((noinline)) long leaf(long value)
{
    __asm__ volatile("" : "+r"(value));
    return value * 3 + 1;
}

static __attribute__((noinline)) long branch(long value)
{
    long sum = 0;
    for (long i = 0; i < LEAVES - 1; i++) {
        sum += leaf(value + i);
    }
    return sum;
}

/* @param number  visits of functions, about */
long call_functions(long number)
{
    long sum = 0;
    for (long i = 0; i < number / LEAVES; i++) {
        sum += branch(i);
    }
    return sum;
}
