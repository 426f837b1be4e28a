/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The controlled logical clock: times that satisfy the clock condition, no call ends before what it
 * must wait for, and that keep the lengths of the measured intervals as far as possible. The
 * forward pass is a replay (replay/replay.h); the backward pass, in here, distributes each jump of
 * the forward pass over the time before it. Source: as there.
 */
#ifndef FERMATA_ANALYSIS_CLOCKS_LOGICAL_CLOCK_H
#define FERMATA_ANALYSIS_CLOCKS_LOGICAL_CLOCK_H

#include "analysis/detail.h"

/** Repairs the times of a run. All times are integers; the result does not depend on the number of
 * workers.
 * @param detail   with dependencies, violated ones included
 * @param workers  threads; 0: one for each processor
 * @param maps     [location]: empty, to be filled: from the times of the run to the repaired ones
 */
void fm_logical_clock(const struct fm_detail *detail, unsigned workers, struct fm_time_map *maps);

#endif
