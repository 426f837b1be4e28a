/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Shares of all time: computation, waiting, calls that were never left, libraries without waiting,
 * overhead.
 */
#ifndef FERMATA_DIAGNOSIS_TIME_SHARES_H
#define FERMATA_DIAGNOSIS_TIME_SHARES_H

#include "diagnosis/diagnosis.h"

#include <stdbool.h>

/** A class of time. The classes add up to all time (fm_diagnosis.time). */
struct fm_time_share {
    const char *name; /**< a constant: "Waiting" */
    int64_t ticks;    /**< "Waiting": all wait states; other classes: time without wait states,
                            and without calls that were never left, a class of their own */
};

#define FM_TIME_SHARE_COUNT 13

/** Whether no time is known: the report is of counters only, and no process has reached its regular
 * end, at which the times of calls are written. */
bool fm_time_is_unknown(const struct fm_diagnosis *diagnosis);

/** Splits all time. */
void fm_time_shares(const struct fm_diagnosis *diagnosis,
                    struct fm_time_share shares[FM_TIME_SHARE_COUNT]);

#endif
