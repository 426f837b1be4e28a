/** @file
 * Collective operations on communicators.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_MATCHING_H
#define FERMATA_ANALYSIS_COLLECTIVE_COLLECTIVE_MATCHING_H

#include "analysis/model/run.h"

/** Brings the members of all operations together and calls the patterns that want them. Runs
 * stages; collective. */
void fm_collectives_match(struct fm_analysis *analysis);

#endif
