/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How a run ended: whether its locations were inside of calls that they never left.
 */
#ifndef FERMATA_ANALYSIS_HANG_ENDS_H
#define FERMATA_ANALYSIS_HANG_ENDS_H

#include "analysis/model/run.h"

/** @return whether a location never left some call of communication or synchronization, and its
 * process did not end by itself. For locations that this process of the analysis owns. */
bool fm_location_ends_inside_call(const struct fm_analysis *analysis, uint32_t location);

/** @return the number of these locations in the run. Collective. */
uint32_t fm_ends_inside_calls(const struct fm_analysis *analysis);

#endif
