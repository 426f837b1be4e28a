/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Groups of locations that behave similarly over the whole run: one row of a timeline for each
 * group.
 *
 * The profile of a location contains, for each of 32 equal parts of the run's time, the shares of
 * computation, of calls, of waiting of each of the kinds with most waiting, and of all other
 * waiting. The distance of two locations is the part of the time in which their activities differ:
 * half the sum of the differences of their profiles, divided by the number of parts, without the
 * parts in which the activities of all locations agree. A location farther than 1/32 from all
 * previous groups begins a new group, up to 32 groups (clusters.h).
 *
 * In a bundle they are the member "alike" (number of groups) and the columns `alike_of` (group of
 * each location) and `alike_typical` (the most typical location of each group).
 */
#ifndef FERMATA_VIEW_TIMELINE_SIMILAR_LOCATIONS_H
#define FERMATA_VIEW_TIMELINE_SIMILAR_LOCATIONS_H

#include "analysis/detail.h"
#include "view/bundle.h"
#include "view/tiles/tile_cells.h"
#include "view/timeline/clusters.h"

/** Groups the locations of a run.
 * @param begin, length  of the run, ticks; length > 0
 * @return to be freed with fm_clusters_free() */
struct fm_clusters fm_similar_find(const struct fm_detail *detail,
                                   const struct fm_wait_kinds *kinds, uint64_t begin,
                                   uint64_t length);

/** Adds the member and the columns to a bundle. */
void fm_similar_add(struct fm_bundle *bundle, const struct fm_clusters *alike, uint32_t locations);

#endif
