/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The activity of a location over time, as segments: each lasts until the next one begins.
 */
#ifndef FERMATA_VIEW_TIMELINE_SEGMENTS_H
#define FERMATA_VIEW_TIMELINE_SEGMENTS_H

#include "timeline/spans.h"
#include "view/columns.h"

enum fm_segment_kind { FM_SEGMENT_NO_CALL, FM_SEGMENT_CALL_BEGINS, FM_SEGMENT_CALL_GOES_ON };

struct fm_segment {
    uint64_t since;    /**< ticks */
    uint32_t callpath; /**< call path + 1; 0: nothing */
    uint32_t kind;     /**< enum fm_segment_kind */
};

struct fm_segment_span {
    uint32_t callpath;
    bool is_call;
};

/** Builds the segments of a location in a time window. Must not be moved in memory. */
struct fm_segments {
    struct fm_span_walk walk;
    struct fm_span_sink sink;
    FM_VECTOR(struct fm_segment_span) open;
    FM_VECTOR(struct fm_segment) items; /**< segments not yet removed */
};

/** Begins with the activity of a location in [`from`, `to`]. The caller ends with
 * fm_segments_close(). */
void fm_segments_open(struct fm_segments *segments, const struct fm_location *location,
                      uint64_t from, uint64_t to);

/** Adds to `segments->items` all segments that begin before `until`, and possibly later ones. */
void fm_segments_make(struct fm_segments *segments, uint64_t until);

/** Adds the remaining segments; the last item only marks the end of its predecessor. */
void fm_segments_finish(struct fm_segments *segments);

/** Removes the segments that end at or before `until`; a longer segment is cut to begin there. */
void fm_segments_take(struct fm_segments *segments, uint64_t until);

/** Frees the memory of `segments`; the walk may be incomplete. */
void fm_segments_close(struct fm_segments *segments);

/** The columns of segments, defined in timeline_events.h. */
struct fm_segment_columns {
    fm_column window, location, count;
    fm_column since, callpath, kind;
};

/** Adds a lane with the items of `segments` up to `until`; the last segment is cut there.
 * @param begin   of the run, ticks; times in the columns are relative to it
 * @param window  number of the lane's window; `location`: number of its location */
void fm_segment_columns_add(struct fm_segment_columns *columns, const struct fm_segments *segments,
                            uint64_t begin, uint64_t until, uint64_t window, uint32_t location);

/** Adds the columns to a bundle and frees them. */
void fm_segment_columns_move(struct fm_bundle *bundle, struct fm_segment_columns *columns);

#endif
