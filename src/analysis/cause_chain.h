/** @file
 * The chain of causes of one wait state: what most delayed its cause, or which earlier waiting did,
 * back to a delay. */
#ifndef FERMATA_ANALYSIS_CAUSE_CHAIN_H
#define FERMATA_ANALYSIS_CAUSE_CHAIN_H

#include "analysis/formation.h"
#include "analysis/intervals.h"

/** Fills the chains of the cube's worst instances, which are in the cube already. Single-threaded:
 * there are few of them. */
void fm_cause_chains_fill(struct fm_formation *formation, const struct fm_points *points,
                          struct fm_cube *cube);

#endif
