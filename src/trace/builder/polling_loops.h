/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Finds the polling loops of a location while its events are read: failed tests and the call that
 * ends them (docs/wait-states.md, "Polling loops"). Samples and the gaps between calls are known
 * as they were recorded only here: later the time between calls is composed of samples.
 * Private to src/trace/builder.
 */
#ifndef FERMATA_TRACE_BUILDER_POLLING_LOOPS_H
#define FERMATA_TRACE_BUILDER_POLLING_LOOPS_H

#include "base/containers/map.h"
#include "functions/polling_role.h"
#include "trace/tables/trace.h"

/** The run of failed tests that may become a loop. */
struct fm_polling_search {
    bool is_open;         /**< there is a failed test */
    bool restarts;        /**< a gap has ended the run: the next failed test begins another one */
    bool is_lost;         /**< the current gap: the thread had no processor */
    bool has_name;        /**< the current test names what it tests */
    bool is_awaited;      /**< the current call has completed something that was tested by name */
    uint32_t first;       /**< first failed test of the run */
    uint32_t current;     /**< call in progress: a part of the run, or the first call of one;
                               FM_NONE: none */
    uint32_t calls;       /**< calls and pauses up to now */
    uint32_t test_visit;  /**< node of the last failed test */
    uint32_t pause_depth; /**< open regions when a pause was entered; 0: none is open */
    uint32_t short_gaps;  /**< at the end of the run */
    uint32_t probe;       /**< last failed test of the run that is a probe; FM_NONE: none, or it is
                               the first of the run */
    uint32_t probe_first; /**< first failed test when `probe` was made */
    uint64_t known;       /**< number of events of the location that the run accounts for */
    uint64_t gap_begin;   /**< UINT64_MAX: no gap is open */
    uint64_t test_ticks, test_calls;   /**< of the last failed test: own time of so many calls */
    uint32_t tested[FM_POLLED_COUNT];  /**< 1 + last failed test; 0: none */
    uint32_t unnamed[FM_POLLED_COUNT]; /**< likewise, without a name of what it tests */
    struct fm_map names;               /**< id -> 1 + last failed test that names it */
    FM_VECTOR(uint32_t)
    samples; /**< nodes of samples behind the last failed test, of
                  functions that do not lead to that test */
    FM_VECTOR(struct fm_polling_loop)
    untold; /**< loops of probes, if the archive does not tell
                 what they have found */
};

struct fm_builder;
struct fm_frame;

/** Begins and ends the search in a location, and in all of them. */
void fm_polling_begin(struct fm_polling_search *search);
void fm_polling_end(struct fm_builder *builder);
void fm_polling_free(struct fm_polling_search *search);

/** A region was entered: its frame is the innermost one. */
void fm_polling_enter(struct fm_builder *builder, const struct fm_region *region);

/** A region is left, at the current time; its frame was removed. */
void fm_polling_leave(struct fm_builder *builder, const struct fm_region *region,
                      const struct fm_frame *frame);

/** The recorder itself worked up to the current time, in the innermost frame. A flush is no part of
 * a gap, and does not end a run. */
void fm_polling_flush(struct fm_builder *builder, uint64_t begin);

/** The current event is a part of any run: a metric. */
void fm_polling_ignore(struct fm_builder *builder);

/** A sample in the innermost frame. */
void fm_polling_sample(struct fm_builder *builder, uint32_t visit);

/** The innermost call has failed to complete a request or an operation. */
void fm_polling_failed(struct fm_builder *builder, uint64_t id);

/** The innermost call has completed a request or an operation. */
void fm_polling_completed(struct fm_builder *builder, uint64_t id);

/** Something is recorded outside of calls that no loop contains. */
void fm_polling_break(struct fm_builder *builder);

/** The thread had no processor in the current gap. */
void fm_polling_lost(struct fm_builder *builder);

#endif
