/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/matrices.h"

#include "analysis/causes/blame/blame.h"
#include "analysis/clocks/wait_errors.h"
#include "analysis/results/statistics.h"
#include "base/containers/keyed_sort.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"

/* One worker's part of a matrix. */
struct matrix_part {
    FM_VECTOR(struct fm_cube_link) links;
    uint64_t omitted_links, omitted_count, omitted_amount;
};

struct matrices {
    const struct fm_analysis *analysis;
    size_t limit;
    struct matrix_part (*parts)[FM_MATRIX_COUNT]; /* by worker */
};

static int compare_places(const void *a, const void *b)
{
    const struct fm_cube_link *left = a, *right = b;
    if (left->from != right->from) {
        return left->from < right->from ? -1 : 1;
    }
    if (left->to != right->to) {
        return left->to < right->to ? -1 : 1;
    }
    return left->metric < right->metric ? -1 : left->metric > right->metric;
}

static int compare_amounts(const void *a, const void *b)
{
    const struct fm_cube_link *left = a, *right = b;
    if (left->amount != right->amount) {
        return left->amount > right->amount ? -1 : 1;
    }
    if (left->count != right->count) {
        return left->count > right->count ? -1 : 1;
    }
    return compare_places(a, b);
}

/* Keeps the links of a part that have the largest amounts. Links that a worker leaves out would not
 * be among the largest of all workers either. */
static void keep_largest(struct matrix_part *part, size_t limit)
{
    if (part->links.count <= limit) {
        return;
    }
    fm_sort(part->links.items, part->links.count, sizeof *part->links.items, compare_amounts);
    for (size_t i = limit; i < part->links.count; ++i) {
        ++part->omitted_links;
        part->omitted_count += part->links.items[i].count;
        part->omitted_amount += part->links.items[i].amount;
    }
    part->links.count = limit;
}

static void add_link(struct matrix_part *part, size_t limit, struct fm_cube_link link)
{
    if (part->links.count >= 2 * limit) {
        keep_largest(part, limit);
    }
    fm_vector_push(&part->links, link);
}

static void add_traffic(const struct matrices *matrices, uint32_t l, struct matrix_part *parts)
{
    static const struct {
        enum fm_cube_matrix_kind matrix;
        fm_metric_t metric;
    } kinds[] = {
        [FM_TRAFFIC_MESSAGES] = {FM_MATRIX_MESSAGES, FM_METRIC_COMMS_SEND},
        [FM_TRAFFIC_PUTS] = {FM_MATRIX_OPERATIONS, FM_METRIC_COMMS_RMA_PUTS},
        [FM_TRAFFIC_GETS] = {FM_MATRIX_OPERATIONS, FM_METRIC_COMMS_RMA_GETS},
        [FM_TRAFFIC_ATOMICS] = {FM_MATRIX_OPERATIONS, FM_METRIC_COMMS_RMA_ATOMICS},
    };
    const struct fm_trace *trace = matrices->analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    for (size_t i = 0; i < location->traffic.count; ++i) {
        const struct fm_traffic *traffic = &location->traffic.items[i];
        add_link(&parts[kinds[traffic->kind].matrix], matrices->limit,
                 (struct fm_cube_link){
                     .from = l,
                     .to = trace->processes[traffic->process].first_location,
                     .metric = (uint32_t)kinds[traffic->kind].metric,
                     .count = traffic->count,
                     .amount = traffic->bytes,
                 });
    }
}

/* Adds the wait states of one location. */
static void add_delays(const struct matrices *matrices, uint32_t l, struct fm_map *index,
                       struct matrix_part *own, struct matrix_part *part)
{
    const struct fm_analysis *analysis = matrices->analysis;
    const struct fm_findings *findings = &analysis->findings[l];
    const struct fm_location *location = &analysis->trace->locations[l];
    fm_map_clear(index);
    own->links.count = 0;
    for (size_t i = 0; i < findings->waits.count; ++i) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
        uint32_t kind = (uint32_t)fm_wait_kind((fm_metric_t)wait->metric);
        uint32_t next = (uint32_t)own->links.count;
        uint32_t link =
            *fm_map_at(index, (uint64_t)wait->cause_location * FM_METRIC_USER + kind, next);
        if (link == next) {
            fm_vector_push(&own->links, (struct fm_cube_link){
                                            .from = wait->cause_location, .to = l, .metric = kind});
        }
        const uint64_t ticks = wait->t - fm_trace_begin(location, wait->activity);
        ++own->links.items[link].count;
        own->links.items[link].amount += ticks;
        own->links.items[link].error +=
            fm_wait_error(analysis->wait_errors, (struct fm_call_ref){l, wait->activity},
                          (struct fm_call_ref){wait->cause_location, wait->cause_activity}, ticks);
    }
    for (size_t i = 0; i < own->links.count; ++i) {
        add_link(part, matrices->limit, own->links.items[i]);
    }
}

static void add_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct matrices *matrices = context;
    const struct fm_trace *trace = matrices->analysis->trace;
    struct matrix_part *parts = matrices->parts[worker];
    struct matrix_part own = {0};
    struct fm_map index = {0};
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        add_traffic(matrices, l, parts);
        add_delays(matrices, l, &index, &own, &parts[FM_MATRIX_DELAYS]);
    }
    fm_vector_free(&own.links);
    fm_map_free(&index);
}

/* Moves the links of a part to the end of another one. */
static void move_links(struct matrix_part *from, struct matrix_part *to)
{
    to->omitted_links += from->omitted_links;
    to->omitted_count += from->omitted_count;
    to->omitted_amount += from->omitted_amount;
    for (size_t i = 0; i < from->links.count; ++i) {
        fm_vector_push(&to->links, from->links.items[i]);
    }
    fm_vector_free(&from->links);
}

static struct fm_cube_matrix join_parts(const struct matrices *matrices, unsigned workers,
                                        enum fm_cube_matrix_kind kind)
{
    struct fm_team *team = matrices->analysis->team;
    struct matrix_part own = {0}, all = {0};
    for (unsigned w = 0; w < workers; ++w) {
        move_links(&matrices->parts[w][kind], &own);
    }
    keep_largest(&own, matrices->limit);
    uint64_t omitted[] = {own.omitted_links, own.omitted_count, own.omitted_amount};
    fm_team_sum(team, omitted, 3);
    all.omitted_links = omitted[0];
    all.omitted_count = omitted[1];
    all.omitted_amount = omitted[2];
    fm_team_collect_vector(team, &own.links, &all.links);
    fm_vector_free(&own.links);
    keep_largest(&all, matrices->limit);
    /* by (from, to, metric) */
    fm_sort_by_three(all.links.items, all.links.count, sizeof *all.links.items);
    return (struct fm_cube_matrix){
        .link_count = all.links.count,
        .links = all.links.items,
        .omitted_links = all.omitted_links,
        .omitted_count = all.omitted_count,
        .omitted_amount = all.omitted_amount,
    };
}

static void add_blame(const struct fm_formation *formation, size_t limit, struct matrix_part *part)
{
    for (size_t i = 0; i < formation->blame_pair_count; ++i) {
        const struct fm_blame_pair *pair = &formation->blame_pairs[i];
        add_link(part, limit,
                 (struct fm_cube_link){
                     .from = pair->location,
                     .to = pair->waiter,
                     .metric = (uint32_t)fm_delay_metrics(pair->kind)->blame,
                     .count = pair->count,
                     .amount = pair->ticks,
                 });
    }
}

void fm_matrices_compute(const struct fm_formation *formation, size_t limit,
                         struct fm_cube_matrix matrices[FM_MATRIX_COUNT])
{
    const struct fm_analysis *analysis = formation->analysis;
    unsigned workers = fm_engine_workers(analysis->engine);
    struct matrices computing = {analysis, limit, fm_allocate(workers, sizeof *computing.parts)};
    fm_engine_run(analysis->engine, add_processes, &computing);
    add_blame(formation, limit, &computing.parts[0][FM_MATRIX_BLAME]);
    for (int kind = 0; kind < FM_MATRIX_COUNT; ++kind) {
        matrices[kind] = join_parts(&computing, workers, (enum fm_cube_matrix_kind)kind);
    }
    fm_free(computing.parts);
}
