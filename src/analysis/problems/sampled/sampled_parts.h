/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Charges the wait states that a location has caused to those of its call paths that are known to
 * take longer (sampled_causes.h).
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SAMPLED_SAMPLED_PARTS_H
#define FERMATA_ANALYSIS_PROBLEMS_SAMPLED_SAMPLED_PARTS_H

#include "analysis/causes/caused_waits.h"
#include "analysis/problems/sampled/descent.h"

/** Replaces the parts of the wait states that are charged by delays.
 * @param tree       judged
 * @param chance     row of the caller whose excess is variation; FM_NONE: none
 * @param variation  node that stands for variation */
void fm_sampled_parts_write(struct fm_caused_waits *caused, const struct fm_cause_tree *tree,
                            const struct fm_descent *descent, uint32_t chance, uint32_t variation);

#endif
