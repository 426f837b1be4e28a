/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters that the program declares (fermata/counter.h), in the file of counters: "user:NAME". The
 * last value that a thread has recorded is that of the thread; the value of the process is the sum
 * over its threads.
 */
#ifndef FERMATA_RECORD_COUNTING_USER_COUNTERS_H
#define FERMATA_RECORD_COUNTING_USER_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/** Adds a counter, when it is defined; a name is cut where the file has no room for more of it, and
 * commas and blanks in it, which separate names in lists, are written as underscores. Thread-safe.
 * errno is preserved.
 * @param metric  number of its definition, to which records refer
 * @param unit    "" if it has none */
void fm_user_counter_add(uint32_t metric, const char *name, const char *unit, bool is_total,
                         bool is_real);

/** The file of counters has been opened: adds the counters so far. */
void fm_user_counters_begin(void);

/** @return the first word, behind the head of a block, of the counter that a record refers to; 0:
 * it is not a counter of the program, or there was no room for it */
uint32_t fm_user_counter_slot(uint32_t metric);

#endif
