/** @file
 * What a location does over time, as nested spans (user regions and calls) that are opened and
 * closed in order of time: what timelines of the page and of exports draw.
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
    /** A span begins: node `visit` of the location's call tree.
     * @param activity  the communication call, FM_NONE for other regions */
    void (*open)(void *context, uint64_t time, uint32_t visit, uint32_t activity);
    /** The innermost span ends. */
    void (*close)(void *context, uint64_t time);
    void *context;
};

/** Goes through all that a location did in [from, to]; what lasts longer is cut there. */
void fm_spans_walk(const struct fm_location *location, uint64_t from, uint64_t to,
                   const struct fm_span_sink *sink);

/** A walk in steps: begin, advance as often as needed, end. Private but for its place in memory. */
struct fm_span_walk {
    const struct fm_location *location;
    const struct fm_span_sink *sink;
    uint64_t from, to, end;
    size_t state, activity;   /**< next change of state, next call */
    uint32_t visit;           /**< of the code around the calls */
    bool begun, over;         /**< `from` is reached; nothing is left */
    FM_VECTOR(uint32_t) open; /**< nodes of the open spans, outermost first */
    FM_VECTOR(uint32_t) path; /**< scratch */
};

/** Begins a walk through what a location did in [from, to].
 * @param walk  out: to be ended with fm_spans_end()
 * @param sink  must outlive the walk */
void fm_spans_begin(struct fm_span_walk *walk, const struct fm_location *location, uint64_t from,
                    uint64_t to, const struct fm_span_sink *sink);

/** Passes to the sink all spans that begin or end before `until`, and possibly later ones. */
void fm_spans_advance(struct fm_span_walk *walk, uint64_t until);

/** Passes the remaining spans to the sink and frees the memory of the walk. */
void fm_spans_end(struct fm_span_walk *walk);

/** @return the wait state of a call that can be drawn as a span inside of the call's; NULL if it
 * has none, or if calls inside of it overlap with the waiting.
 * @param activity  the call; FM_NONE has no wait state */
const struct fm_candidate *fm_span_wait(const struct fm_detail *detail, uint32_t location,
                                        uint32_t activity);

#endif
