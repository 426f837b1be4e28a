/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/loop_waits.h"

#include "analysis/model/busy_time.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "cube/model/delay_kind.h"

/* A part of the waiting in a loop. */
struct loop_part {
    uint64_t from, to;
    uint32_t activity; /* that ends the loop */
    uint8_t metric;
};

typedef FM_VECTOR(struct loop_part) part_vector;

/* One worker's tables. */
struct scratch {
    struct fm_busy_time times; /* of the location, with all waiting */
    struct fm_profile whole, profile;
    part_vector parts; /* of the location, ascending by activity */
};

static int compare_parts(const void *a, const void *b)
{
    const struct loop_part *left = a, *right = b;
    if (left->activity != right->activity) {
        return left->activity < right->activity ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

static void list_parts(const struct fm_location *location, const struct fm_findings *findings,
                       part_vector *parts)
{
    parts->count = 0;
    for (size_t i = 0; i < findings->parts.count; i++) {
        const struct fm_part *part = &findings->parts.items[i];
        if ((part->kind != FM_PART_HEAD && part->kind != FM_PART_TAIL) ||
            fm_trace_loop(location, part->activity) == NULL) {
            continue;
        }
        const struct fm_candidate *wait = fm_findings_wait(findings, part->activity);
        if (wait == NULL || wait->metric != part->of) {
            continue;
        }
        const uint64_t begin = fm_trace_begin(location, part->activity);
        const uint64_t since = part->since < begin     ? begin
                               : part->since < wait->t ? part->since
                                                       : wait->t;
        fm_vector_push(parts, ((struct loop_part){
                                  .from = part->kind == FM_PART_HEAD ? begin : since,
                                  .to = part->kind == FM_PART_HEAD ? since : wait->t,
                                  .activity = part->activity,
                                  .metric = part->metric,
                              }));
    }
    fm_sort(parts->items, parts->count, sizeof *parts->items, compare_parts);
}

static void move(struct fm_findings *findings, uint32_t visit, fm_metric_t metric, uint64_t ticks)
{
    if (ticks != 0) {
        fm_vector_push(&findings->moved, ((struct fm_moved_time){ticks, visit, metric}));
    }
}

/* Computes what a location did in a part of a loop; flushes are no part of any wait state. */
static void profile_loop(const struct fm_busy_time *times, uint64_t from, uint64_t to,
                         struct fm_profile *profile)
{
    const struct fm_location *location = times->location;
    fm_busy_time_profile(times, from, to, profile);
    const struct fm_loop_flush *flushes = location->loop_flushes.items;
    const size_t count = location->loop_flushes.count;
    size_t i = count == 0 ? 0 : fm_count_below(&flushes->to, count, sizeof *flushes, from + 1);
    for (; i < count && flushes[i].from < to; i++) { /* those that end behind `from` */
        const struct fm_loop_flush *flush = &flushes[i];
        const uint64_t begin = flush->from > from ? flush->from : from;
        const uint64_t end = flush->to < to ? flush->to : to;
        if (begin < end && flush->visit != FM_NONE) {
            uint64_t *time = &profile->time[flush->visit];
            *time -= end - begin < *time ? end - begin : *time;
        }
    }
}

/* Moves the waiting of a call. @param part  the first part of this call or a later one */
static void move_wait(struct scratch *scratch, const struct fm_location *location,
                      struct fm_findings *findings, const struct fm_candidate *wait, size_t *part)
{
    struct fm_profile *whole = &scratch->whole, *profile = &scratch->profile;
    const fm_metric_t polling = fm_delay_metrics(fm_delay_kind((fm_metric_t)wait->metric))->polling;
    profile_loop(&scratch->times, fm_trace_begin(location, wait->activity), wait->t, whole);
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t visit = whole->visits[i];
        fm_findings_count_visit(findings, location, visit, polling, whole->time[visit]);
    }
    for (; *part < scratch->parts.count && scratch->parts.items[*part].activity <= wait->activity;
         ++*part) {
        const struct loop_part *own = &scratch->parts.items[*part];
        if (own->activity < wait->activity) {
            continue;
        }
        profile_loop(&scratch->times, own->from, own->to, profile);
        for (uint32_t i = 0; i < profile->count; i++) {
            const uint32_t visit = profile->visits[i];
            const uint64_t ticks = profile->time[visit] < whole->time[visit] ? profile->time[visit]
                                                                             : whole->time[visit];
            whole->time[visit] -= ticks;
            move(findings, visit, (fm_metric_t)own->metric, ticks);
        }
    }
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t visit = whole->visits[i];
        move(findings, visit, (fm_metric_t)wait->metric, whole->time[visit]);
    }
}

static void move_of_location(struct scratch *scratch, const struct fm_location *location,
                             struct fm_findings *findings)
{
    static const struct fm_findings none;
    size_t part = 0;
    list_parts(location, findings, &scratch->parts);
    fm_busy_time_open(&scratch->times, location, &none);
    fm_busy_time_walk_to(&scratch->times, UINT64_MAX);
    for (size_t i = 0; i < findings->waits.count; i++) {
        const struct fm_candidate wait = findings->candidates.items[findings->waits.items[i]];
        if (fm_trace_loop(location, wait.activity) != NULL) {
            move_wait(scratch, location, findings, &wait, &part);
        }
    }
    fm_busy_time_close(&scratch->times);
}

static void move_of_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_analysis *analysis = context;
    const struct fm_trace *trace = analysis->trace;
    struct scratch scratch = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); l++) {
        if (trace->locations[l].loops.count != 0) {
            move_of_location(&scratch, &trace->locations[l], &analysis->findings[l]);
        }
    }
    fm_profile_free(&scratch.whole);
    fm_profile_free(&scratch.profile);
    fm_vector_free(&scratch.parts);
}

void fm_loop_waits_move(struct fm_analysis *analysis)
{
    fm_engine_run(analysis->engine, move_of_processes, analysis);
}
