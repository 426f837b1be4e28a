/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Threads that have nothing to do while their master is outside of parallel regions, and where it
 * is meanwhile (Wolf 2002, section 3.3).
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_IDLE_THREADS_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_IDLE_THREADS_H

#include "diagnosis/diagnosis.h"

/** A call path of masters, not including what it calls. */
struct fm_idle_place {
    uint32_t callpath;
    int64_t ticks; /**< idle time meanwhile, of all threads */
};

/** Idle time without start-up and shut-down of libraries. */
struct fm_idle_threads {
    int64_t ticks;               /**< of all threads */
    struct fm_idle_place most;   /**< FM_CUBE_NONE: there is no idle time */
    struct fm_idle_place second; /**< FM_CUBE_NONE: it is all in one place */
    int64_t waited;              /**< while the masters wait, by the problems of the report */
    bool is_notable;             /**< worth a sentence: at least 5 % of all time */
    bool has_problems;           /**< the report has problems of idle threads */
};

/** Finds the idle time of a run. O(cells + call paths) */
struct fm_idle_threads fm_idle_threads_find(const struct fm_diagnosis *diagnosis);

#endif
