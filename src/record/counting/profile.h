/** @file
 * Calls of a thread by call path: where in the program calls come from, how often, how long, and
 * the bytes of their operations. Constant memory: beyond FM_PROFILE_NODES different call paths a
 * path ends at the last function that is known; beyond FM_PROFILE_ENTRIES pairs of call path and
 * function calls are counted as lost.
 *
 * The path follows the records of the call stack (STACK, STACK_SITE). What the kernel has counted
 * in long stretches of computation (PROCESSOR records) belongs to the path of the call that ends
 * the stretch.
 */
#ifndef FERMATA_RECORD_COUNTING_PROFILE_H
#define FERMATA_RECORD_COUNTING_PROFILE_H

#include "record/capture/hot.h"

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
    uint64_t begin, end; /**< of the first and of the last call, clock ticks; 0: there was none */
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
};

/** @return an empty profile, of pages that are mapped when they are used; NULL without memory */
struct fm_call_profile *fm_profile_new(void);

/** The call stack keeps its outer `kept` functions, and gets another one inside them. */
void fm_profile_keep(struct fm_call_profile *profile, uint32_t kept);
void fm_profile_push(struct fm_call_profile *profile, uint32_t site);

/** The entry of a call from the present path. No lock, no system call. */
struct fm_profile_entry *fm_profile_find(struct fm_call_profile *profile, uint32_t function);

/** Counts a measured stretch of computation.
 * @param record  PROCESSOR */
void fm_profile_stretch(struct fm_call_profile *profile, const uint64_t *record);

/** Counts a call. */
static inline void fm_profile_call(struct fm_call_profile *profile, uint32_t function,
                                   uint64_t enter, uint64_t ticks)
{
    if (FM_UNLIKELY(profile->begin == 0)) {
        profile->begin = enter;
    }
    profile->end = enter + ticks;
    struct fm_profile_entry *entry = profile->entry;
    if (entry->function != function || entry->node != profile->path[profile->depth]) {
        entry = profile->entry = fm_profile_find(profile, function);
    }
    entry->calls++;
    entry->ticks += ticks;
}

/** Writes the calls of all threads: EXPERIMENT/counters/calls.N (counters/call_profile.h). Called
 * at the end of the run, when the call sites have names. errno is the reason of a failure.
 * @return false: the file cannot be written */
bool fm_profile_write(const char *directory, uint32_t rank);

#endif
