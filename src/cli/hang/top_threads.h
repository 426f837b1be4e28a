/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the ranks of a program are doing that records its calls, but no counters.
 */
#ifndef FERMATA_CLI_HANG_TOP_THREADS_H
#define FERMATA_CLI_HANG_TOP_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/** Prints every `period` seconds a row for each rank that runs on this host: its threads, how long
 * its first thread has been seen in one call, and what that does now as the system knows; who waits
 * for whom if no thread was seen in another call for ten periods (hang_watch.h). Ends after `count`
 * periods, or when no rank runs. */
void fm_top_threads(const char *place, double period, uint64_t count);

#endif
