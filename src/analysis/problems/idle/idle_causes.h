/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which call path idle time is charged to: the serial part of the program that a master executes
 * while threads of its process are idle.
 *
 * A function is *serial* if neither it nor anything that it calls is a parallel region or a call of
 * a library that is not computation. Idle time in a call path of a master belongs to:
 *
 *  1. inside of a parallel region, the outermost one: it has fewer threads than the process;
 *  2. in a function that is not serial, this call path itself, without what it calls;
 *  3. in a serial function, the outermost serial caller of it, or rather the innermost call path
 *     that is reached from there by steps to a callee with at least four fifths of the idle time of
 *     its caller. What is not below the callee stays with the caller.
 *
 * Functions of libraries (libm, ...) are part of the function of the program that calls them.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_CAUSES_H
#define FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_CAUSES_H

#include "trace/tables/trace.h"

struct fm_idle_causes {
    uint32_t *of_callpath; /**< [call path]: the call path that its idle time is charged to */
    bool *is_parallel;     /**< [call path]: it is a parallel region, or inside of one */
};

/** Finds the causes.
 * @param trace  with fm_region.is_computation
 * @param ticks  [call path]: idle time of the threads of all masters, without that during which the
 *               masters wait
 * @return to be freed with fm_idle_causes_free(). O(call paths x depth) */
struct fm_idle_causes fm_idle_causes_find(const struct fm_trace *trace, const uint64_t *ticks);

void fm_idle_causes_free(struct fm_idle_causes *causes);

#endif
