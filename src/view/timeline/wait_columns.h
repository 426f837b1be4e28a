/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Wait states of a timeline as columns of a bundle, defined in timeline_events.h.
 */
#ifndef FERMATA_VIEW_TIMELINE_WAIT_COLUMNS_H
#define FERMATA_VIEW_TIMELINE_WAIT_COLUMNS_H

#include "analysis/detail.h"
#include "view/columns.h"

struct fm_wait_columns {
    fm_column window, location, enter, time, rest, metric, callpath, cause_location, cause_callpath;
};

/** Adds a wait state.
 * @param begin   of the run, ticks
 * @param window  number of its window; `where`: its location */
void fm_wait_columns_add(struct fm_wait_columns *columns, const struct fm_trace *trace,
                         uint64_t begin, uint64_t window, uint32_t where,
                         const struct fm_candidate *wait);

/** Adds the columns to a bundle and frees them. */
void fm_wait_columns_move(struct fm_bundle *bundle, struct fm_wait_columns *columns);

#endif
