/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Charges the wait states that a location has caused to those of its call paths that are known to
 * take longer (sampled_causes.h).
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SAMPLED_SAMPLED_PARTS_H
#define FERMATA_ANALYSIS_PROBLEMS_SAMPLED_SAMPLED_PARTS_H

#include "analysis/causes/caused_waits.h"
#include "analysis/problems/sampled/descent.h"

/** Replaces the parts of the wait states that are charged by delays. The node behind the last one
 * of the location stands for variation.
 * @param tree    judged
 * @param chance  row of the caller whose excess is variation; FM_NONE: none */
void fm_sampled_parts_write(struct fm_caused_waits *caused, const struct fm_trace *trace,
                            const struct fm_location *location, const struct fm_cause_tree *tree,
                            const struct fm_descent *descent, uint32_t chance);

#endif
