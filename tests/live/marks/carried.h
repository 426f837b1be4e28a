/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Marks as a program has them in it through the header of a tools interface: nvtx.c, itt.c. Each
 * does what the header or static library of its interface does, declared by its documentation.
 */
#ifndef FERMATA_TESTS_LIVE_MARKS_CARRIED_H
#define FERMATA_TESTS_LIVE_MARKS_CARRIED_H

#include <stdint.h>

/** Domains of the program. */
enum domain { OUTSIDE, SOLVER, OUTPUT };

/** Begins and ends a mark of this thread. */
void carried_begin(enum domain domain, const char *name);
void carried_end(enum domain domain);

/** Begins and ends a mark of the process. */
uint64_t carried_start(const char *name);
void carried_stop(uint64_t mark);

/** Uses what else the interface has: strings and other forms of names. Each region once. */
void carried_forms(void);

#endif
