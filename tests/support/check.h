/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * cmocka with the headers that it wants before itself. */
#ifndef FERMATA_TESTS_CHECK_H
#define FERMATA_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** Next number of a generator that gives the same ones everywhere (xorshift64). */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
