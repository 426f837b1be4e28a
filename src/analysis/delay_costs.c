/* What delays cost. The waiter tells its cause what it did in the interval; the cause compares that
 * with what it did itself. What a wait state has caused in turn (phi) is not known yet: it is
 * distributed afterwards, by the shares that are found here. Wait states are looked at in slices of
 * time, so that what is under way at once is bounded. */
#include "analysis/comparison.h"
#include "analysis/intervals.h"
#include "analysis/slices.h"
#include "cube/delay_kind.h"

#include <math.h>
#include <string.h>

/* Of a wait state, about 400 bytes are under way. */
#define WAITS_UNDER_WAY 150000

/* What the causing location did in an interval. */
struct cause_side {
    uint64_t begin;
    uint32_t first_wait, wait_end;
    uint32_t first, end; /* in the shares of the location */
};

/* One location's slice of time. */
struct location_slice {
    struct fm_interval_walk *walk;
    uint32_t notified;                  /* own wait states whose causes know of them */
    FM_VECTOR(struct fm_keyed) order;   /* notices to the location by time */
    FM_VECTOR(struct cause_side) sides; /* in this order */
    FM_VECTOR(uint32_t) visits; /* what the location did in the intervals: nodes and ticks */
    FM_VECTOR(uint64_t) ticks;
};

/* One worker's tables. */
struct scratch {
    struct fm_cost_table table;
    uint64_t *waiter_time; /* by call path: what the waiter did; all 0 between two uses */
    FM_VECTOR(struct fm_keyed) spare;
    FM_VECTOR(size_t) first_share; /* by message: in the inbox of shares */
};

struct costs {
    struct fm_formation *formation;
    struct fm_group_points points;
    struct fm_caused_waits *caused;   /* by location */
    struct location_slice *locations; /* by location */
    struct scratch *scratch;          /* by worker */
    struct fm_exchange *notices;
    struct fm_exchange *messages;
    struct fm_exchange *shares;
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
        uint32_t *notified = &costs->locations[l].notified;
        for (; *notified < waits->count && waits->until[*notified] <= costs->slice_end;
             ++*notified) {
            const struct fm_candidate *wait = candidate_of(costs->formation, l, *notified);
            struct fm_wait_notice *notice = fm_exchange_post(
                costs->notices, worker, trace->locations[wait->cause_location].process);
            *notice = (struct fm_wait_notice){
                .t = wait->t,
                .location = wait->cause_location,
                .activity = wait->cause_activity,
                .waiter = l,
                .number = *notified,
                .contention = fm_delay_is_contention(kind_of(wait)),
            };
        }
    }
}

/* ---- what locations did in the intervals ---- */

/* Sorts the notices to each location of a process by time; of equal times, the last one first. */
static void sort_notices(struct costs *costs, struct scratch *scratch, uint32_t process)
{
    const struct fm_process *owner = &costs->formation->analysis->trace->processes[process];
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        costs->locations[owner->first_location + t].order.count = 0;
    }
    size_t count;
    const struct fm_wait_notice *notices = fm_exchange_inbox(costs->notices, process, &count);
    if (owner->location_count == 1) {
        fm_vector_reserve(&costs->locations[owner->first_location].order, count);
    }
    for (size_t n = count; n-- > 0;) {
        fm_vector_push(&costs->locations[notices[n].location].order,
                       (struct fm_keyed){notices[n].t, (uint32_t)n});
    }
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        struct location_slice *slice = &costs->locations[owner->first_location + t];
        scratch->spare.count = 0;
        fm_vector_reserve(&scratch->spare, slice->order.count);
        fm_keyed_sort(slice->order.items, slice->order.count, scratch->spare.items);
    }
}

/* Who is told of the intervals of a location. */
struct walking {
    struct costs *costs;
    unsigned worker;
    uint32_t location;
};

static void tell_cause(void *context, uint32_t number, const struct fm_interval *interval)
{
    const struct walking *walking = context;
    struct costs *costs = walking->costs;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    const struct fm_location *location = &trace->locations[walking->location];
    const struct fm_wait_list *waits = &costs->formation->timelines[walking->location].waits;
    const struct fm_candidate *wait = candidate_of(costs->formation, walking->location, number);
    fm_delay_kind_t kind = kind_of(wait);
    uint32_t process = trace->locations[wait->cause_location].process;
    bool contention = fm_delay_is_contention(kind);
    struct fm_waiter_side *message = fm_exchange_post(costs->messages, walking->worker, process);
    *message = (struct fm_waiter_side){
        .begin = interval->begin,
        .wait = waits->until[number] - waits->enter[number],
        .callpath = location->profile.items[location->visit.items[wait->activity]].callpath,
        .share_count = contention ? 0 : interval->count,
        .delay_kind = kind,
    };
    for (uint32_t i = 0; contention && i < interval->count; ++i) {
        message->busy += interval->ticks[i];
    }
    for (uint32_t i = 0; i < message->share_count; ++i) {
        struct fm_waiter_share *share = fm_exchange_post(costs->shares, walking->worker, process);
        share->callpath = location->profile.items[interval->visits[i]].callpath;
        memcpy(share->ticks, &interval->ticks[i], sizeof share->ticks);
    }
}

static void keep_cause_side(void *context, uint32_t position, const struct fm_interval *interval)
{
    const struct walking *walking = context;
    struct location_slice *slice = &walking->costs->locations[walking->location];
    (void)position; /* they come in order */
    fm_vector_push(&slice->sides, (struct cause_side){
                                      .begin = interval->begin,
                                      .first_wait = interval->first_wait,
                                      .wait_end = interval->wait_end,
                                      .first = (uint32_t)slice->visits.count,
                                      .end = (uint32_t)(slice->visits.count + interval->count),
                                  });
    fm_vector_reserve(&slice->visits, interval->count);
    fm_vector_reserve(&slice->ticks, interval->count);
    for (uint32_t i = 0; i < interval->count; ++i) {
        slice->visits.items[slice->visits.count++] = interval->visits[i];
        slice->ticks.items[slice->ticks.count++] = interval->ticks[i];
    }
}

static void walk_intervals(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    const struct fm_trace *trace = costs->formation->analysis->trace;
    for (uint32_t p = first; p < last; ++p) {
        size_t count;
        const struct fm_wait_notice *notices = fm_exchange_inbox(costs->notices, p, &count);
        sort_notices(costs, &costs->scratch[worker], p);
        for (uint32_t l = fm_trace_first_location(trace, p);
             l < fm_trace_first_location(trace, p + 1); ++l) {
            struct location_slice *slice = &costs->locations[l];
            slice->sides.count = slice->visits.count = slice->ticks.count = 0;
            struct walking walking = {costs, worker, l};
            const struct fm_interval_handler handler = {&walking, tell_cause, keep_cause_side};
            fm_interval_walk_to(slice->walk, costs->slice_end, notices, slice->order.items,
                                (uint32_t)slice->order.count, &handler);
        }
    }
}

/* ---- costs ---- */

/* What of a wait state is direct stands at the waiter. */
static void book_class(struct costs *costs, unsigned worker, const struct fm_wait_notice *notice,
                       const struct fm_waiter_side *message, double direct)
{
    struct fm_formation *formation = costs->formation;
    const fm_metric_t metrics[] = {FM_METRIC_WAIT_DIRECT, FM_METRIC_WAIT_INDIRECT};
    const double parts[] = {direct, (double)message->wait - direct};
    for (unsigned i = 0; i < 2; ++i) {
        if (parts[i] != 0) {
            ++costs->scratch[worker].table.roundings;
            fm_remote_costs_add(
                &formation->remote[worker], notice->waiter, message->callpath,
                fm_delay_wait_metric(metrics[i], (fm_delay_kind_t)message->delay_kind),
                fm_cost_rounded(parts[i], formation->cost_scale));
        }
    }
}

/* @return what the location did in the interval whose begin the waiter tells */
static struct fm_interval interval_of(struct costs *costs, uint32_t l,
                                      const struct cause_side *side,
                                      const struct fm_wait_notice *notice, uint64_t begin)
{
    const struct location_slice *slice = &costs->locations[l];
    if (side->begin != begin) {
        struct fm_interval interval;
        const struct fm_location *location = &costs->formation->analysis->trace->locations[l];
        fm_interval_walk_look(
            slice->walk, begin,
            notice->contention ? notice->t : location->enter.items[notice->activity], &interval);
        return interval;
    }
    return (struct fm_interval){
        .begin = begin,
        .first_wait = side->first_wait,
        .wait_end = side->wait_end,
        .count = side->end - side->first,
        .visits = slice->visits.items + side->first,
        .ticks = slice->ticks.items + side->first,
    };
}

/* What arrived for the locations of a process, in the same order. */
struct inbox {
    const struct fm_wait_notice *notices;
    const struct fm_waiter_side *messages;
    const struct fm_waiter_share *shares;
};

static void find_costs_of(struct costs *costs, unsigned worker, uint32_t l,
                          const struct inbox *inbox)
{
    const struct fm_location *location = &costs->formation->analysis->trace->locations[l];
    const struct location_slice *slice = &costs->locations[l];
    struct fm_caused_waits *caused = &costs->caused[l];
    struct scratch *scratch = &costs->scratch[worker];
    fm_vector_reserve(&caused->waits, slice->order.count);
    fm_cost_table_begin(&scratch->table, costs->formation, l);
    for (size_t i = 0; i < slice->order.count; ++i) {
        uint32_t n = slice->order.items[i].value;
        const struct fm_wait_notice *notice = &inbox->notices[n];
        const struct fm_waiter_side *message = &inbox->messages[n];
        struct fm_interval interval =
            interval_of(costs, l, &slice->sides.items[i], notice, message->begin);
        struct fm_caused_wait *wait = &caused->waits.items[caused->waits.count++];
        *wait = (struct fm_caused_wait){
            .t = notice->t,
            .wait = message->wait,
            .phi = NAN,
            .waiter = notice->waiter,
            .number = notice->number,
            .inner = interval.first_wait,
            .inner_end = interval.wait_end,
            .visit = location->visit.items[notice->activity],
            .first = (uint32_t)caused->parts.count,
            .delay_kind = (uint8_t)message->delay_kind,
        };
        const struct fm_comparison comparison = {
            .location = location,
            .waits = &costs->formation->timelines[l].waits,
            .interval = &interval,
            .waiter = message,
            .shares = inbox->shares + scratch->first_share.items[n],
            .wait = wait,
            .caused = caused,
            .table = &scratch->table,
            .waiter_time = scratch->waiter_time,
        };
        double direct =
            notice->contention ? fm_compare_owner(&comparison) : fm_compare_sides(&comparison);
        wait->end = (uint32_t)caused->parts.count;
        book_class(costs, worker, notice, message, direct);
    }
    fm_cost_table_end(&scratch->table, costs->formation, l);
}

static void find_costs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costs *costs = context;
    struct scratch *scratch = &costs->scratch[worker];
    for (uint32_t p = first; p < last; ++p) {
        size_t count, share_count, next = 0;
        struct inbox inbox = {
            .notices = fm_exchange_inbox(costs->notices, p, &count),
            .messages = fm_exchange_inbox(costs->messages, p, &count),
            .shares = fm_exchange_inbox(costs->shares, p, &share_count),
        };
        scratch->first_share.count = 0;
        fm_vector_reserve(&scratch->first_share, count);
        for (size_t n = 0; n < count; ++n) {
            scratch->first_share.items[n] = next;
            next += inbox.messages[n].share_count;
        }
        const struct fm_trace *trace = costs->formation->analysis->trace;
        for (uint32_t l = fm_trace_first_location(trace, p);
             l < fm_trace_first_location(trace, p + 1); ++l) {
            find_costs_of(costs, worker, l, &inbox);
        }
    }
}

/* ---- the phases ---- */

static void open_walks(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct costs *costs = context;
    const struct fm_analysis *analysis = costs->formation->analysis;
    for (uint32_t l = fm_trace_first_location(analysis->trace, first);
         l < fm_trace_first_location(analysis->trace, last); ++l) {
        costs->locations[l].walk =
            fm_interval_walk_create(analysis, &costs->formation->timelines[l], &costs->points, l);
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
        fm_vector_free(&slice->order);
        fm_vector_free(&slice->sides);
        fm_vector_free(&slice->visits);
        fm_vector_free(&slice->ticks);
    }
}

static void open_scratch(struct costs *costs, unsigned workers)
{
    costs->scratch = fm_allocate(workers, sizeof *costs->scratch);
    for (unsigned w = 0; w < workers; ++w) {
        costs->scratch[w].waiter_time =
            fm_allocate(costs->formation->analysis->trace->callpaths.count, sizeof(uint64_t));
    }
}

static void close_scratch(struct costs *costs, unsigned workers)
{
    for (unsigned w = 0; w < workers; ++w) {
        fm_cost_table_free(&costs->scratch[w].table);
        fm_free(costs->scratch[w].waiter_time);
        fm_vector_free(&costs->scratch[w].spare);
        fm_vector_free(&costs->scratch[w].first_share);
    }
    fm_free(costs->scratch);
}

/* Fills `caused` slice by slice. */
static void find_all_costs(struct costs *costs)
{
    struct fm_engine *engine = costs->formation->analysis->engine;
    struct fm_slices slices = fm_slices_choose(costs->formation, WAITS_UNDER_WAY);
    costs->notices = fm_exchange_create(engine, sizeof(struct fm_wait_notice));
    costs->messages = fm_exchange_create(engine, sizeof(struct fm_waiter_side));
    costs->shares = fm_exchange_create(engine, sizeof(struct fm_waiter_share));
    for (uint32_t s = 0; s < slices.count; ++s) {
        costs->slice_end = slices.ends[s];
        fm_engine_run(engine, notify_causes, costs);
        fm_exchange_deliver(costs->notices);
        fm_engine_run(engine, walk_intervals, costs);
        fm_exchange_deliver(costs->messages);
        fm_exchange_deliver(costs->shares);
        fm_engine_run(engine, find_costs, costs);
    }
    fm_exchange_free(costs->notices);
    fm_exchange_free(costs->messages);
    fm_exchange_free(costs->shares);
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
    };
    fm_group_points_sort(&costs.points, formation->analysis);
    open_scratch(&costs, fm_engine_workers(engine));
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
