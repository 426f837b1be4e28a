/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of locks that are no windows of MPI.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_NAMES_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_NAMES_H

#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What names a lock. */
struct fm_named_lock {
    uint64_t id;      /**< in its programming model */
    uint32_t process; /**< its target, or of threads their process; FM_NONE: none */
    uint32_t region;  /**< of threads: that acquired it first; FM_NONE: not known */
    uint8_t paradigm; /**< fm_paradigm_t */
    bool is_of_threads;
};

/** Writes the name of a lock as its programming model has it, at most `size` bytes with the 0. */
void fm_lock_name(const struct fm_trace *trace, const struct fm_named_lock *found, char *name,
                  size_t size);

#endif
