/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Chains of causes of single wait states: the longest delay of the cause, or the earlier wait state
 * that delayed it, and so on back to a delay. */
#ifndef FERMATA_ANALYSIS_CAUSES_CAUSE_CHAIN_H
#define FERMATA_ANALYSIS_CAUSES_CAUSE_CHAIN_H

#include "analysis/causes/formation.h"
#include "analysis/results/statistics.h"

/** Fills the chains of the worst instances. Requires the begins of intervals that
 * fm_formation_costs() computes. Runs a message-driven stage; collective.
 * @param begin  of the run, ticks of the trace clock */
void fm_cause_chains_find(const struct fm_formation *formation, uint64_t begin,
                          struct fm_statistics_list *statistics);

#endif
