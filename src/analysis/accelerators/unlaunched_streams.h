/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Streams of archives that do not state which launches have made which work, as other recorders
 * write them. What is certain, or a bound, is found all the same:
 *
 * A call that waits for streams has waited for the last work that ends in it, on any stream of the
 * process: it has lasted longer. A stream that is idle gets its next work by a launch in the idle
 * time, or that work waits for something else: the first launch of the process in it bounds Late
 * Launch from below.
 */
#ifndef FERMATA_ANALYSIS_ACCELERATORS_UNLAUNCHED_STREAMS_H
#define FERMATA_ANALYSIS_ACCELERATORS_UNLAUNCHED_STREAMS_H

#include "analysis/pattern.h"

/** @return [region]: whether its calls give streams work; to be freed with fm_free(). */
bool *fm_launching_regions(const struct fm_trace *trace);

/** Finds the waits of a process none of whose work has a recorded launch, and where its streams
 * begin. O(calls + works * log launches)
 * @param launches  fm_launching_regions() */
void fm_unlaunched_streams_find(const struct fm_finder *finder, uint32_t process,
                                const bool *launches);

#endif
