/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls of a thread by call path: where in the program calls come from, how often, how long, and
 * the bytes of their operations. Constant memory: beyond FM_PROFILE_NODES different call paths a
 * path ends at the last function that is known; beyond FM_PROFILE_ENTRIES pairs of call path and
 * function calls are counted as lost.
 *
 * The path follows the records of the call stack (STACK, STACK_SITE). What the kernel has counted
 * in long stretches of computation (PROCESSOR records) belongs to the path of the call that ends
 * the stretch.
 *
 * What a filter is made of, and what a trace would hold, is counted beside the calls: visits of
 * instrumented functions (function_visits.h), and how often functions of the call stack begin. The
 * latter is an estimate: functions that return and are called again from the same place are one
 * visit, and a function that takes the place of another one is none.
 */
#ifndef FERMATA_RECORD_COUNTING_PROFILE_PROFILE_H
#define FERMATA_RECORD_COUNTING_PROFILE_PROFILE_H

#include "record/capture/hot.h"
#include "record/counting/profile/function_visits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_PROFILE_NODES = 1 << 14, FM_PROFILE_ENTRIES = 1 << 14, FM_PROFILE_DEEPEST = 1024 };

/** Call paths with stretches of computation, at most; those of further ones belong to no path. */
enum { FM_PROFILE_STRETCHES = 1 << 12 };

/** Calls of a function from a call path. */
struct fm_profile_entry {
    uint32_t node, function;
    uint64_t calls, ticks, sent, received;
};

/** A call path: the call site of its last function, below another path. Node 0 is the empty path.
 */
struct fm_profile_node {
    uint32_t parent, site;
    uint64_t begun; /**< how often its last function began */
};

/** Measured stretches of computation before calls from a call path: sums of PROCESSOR records. */
struct fm_profile_stretch {
    uint32_t node;
    uint64_t number;
    uint64_t length, stolen, delay_length, delay, system; /**< nanoseconds */
    uint64_t faults, faults_disk, preemptions, switches;
};

/** The calls of a thread. Entry 0 has those that are lost. */
struct fm_call_profile {
    uint64_t begin, end; /**< of the first and of the last call or instrumented function, clock
                              ticks; 0: there was none */
    uint32_t depth;      /**< functions on the call stack */
    uint32_t node_count, entry_count;
    struct fm_profile_entry *entry;        /**< of the last call */
    uint32_t path[FM_PROFILE_DEEPEST + 1]; /**< nodes; path[0] is node 0 */
    struct fm_profile_node nodes[FM_PROFILE_NODES];
    struct fm_profile_entry entries[FM_PROFILE_ENTRIES];
    uint16_t node_index[2 * FM_PROFILE_NODES]; /**< hash tables, open addressing; 0: free */
    uint16_t entry_index[2 * FM_PROFILE_ENTRIES];
    uint32_t stretch_count;
    struct fm_profile_stretch stretches[FM_PROFILE_STRETCHES]; /**< 0: of no path */
    uint16_t stretch_of[FM_PROFILE_NODES];
    struct fm_visits visits; /**< of instrumented functions */
};

/** @return an empty profile, of pages that are mapped when they are used; NULL without memory */
struct fm_call_profile *fm_profile_new(void);

/** Makes zeroed memory an empty profile. */
void fm_profile_begin(struct fm_call_profile *profile);

/** The call stack changes as a record says: STACK or STACK_SITE.
 * @param header  of the record */
void fm_profile_follow(struct fm_call_profile *profile, uint64_t header);

/** The entry of a call from the present path. No lock, no system call. */
struct fm_profile_entry *fm_profile_find(struct fm_call_profile *profile, uint32_t function);

/** Counts a measured stretch of computation.
 * @param record  PROCESSOR */
void fm_profile_stretch(struct fm_call_profile *profile, const uint64_t *record);

/** Notes the time of a call or of an instrumented function. */
static inline void fm_profile_at(struct fm_call_profile *profile, uint64_t begin, uint64_t end)
{
    if (FM_UNLIKELY(profile->begin == 0)) {
        profile->begin = begin;
    }
    profile->end = end;
}

/** Counts the begin or the end of an instrumented function.
 * @param record  FUNCTION_ENTER or FUNCTION_LEAVE */
void fm_profile_function(struct fm_call_profile *profile, const uint64_t *record);

/** Counts a call. */
static inline void fm_profile_call(struct fm_call_profile *profile, uint32_t function,
                                   uint64_t enter, uint64_t ticks)
{
    fm_profile_at(profile, enter, enter + ticks);
    fm_visits_call(&profile->visits, ticks);
    struct fm_profile_entry *entry = profile->entry;
    if (entry->function != function || entry->node != profile->path[profile->depth]) {
        entry = profile->entry = fm_profile_find(profile, function);
    }
    entry->calls++;
    entry->ticks += ticks;
}

#endif
