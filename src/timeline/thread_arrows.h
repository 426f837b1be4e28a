/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Arrows between the threads of a process: where a thread gets its work from, and for what it has
 * waited.
 */
#ifndef FERMATA_TIMELINE_THREAD_ARROWS_H
#define FERMATA_TIMELINE_THREAD_ARROWS_H

#include "timeline/arrows.h"

/** Passes the arrows between the threads of a process to `sink`: at most one for each of its
 * records of threads. Arrows from a thread to itself are left out, and so are those whose head
 * would be earlier than their tail (clocks). O(n log n) for n records. */
void fm_thread_arrows(const struct fm_trace *trace, uint32_t process, fm_arrow_sink *sink,
                      void *context);

#endif
