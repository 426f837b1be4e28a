/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Collective operations in which data flow from or to one member, the root. */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_ROOTED_H
#define FERMATA_ANALYSIS_COLLECTIVE_ROOTED_H

#include "analysis/collective/instance.h"
#include "analysis/libraries/library_metrics.h"

/** @return the root of an operation; NULL: it is not known, or nobody waits in the operation (no
 * bytes are moved, or the programming model has no such rule)
 * @param rule  FM_RULE_BROADCAST, FM_RULE_REDUCE */
const struct fm_member *fm_rooted_root(const struct fm_analysis *analysis,
                                       const struct fm_member *const *members, uint32_t count,
                                       fm_rule_t rule);

/** @return whether a member exchanges data with the root: in an inter-communicator, the other
 * members of the root's own group do not. */
bool fm_rooted_takes_part(const struct fm_member *member, const struct fm_member *root);

#endif
