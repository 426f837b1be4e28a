/** @file
 * What a location does over time, as segments: each lasts until the next one begins.
 */
#ifndef FERMATA_VIEW_TIMELINE_SEGMENTS_H
#define FERMATA_VIEW_TIMELINE_SEGMENTS_H

#include "timeline/spans.h"
#include "view/columns.h"

enum fm_segment_kind { FM_SEGMENT_NO_CALL, FM_SEGMENT_CALL_BEGINS, FM_SEGMENT_CALL_GOES_ON };

struct fm_segment {
    uint64_t since;    /**< ticks */
    uint32_t callpath; /**< + 1; 0: nothing */
    uint32_t kind;     /**< enum fm_segment_kind */
};

struct fm_segment_span {
    uint32_t callpath;
    bool is_call;
};

/** Makes the segments of a location from the begin of a time to its end. Must stay where it is. */
struct fm_segments {
    struct fm_span_walk walk;
    struct fm_span_sink sink;
    FM_VECTOR(struct fm_segment_span) open;
    FM_VECTOR(struct fm_segment) items; /**< not yet taken */
};

/** Begins with what a location did from `from` to `to`; to be ended with fm_segments_close(). */
void fm_segments_open(struct fm_segments *segments, const struct fm_location *location,
                      uint64_t from, uint64_t to);

/** Makes `segments->items` have all segments that begin before `until`, and maybe more. */
void fm_segments_make(struct fm_segments *segments, uint64_t until);

/** Makes the rest: `segments->items` has the last one, which only ends the one before. */
void fm_segments_finish(struct fm_segments *segments);

/** Removes the segments that end before or at `until`; the one that lasts longer begins there. */
void fm_segments_take(struct fm_segments *segments, uint64_t until);

/** Frees what they own; the walk need not be at its end. */
void fm_segments_close(struct fm_segments *segments);

/** The columns of segments: timeline_events.h. */
struct fm_segment_columns {
    fm_column window, location, count;
    fm_column since, callpath, kind;
};

/** Adds a lane with what `segments` has up to `until`, where the last one is cut.
 * @param begin   of the run, ticks: times in the columns count from there
 * @param window  of the lane, and `location` whose it is */
void fm_segment_columns_add(struct fm_segment_columns *columns, const struct fm_segments *segments,
                            uint64_t begin, uint64_t until, uint64_t window, uint32_t location);

/** Adds the columns to a bundle and frees them. */
void fm_segment_columns_move(struct fm_bundle *bundle, struct fm_segment_columns *columns);

#endif
