/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives: each process waits for the last one of its neighbours. */
#include "analysis/collective/neighborhood.h"

#include "analysis/collective/gathering.h"

#include "base/containers/map.h"

/* @return the rank one step along a dimension, or FM_NONE at the border */
static uint32_t neighbor(const struct fm_topology *topology, const struct fm_map *rank_at,
                         uint32_t rank, uint8_t dimension, int step)
{
    const uint32_t *own = &topology->coordinates[(size_t)rank * topology->dimension_count];
    uint64_t position = 0;
    for (uint8_t d = 0; d < topology->dimension_count; ++d) {
        uint32_t size = topology->sizes[d];
        uint64_t coordinate = own[d];
        if (d == dimension) {
            if ((step < 0 && own[d] == 0) || (step > 0 && own[d] + 1 >= size)) {
                if (!topology->periodic[d]) {
                    return FM_NONE;
                }
                coordinate = step < 0 ? size - 1 : 0;
            } else {
                coordinate = step < 0 ? own[d] - 1 : own[d] + 1;
            }
        }
        position = position * size + coordinate;
    }
    return fm_map_get(rank_at, position);
}

static struct fm_map map_coordinates(const struct fm_topology *topology, uint32_t count)
{
    struct fm_map rank_at = {0};
    for (uint32_t rank = 0; rank < count; ++rank) {
        uint64_t position = 0;
        for (uint8_t d = 0; d < topology->dimension_count; ++d) {
            position = position * topology->sizes[d] +
                       topology->coordinates[(size_t)rank * topology->dimension_count + d];
        }
        *fm_map_at(&rank_at, position, rank) = rank;
    }
    return rank_at;
}

/* Finds the wait of `member` for the last of `group`, itself and its neighbours. Only neighbours
 * synchronize: their wait states are the synchronization points, and no group point is reported. */
static void find_at_member(const struct fm_finder *finder, const struct fm_member *member,
                           const struct fm_member *const *group, uint32_t size)
{
    const struct fm_member *last = fm_members_last(group, size);
    const struct fm_gathered all = {.enter = last->enter,
                                    .first_leave = fm_members_first_leave(group, size)};
    fm_member_wait(finder, member, last, FM_METRIC_MPI_WAIT_NXN);
    if (fm_member_completes_late(member, &all)) {
        struct fm_part part = fm_member_late_completion(member, &all, FM_METRIC_MPI_NXN_COMPLETION);
        fm_found_remote_part(finder, member->wait_location, &part);
    }
}

bool fm_neighborhoods(const struct fm_finder *finder, const struct fm_member **members,
                      uint32_t count, fm_neighborhood_handler_t *handle)
{
    const struct fm_topology *topology =
        finder->analysis->trace->communicators[members[0]->communicator].topology;
    if (topology == NULL) {
        return false;
    }
    fm_members_sort(members, count);
    struct fm_map rank_at = map_coordinates(topology, count);
    const struct fm_member **group =
        fm_allocate(1 + 2 * (size_t)topology->dimension_count, sizeof *group);
    for (uint32_t rank = 0; rank < count; ++rank) {
        uint32_t size = 0;
        group[size++] = members[rank];
        for (uint8_t d = 0; d < topology->dimension_count; ++d) {
            for (int step = -1; step <= 1; step += 2) {
                uint32_t other = neighbor(topology, &rank_at, rank, d, step);
                if (other < count) {
                    group[size++] = members[other];
                }
            }
        }
        handle(finder, members[rank], group, size);
    }
    fm_free(group);
    fm_map_free(&rank_at);
    return true;
}

void fm_find_neighborhood(const struct fm_finder *finder, const struct fm_member **members,
                          uint32_t count)
{
    if (!fm_neighborhoods(finder, members, count, find_at_member)) {
        ++finder->analysis->omissions.unknown_neighborhoods;
    }
}
