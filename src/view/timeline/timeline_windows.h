/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The time windows of a timeline with all events in a page: the whole run, or excerpts around the
 * longest wait states of each kind.
 */
#ifndef FERMATA_VIEW_TIMELINE_TIMELINE_WINDOWS_H
#define FERMATA_VIEW_TIMELINE_TIMELINE_WINDOWS_H

#include "analysis/detail.h"
#include "base/containers/vector.h"
#include "cube/model/cube.h"

#include <stdbool.h>
#include <stdint.h>

/** A window of the timeline: all activities of a set of locations in a time window. */
struct fm_timeline_window {
    uint64_t from, to;                       /**< ticks since the begin of the run */
    const struct fm_cube_instance *instance; /**< the wait that it surrounds; NULL: whole run */
    uint32_t metric;               /**< kind of that wait state; FM_CUBE_NONE: whole run */
    FM_VECTOR(uint32_t) locations; /**< ascending */
};

typedef FM_VECTOR(struct fm_timeline_window) fm_timeline_windows;

/** @return the number of calls of all locations. */
uint64_t fm_timeline_calls(const struct fm_trace *trace);

/** @return one window with the whole run; to be released with fm_timeline_windows_free() */
fm_timeline_windows fm_timeline_whole_run(const struct fm_cube *cube);

/** Chooses windows around the longest waits of each kind, in descending order of the kinds'
 * waiting.
 * @param cube   the report of that run
 * @param calls  maximum number of calls in a window
 * @param most   maximum number of windows */
fm_timeline_windows fm_timeline_excerpts(const struct fm_detail *detail, const struct fm_cube *cube,
                                         uint64_t calls, size_t most);

/** @return whether the window contains this location. */
bool fm_timeline_window_has(const struct fm_timeline_window *window, uint32_t location);

void fm_timeline_windows_free(fm_timeline_windows *windows);

#endif
