/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The progress bar of an analysis: stage, share done, rate and remaining time, on a terminal.
 */
#ifndef FERMATA_CLI_ARCHIVE_PROGRESS_BAR_H
#define FERMATA_CLI_ARCHIVE_PROGRESS_BAR_H

#include "engine/stage_times.h"

struct fm_progress_bar;

/** Starts a thread that draws the bar on standard error, which must be a terminal.
 * @param times  of the analysis; must live as long as the bar
 * @return to be ended with fm_progress_bar_end(); NULL if there can be no thread */
struct fm_progress_bar *fm_progress_bar_begin(const struct fm_stage_times *times);

/** Clears the bar and ends its thread. NULL is allowed. */
void fm_progress_bar_end(struct fm_progress_bar *bar);

#endif
