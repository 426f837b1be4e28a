/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Matching of collective operations on communicators.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_MATCHING_H
#define FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_MATCHING_H

#include "analysis/model/run.h"

/** Matches the members of all collective operations and calls the patterns for them. Runs stages;
 * collective. */
void fm_collectives_match(struct fm_analysis *analysis);

#endif
