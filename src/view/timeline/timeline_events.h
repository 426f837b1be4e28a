/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The single events of windows of a timeline as columns of a bundle. Times are ticks since the
 * begin of the run.
 *
 * Segments are the activity of a location; a segment lasts until the next segment of its lane
 * begins: `lane_window`, `lane_location`, `lane_count` (number of segments, the last of which only
 * ends its predecessor); `segment_since`, `segment_callpath` (+ 1; 0: nothing), `segment_kind` (0:
 * no call, 1: a call begins, 2: a call continues after calls inside it).
 *
 * Waits: `wait_window`, `wait_location`, `wait_enter` (of the call), `wait_time`, `wait_rest` (of
 * the call, after the waiting), `wait_metric`, `wait_callpath`, and the call that caused it:
 * `wait_cause_location` and `wait_cause_callpath` (+ 1; 0: unknown); that call began when the
 * waiting ended.
 *
 * Arrows: `arrow_window`, `arrow_kind` (enum fm_arrow_kind in timeline/arrows.h; no causes),
 * `arrow_tail`, `arrow_head` (locations), `arrow_since`, `arrow_time` (from tail to head),
 * `arrow_bytes` (of messages and one-sided operations).
 *
 * Teams of threads: `team_window`, `team_since`, `team_time`, `team_count` (number of members),
 * `team_member` (location; the members of a team are consecutive).
 */
#ifndef FERMATA_VIEW_TIMELINE_TIMELINE_EVENTS_H
#define FERMATA_VIEW_TIMELINE_TIMELINE_EVENTS_H

#include "view/bundle.h"
#include "view/timeline/timeline_windows.h"

/** Adds the columns.
 * @param begin  of the run, ticks */
void fm_timeline_events_add(struct fm_bundle *bundle, const struct fm_detail *detail,
                            uint64_t begin, const fm_timeline_windows *windows);

#endif
