/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The clock condition of collective operations: which members cannot leave before others have
 * entered, whatever the library does. */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_CLOCK_CONDITION_H
#define FERMATA_ANALYSIS_COLLECTIVE_CLOCK_CONDITION_H

#include "analysis/collective/instance.h"

/** @return whether a member cannot leave before all members have entered: barriers, and operations
 * in which each member gets data of all others. */
bool fm_member_must_synchronize(const struct fm_analysis *analysis, const struct fm_member *member);

/** @return the number of members of an operation with a root that left before those had entered
 * whose data they need; 0 for other operations, and if no data are moved. */
uint32_t fm_rooted_violations(const struct fm_analysis *analysis,
                              const struct fm_member *const *members, uint32_t count);

#endif
