/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The events of a timeline in order of time over all of its locations, as streaming readers need
 * them: begins and ends of spans and of waiting parts, and arrivals of arrows.
 */
#ifndef FERMATA_EXPORT_PERFETTO_ORDERED_EVENTS_H
#define FERMATA_EXPORT_PERFETTO_ORDERED_EVENTS_H

#include "export/event_source.h"

#include <stdint.h>

enum fm_ordered_kind {
    FM_ORDERED_OPEN,       /**< a span begins: `visit`, and `activity` if it is a call */
    FM_ORDERED_CLOSE,      /**< the innermost span ends */
    FM_ORDERED_WAIT_OPEN,  /**< the waiting part of the call `activity` begins */
    FM_ORDERED_WAIT_CLOSE, /**< the waiting part ends */
    FM_ORDERED_ARRIVAL     /**< an end of an arrow that is not the begin of a span: `arrow` */
};

struct fm_ordered_event {
    uint64_t time; /**< ticks */
    uint32_t location;
    enum fm_ordered_kind kind;
    uint32_t visit, activity; /**< FM_NONE: none */
    size_t arrow;             /**< index in the source's arrows */
};

/** Passes all events to `put`. Times never decrease; equal times of a location keep the order in
 * which its spans nest, and arrivals come last. O(n log n).
 * @param window_events  the time is divided into windows of about so many events, which are sorted
 *                       one after the other: a bound on memory that does not change the result */
void fm_ordered_events_walk(const struct fm_event_source *events, uint64_t window_events,
                            void (*put)(void *context, const struct fm_ordered_event *event),
                            void *context);

#endif
