/* Performance impact: all CPU time, by its relation to the critical path. */
#include "analysis/critical_path.h"

#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Locations that run the same top-level call paths. */
struct partitions {
    uint32_t *of_location;
    FM_VECTOR(uint32_t) sizes;
};

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

typedef FM_VECTOR(uint32_t) number_vector;

static void list_roots(const struct fm_location *location, number_vector *roots)
{
    roots->count = 0;
    for (size_t v = 0; v < location->profile.count; ++v) {
        if (location->profile.items[v].parent == FM_NONE) {
            fm_vector_push(roots, location->profile.items[v].callpath);
        }
    }
    fm_sort(roots->items, roots->count, sizeof *roots->items, compare_numbers);
}

static struct partitions find_partitions(const struct fm_trace *trace)
{
    struct partitions partitions = {
        .of_location = fm_allocate(trace->location_count, sizeof *partitions.of_location)};
    FM_VECTOR(uint32_t) first_of = {0}; /* location that stands for a partition */
    number_vector roots = {0}, others = {0};
    struct fm_map by_hash = {0}; /* hash of the roots -> partition that was tried first */
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        list_roots(&trace->locations[l], &roots);
        uint64_t hash = roots.count;
        for (size_t i = 0; i < roots.count; ++i) {
            hash = fm_hash(hash ^ roots.items[i]);
        }
        /* A different list with the same hash tries the next key. */
        for (;; hash = fm_hash(hash + 1)) {
            uint32_t next = (uint32_t)partitions.sizes.count;
            uint32_t partition = *fm_map_at(&by_hash, hash, next);
            if (partition == next) {
                fm_vector_push(&partitions.sizes, 0);
                fm_vector_push(&first_of, l);
            }
            list_roots(&trace->locations[first_of.items[partition]], &others);
            if (others.count == roots.count &&
                (roots.count == 0 ||
                 memcmp(others.items, roots.items, roots.count * sizeof *roots.items) == 0)) {
                partitions.of_location[l] = partition;
                ++partitions.sizes.items[partition];
                break;
            }
        }
    }
    fm_vector_free(&first_of);
    fm_vector_free(&roots);
    fm_vector_free(&others);
    fm_map_free(&by_hash);
    return partitions;
}

/* @return for each call path, the number of locations of all partitions in which somebody visits it
 */
static uint32_t *count_participants(const struct fm_trace *trace,
                                    const struct partitions *partitions)
{
    uint32_t *participants = fm_allocate(trace->callpaths.count, sizeof *participants);
    struct fm_map seen = {0};
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        uint32_t partition = partitions->of_location[l];
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; v < location->profile.count; ++v) {
            uint32_t callpath = location->profile.items[v].callpath;
            uint64_t key = (uint64_t)partition << 32 | callpath;
            if (fm_map_get(&seen, key) == FM_MAP_ABSENT) {
                fm_map_at(&seen, key, 1);
                participants[callpath] += partitions->sizes.items[partition];
            }
        }
    }
    fm_map_free(&seen);
    return participants;
}

/* Waiting time of the run that falls to a call path by its imbalance. */
struct impact {
    double intra, inter;
};

static struct impact *impact_of_callpaths(const struct fm_critical_path *path,
                                          const struct fm_formation *formation, double *total)
{
    const struct fm_trace *trace = formation->analysis->trace;
    struct partitions partitions = find_partitions(trace);
    uint32_t *participants = count_participants(trace, &partitions);
    struct impact *impacts = fm_allocate(trace->callpaths.count, sizeof *impacts);
    *total = 0;
    for (uint32_t c = 0; c < trace->callpaths.count; ++c) {
        double imbalance = fm_critical_path_imbalance(path, trace, c);
        double above = participants[c] == 0
                           ? 0
                           : (double)path->path_total[c] -
                                 (double)path->busy_total[c] / (double)participants[c];
        above = above > 0 ? above : 0;
        impacts[c].intra = imbalance < above ? imbalance : above;
        impacts[c].inter = imbalance - impacts[c].intra;
        *total += imbalance;
    }
    for (uint32_t c = 0; c<trace->callpaths.count && * total> 0; ++c) {
        impacts[c].intra *= (double)formation->waiting / *total;
        impacts[c].inter *= (double)formation->waiting / *total;
    }
    fm_free(participants);
    fm_free(partitions.of_location);
    fm_vector_free(&partitions.sizes);
    return impacts;
}

/* Without any imbalance on the path, waiting is what happens beside it. */
static void book_waiting_beside(struct fm_formation *formation, uint32_t l)
{
    const struct fm_location *location = &formation->analysis->trace->locations[l];
    const struct fm_wait_list *waits = &formation->timelines[l].waits;
    for (uint32_t w = 0; w < waits->count; ++w) {
        uint32_t activity =
            formation->analysis->findings[l].candidates.items[waits->candidates[w]].activity;
        fm_formation_add_cost(formation, l, location->visit.items[activity],
                              FM_METRIC_NON_CRITICAL_PATH_ACTIVITIES,
                              (double)(waits->until[w] - waits->enter[w]));
    }
}

void fm_performance_impact_book(const struct fm_critical_path *path, struct fm_formation *formation)
{
    const struct fm_trace *trace = formation->analysis->trace;
    double total;
    struct impact *impacts = impact_of_callpaths(path, formation, &total);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t v = 0; v < location->profile.count; ++v) {
            uint32_t callpath = location->profile.items[v].callpath;
            bool critical = path->path_total[callpath] > 0;
            fm_formation_add_cost(formation, l, v,
                                  critical ? FM_METRIC_CRITICAL_PATH_ACTIVITIES
                                           : FM_METRIC_NON_CRITICAL_PATH_ACTIVITIES,
                                  (double)path->busy[l][v]);
            if (path->time[l][v] != 0) {
                double share = (double)path->time[l][v] / (double)path->path_total[callpath];
                fm_formation_add_cost(formation, l, v, FM_METRIC_INTRA_PARTITION_IMBALANCE,
                                      impacts[callpath].intra * share);
                fm_formation_add_cost(formation, l, v, FM_METRIC_INTER_PARTITION_IMBALANCE,
                                      impacts[callpath].inter * share);
            }
        }
        if (total == 0) {
            book_waiting_beside(formation, l);
        }
    }
    fm_free(impacts);
}
