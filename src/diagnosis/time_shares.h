/** @file
 * Shares of all time: computation, waiting, libraries without waiting, overhead.
 */
#ifndef FERMATA_DIAGNOSIS_TIME_SHARES_H
#define FERMATA_DIAGNOSIS_TIME_SHARES_H

#include "diagnosis/diagnosis.h"

/** A class of time. The classes add up to all time (fm_diagnosis.time). */
struct fm_time_share {
    const char *name; /**< a constant: "Waiting" */
    int64_t ticks;    /**< "Waiting": all wait states; other classes: time without wait states */
};

#define FM_TIME_SHARE_COUNT 11

/** Splits all time. */
void fm_time_shares(const struct fm_diagnosis *diagnosis,
                    struct fm_time_share shares[FM_TIME_SHARE_COUNT]);

#endif
