/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Messages sent by size, in the bins that the user has chosen (--size-bins): a counter that is
 * added to the file only then.
 */
#ifndef FERMATA_RECORD_COUNTING_SIZE_COUNTER_H
#define FERMATA_RECORD_COUNTING_SIZE_COUNTER_H

#include "counters/size_bins.h"

#include <stdint.h>

/** The counter; constant after fm_size_counter_begin. */
struct fm_size_counter {
    uint32_t slot; /**< its first word behind the head of a block; 0: not asked for */
    struct fm_size_bins bins;
};

extern struct fm_size_counter fm_size_counter;

/** Adds the counter, if the environment has rules for it. Called once, when the file is open. */
void fm_size_counter_begin(void);

#endif
