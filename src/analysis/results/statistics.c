/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of the wait states: distribution of each kind's waiting times, and the worst ones. */
#include "analysis/results/statistics.h"

#include "analysis/clocks/wait_errors.h"
#include "analysis/results/order_statistics.h"

#include <string.h>

/* A wait state, with the values that order wait states of equal length. */
struct instance {
    uint64_t wait; /* 0: none */
    uint64_t enter;
    uint32_t kind; /* fm_metric_t */
    uint32_t location;
    uint32_t activity;
    uint32_t callpath;
    uint32_t cause_location;
    uint32_t cause_activity;
};

/* The wait states of one kind on one worker. */
struct collection {
    FM_VECTOR(uint64_t) waits;
    uint64_t sum;
    uint64_t error;                            /* of the sum */
    uint64_t insignificant, insignificant_sum; /* waits shorter than their error */
    struct instance worst[FM_CUBE_WORST];      /* longest first */
};

/* Sums over all processes, for each kind. */
struct totals {
    uint64_t count, sum, error, insignificant, insignificant_sum;
};

struct collecting {
    struct fm_analysis *analysis;
    struct collection (*collections)[FM_METRIC_USER]; /* by worker */
};

/* ---- the wait states of this process ---- */

fm_metric_t fm_wait_kind(fm_metric_t metric)
{
    switch (metric) {
    case FM_METRIC_MPI_LSWO_SAME:
    case FM_METRIC_MPI_LSWO_DIFFERENT:
        return FM_METRIC_MPI_LATESENDER;
    case FM_METRIC_MPI_LATERECEIVER_WO:
        return FM_METRIC_MPI_LATERECEIVER;
    default:
        return metric;
    }
}

/* Of two wait states of equal length, that of the lower location, then the earlier one, is worse.
 */
static bool is_worse(const struct instance *a, const struct instance *b)
{
    if (a->wait != b->wait) {
        return a->wait > b->wait;
    }
    return a->location != b->location ? a->location < b->location : a->activity < b->activity;
}

static void keep_worst(struct instance worst[FM_CUBE_WORST], const struct instance *instance)
{
    unsigned place = FM_CUBE_WORST;
    while (place > 0 && (worst[place - 1].wait == 0 || is_worse(instance, &worst[place - 1]))) {
        --place;
    }
    if (place < FM_CUBE_WORST) {
        memmove(&worst[place + 1], &worst[place], (FM_CUBE_WORST - 1 - place) * sizeof *worst);
        worst[place] = *instance;
    }
}

static void collect(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct collecting *collecting = context;
    const struct fm_trace *trace = collecting->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        const struct fm_findings *findings = &collecting->analysis->findings[l];
        for (size_t i = 0; i < findings->waits.count; ++i) {
            const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
            uint64_t enter = fm_trace_begin(location, wait->activity);
            fm_metric_t kind = fm_wait_kind((fm_metric_t)wait->metric);
            struct collection *collection = &collecting->collections[worker][kind];
            fm_vector_push(&collection->waits, wait->t - enter);
            collection->sum += wait->t - enter;
            const uint64_t error = fm_wait_error(
                collecting->analysis->wait_errors, (struct fm_call_ref){l, wait->activity},
                (struct fm_call_ref){wait->cause_location, wait->cause_activity}, wait->t - enter);
            collection->error += error;
            collection->insignificant += wait->t - enter < error;
            collection->insignificant_sum += wait->t - enter < error ? wait->t - enter : 0;
            if (wait->t - enter >= collection->worst[FM_CUBE_WORST - 1].wait) {
                uint32_t visit = location->visit.items[wait->activity];
                keep_worst(collection->worst,
                           &(struct instance){
                               .wait = wait->t - enter,
                               .enter = enter,
                               .kind = kind,
                               .location = l,
                               .activity = wait->activity,
                               .callpath = location->profile.items[visit].callpath,
                               .cause_location = wait->cause_location,
                               .cause_activity = wait->cause_activity,
                           });
            }
        }
    }
}

/* Adds the worst instances of the other workers to those of the first one. */
static void join_worst(const struct collecting *collecting, unsigned workers)
{
    for (unsigned w = 1; w < workers; ++w) {
        for (unsigned kind = 0; kind < FM_METRIC_USER; ++kind) {
            const struct instance *worst = collecting->collections[w][kind].worst;
            for (unsigned i = 0; i < FM_CUBE_WORST && worst[i].wait != 0; ++i) {
                keep_worst(collecting->collections[0][kind].worst, &worst[i]);
            }
        }
    }
}

/* ---- those of all processes ---- */

/* @param totals  in: 0; out: of each kind */
static void add_up(const struct collecting *collecting, struct totals totals[FM_METRIC_USER])
{
    struct fm_engine *engine = collecting->analysis->engine;
    for (unsigned kind = 0; kind < FM_METRIC_USER; ++kind) {
        for (unsigned w = 0; w < fm_engine_workers(engine); ++w) {
            const struct collection *collection = &collecting->collections[w][kind];
            totals[kind].count += collection->waits.count;
            totals[kind].sum += collection->sum;
            totals[kind].error += collection->error;
            totals[kind].insignificant += collection->insignificant;
            totals[kind].insignificant_sum += collection->insignificant_sum;
        }
    }
    fm_team_sum(fm_engine_team(engine), &totals[0].count,
                FM_METRIC_USER * (sizeof *totals / sizeof totals->count));
}

/* Replaces the worst instances of this process by those of all processes. */
static void share_worst(struct fm_team *team, struct collection *collections)
{
    FM_VECTOR(struct instance) own = {0};
    FM_VECTOR(struct instance) all = {0};
    for (unsigned kind = 0; kind < FM_METRIC_USER; ++kind) {
        for (unsigned i = 0; i < FM_CUBE_WORST; ++i) {
            if (collections[kind].worst[i].wait != 0) {
                fm_vector_push(&own, collections[kind].worst[i]);
            }
            collections[kind].worst[i] = (struct instance){0};
        }
    }
    fm_team_share_vector(team, &own, &all);
    for (size_t i = 0; i < all.count; ++i) {
        keep_worst(collections[all.items[i].kind].worst, &all.items[i]);
    }
    fm_vector_free(&own);
    fm_vector_free(&all);
}

/* The call path of a causing call, which only the owner of the causing location knows. */
struct cause_path {
    uint32_t statistics, instance;
    uint32_t callpath;
};

static void share_cause_paths(const struct fm_analysis *analysis,
                              const struct collection *collections, struct fm_statistics_list *list)
{
    const struct fm_trace *trace = analysis->trace;
    FM_VECTOR(struct cause_path) own = {0};
    FM_VECTOR(struct cause_path) all = {0};
    for (uint32_t s = 0; s < list->count; ++s) {
        const struct instance *worst = collections[list->items[s].metric].worst;
        for (uint32_t i = 0; i < list->items[s].worst_count; ++i) {
            const struct fm_location *cause = &trace->locations[worst[i].cause_location];
            if (fm_engine_owns(analysis->engine, cause->process)) {
                uint32_t visit = cause->visit.items[worst[i].cause_activity];
                fm_vector_push(&own,
                               (struct cause_path){s, i, cause->profile.items[visit].callpath});
            }
        }
    }
    fm_team_share_vector(analysis->team, &own, &all);
    for (size_t i = 0; i < all.count; ++i) {
        const struct cause_path *path = &all.items[i];
        list->items[path->statistics].worst[path->instance].cause_callpath = path->callpath;
    }
    fm_vector_free(&own);
    fm_vector_free(&all);
}

/* ---- the statistics ---- */

static struct fm_cube_statistics summarize(uint64_t begin, const struct collection *collection,
                                           fm_metric_t kind, struct totals totals,
                                           const struct fm_order *order)
{
    struct fm_cube_statistics statistics = {
        .metric = kind,
        .count = totals.count,
        .sum = totals.sum,
        .min = order->elements[0],
        .lower_quartile = order->elements[1],
        .median = order->elements[2],
        .upper_quartile = order->elements[3],
        .max = collection->worst[0].wait,
        .error = totals.error,
        .insignificant = totals.insignificant,
        .insignificant_sum = totals.insignificant_sum,
    };
    for (uint32_t i = 0; i < FM_CUBE_WORST && collection->worst[i].wait != 0; ++i) {
        const struct instance *instance = &collection->worst[i];
        statistics.worst[statistics.worst_count++] = (struct fm_cube_instance){
            .location = instance->location,
            .callpath = instance->callpath,
            .enter = instance->enter - begin,
            .wait = instance->wait,
            .cause_location = instance->cause_location,
            .blamed = {FM_CUBE_NONE, FM_CUBE_NONE, 0},
        };
    }
    return statistics;
}

/* Finds minimum and quartiles of the kinds that occur, in ascending order of these.
 * @param orders  out: one for each kind that occurs */
static void select_elements(const struct collecting *collecting,
                            const struct totals totals[FM_METRIC_USER],
                            struct fm_order orders[FM_METRIC_USER])
{
    struct fm_engine *engine = collecting->analysis->engine;
    unsigned workers = fm_engine_workers(engine);
    struct fm_order_part *parts =
        fm_allocate((size_t)workers * FM_METRIC_USER, sizeof *parts); /* [kind][worker] */
    size_t count = 0;
    for (unsigned kind = 0; kind < FM_METRIC_USER; ++kind) {
        uint64_t last = totals[kind].count - 1;
        if (totals[kind].count == 0) {
            continue;
        }
        struct fm_order_part *of_kind = &parts[(size_t)kind * workers];
        for (unsigned w = 0; w < workers; ++w) {
            const struct collection *collection = &collecting->collections[w][kind];
            of_kind[w] = (struct fm_order_part){collection->waits.items, collection->waits.count};
        }
        orders[count++] = (struct fm_order){
            .parts = of_kind,
            .positions = {0, last / 4, last / 2, last * 3 / 4},
        };
    }
    fm_order_statistics(engine, orders, count);
    fm_free(parts);
}

static void free_collections(const struct collecting *collecting, unsigned workers)
{
    for (unsigned w = 0; w < workers; ++w) {
        for (unsigned kind = 0; kind < FM_METRIC_USER; ++kind) {
            fm_vector_free(&collecting->collections[w][kind].waits);
        }
    }
    fm_free(collecting->collections);
}

struct fm_statistics_list fm_statistics_compute(struct fm_analysis *analysis, uint64_t begin)
{
    unsigned workers = fm_engine_workers(analysis->engine);
    struct collecting collecting = {analysis,
                                    fm_allocate_apart(workers, sizeof *collecting.collections)};
    struct collection *collections = collecting.collections[0];
    struct totals totals[FM_METRIC_USER] = {0};
    struct fm_order orders[FM_METRIC_USER];
    struct fm_statistics_list list = {0};
    fm_engine_run(analysis->engine, collect, &collecting);
    join_worst(&collecting, workers);
    add_up(&collecting, totals);
    share_worst(analysis->team, collections);
    select_elements(&collecting, totals, orders);
    list.items = fm_allocate(FM_METRIC_USER, sizeof *list.items);
    for (unsigned kind = 0; kind < FM_METRIC_USER; ++kind) {
        if (totals[kind].count != 0) {
            list.items[list.count] = summarize(begin, &collections[kind], (fm_metric_t)kind,
                                               totals[kind], &orders[list.count]);
            ++list.count;
        }
    }
    share_cause_paths(analysis, collections, &list);
    free_collections(&collecting, workers);
    list.recorder = fm_recorder_time(analysis->wait_errors);
    return list;
}

fm_status_t fm_statistics_fill(const struct fm_statistics_list *list, struct fm_cube *cube,
                               struct fm_error *error)
{
    fm_status_t status = FM_OK;
    cube->errors.computation = list->recorder.all;
    cube->errors.longest_computation = list->recorder.largest;
    for (uint32_t i = 0; i < list->count && status == FM_OK; ++i) {
        status = fm_cube_add_statistics(cube, &list->items[i], error);
    }
    return status;
}

void fm_statistics_free(struct fm_statistics_list *list)
{
    fm_free(list->items);
    *list = (struct fm_statistics_list){0};
}
