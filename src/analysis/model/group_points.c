/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/group_points.h"

#include "analysis/model/shared_points.h"
#include "base/containers/keyed_sort.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"

static int compare_points(const void *a, const void *b)
{
    const struct fm_group_point *left = a, *right = b;
    if (left->communicator != right->communicator) {
        return left->communicator < right->communicator ? -1 : 1;
    }
    return left->t < right->t ? -1 : left->t > right->t;
}

static void copy_points(fm_group_point_vector *points, const struct fm_findings *findings)
{
    fm_vector_reserve(points, findings->points.count);
    for (size_t i = 0; i < findings->points.count; ++i) {
        points->items[points->count++] = findings->points.items[i];
    }
}

static void sort_by_time(fm_group_point_vector *points, const struct fm_findings *findings)
{
    size_t count = findings->points.count;
    struct fm_keyed *keyed = fm_resize(NULL, 0, count * sizeof *keyed);
    for (size_t i = 0; i < count; ++i) {
        keyed[i] = (struct fm_keyed){findings->points.items[i].t, (uint32_t)i};
    }
    fm_keyed_sort(keyed, count, NULL);
    fm_vector_reserve(points, count);
    for (size_t i = 0; i < count; ++i) {
        points->items[points->count++] = findings->points.items[keyed[i].value];
    }
    fm_free(keyed);
}

static int compare_communicators(const void *a, const void *b)
{
    const struct fm_communicator_points *left = a, *right = b;
    if (left->first != right->first) {
        return left->first < right->first ? -1 : 1;
    }
    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/* Lists the communicators of a location by the time of their first point, with the running maximum
 * of their last points: a run may create many communicators of short lifetime, and the search from
 * the latest one backwards ends early. */
static void list_communicators(fm_communicator_points_vector *list,
                               const fm_group_point_vector *points)
{
    for (size_t begin = 0, end = 0; begin < points->count; begin = end) {
        while (end < points->count &&
               points->items[end].communicator == points->items[begin].communicator) {
            ++end;
        }
        fm_vector_push(list, ((struct fm_communicator_points){.begin = begin,
                                                              .count = end - begin,
                                                              .first = points->items[begin].t,
                                                              .last = points->items[end - 1].t}));
    }
    fm_sort(list->items, list->count, sizeof *list->items, compare_communicators);
    for (size_t i = 1; i < list->count; ++i) {
        if (list->items[i].last < list->items[i - 1].last) {
            list->items[i].last = list->items[i - 1].last;
        }
    }
}

struct sorting {
    struct fm_group_points *points;
    const struct fm_analysis *analysis;
};

static void sort_points(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct sorting *sorting = context;
    struct fm_group_points *points = sorting->points;
    for (uint32_t l = fm_trace_first_location(points->trace, first);
         l < fm_trace_first_location(points->trace, last); ++l) {
        const struct fm_findings *findings = &sorting->analysis->findings[l];
        sort_by_time(&points->by_time[l], findings);
        if (points->by_communicator != NULL) {
            fm_group_point_vector *own = &points->by_communicator[l];
            copy_points(own, findings);
            fm_sort(own->items, own->count, sizeof *own->items, compare_points);
            list_communicators(&points->communicators[l], own);
        }
    }
}

static bool has_threads(const struct fm_trace *trace)
{
    for (uint32_t p = 0; p < trace->process_count; ++p) {
        if (trace->processes[p].location_count > 1) {
            return true;
        }
    }
    return false;
}

void fm_group_points_sort(struct fm_group_points *points, const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    *points = (struct fm_group_points){
        .trace = trace,
        .by_time = fm_allocate(trace->location_count, sizeof *points->by_time),
    };
    if (has_threads(trace)) {
        points->by_communicator =
            fm_allocate(trace->location_count, sizeof *points->by_communicator);
        points->communicators = fm_allocate(trace->location_count, sizeof *points->communicators);
    }
    fm_engine_run(analysis->engine, sort_points, &(struct sorting){points, analysis});
    points->shared = fm_shared_points_collect(analysis->engine, trace, points->by_time);
}

void fm_group_points_free(struct fm_group_points *points)
{
    for (uint32_t l = 0; l < points->trace->location_count; ++l) {
        fm_vector_free(&points->by_time[l]);
        if (points->by_communicator != NULL) {
            fm_vector_free(&points->by_communicator[l]);
            fm_vector_free(&points->communicators[l]);
        }
    }
    fm_free(points->by_time);
    fm_free(points->by_communicator);
    fm_free(points->communicators);
    fm_shared_points_free(points->shared);
}

/* @return whether a location took part in the operation of a point. The only location of a member
 * always did. */
static bool takes_part(const struct fm_group_points *points, uint32_t location,
                       const struct fm_group_point *point)
{
    uint32_t process = fm_trace_process(points->trace, location);
    if (points->trace->processes[process].location_count == 1) {
        return fm_trace_rank(points->trace, point->communicator, process) != FM_NONE;
    }
    return fm_shared_points_takes_part(points->shared, process, location, point);
}

/* @return how many of ascending points are not behind `t` */
static size_t count_until(const struct fm_group_point *points, size_t count, uint64_t t)
{
    return count == 0 ? 0 : fm_count_below(&points->t, count, sizeof *points, t + 1);
}

/* @return whether two threads share a meeting of one tick; the points before these positions are of
 * this tick or earlier */
static bool meet(const struct fm_group_point *own, size_t own_count,
                 const struct fm_group_point *other, size_t other_count)
{
    const uint64_t t = own[own_count - 1].t;
    for (size_t i = own_count; i > 0 && own[i - 1].t == t; --i) {
        for (size_t j = other_count; j > 0 && other[j - 1].t == t; --j) {
            if (own[i - 1].meeting == other[j - 1].meeting) {
                return true;
            }
        }
    }
    return false;
}

/* @return the points of a location in a community; NULL: none */
static const struct fm_communicator_points *points_in(const struct fm_group_points *points,
                                                      uint32_t location, uint32_t community)
{
    const fm_communicator_points_vector *list = &points->communicators[location];
    for (size_t c = 0; c < list->count; ++c) {
        const struct fm_group_point *first =
            points->by_communicator[location].items + list->items[c].begin;
        if (first->communicator == community) {
            return &list->items[c];
        }
    }
    return NULL;
}

/* @return the time of the latest point before `t` that two threads share among those of a team; 0:
 * none. Each step skips all points that the other thread took no part in. */
static uint64_t latest_in_team(const struct fm_group_points *points,
                               const struct fm_group_point *own, size_t own_count, uint32_t partner,
                               uint64_t t)
{
    const struct fm_communicator_points *others = points_in(points, partner, own->communicator);
    if (others == NULL || t == 0) {
        return 0;
    }
    const struct fm_group_point *other = points->by_communicator[partner].items + others->begin;
    size_t i = count_until(own, own_count, t - 1);
    while (i > 0) {
        const size_t j = count_until(other, others->count, own[i - 1].t);
        if (j == 0) {
            return 0;
        }
        if (other[j - 1].t == own[i - 1].t && meet(own, i, other, j)) {
            return own[i - 1].t;
        }
        const uint64_t before = other[j - 1].t == own[i - 1].t ? own[i - 1].t - 1 : other[j - 1].t;
        i = count_until(own, i, before);
    }
    return 0;
}

uint64_t fm_group_points_latest(const struct fm_group_points *points, uint32_t location,
                                uint32_t partner, uint64_t t)
{
    uint64_t latest = 0;
    const struct fm_trace *trace = points->trace;
    const fm_communicator_points_vector *communicators = &points->communicators[location];
    if (communicators->count == 0) {
        return 0;
    }
    for (size_t c = fm_count_below(&communicators->items->first, communicators->count,
                                   sizeof *communicators->items, t);
         c > 0 && communicators->items[c - 1].last > latest; --c) {
        const struct fm_communicator_points *communicator = &communicators->items[c - 1];
        const struct fm_group_point *groups =
            points->by_communicator[location].items + communicator->begin;
        if (fm_is_team_community(trace, groups->communicator)) {
            if (fm_trace_process(trace, location) == fm_trace_process(trace, partner)) {
                uint64_t shared = latest_in_team(points, groups, communicator->count, partner, t);
                latest = shared > latest ? shared : latest;
            }
            continue;
        }
        size_t i = fm_count_below(&groups->t, communicator->count, sizeof *groups, t);
        while (i > 0 && groups[i - 1].t > latest) {
            --i;
            if (takes_part(points, partner, &groups[i])) {
                latest = groups[i].t;
            } else if (fm_trace_rank(trace, groups[i].communicator,
                                     fm_trace_process(trace, partner)) == FM_NONE) {
                break;
            }
        }
    }
    return latest;
}
