/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Present values of the counters of the process, while its threads count.
 */
#ifndef FERMATA_RECORD_COUNTING_COUNTER_VALUES_H
#define FERMATA_RECORD_COUNTING_COUNTER_VALUES_H

#include <stdint.h>

/** The value of the process of one word: the sum over the threads; of a high watermark the largest;
 * of counters with a fraction, whose words have the bits of a double, the bits of the sum.
 * @param slot  of the word, behind the head of a block
 * @param kind  enum fm_counter_kind */
uint64_t fm_counter_total(uint32_t slot, uint32_t kind);

/** @return such a value, or a sum of such values of whole numbers, in the unit in which it is
 * shown: times in seconds */
double fm_counter_in_unit(uint64_t value, uint32_t kind, double ticks_per_second);

#endif
