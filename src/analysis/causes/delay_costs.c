/* SPDX-License-Identifier: BSD-3-Clause */
/* Delay costs. The waiter sends its profile of the interval to the causing location, which compares
 * it with its own profile. The waiting that a wait state has caused in turn (phi) is not known yet:
 * it is distributed afterwards, by the shares that are found here. Wait states are processed in
 * time windows, which bounds the memory of their intermediate results. */
#include "analysis/causes/cause_comparison.h"
#include "analysis/causes/cost_table.h"
#include "analysis/causes/intervals.h"
#include "analysis/causes/time_windows.h"
#include "base/containers/keyed_sort.h"
#include "cube/model/delay_kind.h"
#include "engine/dispatch/dispatch.h"

#include <math.h>
#include <string.h>

/* A wait state has about 400 bytes of intermediate results: those of a worker fit in its
 * processor's cache. */
#define WAITS_OF_A_WORKER 20000

/* Profile of a location in an interval that ends in another location's wait state. */
struct cause_side {
    uint64_t begin;
    struct fm_inner_waits inner;
    uint32_t first_wait, wait_end;
    uint32_t first, end; /* in `cause_shares` */
    bool contention;
};

/* Profile of a location in an interval that ends in its own wait state: sent to the cause. */
struct own_side {
    struct fm_waiter_side waiter;
    struct fm_items shares; /* struct fm_waiter_share */
};

/* A location's part of a time window. Numbers are positions in the tables of the worker that owns
 * the location. */
struct location_window {
    struct fm_interval_walk *walk;
    uint32_t own_end;                         /* end of the location's wait states in the window */
    FM_VECTOR(struct fm_wait_notice) notices; /* from other locations, unsorted */
    size_t first_notice; /* first sorted one in the worker's `notices`, and in `cause_sides` */
    size_t first_caused; /* first one of the window among the wait states that the location has
                            caused */
};

/* Sent to a waiter: the position of its wait state at the cause. */
struct place {
    uint32_t waiter;
    uint32_t number; /* in the waiter's wait list */
    uint32_t position;
};

/* Tables of one worker, padded against false sharing. The tables of a window contain its locations
 * one after the other. */
struct scratch {
    FM_VECTOR(struct fm_wait_notice) notices;      /* of each location, by time */
    FM_VECTOR(struct cause_side) cause_sides;      /* in the order of `notices` */
    FM_VECTOR(struct fm_cause_share) cause_shares; /* of `cause_sides` */
    FM_VECTOR(struct own_side) own_sides;
    FM_VECTOR(struct fm_waiter_share) shares; /* of `own_sides` */
    FM_VECTOR(struct fm_keyed) order;         /* of one location's notices */
    FM_VECTOR(struct fm_keyed) spare;         /* memory to sort it */
    struct fm_difference difference;
    struct fm_excess excess;
    unsigned char apart[FM_APART];
};

struct costs {
    struct fm_formation *formation;
    struct fm_group_points points;
    struct fm_caused_waits *caused;    /* by location */
    struct location_window *locations; /* by location */
    struct scratch *scratch;           /* by worker */
    struct fm_dispatch *notices;
    struct fm_dispatch *places;
    struct fm_dispatch *sides;
    uint64_t window_end; /* last tick */
};

static fm_delay_kind_t kind_of(const struct fm_wait *wait)
{
    return fm_delay_kind((fm_metric_t)wait->metric);
}

/* ---- notices of wait states to their causes ---- */

static void notify_causes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_wait_list *waits = &costs->formation->busy_times[l].waits;
        struct location_window *window = &costs->locations[l];
        uint32_t w = window->own_end;
        for (; w < waits->count && waits->items[w].until <= costs->window_end; ++w) {
            const struct fm_wait *wait = &waits->items[w];
            fm_delay_kind_t kind = kind_of(wait);
            fm_dispatch_send(costs->notices, worker, fm_trace_process(trace, wait->cause_location),
                             &(struct fm_wait_notice){
                                 .t = wait->until,
                                 .location = wait->cause_location,
                                 .activity = wait->cause_activity,
                                 .waiter = l,
                                 .number = w,
                                 .contention = fm_delay_metrics(kind)->is_contention,
                                 .delay_kind = kind,
                             });
        }
        window->own_end = w;
    }
}

static void take_notice(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct costs *costs = context;
    const struct fm_wait_notice *notice = record;
    fm_vector_push(&costs->locations[notice->location].notices, *notice);
}

/* ---- positions of wait states at their causes ---- */

/* Sorts notices of one tick: descending by waiter and number. */
static void sort_tick(const struct fm_wait_notice *notices, struct fm_keyed *order, size_t count,
                      struct fm_keyed *spare)
{
    uint64_t t = order[0].key;
    for (size_t i = 0; i < count; ++i) {
        const struct fm_wait_notice *notice = &notices[order[i].value];
        order[i].key = ~((uint64_t)notice->waiter << 32 | notice->number);
    }
    fm_keyed_sort(order, count, spare);
    for (size_t i = 0; i < count; ++i) {
        order[i].key = t;
    }
}

/* @return positions of a location's notices in their order, valid until the next call */
static const struct fm_keyed *sort_notices(const struct location_window *window,
                                           struct scratch *scratch)
{
    size_t count = window->notices.count;
    scratch->order.count = scratch->spare.count = 0;
    fm_vector_reserve(&scratch->order, count);
    fm_vector_reserve(&scratch->spare, count);
    struct fm_keyed *order = scratch->order.items;
    /* Notices arrive in one sequence for each waiter, ascending by time. The sequences are listed
     * from the last to the first, which is the order of the notices of one tick. */
    const struct fm_wait_notice *notices = window->notices.items;
    for (size_t end = count, begin, i = 0; end > 0; end = begin) {
        for (begin = end - 1; begin > 0 && notices[begin - 1].waiter == notices[begin].waiter;) {
            --begin;
        }
        for (size_t n = begin; n < end; ++n) {
            order[i++] = (struct fm_keyed){notices[n].t, (uint32_t)n};
        }
    }
    fm_keyed_sort(order, count, scratch->spare.items);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && order[end].key == order[begin].key) {
            ++end;
        }
        if (end - begin > 1) {
            sort_tick(notices, order + begin, end - begin, scratch->spare.items);
        }
    }
    return order;
}

/* Moves a location's notices to those of the worker, sorted, and lists the wait states that the
 * location has caused. */
static void add_caused_waits(struct costs *costs, unsigned worker, uint32_t l)
{
    const struct fm_trace *trace = costs->formation->analysis->trace;
    struct scratch *scratch = &costs->scratch[worker];
    struct location_window *window = &costs->locations[l];
    struct fm_caused_waits *caused = &costs->caused[l];
    const struct fm_keyed *order = sort_notices(window, scratch);
    window->first_caused = caused->waits.count;
    window->first_notice = scratch->notices.count;
    fm_vector_reserve(&caused->waits, window->notices.count);
    fm_vector_reserve(&scratch->notices, window->notices.count);
    for (size_t i = 0; i < window->notices.count; ++i) {
        const struct fm_wait_notice *notice = &window->notices.items[order[i].value];
        uint32_t position = (uint32_t)caused->waits.count++;
        caused->waits.items[position] = (struct fm_caused_wait){
            .t = notice->t,
            .phi = NAN,
            .waiter = notice->waiter,
            .number = notice->number,
            .visit = trace->locations[l].visit.items[notice->activity],
            .delay_kind = (uint8_t)notice->delay_kind,
        };
        scratch->notices.items[scratch->notices.count++] = *notice;
        fm_dispatch_send(costs->places, worker, fm_trace_process(trace, notice->waiter),
                         &(struct place){notice->waiter, notice->number, position});
    }
    window->notices.count = 0;
}

static void place_waits(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    costs->scratch[worker].notices.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        add_caused_waits(costs, worker, l);
    }
}

static void take_place(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct costs *costs = context;
    const struct place *place = record;
    costs->formation->busy_times[place->waiter].waits.positions[place->number] = place->position;
}

/* ---- profiles of the intervals ---- */

/* Context of the walk through one location's intervals. */
struct walking {
    struct scratch *scratch; /* receives the results */
    uint32_t number;         /* of the location */
    const struct fm_location *location;
    struct fm_wait_list *waits;
    const struct fm_wait_notice *notices;
};

static uint64_t sum_up(const struct fm_interval *interval)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < interval->count; ++i) {
        sum += interval->ticks[i];
    }
    return sum;
}

static uint32_t callpath_of(const struct fm_location *location, uint32_t visit)
{
    return location->profile.items[visit].callpath;
}

static void add_shares(struct scratch *scratch, const struct fm_location *location,
                       const struct fm_interval *interval)
{
    fm_vector_reserve(&scratch->shares, interval->count);
    for (uint32_t i = 0; i < interval->count; ++i) {
        struct fm_waiter_share *share = &scratch->shares.items[scratch->shares.count++];
        share->callpath = callpath_of(location, interval->visits[i]);
        memcpy(share->ticks, &interval->ticks[i], sizeof share->ticks);
    }
}

static void keep_own_side(void *context, uint32_t number, const struct fm_interval *interval)
{
    const struct walking *walking = context;
    struct scratch *scratch = walking->scratch;
    const struct fm_location *location = walking->location;
    const struct fm_wait *wait = &walking->waits->items[number];
    bool contention = fm_delay_metrics(kind_of(wait))->is_contention;
    struct own_side side = {
        .waiter =
            {
                .begin = interval->begin,
                .wait = fm_wait_ticks(wait),
                .busy = contention ? sum_up(interval) : 0,
                .location = wait->cause_location,
                .position = walking->waits->positions[number],
                .waiter = walking->number,
                .callpath = callpath_of(location, location->visit.items[wait->activity]),
            },
    };
    const size_t first_share = scratch->shares.count;
    /* Computation of the waiter does not reduce the delay of a lock's owner. */
    if (!contention) {
        add_shares(scratch, location, interval);
    }
    side.shares.count = (uint32_t)(scratch->shares.count - first_share);
    fm_vector_push(&scratch->own_sides, side);
}

static void add_cause_shares(struct scratch *scratch, const struct fm_location *location,
                             const struct fm_interval *interval)
{
    fm_vector_reserve(&scratch->cause_shares, interval->count);
    for (uint32_t i = 0; i < interval->count; ++i) {
        uint32_t visit = interval->visits[i];
        scratch->cause_shares.items[scratch->cause_shares.count++] =
            (struct fm_cause_share){interval->ticks[i], visit, callpath_of(location, visit)};
    }
}

static void keep_cause_side(void *context, uint32_t number, const struct fm_interval *interval)
{
    const struct walking *walking = context;
    struct scratch *scratch = walking->scratch;
    uint32_t first = (uint32_t)scratch->cause_shares.count;
    if (interval->is_repeated) {
        first = scratch->cause_sides.items[scratch->cause_sides.count - 1].first;
    } else {
        add_cause_shares(scratch, walking->location, interval);
    }
    fm_wait_list_cover(walking->waits, interval->first_wait, interval->wait_end);
    fm_vector_push(&scratch->cause_sides, (struct cause_side){
                                              .begin = interval->begin,
                                              .inner = fm_waits_inside(walking->waits, interval),
                                              .first_wait = interval->first_wait,
                                              .wait_end = interval->wait_end,
                                              .first = first,
                                              .end = first + interval->count,
                                              .contention = walking->notices[number].contention,
                                          });
}

/* Prefetches the tables for the walks of the next locations. */
static void prefetch_walks(const struct costs *costs, uint32_t l, uint32_t end)
{
    for (unsigned stage = 0; stage < FM_INTERVAL_WALK_STAGES; ++stage) {
        uint32_t next = l + (FM_INTERVAL_WALK_STAGES - stage);
        if (next < end) {
            fm_interval_walk_prefetch(costs->locations[next].walk, stage);
        }
    }
}

static void walk_intervals(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    struct scratch *scratch = &costs->scratch[worker];
    scratch->cause_sides.count = scratch->cause_shares.count = 0;
    scratch->own_sides.count = scratch->shares.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct location_window *window = &costs->locations[l];
        prefetch_walks(costs, l, fm_trace_first_location(trace, last));
        struct walking walking = {
            .scratch = scratch,
            .number = l,
            .location = &trace->locations[l],
            .waits = &costs->formation->busy_times[l].waits,
            .notices = scratch->notices.items + window->first_notice,
        };
        const struct fm_interval_handler handler = {&walking, keep_own_side, keep_cause_side};
        size_t caused = costs->caused[l].waits.count - window->first_caused;
        fm_interval_walk_to(window->walk, costs->window_end, walking.notices, (uint32_t)caused,
                            &handler);
    }
}

/* ---- comparison at the causing locations ---- */

static void tell_causes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    const struct scratch *scratch = &costs->scratch[worker];
    const struct fm_waiter_share *shares = scratch->shares.items;
    (void)first;
    (void)last;
    for (size_t i = 0; i < scratch->own_sides.count; ++i) {
        struct own_side *side = &scratch->own_sides.items[i];
        side->shares.items = shares;
        shares += side->shares.count;
        fm_dispatch_send(costs->sides, worker, fm_trace_process(trace, side->waiter.location),
                         side);
    }
}

/* Determines the causing location's interval again if the waiter's begins at another point. */
static struct cause_side look_again(struct costs *costs, struct scratch *scratch,
                                    const struct fm_waiter_side *waiter, size_t number)
{
    uint32_t l = waiter->location;
    const struct fm_location *location = &costs->formation->analysis->trace->locations[l];
    const struct fm_wait_notice *notice = &scratch->notices.items[number];
    uint64_t end = notice->contention ? notice->t : location->enter.items[notice->activity];
    struct fm_interval interval;
    fm_interval_walk_look(costs->locations[l].walk, waiter->begin, end, &interval);
    uint32_t first = (uint32_t)scratch->cause_shares.count;
    add_cause_shares(scratch, location, &interval);
    struct fm_wait_list *waits = &costs->formation->busy_times[l].waits;
    fm_wait_list_cover(waits, interval.first_wait, interval.wait_end);
    return (struct cause_side){
        .begin = interval.begin,
        .inner = fm_waits_inside(waits, &interval),
        .first_wait = interval.first_wait,
        .wait_end = interval.wait_end,
        .first = first,
        .end = first + interval.count,
        .contention = notice->contention,
    };
}

/* Adds the direct and the indirect part of a wait state at the waiting call path. */
static void book_class(struct costs *costs, unsigned worker, const struct fm_waiter_side *waiter,
                       fm_delay_kind_t kind, double direct)
{
    struct fm_formation *formation = costs->formation;
    double indirect = (double)waiter->wait - direct;
    struct fm_remote_cost *row =
        fm_remote_costs_at(&formation->remote[worker], waiter->waiter, waiter->callpath, kind);
    row->direct += fm_cost_rounded(direct, formation->cost_scale);
    row->indirect += fm_cost_rounded(indirect, formation->cost_scale);
    formation->costs[worker].roundings += (direct != 0) + (indirect != 0);
}

static void compare(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    struct costs *costs = context;
    const struct own_side *side = record;
    const struct fm_waiter_side *waiter = &side->waiter;
    const struct location_window *window = &costs->locations[waiter->location];
    struct scratch *scratch = &costs->scratch[worker];
    struct fm_caused_waits *caused = &costs->caused[waiter->location];
    struct fm_caused_wait *wait = &caused->waits.items[waiter->position];
    size_t number = window->first_notice + (waiter->position - window->first_caused);
    size_t kept_shares = scratch->cause_shares.count;
    struct cause_side own = scratch->cause_sides.items[number];
    if (own.begin != waiter->begin) {
        own = look_again(costs, scratch, waiter, number);
    }
    wait->wait = waiter->wait;
    wait->inner = own.first_wait;
    wait->inner_end = own.wait_end;
    wait->first = (uint32_t)caused->parts.count;
    const struct fm_cause_comparison comparison = {
        .waits = &costs->formation->busy_times[waiter->location].waits,
        .inner = own.inner,
        .sides = {.own = scratch->cause_shares.items + own.first,
                  .own_count = own.end - own.first,
                  .shares = side->shares.items,
                  .share_count = side->shares.count},
        .waiter = waiter,
        .wait = wait,
        .caused = caused,
        .excess = &scratch->excess,
        .trace = costs->formation->analysis->trace,
    };
    double direct = own.contention ? fm_compare_owner(&comparison) : fm_compare_sides(&comparison);
    wait->end = (uint32_t)caused->parts.count;
    scratch->cause_shares.count = kept_shares;
    book_class(costs, worker, waiter, (fm_delay_kind_t)wait->delay_kind, direct);
}

/* ---- the stages ---- */

static void open_walks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_analysis *analysis = costs->formation->analysis;
    fm_excess_open(&costs->scratch[worker].excess, analysis->trace, costs->formation->recorded);
    for (uint32_t l = fm_trace_first_location(analysis->trace, first);
         l < fm_trace_first_location(analysis->trace, last); ++l) {
        costs->locations[l].walk =
            fm_interval_walk_create(analysis, &costs->formation->busy_times[l], &costs->points, l,
                                    &costs->scratch[worker].difference);
        fm_vector_reserve(&costs->caused[l].waits, costs->formation->caused_counts[l]);
        if (costs->formation->recorded != NULL && costs->formation->caused_counts[l] > 0) {
            costs->caused[l].differences =
                fm_side_differences_create(&analysis->trace->locations[l]);
        }
    }
}

static void close_walks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct location_window *window = &costs->locations[l];
        fm_busy_time_walk_to(&costs->formation->busy_times[l], UINT64_MAX);
        fm_interval_walk_free(window->walk);
        fm_vector_free(&window->notices);
    }
}

static void close_scratch(struct costs *costs, unsigned workers)
{
    for (unsigned w = 0; w < workers; ++w) {
        struct scratch *scratch = &costs->scratch[w];
        fm_vector_free(&scratch->notices);
        fm_vector_free(&scratch->cause_sides);
        fm_vector_free(&scratch->cause_shares);
        fm_vector_free(&scratch->own_sides);
        fm_vector_free(&scratch->shares);
        fm_vector_free(&scratch->order);
        fm_vector_free(&scratch->spare);
        fm_difference_free(&scratch->difference);
        fm_excess_close(&scratch->excess);
    }
    fm_free(costs->scratch);
}

/* Fills `caused` window by window. */
static void find_all_costs(struct costs *costs)
{
    struct fm_engine *engine = costs->formation->analysis->engine;
    uint64_t workers =
        (uint64_t)fm_engine_workers(engine) * fm_team_size(costs->formation->analysis->team);
    struct fm_time_windows windows = fm_time_windows_choose(
        costs->formation->times, costs->formation->analysis->trace->location_count,
        workers * WAITS_OF_A_WORKER);
    costs->notices = fm_dispatch_create(engine, sizeof(struct fm_wait_notice), take_notice, costs);
    costs->places = fm_dispatch_create(engine, sizeof(struct place), take_place, costs);
    costs->sides = fm_dispatch_create(engine, sizeof(struct own_side), compare, costs);
    fm_dispatch_carry_items(costs->sides, offsetof(struct own_side, shares),
                            sizeof(struct fm_waiter_share));
    for (uint32_t s = 0; s < windows.count; ++s) {
        costs->window_end = windows.ends[s];
        fm_dispatch_run(costs->notices, notify_causes, costs);
        fm_dispatch_run(costs->places, place_waits, costs);
        fm_engine_run(engine, walk_intervals, costs);
        fm_dispatch_run(costs->sides, tell_causes, costs);
    }
    fm_dispatch_free(costs->notices);
    fm_dispatch_free(costs->places);
    fm_dispatch_free(costs->sides);
    fm_time_windows_free(&windows);
}

void fm_formation_costs(struct fm_formation *formation)
{
    struct fm_engine *engine = formation->analysis->engine;
    uint32_t location_count = formation->analysis->trace->location_count;
    struct costs costs = {
        .formation = formation,
        .caused = fm_allocate(location_count, sizeof *costs.caused),
        .locations = fm_allocate_apart(location_count, sizeof *costs.locations),
        .scratch = fm_allocate_apart(fm_engine_workers(engine), sizeof *costs.scratch),
    };
    fm_group_points_sort(&costs.points, formation->analysis);
    fm_engine_run(engine, open_walks, &costs);
    find_all_costs(&costs);
    fm_engine_run(engine, close_walks, &costs);
    close_scratch(&costs, fm_engine_workers(engine));
    fm_group_points_free(&costs.points);
    fm_free(costs.locations);
    fm_propagate(formation, costs.caused);
    fm_wait_costs_book(formation, costs.caused);
    formation->caused = costs.caused;
}
