/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Visits of a thread's instrumented functions, for recordings without a trace: how often each was
 * visited, its own time, and whether it led to recorded calls. Constant memory: of functions beyond
 * FM_VISITS_FUNCTIONS the visits are added up as those of function 0, and functions that are nested
 * deeper than FM_VISITS_DEEPEST are counted, while their time belongs to the function around them.
 *
 * Made of the records FUNCTION_ENTER, FUNCTION_LEAVE and of calls, in their order. Own time is that
 * outside of instrumented functions and recorded calls inside; marked regions are part of it.
 */
#ifndef FERMATA_RECORD_COUNTING_PROFILE_FUNCTION_VISITS_H
#define FERMATA_RECORD_COUNTING_PROFILE_FUNCTION_VISITS_H

#include <stdbool.h>
#include <stdint.h>

enum { FM_VISITS_FUNCTIONS = 1 << 13, FM_VISITS_DEEPEST = 1024 };

/** The visits of a function. */
struct fm_function_visits {
    uint32_t site;      /**< call site of its first instruction */
    bool leads_to_call; /**< of a visit that has ended */
    uint64_t visits;
    uint64_t ticks; /**< own time of visits that have ended */
};

/** An open visit. */
struct fm_open_visit {
    uint32_t function; /**< position in the table */
    bool leads_to_call;
    uint64_t enter;
    uint64_t inner; /**< ticks of what is inside */
};

/** Zeroed, but for `count`, which is 1: none so far. */
struct fm_visits {
    uint32_t count; /**< functions of the table, with function 0 */
    uint32_t depth; /**< open visits, also those deeper than FM_VISITS_DEEPEST */
    struct fm_open_visit open[FM_VISITS_DEEPEST];
    struct fm_function_visits functions[FM_VISITS_FUNCTIONS];
    uint16_t index[2 * FM_VISITS_FUNCTIONS]; /**< hash table, open addressing; 0: free */
};

/** A visit begins. No lock, no system call. */
void fm_visits_enter(struct fm_visits *visits, uint32_t site, uint64_t time);

/** All visits end but the outer `kept`. */
void fm_visits_leave(struct fm_visits *visits, uint32_t kept, uint64_t time);

/** A recorded call of so many ticks is in the innermost visit. */
static inline void fm_visits_call(struct fm_visits *visits, uint64_t ticks)
{
    if (visits->depth != 0 && visits->depth <= FM_VISITS_DEEPEST) {
        visits->open[visits->depth - 1].inner += ticks;
        visits->open[visits->depth - 1].leads_to_call = true;
    }
}

#endif
