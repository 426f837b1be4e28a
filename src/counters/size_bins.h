/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Bins by size with boundaries of the user's choice (--size-bins): each bin has a rule, its largest
 * size. A size belongs to the first bin whose rule it obeys; the last bin is open and has no rule.
 */
#ifndef FERMATA_COUNTERS_SIZE_BINS_H
#define FERMATA_COUNTERS_SIZE_BINS_H

#include <stdbool.h>
#include <stdint.h>

/** Most bins that have a rule. */
enum { FM_SIZE_RULES_MOST = 32 };

/** The counter that has messages by such bins. */
#define FM_COUNTER_BY_SIZE "mpi.messages_by_size"

#define FM_COUNTER_BY_SIZE_MEANING "messages sent, in the bins of --size-bins"

/** Environment variable with the rules. */
#define FM_SIZE_BINS_VARIABLE "FERMATA_SIZE_BINS"

/** The rules. */
struct fm_size_bins {
    uint32_t rules;                       /**< their number; one bin more than rules */
    uint64_t largest[FM_SIZE_RULES_MOST]; /**< ascending, in bytes */
};

/** Reads "64,1K,64KB": ascending sizes (base/quantity.h).
 * @return false: the text is none, or has more than FM_SIZE_RULES_MOST sizes */
bool fm_size_bins_read(const char *text, struct fm_size_bins *bins);

/** @return the bin of a size; at most bins->rules */
static inline uint32_t fm_size_bin(const struct fm_size_bins *bins, uint64_t bytes)
{
    uint32_t bin = 0;
    while (bin < bins->rules && bytes > bins->largest[bin]) {
        bin++;
    }
    return bin;
}

#endif
