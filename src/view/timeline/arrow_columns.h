/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Arrows of a timeline as columns of a bundle: see timeline_events.h.
 */
#ifndef FERMATA_VIEW_TIMELINE_ARROW_COLUMNS_H
#define FERMATA_VIEW_TIMELINE_ARROW_COLUMNS_H

#include "analysis/detail.h"
#include "timeline/arrows.h"
#include "view/columns.h"

struct fm_arrow_columns {
    fm_column window, kind, tail, head, since, time, bytes;
};

/** Adds an arrow.
 * @param kind   enum fm_arrow_kind
 * @param begin  of the run, ticks
 * @param bytes  that it moves */
void fm_arrow_columns_add(struct fm_arrow_columns *columns, uint64_t begin, uint64_t window,
                          unsigned kind, const struct fm_arrow_end *tail,
                          const struct fm_arrow_end *head, uint64_t bytes);

/** Adds the columns to a bundle and frees them. */
void fm_arrow_columns_move(struct fm_bundle *bundle, struct fm_arrow_columns *columns);

/** Receives the arrow of a lock: from the call to its end at the target. */
typedef void fm_lock_arrow_sink(void *context, const struct fm_arrow_end *tail,
                                const struct fm_arrow_end *head);

/** Passes to `sink` the arrows of all locks that a location acquires on other processes. */
void fm_lock_arrows(const struct fm_trace *trace, uint32_t where, fm_lock_arrow_sink *sink,
                    void *context);

#endif
