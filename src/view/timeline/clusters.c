/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/clusters.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Rounds of k-means; later rounds move few members. */
#define ROUNDS 4U

struct search {
    const uint8_t *vectors;
    uint32_t count, width;
    uint8_t *centres; /* [group][width] */
    uint32_t groups;
    uint32_t *of, *distance; /* [vector]: closest centre, and the distance to it */
};

static uint32_t distance_of(const uint8_t *a, const uint8_t *b, uint32_t width)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < width; i++)
        sum += (uint32_t)abs(a[i] - b[i]);
    return sum;
}

static const uint8_t *vector_of(const struct search *search, uint32_t vector)
{
    return search->vectors + (size_t)vector * search->width;
}

static uint8_t *centre_of(const struct search *search, uint32_t group)
{
    return search->centres + (size_t)group * search->width;
}

/** Finds the vector closest to the mean of all vectors: the first centre. */
static uint32_t most_typical(const struct search *search)
{
    uint64_t *sums = fm_allocate(search->width, sizeof *sums);
    uint8_t *mean = fm_allocate(search->width, sizeof *mean);
    for (uint32_t i = 0; i < search->count; i++) {
        for (uint32_t k = 0; k < search->width; k++)
            sums[k] += vector_of(search, i)[k];
    }
    for (uint32_t k = 0; k < search->width; k++)
        mean[k] = (uint8_t)((sums[k] + search->count / 2) / search->count);
    uint32_t best = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t distance = distance_of(vector_of(search, i), mean, search->width);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    fm_free(sums);
    fm_free(mean);
    return best;
}

/** Adds the vector to the centres. @return the vector with the largest distance from all centres */
static uint32_t add_centre(struct search *search, uint32_t vector)
{
    uint32_t group = search->groups++, farthest = 0;
    memcpy(centre_of(search, group), vector_of(search, vector), search->width);
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t distance =
            distance_of(vector_of(search, i), centre_of(search, group), search->width);
        if (distance < search->distance[i]) {
            search->distance[i] = distance;
            search->of[i] = group;
        }
        if (search->distance[i] > search->distance[farthest])
            farthest = i;
    }
    return farthest;
}

static void choose_centres(struct search *search, uint32_t tolerance, uint32_t most)
{
    memset(search->distance, 0xff, search->count * sizeof *search->distance);
    uint32_t next = most_typical(search);
    do {
        next = add_centre(search, next);
    } while (search->groups < most && search->distance[next] > tolerance);
}

/** Sets each centre to the mean of its members; a centre without members is unchanged. */
static void take_means(struct search *search)
{
    uint64_t *sums = fm_allocate((size_t)search->groups * search->width, sizeof *sums);
    uint64_t *members = fm_allocate(search->groups, sizeof *members);
    for (uint32_t i = 0; i < search->count; i++) {
        uint64_t *sum = sums + (size_t)search->of[i] * search->width;
        members[search->of[i]]++;
        for (uint32_t k = 0; k < search->width; k++)
            sum[k] += vector_of(search, i)[k];
    }
    for (uint32_t group = 0; group < search->groups; group++) {
        for (uint32_t k = 0; k < search->width && members[group] > 0; k++) {
            uint64_t sum = sums[(size_t)group * search->width + k];
            centre_of(search, group)[k] = (uint8_t)((sum + members[group] / 2) / members[group]);
        }
    }
    fm_free(sums);
    fm_free(members);
}

/** Assigns each vector to the closest centre, with ties to the first. @return whether any
 * assignment changed */
static bool assign(struct search *search)
{
    bool moved = false;
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t best = 0, least = UINT32_MAX;
        for (uint32_t group = 0; group < search->groups; group++) {
            uint32_t distance =
                distance_of(vector_of(search, i), centre_of(search, group), search->width);
            if (distance < least) {
                least = distance;
                best = group;
            }
        }
        moved = moved || search->of[i] != best;
        search->of[i] = best;
        search->distance[i] = least;
    }
    return moved;
}

/** @return for each group the mean distance of its members from the centre. */
static uint32_t *find_spreads(const struct search *search, uint64_t *members)
{
    uint32_t *spreads = fm_allocate(search->groups, sizeof *spreads);
    uint64_t *sums = fm_allocate(search->groups, sizeof *sums);
    for (uint32_t i = 0; i < search->count; i++) {
        sums[search->of[i]] += search->distance[i];
        members[search->of[i]]++;
    }
    for (uint32_t group = 0; group < search->groups; group++)
        spreads[group] = members[group] == 0 ? 0 : (uint32_t)(sums[group] / members[group]);
    fm_free(sums);
    return spreads;
}

struct pair {
    uint32_t first, second, distance;
};

/** Finds the closest pair of groups whose distance is at most the mean distance of their members
 * from their centres. @return whether there is one */
static bool find_pair(const struct search *search, const uint32_t *spreads, const uint64_t *members,
                      struct pair *closest)
{
    bool found = false;
    for (uint32_t a = 0; a < search->groups; a++) {
        for (uint32_t b = a + 1; b < search->groups; b++) {
            if (members[a] == 0 || members[b] == 0)
                continue;
            uint32_t distance =
                distance_of(centre_of(search, a), centre_of(search, b), search->width);
            if (2 * (uint64_t)distance <= (uint64_t)spreads[a] + spreads[b] &&
                (!found || distance < closest->distance)) {
                *closest = (struct pair){a, b, distance};
                found = true;
            }
        }
    }
    return found;
}

/** Computes the distance of each vector from the centre of its group. */
static void measure(struct search *search)
{
    for (uint32_t i = 0; i < search->count; i++)
        search->distance[i] =
            distance_of(vector_of(search, i), centre_of(search, search->of[i]), search->width);
}

/** Joins groups that differ only by noise. */
static void join_groups(struct search *search)
{
    for (bool joined = true; joined;) {
        struct pair pair;
        uint64_t *members = fm_allocate(search->groups, sizeof *members);
        uint32_t *spreads = find_spreads(search, members);
        joined = find_pair(search, spreads, members, &pair);
        for (uint32_t i = 0; joined && i < search->count; i++) {
            if (search->of[i] == pair.second)
                search->of[i] = pair.first;
        }
        fm_free(members);
        fm_free(spreads);
        if (joined) {
            take_means(search);
            measure(search);
        }
    }
}

/** Numbers the groups in the order of their first members; removes empty groups. */
static struct fm_clusters number(struct search *search)
{
    struct fm_clusters clusters = {.of = search->of};
    uint32_t *new_number = fm_allocate(search->groups, sizeof *new_number);
    clusters.typical = fm_allocate(search->groups, sizeof *clusters.typical);
    clusters.size = fm_allocate(search->groups, sizeof *clusters.size);
    memset(new_number, 0xff, search->groups * sizeof *new_number);
    for (uint32_t i = 0; i < search->count; i++) {
        uint32_t *group = &new_number[search->of[i]];
        if (*group == UINT32_MAX) {
            *group = clusters.count++;
            clusters.typical[*group] = i;
        }
        if (search->distance[i] < search->distance[clusters.typical[*group]])
            clusters.typical[*group] = i;
        clusters.size[*group]++;
        search->of[i] = *group;
    }
    fm_free(new_number);
    return clusters;
}

struct fm_clusters fm_clusters_find(const uint8_t *vectors, uint32_t count, uint32_t width,
                                    uint32_t tolerance, uint32_t most)
{
    if (count == 0)
        return (struct fm_clusters){.count = 0};
    struct search search = {.vectors = vectors, .count = count, .width = width};
    search.of = fm_allocate(count, sizeof *search.of);
    search.distance = fm_allocate(count, sizeof *search.distance);
    search.centres = fm_allocate((size_t)most * width, sizeof *search.centres);
    choose_centres(&search, tolerance, most);
    for (unsigned round = 0; round < ROUNDS; round++) {
        take_means(&search);
        if (!assign(&search))
            break;
    }
    take_means(&search);
    measure(&search);
    join_groups(&search);
    struct fm_clusters clusters = number(&search);
    fm_free(search.distance);
    fm_free(search.centres);
    return clusters;
}

void fm_clusters_free(struct fm_clusters *clusters)
{
    fm_free(clusters->of);
    fm_free(clusters->typical);
    fm_free(clusters->size);
    *clusters = (struct fm_clusters){.count = 0};
}
