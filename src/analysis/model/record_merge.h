/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Merges the records of a process's locations by the time of their calls. Keeps the order of each
 * location; ties: the lower location.
 */
#ifndef FERMATA_ANALYSIS_MODEL_RECORD_MERGE_H
#define FERMATA_ANALYSIS_MODEL_RECORD_MERGE_H

#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_record_merge {
    const struct fm_trace *trace;
    uint32_t first_location;
    uint32_t location_count;
    uint32_t only_next, only_end; /**< rows, if there is one location; else 0 */
    uint32_t *next;               /**< by location of the process: next row; NULL: one location */
    size_t (*count)(const struct fm_location *location);
    uint32_t (*activity)(const struct fm_location *location, uint32_t row);
};

/** A record: row of a table of a location. */
struct fm_record_ref {
    uint32_t location;
    uint32_t row;
};

/** Begins a merge over a table.
 * @param count     number of rows of the table
 * @param activity  call of a row */
void fm_record_merge_begin(struct fm_record_merge *merge, const struct fm_trace *trace,
                           uint32_t process, size_t (*count)(const struct fm_location *),
                           uint32_t (*activity)(const struct fm_location *, uint32_t));

/** fm_record_merge_next() for a process with several locations. */
bool fm_record_merge_earliest(struct fm_record_merge *merge, struct fm_record_ref *record);

/** Finds the next record. @return false after the last one, which also frees the merge. */
static inline bool fm_record_merge_next(struct fm_record_merge *merge, struct fm_record_ref *record)
{
    if (merge->only_next < merge->only_end) {
        *record = (struct fm_record_ref){merge->first_location, merge->only_next++};
        return true;
    }
    return merge->next != NULL && fm_record_merge_earliest(merge, record);
}

#endif
