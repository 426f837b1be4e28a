#include "analysis/intervals.h"

#include "analysis/shared_points.h"
#include "base/sort.h"
#include "cube/delay_kind.h"

/* Tells the causing location of a wait state. */
struct wait_notice {
    uint32_t location; /* that causes */
    struct fm_incoming_wait wait;
};

struct collecting {
    struct fm_formation *formation;
    struct fm_points *points;
    struct fm_exchange *notices;
};

static int compare_incoming(const void *a, const void *b)
{
    const struct fm_incoming_wait *left = a, *right = b;
    if (left->t != right->t) {
        return left->t > right->t ? -1 : 1;
    }
    if (left->waiter != right->waiter) {
        return left->waiter < right->waiter ? -1 : 1;
    }
    return left->wait < right->wait ? -1 : left->wait > right->wait;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct fm_pair_point *left = a, *right = b;
    if (left->partner != right->partner) {
        return left->partner < right->partner ? -1 : 1;
    }
    return left->t < right->t ? -1 : left->t > right->t;
}

static int compare_groups(const void *a, const void *b)
{
    const struct fm_group_point *left = a, *right = b;
    if (left->communicator != right->communicator) {
        return left->communicator < right->communicator ? -1 : 1;
    }
    return left->t < right->t ? -1 : left->t > right->t;
}

static void notify_causes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct collecting *collecting = context;
    const struct fm_analysis *analysis = collecting->formation->analysis;
    const struct fm_trace *trace = analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_wait_list *waits = &collecting->formation->timelines[l].waits;
        for (uint32_t i = 0; i < waits->count; ++i) {
            const struct fm_candidate *wait =
                &analysis->findings[l].candidates.items[waits->candidates[i]];
            bool contention = fm_delay_is_contention(fm_delay_kind((fm_metric_t)wait->metric));
            struct wait_notice *notice = fm_exchange_post(
                collecting->notices, worker, trace->locations[wait->cause_location].process);
            *notice = (struct wait_notice){wait->cause_location,
                                           {wait->t, l, i, wait->cause_activity, contention}};
            fm_vector_push(&collecting->points[l].pairs,
                           (struct fm_pair_point){wait->t, wait->cause_location, contention});
        }
    }
}

static void sort_points(struct collecting *collecting, uint32_t location)
{
    struct fm_points *points = &collecting->points[location];
    const struct fm_findings *findings = &collecting->formation->analysis->findings[location];
    for (size_t i = 0; i < findings->points.count; ++i) {
        fm_vector_push(&points->groups, findings->points.items[i]);
    }
    fm_sort(points->incoming.items, points->incoming.count, sizeof *points->incoming.items,
            compare_incoming);
    fm_sort(points->pairs.items, points->pairs.count, sizeof *points->pairs.items, compare_pairs);
    fm_sort(points->groups.items, points->groups.count, sizeof *points->groups.items,
            compare_groups);
}

static void take_notices(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct collecting *collecting = context;
    const struct fm_trace *trace = collecting->formation->analysis->trace;
    for (uint32_t p = first; p < last; ++p) {
        size_t count;
        const struct wait_notice *notices = fm_exchange_inbox(collecting->notices, p, &count);
        for (size_t i = 0; i < count; ++i) {
            struct fm_points *points = &collecting->points[notices[i].location];
            const struct fm_incoming_wait *wait = &notices[i].wait;
            fm_vector_push(&points->incoming, *wait);
            fm_vector_push(&points->pairs,
                           (struct fm_pair_point){wait->t, wait->waiter, wait->contention});
        }
        for (uint32_t l = fm_trace_first_location(trace, p);
             l < fm_trace_first_location(trace, p + 1); ++l) {
            sort_points(collecting, l);
        }
    }
}

struct fm_points *fm_points_collect(struct fm_formation *formation)
{
    struct fm_engine *engine = formation->analysis->engine;
    const struct fm_trace *trace = formation->analysis->trace;
    struct collecting collecting = {
        formation,
        fm_allocate(trace->location_count, sizeof(struct fm_points)),
        fm_exchange_create(engine, sizeof(struct wait_notice)),
    };
    fm_engine_run(engine, notify_causes, &collecting);
    fm_exchange_deliver(collecting.notices);
    fm_engine_run(engine, take_notices, &collecting);
    fm_exchange_free(collecting.notices);
    struct fm_shared_points *shared = fm_shared_points_collect(engine, trace, collecting.points);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        collecting.points[l].shared = shared;
    }
    if (trace->location_count == 0) {
        fm_shared_points_free(shared);
    }
    return collecting.points;
}

void fm_points_free(struct fm_points *points, uint32_t location_count)
{
    if (location_count != 0) {
        fm_shared_points_free((struct fm_shared_points *)points[0].shared);
    }
    for (uint32_t l = 0; l < location_count; ++l) {
        fm_vector_free(&points[l].incoming);
        fm_vector_free(&points[l].pairs);
        fm_vector_free(&points[l].groups);
    }
    fm_free(points);
}

/* @return the latest point with the partner before `t`; 0: none */
static uint64_t latest_pair_point(const struct fm_points *points, uint32_t partner, uint64_t t,
                                  bool contention)
{
    size_t low = 0, high = points->pairs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_pair_point *point = &points->pairs.items[middle];
        if (point->partner < partner || (point->partner == partner && point->t < t)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > 0 && points->pairs.items[low - 1].partner == partner) {
        const struct fm_pair_point *point = &points->pairs.items[--low];
        if (contention || !point->contention) {
            return point->t;
        }
    }
    return 0;
}

/* @return the first of `count` points, ascending by time, that is not before `t` */
static size_t first_from(const struct fm_group_point *groups, size_t count, uint64_t t)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (groups[middle].t < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* @return the points of a communicator, and in `*count` their number */
static const struct fm_group_point *points_of(const struct fm_points *points, uint32_t communicator,
                                              size_t *count)
{
    const struct fm_group_point *groups = points->groups.items;
    size_t bounds[2];
    for (unsigned bound = 0; bound < 2; ++bound) {
        size_t low = 0, high = points->groups.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (groups[middle].communicator < communicator + bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bounds[bound] = low;
    }
    *count = bounds[1] - bounds[0];
    return groups == NULL ? NULL : groups + bounds[0];
}

/* @return whether a location took part in the operation behind a point. A member's only location
 * did. */
static bool takes_part(const struct fm_trace *trace, const struct fm_shared_points *shared,
                       uint32_t location, const struct fm_group_point *point)
{
    uint32_t process = trace->locations[location].process;
    if (trace->processes[process].location_count == 1) {
        return fm_trace_rank(trace, point->communicator, process) != FM_NONE;
    }
    return fm_shared_points_takes_part(shared, process, location, point);
}

/* @return the latest point before `t` of the collectives that both took part in; 0: none */
static uint64_t latest_group_point(const struct fm_trace *trace, const struct fm_points *points,
                                   uint32_t location, uint32_t partner, uint64_t t)
{
    uint64_t latest = 0;
    const struct fm_points *own = &points[location];
    for (size_t begin = 0; begin < own->groups.count;) {
        size_t count;
        const struct fm_group_point *groups =
            points_of(own, own->groups.items[begin].communicator, &count);
        size_t i = first_from(groups, count, t);
        while (i > 0 && groups[i - 1].t > latest) {
            --i;
            if (takes_part(trace, own->shared, partner, &groups[i])) {
                latest = groups[i].t;
            } else if (fm_trace_rank(trace, groups[i].communicator,
                                     trace->locations[partner].process) == FM_NONE) {
                break;
            }
        }
        begin += count;
    }
    return latest;
}

uint64_t fm_interval_begin(const struct fm_trace *trace, const struct fm_points *points,
                           uint32_t location, uint32_t partner, uint64_t t, bool contention)
{
    uint64_t pair = latest_pair_point(&points[location], partner, t, contention);
    uint64_t group = latest_group_point(trace, points, location, partner, t);
    uint64_t begin = pair > group ? pair : group;
    if (begin == 0) {
        const struct fm_shared_points *shared = points[location].shared;
        uint64_t own = fm_shared_points_init(shared, trace->locations[location].process);
        uint64_t other = fm_shared_points_init(shared, trace->locations[partner].process);
        if (own < t && other < t) {
            begin = own > other ? own : other;
        }
    }
    return begin;
}
