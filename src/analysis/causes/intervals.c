/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/intervals.h"

#include "analysis/model/shared_points.h"
#include "cube/model/delay_kind.h"

#include <string.h>

/* Bytes of snapshots that a location may keep in addition to 2 bytes for each of its events. */
#define LEAST_POOL ((size_t)64 << 10)

/* Profile of a location up to a point. */
struct snapshot {
    uint64_t t;      /* 0: no point yet */
    uint32_t waits;  /* number of its wait states that ended until then */
    uint32_t vector; /* position in the pool of the time in each node; FM_NONE: not kept */
};

/* Latest points with one partner location. */
struct pair {
    struct snapshot synchronization;
    struct snapshot contention;
};

/* Latest point of one communicator; linked in a list from the latest point to the earliest. */
struct community {
    struct snapshot snapshot;
    uint32_t communicator;
    uint32_t before, behind; /* neighbours in the list; FM_NONE: end */
};

struct fm_interval_walk {
    const struct fm_analysis *analysis;
    struct fm_busy_time *busy_time;
    const struct fm_group_points *points;
    uint32_t location;
    uint32_t next_wait;
    size_t next_point;
    struct fm_difference *difference;
    struct fm_map pair_of_partner;
    FM_VECTOR(struct pair) pairs;
    uint64_t latest_pair; /* time of the latest pair point */
    struct fm_map community_of;
    FM_VECTOR(struct community) communities;
    uint32_t latest_community; /* head of the list */
    FM_VECTOR(uint64_t) pool;
    size_t pool_limit; /* elements */
};

struct fm_interval_walk *fm_interval_walk_create(const struct fm_analysis *analysis,
                                                 struct fm_busy_time *busy_time,
                                                 const struct fm_group_points *points,
                                                 uint32_t location,
                                                 struct fm_difference *difference)
{
    struct fm_interval_walk *walk = fm_allocate(1, sizeof *walk);
    size_t events = analysis->trace->locations[location].event_count;
    walk->analysis = analysis;
    walk->busy_time = busy_time;
    walk->points = points;
    walk->location = location;
    walk->difference = difference;
    walk->latest_community = FM_NONE;
    walk->pool_limit = (2 * events + LEAST_POOL) / sizeof *walk->pool.items;
    return walk;
}

void fm_interval_walk_free(struct fm_interval_walk *walk)
{
    if (walk != NULL) {
        fm_map_free(&walk->pair_of_partner);
        fm_vector_free(&walk->pairs);
        fm_map_free(&walk->community_of);
        fm_vector_free(&walk->communities);
        fm_vector_free(&walk->pool);
        fm_free(walk);
    }
}

/* ---- snapshots ---- */

static void remember(struct fm_interval_walk *walk, struct snapshot *snapshot)
{
    size_t nodes = walk->busy_time->nodes;
    snapshot->t = walk->busy_time->walk.time;
    snapshot->waits = walk->next_wait;
    /* A thread without calls has no profile, though others may have created it. */
    if (snapshot->vector == FM_NONE && nodes != 0 && walk->pool.count + nodes <= walk->pool_limit) {
        snapshot->vector = (uint32_t)(walk->pool.count / nodes);
        fm_vector_reserve(&walk->pool, nodes);
        walk->pool.count += nodes;
    }
    if (snapshot->vector != FM_NONE) {
        memcpy(walk->pool.items + snapshot->vector * nodes, walk->busy_time->busy,
               nodes * sizeof *walk->pool.items);
    }
    if (walk->difference->vector == snapshot->vector) {
        walk->difference->vector = FM_NONE;
    }
}

static void unlink_community(struct fm_interval_walk *walk, struct community *community)
{
    struct community *all = walk->communities.items;
    if (community->before == FM_NONE) {
        walk->latest_community = community->behind;
    } else {
        all[community->before].behind = community->behind;
    }
    if (community->behind != FM_NONE) {
        all[community->behind].before = community->before;
    }
}

static void pass_group_point(struct fm_interval_walk *walk, uint32_t communicator)
{
    uint32_t next = (uint32_t)walk->communities.count;
    uint32_t index = walk->latest_community;
    if (index == FM_NONE || walk->communities.items[index].communicator != communicator) {
        index = *fm_map_at(&walk->community_of, communicator, next);
        if (index == next) {
            fm_vector_push(&walk->communities, (struct community){.snapshot = {.vector = FM_NONE},
                                                                  .communicator = communicator,
                                                                  .before = FM_NONE,
                                                                  .behind = FM_NONE});
        } else {
            unlink_community(walk, &walk->communities.items[index]);
        }
        struct community *community = &walk->communities.items[index];
        community->before = FM_NONE;
        community->behind = walk->latest_community;
        if (community->behind != FM_NONE) {
            walk->communities.items[community->behind].before = index;
        }
        walk->latest_community = index;
    }
    struct snapshot *snapshot = &walk->communities.items[index].snapshot;
    if (snapshot->t != walk->busy_time->walk.time) {
        remember(walk, snapshot);
    }
}

static bool has_one_location(const struct fm_trace *trace, uint32_t location)
{
    return trace->processes[fm_trace_process(trace, location)].location_count == 1;
}

/* @return whether this point is also a collective operation that the partner took part in */
static bool passed_together(const struct fm_interval_walk *walk, uint32_t partner)
{
    const struct fm_trace *trace = walk->analysis->trace;
    for (uint32_t c = walk->latest_community; c != FM_NONE; c = walk->communities.items[c].behind) {
        const struct community *community = &walk->communities.items[c];
        if (community->snapshot.t != walk->busy_time->walk.time) {
            return false;
        }
        if (has_one_location(trace, partner) &&
            fm_community_has(trace, community->communicator, fm_trace_process(trace, partner))) {
            return true;
        }
    }
    return false;
}

static void pass_pair_point(struct fm_interval_walk *walk, uint32_t partner, bool contention)
{
    if (passed_together(walk, partner)) {
        return;
    }
    uint32_t next = (uint32_t)walk->pairs.count;
    uint32_t index = *fm_map_at(&walk->pair_of_partner, partner, next);
    if (index == next) {
        fm_vector_push(&walk->pairs, (struct pair){{.vector = FM_NONE}, {.vector = FM_NONE}});
    }
    struct pair *pair = &walk->pairs.items[index];
    remember(walk, contention ? &pair->contention : &pair->synchronization);
    walk->latest_pair = walk->busy_time->walk.time;
}

/* ---- begin of an interval ---- */

/* @return the latest point of a collective operation that the partner took part in, too */
static struct snapshot latest_group_point(const struct fm_interval_walk *walk, uint32_t partner,
                                          uint64_t t)
{
    const struct fm_trace *trace = walk->analysis->trace;
    struct snapshot none = {.vector = FM_NONE};
    if (walk->latest_community == FM_NONE) {
        return none;
    }
    if (!has_one_location(trace, partner)) {
        none.t = fm_group_points_latest(walk->points, walk->location, partner, t);
        return none;
    }
    uint32_t process = fm_trace_process(trace, partner);
    for (uint32_t c = walk->latest_community; c != FM_NONE; c = walk->communities.items[c].behind) {
        const struct community *community = &walk->communities.items[c];
        if (fm_community_has(trace, community->communicator, process)) {
            return community->snapshot;
        }
    }
    return none;
}

/* @return the latest point that is shared with the partner; the points of tick `t` are not passed
 * yet */
static struct snapshot latest_point(const struct fm_interval_walk *walk, uint32_t partner,
                                    uint64_t t, bool contention)
{
    struct snapshot latest = latest_group_point(walk, partner, t);
    if (walk->latest_pair > latest.t) {
        uint32_t index = fm_map_get(&walk->pair_of_partner, partner);
        if (index != FM_MAP_ABSENT) {
            const struct pair *pair = &walk->pairs.items[index];
            latest = pair->synchronization.t > latest.t ? pair->synchronization : latest;
            latest = contention && pair->contention.t > latest.t ? pair->contention : latest;
        }
    }
    if (latest.t == 0) {
        const struct fm_location *locations = walk->analysis->trace->locations;
        const struct fm_shared_points *shared = walk->points->shared;
        uint64_t own = fm_shared_points_init(shared, locations[walk->location].process, t);
        uint64_t other = fm_shared_points_init(shared, locations[partner].process, t);
        if (own < t && other < t) {
            latest.t = own > other ? own : other;
        }
    }
    return latest;
}

static void make_room(struct fm_difference *difference, uint32_t nodes)
{
    if (nodes > difference->capacity) {
        fm_free(difference->visits);
        fm_free(difference->ticks);
        difference->visits = fm_allocate(nodes, sizeof *difference->visits);
        difference->ticks = fm_allocate(nodes, sizeof *difference->ticks);
        difference->capacity = nodes;
    }
}

void fm_difference_free(struct fm_difference *difference)
{
    fm_free(difference->visits);
    fm_free(difference->ticks);
    fm_profile_free(&difference->profile);
}

/* Subtracts the profile up to a snapshot from the profile up to the current time. */
static void subtract(struct fm_interval_walk *walk, uint32_t vector)
{
    struct fm_difference *difference = walk->difference;
    if (difference->vector == vector && difference->time == walk->busy_time->walk.time) {
        return;
    }
    uint32_t nodes = walk->busy_time->nodes, count = 0;
    const uint64_t *before = walk->pool.items + (size_t)vector * nodes;
    const uint64_t *busy = walk->busy_time->busy;
    for (uint32_t v = 0; v < nodes; ++v) {
        uint64_t ticks = busy[v] - before[v];
        difference->visits[count] = v;
        difference->ticks[count] = ticks;
        count += ticks != 0;
    }
    difference->count = count;
    difference->vector = vector;
    difference->time = walk->busy_time->walk.time;
    difference->is_told = false;
}

static void look_up(struct fm_interval_walk *walk, uint64_t begin, uint64_t end)
{
    struct fm_difference *difference = walk->difference;
    struct fm_profile *profile = &difference->profile;
    fm_busy_time_profile(walk->busy_time, begin, end, profile);
    make_room(difference, walk->busy_time->nodes);
    for (uint32_t i = 0; i < profile->count; ++i) {
        difference->visits[i] = profile->visits[i];
        difference->ticks[i] = profile->time[profile->visits[i]];
    }
    difference->count = profile->count;
    difference->vector = FM_NONE;
    difference->is_told = false;
}

void fm_interval_walk_look(struct fm_interval_walk *walk, uint64_t begin, uint64_t end,
                           struct fm_interval *interval)
{
    look_up(walk, begin, end);
    *interval = (struct fm_interval){
        .begin = begin,
        .first_wait = fm_wait_list_behind(&walk->busy_time->waits, begin),
        .wait_end = fm_wait_list_behind(&walk->busy_time->waits, end),
        .count = walk->difference->count,
        .visits = walk->difference->visits,
        .ticks = walk->difference->ticks,
    };
}

/* Describes the interval from a point to `end`, which is not after the current time. `at_present`:
 * the profile up to the current time is also the profile up to `end`. */
static void describe(struct fm_interval_walk *walk, const struct snapshot *from, uint64_t end,
                     bool at_present, struct fm_interval *interval)
{
    if (from->t >= end) {
        *interval = (struct fm_interval){.begin = from->t};
        return;
    }
    if (!at_present || from->vector == FM_NONE) {
        fm_interval_walk_look(walk, from->t, end, interval);
        return;
    }
    subtract(walk, from->vector);
    *interval = (struct fm_interval){
        .is_repeated = walk->difference->is_told,
        .begin = from->t,
        .first_wait = from->waits,
        .wait_end = walk->next_wait,
        .count = walk->difference->count,
        .visits = walk->difference->visits,
        .ticks = walk->difference->ticks,
    };
}

/* ---- prefetching ---- */

#define LINE 64

/* Lines of each table to prefetch: the hardware prefetcher continues from there. */
#define LINES_AHEAD 2

/* Small tables are prefetched completely, up to this number of lines. */
#define MOST_LINES 32

static void fetch(const void *begin, size_t bytes)
{
    bytes = bytes < MOST_LINES * LINE ? bytes : MOST_LINES * LINE;
    for (size_t offset = 0; offset < bytes; offset += LINE) {
        __builtin_prefetch((const char *)begin + offset);
    }
}

static void fetch_elements(const void *items, size_t next, size_t size)
{
    if (items != NULL) {
        fetch((const char *)items + next * size, LINES_AHEAD * LINE);
    }
}

static void fetch_tables(const struct fm_interval_walk *walk)
{
    const struct fm_busy_time *busy_time = walk->busy_time;
    const struct fm_busy_time_walk *at = &busy_time->walk;
    const struct fm_wait_list *waits = &busy_time->waits;
    const struct fm_location *location = busy_time->location;
    fetch_elements(waits->items, walk->next_wait, sizeof *waits->items);
    fetch_elements(location->enter.items, at->activity, sizeof *location->enter.items);
    fetch_elements(location->leave.items, at->activity, sizeof *location->leave.items);
    fetch_elements(location->visit.items, at->activity, sizeof *location->visit.items);
    fetch_elements(location->state_since.items, at->state, sizeof *location->state_since.items);
    fetch_elements(location->state_visit.items, at->state, sizeof *location->state_visit.items);
    fetch(busy_time->busy, busy_time->nodes * sizeof *busy_time->busy);
    fetch(walk->pool.items, walk->pool.count * sizeof *walk->pool.items);
    fetch(walk->pairs.items, walk->pairs.count * sizeof *walk->pairs.items);
    fetch(walk->communities.items, walk->communities.count * sizeof *walk->communities.items);
    if (walk->pair_of_partner.count != 0) {
        fetch(walk->pair_of_partner.slots,
              (walk->pair_of_partner.mask + 1) * sizeof *walk->pair_of_partner.slots);
    }
    const fm_group_point_vector *points = &walk->points->by_time[walk->location];
    fetch_elements(points->items, walk->next_point, sizeof *points->items);
}

void fm_interval_walk_prefetch(const struct fm_interval_walk *walk, unsigned stage)
{
    if (stage == 0) {
        fetch(walk, sizeof *walk);
    } else {
        fetch_tables(walk);
    }
}

/* ---- the walk ---- */

static bool is_contention(const struct fm_wait *wait)
{
    return fm_delay_metrics(fm_delay_kind((fm_metric_t)wait->metric))->is_contention;
}

static void tell_own(struct fm_interval_walk *walk, uint32_t number,
                     const struct fm_interval_handler *handler)
{
    const struct fm_wait *wait = &walk->busy_time->waits.items[number];
    struct snapshot from =
        latest_point(walk, wait->cause_location, wait->until, is_contention(wait));
    struct fm_interval interval;
    walk->busy_time->waits.begin[number] = from.t;
    /* A waiting call without events inside it, or a loop, adds nothing to the profile. */
    const bool adds_nothing = fm_busy_time_is_in(walk->busy_time, wait->activity) ||
                              fm_trace_loop(walk->busy_time->location, wait->activity) != NULL;
    describe(walk, &from, wait->enter, adds_nothing, &interval);
    handler->own(handler->context, number, &interval);
}

static void tell_caused(struct fm_interval_walk *walk, const struct fm_wait_notice *notice,
                        uint32_t number, const struct fm_interval_handler *handler)
{
    struct snapshot from = latest_point(walk, notice->waiter, notice->t, notice->contention);
    uint64_t end =
        notice->contention ? notice->t : walk->busy_time->location->enter.items[notice->activity];
    struct fm_interval interval;
    describe(walk, &from, end, end == notice->t, &interval);
    handler->caused(handler->context, number, &interval);
    walk->difference->is_told = interval.visits != NULL;
}

void fm_interval_walk_to(struct fm_interval_walk *walk, uint64_t until,
                         const struct fm_wait_notice *notices, uint32_t count,
                         const struct fm_interval_handler *handler)
{
    const struct fm_wait_list *waits = &walk->busy_time->waits;
    const fm_group_point_vector *points = &walk->points->by_time[walk->location];
    uint32_t caused = 0;
    walk->difference->vector = FM_NONE;
    make_room(walk->difference, walk->busy_time->nodes);
    for (;;) {
        uint64_t own_time =
            walk->next_wait < waits->count ? waits->items[walk->next_wait].until : UINT64_MAX;
        uint64_t point_time =
            walk->next_point < points->count ? points->items[walk->next_point].t : UINT64_MAX;
        uint64_t caused_time = caused < count ? notices[caused].t : UINT64_MAX;
        uint64_t t = own_time < point_time ? own_time : point_time;
        t = caused_time < t ? caused_time : t;
        if (t > until || t == UINT64_MAX) {
            break;
        }
        fm_busy_time_walk_to(walk->busy_time, t);
        /* All intervals that end at this tick end before the points of this tick are passed. */
        uint32_t first_wait = walk->next_wait, first_caused = caused;
        while (walk->next_wait < waits->count && waits->items[walk->next_wait].until == t) {
            ++walk->next_wait;
        }
        for (uint32_t w = first_wait; w < walk->next_wait; ++w) {
            tell_own(walk, w, handler);
        }
        for (; caused < count && notices[caused].t == t; ++caused) {
            tell_caused(walk, &notices[caused], caused, handler);
        }
        for (; walk->next_point < points->count && points->items[walk->next_point].t == t;
             ++walk->next_point) {
            pass_group_point(walk, points->items[walk->next_point].communicator);
        }
        for (uint32_t w = first_wait; w < walk->next_wait; ++w) {
            const struct fm_wait *wait = &waits->items[w];
            pass_pair_point(walk, wait->cause_location, is_contention(wait));
        }
        for (uint32_t c = first_caused; c < caused; ++c) {
            const struct fm_wait_notice *notice = &notices[c];
            pass_pair_point(walk, notice->waiter, notice->contention);
        }
    }
}
