/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The functions of planted programs with threads: the cause, and what all threads execute. They
 * compute.
 */
#ifndef FERMATA_BENCH_PLANTED_PARTS_H
#define FERMATA_BENCH_PLANTED_PARTS_H

#define NOINLINE __attribute__((noinline))

/** Read by functions that compute, so that two calls are not made one. */
static volatile double nothing;

static NOINLINE double late_part(long turns)
{
    double sum = nothing;
    for (long i = 0; i < turns; i++) {
        sum += (double)i * 0.5;
    }
    return sum;
}

static NOINLINE double prepare(long turns)
{
    double sum = nothing;
    for (long i = 0; i < turns; i++) {
        sum += (double)i * 0.25;
    }
    return sum;
}

#endif
