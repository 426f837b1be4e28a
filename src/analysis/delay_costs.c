/* What delays cost. The waiter tells its cause what it did in the interval; the cause compares that
 * with what it did itself. What a wait state has caused in turn (phi) is not known yet: it is
 * distributed afterwards, by the shares that are found here. Wait states are looked at in slices of
 * time, so that what is under way at once is bounded. */
#include "analysis/comparison.h"
#include "analysis/cost_table.h"
#include "analysis/intervals.h"
#include "analysis/slices.h"
#include "cube/delay_kind.h"
#include "engine/dispatch.h"

#include <math.h>
#include <string.h>

/* Of a wait state, about 400 bytes are under way: those of a worker fit in its processor's cache.
 */
#define WAITS_OF_A_WORKER 20000

/* What a location did in an interval: numbers of its shares. */
struct side {
    uint64_t begin;
    uint32_t first, end;
};

/* ... an interval that ends in what another location waits for. */
struct cause_side {
    struct side side;
    uint32_t first_wait, wait_end;
};

/* One location's slice of time. What has a number stands in the tables of the worker that owns the
 * location. */
struct location_slice {
    struct fm_interval_walk *walk;
    uint32_t first_own, own_end;              /* own wait states */
    FM_VECTOR(struct fm_wait_notice) notices; /* of other locations */
    size_t first_notice;                      /* in `order`, and as many in `cause_sides` */
    size_t first_side;                        /* in `sides`, by own wait state */
    size_t first_caused; /* of the slice, among the wait states that the location has caused */
};

/* Tells a waiter where its cause keeps its wait state. */
struct place {
    uint32_t waiter;
    uint32_t number; /* in the waiter's list */
    uint32_t position;
};

/* One worker's tables, allocated by itself: what workers write all the time lies apart. In those of
 * a slice, its locations stand one behind the other. */
struct scratch {
    FM_VECTOR(struct fm_keyed) order;         /* notices of a location by time */
    FM_VECTOR(struct cause_side) cause_sides; /* in this order */
    FM_VECTOR(uint32_t) visits;               /* shares of them: nodes and ticks */
    FM_VECTOR(uint64_t) ticks;
    FM_VECTOR(struct side) sides;             /* by own wait state */
    FM_VECTOR(struct fm_waiter_share) shares; /* of them */
    FM_VECTOR(struct fm_keyed) spare;
    uint64_t *waiter_time; /* by call path: what the waiter did; all 0 between two uses */
    uint64_t roundings;
    unsigned char apart[FM_APART];
};

struct costs {
    struct fm_formation *formation;
    struct fm_group_points points;
    struct fm_caused_waits *caused;   /* by location */
    struct location_slice *locations; /* by location */
    struct scratch *scratch;          /* by worker */
    struct fm_dispatch *notices;
    struct fm_dispatch *places;
    struct fm_list_dispatch *sides;
    uint64_t slice_end; /* included */
};

static const struct fm_candidate *candidate_of(const struct fm_formation *formation,
                                               uint32_t location, uint32_t number)
{
    uint32_t position = formation->timelines[location].waits.candidates[number];
    return &formation->analysis->findings[location].candidates.items[position];
}

static fm_delay_kind_t kind_of(const struct fm_candidate *wait)
{
    return fm_delay_kind((fm_metric_t)wait->metric);
}

/* ---- causes hear of the wait states ---- */

static void notify_causes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_wait_list *waits = &costs->formation->timelines[l].waits;
        struct location_slice *slice = &costs->locations[l];
        slice->first_own = slice->own_end;
        for (uint32_t w = slice->first_own; w < waits->count && waits->until[w] <= costs->slice_end;
             ++w) {
            const struct fm_candidate *wait = candidate_of(costs->formation, l, w);
            fm_delay_kind_t kind = kind_of(wait);
            fm_dispatch_send(costs->notices, worker, trace->locations[wait->cause_location].process,
                             &(struct fm_wait_notice){
                                 .t = wait->t,
                                 .location = wait->cause_location,
                                 .activity = wait->cause_activity,
                                 .waiter = l,
                                 .number = w,
                                 .contention = fm_delay_is_contention(kind),
                                 .delay_kind = kind,
                             });
            ++slice->own_end;
        }
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

/* ---- each wait state gets its place ---- */

/* Sorts notices of one tick: the last waiter first. */
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

static void sort_notices(struct location_slice *slice, struct scratch *scratch)
{
    size_t count = slice->notices.count;
    slice->first_notice = scratch->order.count;
    fm_vector_reserve(&scratch->order, count);
    scratch->spare.count = 0;
    fm_vector_reserve(&scratch->spare, count);
    struct fm_keyed *order = scratch->order.items + slice->first_notice;
    /* They come from one waiter after the other, each in the order of time: the sequence of the
     * last one first, because so are its notices of a tick. */
    const struct fm_wait_notice *notices = slice->notices.items;
    for (size_t end = count, begin, i = 0; end > 0; end = begin) {
        for (begin = end - 1; begin > 0 && notices[begin - 1].waiter == notices[begin].waiter;) {
            --begin;
        }
        for (size_t n = begin; n < end; ++n) {
            order[i++] = (struct fm_keyed){notices[n].t, (uint32_t)n};
        }
    }
    scratch->order.count += count;
    fm_keyed_sort(order, count, scratch->spare.items);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && order[end].key == order[begin].key) {
            ++end;
        }
        if (end - begin > 1) {
            sort_tick(slice->notices.items, order + begin, end - begin, scratch->spare.items);
        }
    }
}

static void add_caused_waits(struct costs *costs, unsigned worker, uint32_t l)
{
    const struct fm_trace *trace = costs->formation->analysis->trace;
    struct location_slice *slice = &costs->locations[l];
    const struct fm_keyed *order = costs->scratch[worker].order.items + slice->first_notice;
    struct fm_caused_waits *caused = &costs->caused[l];
    slice->first_caused = caused->waits.count;
    fm_vector_reserve(&caused->waits, slice->notices.count);
    for (size_t i = 0; i < slice->notices.count; ++i) {
        const struct fm_wait_notice *notice = &slice->notices.items[order[i].value];
        uint32_t position = (uint32_t)caused->waits.count++;
        caused->waits.items[position] = (struct fm_caused_wait){
            .t = notice->t,
            .phi = NAN,
            .visit = trace->locations[l].visit.items[notice->activity],
            .delay_kind = (uint8_t)notice->delay_kind,
        };
        fm_dispatch_send(costs->places, worker, trace->locations[notice->waiter].process,
                         &(struct place){notice->waiter, notice->number, position});
    }
}

static void place_waits(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    costs->scratch[worker].order.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        sort_notices(&costs->locations[l], &costs->scratch[worker]);
        add_caused_waits(costs, worker, l);
    }
}

static void take_place(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct costs *costs = context;
    const struct place *place = record;
    costs->formation->timelines[place->waiter].waits.position[place->number] = place->position;
}

/* ---- what locations did in the intervals ---- */

/* Whose intervals are told. */
struct walking {
    struct scratch *scratch; /* where they are kept */
    const struct fm_location *location;
};

static void keep_side(void *context, uint32_t number, const struct fm_interval *interval)
{
    const struct walking *walking = context;
    struct scratch *scratch = walking->scratch;
    (void)number; /* they come in order */
    uint32_t first = (uint32_t)scratch->shares.count;
    fm_vector_push(&scratch->sides, (struct side){interval->begin, first, first + interval->count});
    fm_vector_reserve(&scratch->shares, interval->count);
    for (uint32_t i = 0; i < interval->count; ++i) {
        struct fm_waiter_share *share = &scratch->shares.items[scratch->shares.count++];
        share->callpath = walking->location->profile.items[interval->visits[i]].callpath;
        memcpy(share->ticks, &interval->ticks[i], sizeof share->ticks);
    }
}

static void keep_cause_side(void *context, uint32_t position, const struct fm_interval *interval)
{
    const struct walking *walking = context;
    struct scratch *scratch = walking->scratch;
    (void)position; /* they come in order */
    struct cause_side kept = {
        .side = {interval->begin, (uint32_t)scratch->visits.count,
                 (uint32_t)scratch->visits.count + interval->count},
        .first_wait = interval->first_wait,
        .wait_end = interval->wait_end,
    };
    if (interval->is_repeated) {
        const struct side *last = &scratch->cause_sides.items[scratch->cause_sides.count - 1].side;
        kept.side.first = last->first;
        kept.side.end = last->end;
    } else {
        fm_vector_reserve(&scratch->visits, interval->count);
        fm_vector_reserve(&scratch->ticks, interval->count);
        for (uint32_t i = 0; i < interval->count; ++i) {
            scratch->visits.items[scratch->visits.count++] = interval->visits[i];
            scratch->ticks.items[scratch->ticks.count++] = interval->ticks[i];
        }
    }
    fm_vector_push(&scratch->cause_sides, kept);
}

static void walk_intervals(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    struct scratch *scratch = &costs->scratch[worker];
    scratch->cause_sides.count = scratch->visits.count = scratch->ticks.count = 0;
    scratch->sides.count = scratch->shares.count = 0;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct location_slice *slice = &costs->locations[l];
        slice->first_side = scratch->sides.count;
        struct walking walking = {scratch, &trace->locations[l]};
        const struct fm_interval_handler handler = {&walking, keep_side, keep_cause_side};
        fm_interval_walk_to(slice->walk, costs->slice_end, slice->notices.items,
                            scratch->order.items + slice->first_notice,
                            (uint32_t)slice->notices.count, &handler);
    }
}

/* ---- waiters tell their causes, and these compare ---- */

static uint64_t sum_up(const struct fm_waiter_share *shares, uint32_t count)
{
    uint64_t sum = 0, ticks;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(&ticks, shares[i].ticks, sizeof ticks);
        sum += ticks;
    }
    return sum;
}

static void tell_causes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    const struct scratch *scratch = &costs->scratch[worker];
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        const struct fm_wait_list *waits = &costs->formation->timelines[l].waits;
        const struct location_slice *slice = &costs->locations[l];
        for (uint32_t w = slice->first_own; w < slice->own_end; ++w) {
            const struct fm_candidate *wait = candidate_of(costs->formation, l, w);
            const struct side *side =
                &scratch->sides.items[slice->first_side + (w - slice->first_own)];
            const struct fm_waiter_share *shares = scratch->shares.items + side->first;
            uint32_t count = side->end - side->first;
            bool contention = fm_delay_is_contention(kind_of(wait));
            struct fm_waiter_side message = {
                .begin = side->begin,
                .wait = waits->until[w] - waits->enter[w],
                .busy = contention ? sum_up(shares, count) : 0,
                .location = wait->cause_location,
                .position = waits->position[w],
                .waiter = l,
                .callpath = location->profile.items[location->visit.items[wait->activity]].callpath,
            };
            fm_list_dispatch_send(costs->sides, worker,
                                  trace->locations[wait->cause_location].process, &message, shares,
                                  contention ? 0 : count);
        }
    }
}

/* @return what the location did in the interval whose begin the waiter tells */
static struct fm_interval interval_of(const struct scratch *scratch, struct fm_interval_walk *walk,
                                      const struct cause_side *kept,
                                      const struct fm_wait_notice *notice,
                                      const struct fm_location *location, uint64_t begin)
{
    struct fm_interval interval = {
        .begin = begin,
        .first_wait = kept->first_wait,
        .wait_end = kept->wait_end,
        .count = kept->side.end - kept->side.first,
        .visits = scratch->visits.items + kept->side.first,
        .ticks = scratch->ticks.items + kept->side.first,
    };
    if (kept->side.begin != begin) {
        fm_interval_walk_look(
            walk, begin, notice->contention ? notice->t : location->enter.items[notice->activity],
            &interval);
    }
    return interval;
}

/* What of a wait state is direct stands at the waiter. */
static void book_class(struct costs *costs, unsigned worker, const struct fm_waiter_side *waiter,
                       fm_delay_kind_t kind, double direct)
{
    struct fm_formation *formation = costs->formation;
    const fm_metric_t metrics[] = {FM_METRIC_WAIT_DIRECT, FM_METRIC_WAIT_INDIRECT};
    const double parts[] = {direct, (double)waiter->wait - direct};
    for (unsigned i = 0; i < 2; ++i) {
        if (parts[i] != 0) {
            ++costs->scratch[worker].roundings;
            fm_remote_costs_add(&formation->remote[worker], waiter->waiter, waiter->callpath,
                                fm_delay_wait_metric(metrics[i], kind),
                                fm_cost_rounded(parts[i], formation->cost_scale));
        }
    }
}

static void compare(void *context, unsigned worker, uint32_t process, const void *record,
                    const void *shares, uint32_t share_count)
{
    (void)process;
    struct costs *costs = context;
    const struct fm_waiter_side *waiter = record;
    const struct location_slice *slice = &costs->locations[waiter->location];
    const struct scratch *scratch = &costs->scratch[worker];
    const struct fm_location *location =
        &costs->formation->analysis->trace->locations[waiter->location];
    struct fm_caused_waits *caused = &costs->caused[waiter->location];
    struct fm_caused_wait *wait = &caused->waits.items[waiter->position];
    size_t number = waiter->position - slice->first_caused;
    size_t ordered = slice->first_notice + number;
    const struct fm_wait_notice *notice =
        &slice->notices.items[scratch->order.items[ordered].value];
    struct fm_interval interval =
        interval_of(scratch, slice->walk, &scratch->cause_sides.items[ordered], notice, location,
                    waiter->begin);
    wait->wait = waiter->wait;
    wait->inner = interval.first_wait;
    wait->inner_end = interval.wait_end;
    wait->first = (uint32_t)caused->parts.count;
    const struct fm_comparison comparison = {
        .location = location,
        .waits = &costs->formation->timelines[waiter->location].waits,
        .interval = &interval,
        .waiter = waiter,
        .shares = shares,
        .share_count = share_count,
        .wait = wait,
        .caused = caused,
        .waiter_time = scratch->waiter_time,
    };
    double direct =
        notice->contention ? fm_compare_owner(&comparison) : fm_compare_sides(&comparison);
    wait->end = (uint32_t)caused->parts.count;
    book_class(costs, worker, waiter, (fm_delay_kind_t)wait->delay_kind, direct);
}

/* What compare() will look at. */
static void prefetch_cause(void *context, unsigned worker, uint32_t process, const void *record,
                           unsigned stage)
{
    (void)process;
    const struct costs *costs = context;
    const struct fm_waiter_side *waiter = record;
    const struct scratch *scratch = &costs->scratch[worker];
    const struct location_slice *slice = &costs->locations[waiter->location];
    const struct fm_caused_waits *caused = &costs->caused[waiter->location];
    if (stage == 0) {
        __builtin_prefetch(slice);
        __builtin_prefetch(caused);
        return;
    }
    size_t ordered = slice->first_notice + (waiter->position - slice->first_caused);
    if (stage == 1) {
        __builtin_prefetch(&scratch->order.items[ordered]);
        __builtin_prefetch(&scratch->cause_sides.items[ordered]);
        __builtin_prefetch(&caused->waits.items[waiter->position], 1);
    } else if (stage == 2) {
        const struct side *side = &scratch->cause_sides.items[ordered].side;
        __builtin_prefetch(&slice->notices.items[scratch->order.items[ordered].value]);
        __builtin_prefetch(scratch->visits.items + side->first);
        __builtin_prefetch(scratch->ticks.items + side->first);
    } else {
        __builtin_prefetch(caused->parts.items + caused->parts.count, 1);
        __builtin_prefetch(caused->visits.items + caused->visits.count, 1);
    }
}

static void forget_notices(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        costs->locations[l].notices.count = 0;
    }
}

/* ---- the phases ---- */

static void open_walks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_analysis *analysis = costs->formation->analysis;
    costs->scratch[worker].waiter_time =
        fm_allocate(analysis->trace->callpaths.count, sizeof(uint64_t));
    for (uint32_t l = fm_trace_first_location(analysis->trace, first);
         l < fm_trace_first_location(analysis->trace, last); ++l) {
        costs->locations[l].walk =
            fm_interval_walk_create(analysis, &costs->formation->timelines[l], &costs->points, l);
        fm_vector_reserve(&costs->caused[l].waits, costs->formation->caused_counts[l]);
    }
}

static void close_walks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct location_slice *slice = &costs->locations[l];
        fm_timeline_walk_to(&costs->formation->timelines[l], UINT64_MAX);
        fm_interval_walk_free(slice->walk);
        fm_vector_free(&slice->notices);
    }
}

static void close_scratch(struct costs *costs, unsigned workers)
{
    for (unsigned w = 0; w < workers; ++w) {
        struct scratch *scratch = &costs->scratch[w];
        costs->formation->roundings += scratch->roundings;
        fm_vector_free(&scratch->order);
        fm_vector_free(&scratch->cause_sides);
        fm_vector_free(&scratch->visits);
        fm_vector_free(&scratch->ticks);
        fm_vector_free(&scratch->sides);
        fm_vector_free(&scratch->shares);
        fm_vector_free(&scratch->spare);
        fm_free(scratch->waiter_time);
    }
    fm_free(costs->scratch);
}

/* Fills `caused` slice by slice. */
static void find_all_costs(struct costs *costs)
{
    struct fm_engine *engine = costs->formation->analysis->engine;
    uint64_t workers =
        (uint64_t)fm_engine_workers(engine) * fm_team_size(costs->formation->analysis->team);
    struct fm_slices slices = fm_slices_choose(costs->formation, workers * WAITS_OF_A_WORKER);
    costs->notices = fm_dispatch_create(engine, sizeof(struct fm_wait_notice), take_notice, costs);
    costs->places = fm_dispatch_create(engine, sizeof(struct place), take_place, costs);
    costs->sides = fm_list_dispatch_create(engine, sizeof(struct fm_waiter_side),
                                           sizeof(struct fm_waiter_share), compare, costs);
    fm_list_dispatch_prefetch(costs->sides, prefetch_cause, 4);
    for (uint32_t s = 0; s < slices.count; ++s) {
        costs->slice_end = slices.ends[s];
        fm_dispatch_run(costs->notices, notify_causes, costs);
        fm_dispatch_run(costs->places, place_waits, costs);
        fm_engine_run(engine, walk_intervals, costs);
        fm_list_dispatch_run(costs->sides, tell_causes, costs);
        fm_engine_run(engine, forget_notices, costs);
    }
    fm_dispatch_free(costs->notices);
    fm_dispatch_free(costs->places);
    fm_list_dispatch_free(costs->sides);
    fm_slices_free(&slices);
}

void fm_formation_costs(struct fm_formation *formation)
{
    struct fm_engine *engine = formation->analysis->engine;
    uint32_t location_count = formation->analysis->trace->location_count;
    struct costs costs = {
        .formation = formation,
        .caused = fm_allocate(location_count, sizeof *costs.caused),
        .locations = fm_allocate(location_count, sizeof *costs.locations),
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
    for (uint32_t l = 0; l < location_count; ++l) {
        fm_vector_free(&costs.caused[l].waits);
        fm_vector_free(&costs.caused[l].parts);
        fm_vector_free(&costs.caused[l].visits);
    }
    fm_free(costs.caused);
}
