/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The activity of a location over time as nested spans (user regions and calls), opened and closed
 * in order of time. The timelines of the page and of exports are drawn from these spans.
 */
#ifndef FERMATA_TIMELINE_SPANS_H
#define FERMATA_TIMELINE_SPANS_H

#include "analysis/detail.h"
#include "base/containers/vector.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** Receives spans: times never decrease, spans nest. */
struct fm_span_sink {
    /** Opens a span: node `visit` of the location's call tree.
     * @param activity  the communication call, FM_NONE for other regions */
    void (*open)(void *context, uint64_t time, uint32_t visit, uint32_t activity);
    /** Closes the innermost span. */
    void (*close)(void *context, uint64_t time);
    void *context;
};

/** Passes all spans of a location in [from, to] to the sink; longer spans are clipped. */
void fm_spans_walk(const struct fm_location *location, uint64_t from, uint64_t to,
                   const struct fm_span_sink *sink);

/** An incremental walk: begin, advance as often as needed, end. The structure is public only for
 * its allocation; its fields are private. */
struct fm_span_walk {
    const struct fm_location *location;
    const struct fm_span_sink *sink;
    uint64_t from, to, end;
    size_t state, activity;   /**< next change of state, next call */
    uint32_t visit;           /**< node of the code around the current call */
    bool begun, over;         /**< `from` has been reached; the walk is complete */
    FM_VECTOR(uint32_t) open; /**< nodes of the open spans, outermost first */
    FM_VECTOR(uint32_t) path; /**< scratch */
};

/** Begins a walk through the activity of a location in [from, to].
 * @param walk  out: to be ended with fm_spans_end()
 * @param sink  must outlive the walk */
void fm_spans_begin(struct fm_span_walk *walk, const struct fm_location *location, uint64_t from,
                    uint64_t to, const struct fm_span_sink *sink);

/** Passes to the sink all spans that begin or end before `until`, and possibly later spans. */
void fm_spans_advance(struct fm_span_walk *walk, uint64_t until);

/** Passes the remaining spans to the sink and frees the memory of the walk. */
void fm_spans_end(struct fm_span_walk *walk);

/** @return the wait state of a call, if it can be drawn as a span inside the call's span; NULL if
 * the call has no wait state, or if calls inside it overlap with the waiting.
 * @param activity  the call; FM_NONE: the result is NULL */
const struct fm_candidate *fm_span_wait(const struct fm_detail *detail, uint32_t location,
                                        uint32_t activity);

#endif
