/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Clock offsets of processes, estimated from their messages and collective operations: for archives
 * without clock offsets whose clocks disagree.
 *
 * A call that ends at L on one clock and must wait for an event at t on another bounds the
 * difference of both clocks from one side; messages in both directions bound it from both. Between
 * the bounds, the middle is taken, or the line in the middle if no constant satisfies them: clocks
 * drift. Half of the distance of the bounds is the error. Source: Cristian 1989, and for lines
 * Duda, Harrus, Haddad, Bernard 1987; here with the messages of the program.
 */
#ifndef FERMATA_ANALYSIS_CLOCKS_CLOCK_OFFSETS_H
#define FERMATA_ANALYSIS_CLOCKS_CLOCK_OFFSETS_H

#include "analysis/detail.h"

/** How good an estimate is. */
struct fm_offset_quality {
    uint64_t error; /**< ticks: no process's clock is known to be further from that of process 0 */
    uint32_t unbounded; /**< processes that are bounded from one side only, or not at all */
};

/** Estimates the offsets of the clocks of all processes to that of process 0. A process that is
 * bounded from one side only is taken to be as close to the bound as possible.
 * @param detail  with dependencies, violated ones included
 * @param maps    [location]: empty, to be filled */
struct fm_offset_quality fm_clock_offsets_estimate(const struct fm_detail *detail,
                                                   struct fm_time_map *maps);

#endif
