/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance impact: divides all CPU time by its relation to the critical path. */
#include "analysis/causes/cost_table.h"
#include "analysis/causes/critical_path/critical_path.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

#include <stdlib.h>
#include <string.h>

struct partitions {
    uint32_t *of_location; /* set at least for locations that are owned here */
    FM_VECTOR(uint64_t) sizes;
};

static struct partitions chosen_partitions(const struct fm_analysis *analysis)
{
    uint32_t locations = analysis->trace->location_count;
    struct partitions partitions = {.of_location =
                                        fm_allocate(locations, sizeof *partitions.of_location)};
    for (uint32_t i = 0; i < analysis->partition_count; ++i) {
        fm_vector_push(&partitions.sizes, 0);
    }
    for (uint32_t l = 0; l < locations; ++l) {
        partitions.of_location[l] = analysis->partition_of[l];
        ++partitions.sizes.items[partitions.of_location[l]];
    }
    return partitions;
}

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
        if (location->profile.items[v].parent == FM_NONE &&
            fm_is_visited(&location->profile.items[v])) {
            fm_vector_push(roots, location->profile.items[v].callpath);
        }
    }
    fm_sort(roots->items, roots->count, sizeof *roots->items, compare_numbers);
}

/* Distinct lists of roots in one array: [length, roots ...] for each. */
struct root_lists {
    number_vector numbers;
    FM_VECTOR(size_t) begin; /* by list */
    struct fm_map by_hash;   /* hash of the roots -> list; colliding lists use further keys */
};

/* @return the number of a list, which is added if it is new */
static uint32_t find_list(struct root_lists *lists, const uint32_t *roots, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) {
        hash = fm_hash(hash ^ roots[i]);
    }
    /* If the key belongs to a different list with the same hash, the next key is tried. */
    for (;; hash = fm_hash(hash + 1)) {
        uint32_t next = (uint32_t)lists->begin.count;
        uint32_t list = *fm_map_at(&lists->by_hash, hash, next);
        if (list == next) {
            fm_vector_push(&lists->begin, lists->numbers.count);
            fm_vector_push(&lists->numbers, (uint32_t)count);
            for (size_t i = 0; i < count; ++i) {
                fm_vector_push(&lists->numbers, roots[i]);
            }
            return list;
        }
        const uint32_t *other = &lists->numbers.items[lists->begin.items[list]];
        if (*other == count &&
            (count == 0 || memcmp(other + 1, roots, count * sizeof *roots) == 0)) {
            return list;
        }
    }
}

static void free_lists(struct root_lists *lists)
{
    fm_vector_free(&lists->numbers);
    fm_vector_free(&lists->begin);
    fm_map_free(&lists->by_hash);
}

/* Numbers the lists of all processes in the order of the locations. */
static void share_lists(struct fm_team *team, const struct root_lists *own, struct root_lists *all)
{
    number_vector shared = {0};
    fm_team_share_vector(team, &own->numbers, &shared);
    for (size_t at = 0; at < shared.count; at += 1 + (size_t)shared.items[at]) {
        find_list(all, &shared.items[at + 1], shared.items[at]);
    }
    fm_vector_free(&shared);
}

/* Forms a partition of all locations with the same top-level call paths. */
static struct partitions find_partitions(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct partitions partitions = {
        .of_location = fm_allocate(trace->location_count, sizeof *partitions.of_location)};
    struct root_lists own = {0}, all = {0};
    number_vector roots = {0};
    uint32_t first, last;
    fm_engine_own(analysis->engine, &first, &last);
    uint32_t begin = fm_trace_first_location(trace, first);
    uint32_t end = fm_trace_first_location(trace, last);
    for (uint32_t l = begin; l < end; ++l) {
        list_roots(&trace->locations[l], &roots);
        partitions.of_location[l] = find_list(&own, roots.items, roots.count);
    }
    share_lists(analysis->team, &own, &all);
    for (size_t i = 0; i < all.begin.count; ++i) {
        fm_vector_push(&partitions.sizes, 0);
    }
    for (uint32_t l = begin; l < end; ++l) {
        const uint32_t *list = &own.numbers.items[own.begin.items[partitions.of_location[l]]];
        partitions.of_location[l] = find_list(&all, list + 1, *list);
        ++partitions.sizes.items[partitions.of_location[l]];
    }
    fm_team_sum(analysis->team, partitions.sizes.items, partitions.sizes.count);
    fm_vector_free(&roots);
    free_lists(&own);
    free_lists(&all);
    return partitions;
}

/* @return [call path]: total size of the partitions in which at least one location visits it */
static uint64_t *count_participants(const struct fm_analysis *analysis,
                                    const struct partitions *partitions)
{
    const struct fm_trace *trace = analysis->trace;
    uint64_t *participants = fm_allocate(trace->callpaths.count, sizeof *participants);
    FM_VECTOR(uint64_t) own = {0}; /* distinct (partition, call path) */
    FM_VECTOR(uint64_t) all = {0};
    struct fm_map seen = {0};
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; v < location->profile.count; ++v) {
            if (!fm_is_visited(&location->profile.items[v])) {
                continue;
            }
            uint64_t key =
                (uint64_t)partitions->of_location[l] << 32 | location->profile.items[v].callpath;
            if (fm_map_get(&seen, key) == FM_MAP_ABSENT) {
                fm_map_at(&seen, key, 1);
                fm_vector_push(&own, key);
            }
        }
    }
    fm_team_share_vector(analysis->team, &own, &all);
    fm_map_clear(&seen);
    for (size_t i = 0; i < all.count; ++i) {
        uint64_t key = all.items[i];
        if (fm_map_get(&seen, key) == FM_MAP_ABSENT) {
            fm_map_at(&seen, key, 1);
            participants[(uint32_t)key] += partitions->sizes.items[key >> 32];
        }
    }
    fm_map_free(&seen);
    fm_vector_free(&own);
    fm_vector_free(&all);
    return participants;
}

/* The part of the run's waiting time that is attributed to the imbalance of a call path. */
struct impact {
    double intra, inter;
};

static struct impact *impact_of_callpaths(const struct fm_critical_path *path,
                                          const struct fm_formation *formation, double *total)
{
    const struct fm_trace *trace = formation->analysis->trace;
    struct partitions partitions = formation->analysis->partition_of != NULL
                                       ? chosen_partitions(formation->analysis)
                                       : find_partitions(formation->analysis);
    uint64_t *participants = count_participants(formation->analysis, &partitions);
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

/* Without any imbalance on the critical path, all waiting counts as non-critical activity. */
static void book_waiting_beside(struct fm_formation *formation, unsigned worker, uint32_t l,
                                struct fm_cost_table *table)
{
    const struct fm_location *location = &formation->analysis->trace->locations[l];
    const struct fm_wait_list *waits = &formation->busy_times[l].waits;
    fm_cost_table_begin(table, formation, l);
    for (uint32_t w = 0; w < waits->count; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        fm_cost_table_add_ticks(table, location->visit.items[wait->activity],
                                FM_METRIC_NON_CRITICAL_PATH_ACTIVITIES,
                                (double)fm_wait_ticks(wait));
    }
    fm_cost_table_end(table, formation, worker, l);
}

struct booking {
    const struct fm_critical_path *path;
    struct fm_formation *formation;
    const struct impact *impacts; /* by call path */
    double imbalance;             /* of all call paths */
};

static void book_location(const struct booking *booking, unsigned worker, uint32_t l)
{
    const struct fm_critical_path *path = booking->path;
    struct fm_formation *formation = booking->formation;
    const struct fm_location *location = &formation->analysis->trace->locations[l];
    for (uint32_t v = 0; v < location->profile.count; ++v) {
        uint32_t callpath = location->profile.items[v].callpath;
        bool critical = path->path_total[callpath] > 0;
        fm_formation_add_cost(formation, worker, l, v,
                              critical ? FM_METRIC_CRITICAL_PATH_ACTIVITIES
                                       : FM_METRIC_NON_CRITICAL_PATH_ACTIVITIES,
                              (double)path->busy[l][v]);
        if (path->time[l][v] != 0) {
            double share = (double)path->time[l][v] / (double)path->path_total[callpath];
            fm_formation_add_cost(formation, worker, l, v, FM_METRIC_INTRA_PARTITION_IMBALANCE,
                                  booking->impacts[callpath].intra * share);
            fm_formation_add_cost(formation, worker, l, v, FM_METRIC_INTER_PARTITION_IMBALANCE,
                                  booking->impacts[callpath].inter * share);
        }
    }
}

static void book(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct booking *booking = context;
    const struct fm_trace *trace = booking->formation->analysis->trace;
    struct fm_cost_table table = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        book_location(booking, worker, l);
        if (booking->imbalance == 0) {
            book_waiting_beside(booking->formation, worker, l, &table);
        }
    }
    fm_cost_table_free(&table);
}

void fm_performance_impact_book(const struct fm_critical_path *path, struct fm_formation *formation)
{
    struct booking booking = {.path = path, .formation = formation};
    struct impact *impacts = impact_of_callpaths(path, formation, &booking.imbalance);
    booking.impacts = impacts;
    fm_engine_run(formation->analysis->engine, book, &booking);
    fm_free(impacts);
}
