/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/traffic/traffic_report.h"

#include "base/containers/vector.h"
#include "cli/counters/traffic/traffic_gaps.h"
#include "counters/traffic/job_traffic.h"

#include <stdlib.h>

/* What links become. */
struct target {
    const struct fm_counter_job *job;
    const uint32_t *locations;
    FM_VECTOR(struct fm_cube_link) links[FM_MATRIX_COUNT];
};

/* First location of a rank; FM_CUBE_NONE: the process has no counters. O(log ranks) */
static uint32_t location_of(const struct target *target, uint32_t rank)
{
    size_t low = 0, high = target->job->ranks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fm_counter_job_rank(target->job, middle) < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < target->job->ranks && fm_counter_job_rank(target->job, low) == rank
               ? target->locations[low]
               : FM_CUBE_NONE;
}

static void add_link(struct target *target, const struct fm_rank_link *link)
{
    static const struct {
        enum fm_cube_matrix_kind matrix;
        fm_metric_t metric;
    } kinds[FM_FLOWS] = {[FM_FLOW_SENT] = {FM_MATRIX_MESSAGES, FM_METRIC_COMMS_SEND},
                         [FM_FLOW_PUT] = {FM_MATRIX_OPERATIONS, FM_METRIC_COMMS_RMA_PUTS},
                         [FM_FLOW_GET] = {FM_MATRIX_OPERATIONS, FM_METRIC_COMMS_RMA_GETS},
                         [FM_FLOW_ATOMIC] = {FM_MATRIX_OPERATIONS, FM_METRIC_COMMS_RMA_ATOMICS}};
    uint32_t from = location_of(target, link->from), to = location_of(target, link->to);
    if (link->kind != FM_FLOW_RECEIVED && from != FM_CUBE_NONE && to != FM_CUBE_NONE) {
        fm_vector_push(&target->links[kinds[link->kind].matrix],
                       (struct fm_cube_link){.from = from,
                                             .to = to,
                                             .metric = (uint32_t)kinds[link->kind].metric,
                                             .count = link->messages,
                                             .amount = link->bytes});
    }
}

static int by_place(const void *left, const void *right)
{
    const struct fm_cube_link *a = left, *b = right;
    return a->from != b->from ? (a->from < b->from ? -1 : 1)
           : a->to != b->to   ? (a->to < b->to ? -1 : 1)
                              : (a->metric > b->metric) - (a->metric < b->metric);
}

static int by_amount(const void *left, const void *right)
{
    const struct fm_cube_link *a = left, *b = right;
    return a->amount != b->amount ? (a->amount < b->amount ? 1 : -1) : by_place(left, right);
}

static fm_status_t set_matrix(struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                              struct fm_cube_link *links, size_t count, struct fm_error *error)
{
    struct fm_cube_matrix matrix = {.links = links, .link_count = count};
    if (count == 0) {
        return FM_OK;
    }
    if (count > FM_CUBE_LINKS) {
        qsort(links, count, sizeof *links, by_amount);
        matrix.link_count = FM_CUBE_LINKS;
        for (size_t i = FM_CUBE_LINKS; i < count; i++) {
            matrix.omitted_links++;
            matrix.omitted_count += links[i].count;
            matrix.omitted_amount += links[i].amount;
        }
    }
    qsort(links, matrix.link_count, sizeof *links, by_place);
    return fm_cube_set_matrix(cube, kind, &matrix, error);
}

static fm_status_t warn(struct fm_cube *cube, const struct fm_job_traffic *traffic,
                        struct fm_error *error)
{
    unsigned long long lost = fm_traffic_lost(traffic), elsewhere = fm_traffic_elsewhere(traffic);
    fm_status_t status = FM_OK;
    if (lost > 0) {
        status = fm_cube_warn(cube, error,
                              "%llu messages, one-sided operations and collectives are in no "
                              "matrix: the recorder had no room for more pairs of communicator and "
                              "peer.",
                              lost);
    }
    if (status == FM_OK && elsewhere > 0) {
        status = fm_cube_warn(cube, error,
                              "%llu messages and one-sided operations are in no matrix: their "
                              "other process has another MPI_COMM_WORLD. A message counts at both "
                              "ends.",
                              elsewhere);
    }
    return status;
}

fm_status_t fm_traffic_add_to_report(struct fm_cube *cube, const struct fm_counter_job *job,
                                     const uint32_t *locations, struct fm_error *error)
{
    struct fm_job_traffic traffic;
    struct target target = {.job = job, .locations = locations};
    fm_status_t status = fm_job_traffic_read(job, &traffic, error);
    if (status == FM_ERR_DATA && traffic.files == 0) {
        status = FM_OK;
    } else if (status == FM_OK) {
        for (size_t i = 0; i < traffic.links.count; i++) {
            add_link(&target, &traffic.links.items[i]);
        }
        status = warn(cube, &traffic, error);
    }
    for (int kind = 0; status == FM_OK && kind < FM_MATRIX_COUNT; kind++) {
        status = set_matrix(cube, (enum fm_cube_matrix_kind)kind, target.links[kind].items,
                            target.links[kind].count, error);
    }
    for (int kind = 0; kind < FM_MATRIX_COUNT; kind++) {
        fm_vector_free(&target.links[kind]);
    }
    fm_job_traffic_free(&traffic);
    return status;
}
