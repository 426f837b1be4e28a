/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters that are offered to other tools in the process (--counters-mpit): those that are asked
 * for and available, except those of functions, and variables of the library, which it offers
 * itself.
 */
#ifndef FERMATA_RECORD_COUNTING_OFFERED_COUNTERS_H
#define FERMATA_RECORD_COUNTING_OFFERED_COUNTERS_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Environment variable, `1`: counters are offered. */
#define FM_COUNTERS_MPIT_VARIABLE "FERMATA_COUNTERS_MPIT"

/** Room for a name, and for what a counter means. */
enum { FM_OFFERED_NAME = 80, FM_OFFERED_MEANING = 320 };

/** A counter that is offered. */
struct fm_offered_counter {
    char name[FM_OFFERED_NAME];       /**< letters, digits and underscores; no other has it */
    char meaning[FM_OFFERED_MEANING]; /**< with its own name and unit */
    uint32_t kind;                    /**< enum fm_counter_kind */
    uint32_t slot, bins;
    bool is_whole; /**< values are whole numbers that only grow, else double: levels and times */
};

/** Whether counters are to be offered. Thread-safe. */
FM_API bool fm_counters_are_offered(void);

/** Notes which counters there are. Called once, with the file of counters open.
 * @return their number */
FM_API size_t fm_offered_counters_take(void);

/** A counter that was taken. Constant, thread-safe. */
FM_API const struct fm_offered_counter *fm_offered_counter_at(size_t number);

/** Reads the present value of the process; times in seconds. Thread-safe, takes no lock.
 * @param values  receives `bins` values of type uint64_t if the counter is_whole, else double */
FM_API void fm_offered_counter_read(const struct fm_offered_counter *counter, void *values);

#endif
