/** @file
 * The chain of causes of one wait state: what most delayed its cause, or which earlier waiting did,
 * back to a delay. */
#ifndef FERMATA_ANALYSIS_CAUSES_CAUSE_CHAIN_H
#define FERMATA_ANALYSIS_CAUSES_CAUSE_CHAIN_H

#include "analysis/causes/formation.h"
#include "analysis/results/statistics.h"

/** Fills the chains of the worst instances when the costs are known. Runs a message-driven stage;
 * collective.
 * @param begin  of the run, ticks of the trace clock */
void fm_cause_chains_find(const struct fm_formation *formation, uint64_t begin,
                          struct fm_statistics_list *statistics);

#endif
