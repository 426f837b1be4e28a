/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time in communication itself: in calls that move data, without wait states. It is no waiting for
 * anybody, and may be most of a run.
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_TRANSFER_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_TRANSFER_H

#include "diagnosis/diagnosis.h"

/** Time in communication itself, without start-up and shut-down of libraries. */
struct fm_transfer_time {
    int64_t ticks;     /**< of all locations */
    uint32_t callpath; /**< that with most of it; FM_CUBE_NONE: there is none */
    int64_t most;      /**< ticks there */
    int64_t calls;     /**< there */
    int64_t bytes;     /**< sent there, or received where nothing is sent; 0: not known */
    bool is_notable;   /**< worth a sentence: at least a tenth of all time */
};

/** Finds the communication of a run. O(cells + call paths) */
struct fm_transfer_time fm_transfer_find(const struct fm_diagnosis *diagnosis);

#endif
