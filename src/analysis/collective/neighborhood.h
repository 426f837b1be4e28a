/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Neighbourhood collectives: a part of the pattern Wait at N x N.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_NEIGHBORHOOD_H
#define FERMATA_ANALYSIS_COLLECTIVE_NEIGHBORHOOD_H

#include "analysis/collective/instance.h"

/** Finds the waits of members for their neighbours; counts the operation as an omission if the
 * trace does not have the topology of the communicator. See `instance` of struct fm_pattern. */
void fm_find_neighborhood(const struct fm_finder *finder, const struct fm_member **members,
                          uint32_t count);

/** Handles the group of a member: itself and its neighbours. */
typedef void fm_neighborhood_handler_t(const struct fm_finder *finder,
                                       const struct fm_member *member,
                                       const struct fm_member *const *group, uint32_t size);

/** Reports the group of each member of a complete operation; none without the topology of the
 * communicator. Sorts the members by their ranks.
 * @return whether the topology is known */
bool fm_neighborhoods(const struct fm_finder *finder, const struct fm_member **members,
                      uint32_t count, fm_neighborhood_handler_t *handle);

#endif
