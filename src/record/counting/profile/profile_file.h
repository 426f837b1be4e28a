/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes the calls of a process, by call path: EXPERIMENT/counters/calls.N
 * (counters/call_profile.h).
 */
#ifndef FERMATA_RECORD_COUNTING_PROFILE_PROFILE_FILE_H
#define FERMATA_RECORD_COUNTING_PROFILE_PROFILE_FILE_H

#include "record/archive/callsites.h"
#include "record/counting/profile/profile.h"
#include "record/paradigm/region.h"

/** What the numbers in profiles of a process mean. */
struct fm_profile_names {
    const struct fm_definitions *set;     /**< with the regions and lines of the call sites */
    const struct fm_callsites *callsites; /**< with names */
    const struct fm_recorded_region *functions;
    size_t function_count;
    double ticks_per_second;
};

/** The calls of a thread. */
struct fm_thread_calls {
    uint32_t thread;
    struct fm_call_profile *profile; /**< its open visits end at its last call */
};

/** Writes the calls of all threads, in the order given. errno is the reason of a failure.
 * @param directory  of the experiment
 * @return false: the file cannot be written */
bool fm_profile_write(const char *directory, uint32_t rank, const struct fm_profile_names *names,
                      const struct fm_thread_calls *threads, size_t count);

#endif
