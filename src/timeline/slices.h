/** @file
 * What a location was doing, as nested slices: user regions and calls, opened and closed in order
 * of time. For timelines of other tools.
 */
#ifndef FERMATA_TIMELINE_SLICES_H
#define FERMATA_TIMELINE_SLICES_H

#include "base/containers/vector.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** Takes slices as they come: times never decrease, slices nest. */
struct fm_slice_sink {
    /** A slice begins: node `visit` of the location's call tree.
     * @param activity  the communication call, FM_NONE for other regions */
    void (*open)(void *context, uint64_t time, uint32_t visit, uint32_t activity);
    /** The innermost slice ends. */
    void (*close)(void *context, uint64_t time);
    void *context;
};

/** Goes through all that a location did in [from, to]; what lasts longer is cut there. */
void fm_slices_walk(const struct fm_location *location, uint64_t from, uint64_t to,
                    const struct fm_slice_sink *sink);

/** A walk in steps: begin, advance as often as needed, end. Private but for its place in memory. */
struct fm_slice_walk {
    const struct fm_location *location;
    const struct fm_slice_sink *sink;
    uint64_t from, to, end;
    size_t state, activity;   /**< next change of state, next call */
    uint32_t visit;           /**< of the code around the calls */
    bool begun, over;         /**< `from` is reached; nothing is left */
    FM_VECTOR(uint32_t) open; /**< nodes of the open slices, outermost first */
    FM_VECTOR(uint32_t) path; /**< scratch */
};

/** Begins a walk through what a location did in [from, to].
 * @param walk  out: to be ended with fm_slices_end()
 * @param sink  must outlive the walk */
void fm_slices_begin(struct fm_slice_walk *walk, const struct fm_location *location, uint64_t from,
                     uint64_t to, const struct fm_slice_sink *sink);

/** Tells the sink all that happens before `until`, and maybe something behind it. */
void fm_slices_advance(struct fm_slice_walk *walk, uint64_t until);

/** Tells the sink the rest and frees what the walk owns. */
void fm_slices_end(struct fm_slice_walk *walk);

#endif
