/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counts of unrecorded operations during a pause, which the analysis needs for matching. Matching
 * depends on the order (the third message of a sender matches the third receive of its tag), so
 * each such series needs the number of its unrecorded members. Used by one thread.
 */
#ifndef FERMATA_RECORD_SELECTION_UNRECORDED_H
#define FERMATA_RECORD_SELECTION_UNRECORDED_H

#include "record/capture/record.h"

#include <stdbool.h>
#include <stddef.h>

/** Series whose members match in their order, with the further keys of a series. */
enum fm_series {
    FM_SERIES_SENDS = 1,   /**< communicator, receiver, tag */
    FM_SERIES_RECEIVES,    /**< communicator, sender, tag */
    FM_SERIES_COLLECTIVES, /**< communicator; of a persistent one: 1 + its number (as peer) */
    FM_SERIES_WINDOW_COLLECTIVES, /**< window */
    FM_SERIES_ACCESS_EPOCHS,      /**< window, group of targets (as peer) */
    FM_SERIES_EXPOSURE_EPOCHS     /**< window, group of origins (as peer) */
};

/** Number of unrecorded members of one series. */
struct fm_unrecorded_count {
    uint64_t count;
    uint32_t series;    /**< enum fm_series; 0: an empty slot */
    uint32_t reference; /**< communicator or window */
    uint32_t peer, tag;
};

/** A hash table of counts. Zeroed = empty. */
struct fm_unrecorded_table {
    struct fm_unrecorded_count *slots;
    size_t count, capacity;
};

/** Counts a record that is not kept. Amortized O(1); memory comes from mmap, not from malloc.
 * @param function  name of the function that the record's call calls
 * @return false without memory */
bool fm_unrecorded_note(struct fm_unrecorded_table *table, const uint64_t *record,
                        const char *function);

/** Adds the count of `entry` to that of its series. @return false without memory */
bool fm_unrecorded_add(struct fm_unrecorded_table *table, const struct fm_unrecorded_count *entry);

/** Gives the memory back. */
void fm_unrecorded_free(struct fm_unrecorded_table *table);

/** Removes all counts; the memory stays allocated. */
void fm_unrecorded_clear(struct fm_unrecorded_table *table);

#endif
