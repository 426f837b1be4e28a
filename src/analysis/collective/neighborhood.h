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

#endif
