/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a replay leaves as it was measured although a changed run might do otherwise: its sentences
 * name it. */
#ifndef FERMATA_WHATIF_FIXED_BEHAVIOR_H
#define FERMATA_WHATIF_FIXED_BEHAVIOR_H

#include "analysis/detail.h"

/** Numbers in the measured run. */
struct fm_fixed_behavior {
    uint64_t tasks;   /**< task waits: which thread executes which task */
    uint64_t unaided; /**< calls that wait for a condition, a semaphore, an event, a variable, or
                         for neighbours that are not known, and depend on nothing: nobody awakened
                           them while they waited */
    uint64_t unfollowed[FM_METRIC_COUNT]; /**< wait states of each metric whose event no dependency
                                               names: their calls take as long as measured */
    uint64_t unfollowed_ticks[FM_METRIC_COUNT]; /**< their waiting time */
};

/** Counts over all locations. O(calls + dependencies) */
struct fm_fixed_behavior fm_fixed_behavior_find(const struct fm_detail *detail);

#endif
