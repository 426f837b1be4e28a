/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/counter_join.h"

#include "base/memory.h"
#include "cli/counters/counter_bounds.h"
#include "counters/counter_job.h"
#include "counters/findings/counter_findings.h"
#include "cube/view/view.h"
#include "diagnosis/number_format.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 };

struct joining {
    struct fm_cube *cube;
    const struct fm_counter_job *job;
    bool is_whole; /* the trace is that of the whole run */
};

/* ---- findings ---- */

/* Whether a problem is of one rank alone. */
static bool is_of_rank_alone(const struct fm_cube *cube, const struct fm_cube_problem *problem,
                             uint32_t rank)
{
    bool is_alone = problem->location_count > 0;
    for (uint32_t i = 0; i < problem->location_count; i++) {
        is_alone = is_alone && cube->locations[problem->locations[i]].rank == rank;
    }
    return is_alone;
}

static const char *function_of(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    return problem->callpath == FM_CUBE_NONE
               ? NULL
               : cube->regions[cube->callpaths[problem->callpath].region].name;
}

/* What is waited for at a rank, by the problems of the report that name it alone; "": nothing. */
static void describe_waiting(const struct fm_cube *cube, uint32_t rank, char text[TEXT])
{
    const struct fm_cube_problem *largest = NULL;
    char time[FM_FORMAT_SIZE];
    int64_t cost = 0;
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *problem = &cube->problems[i];
        if (problem->kind != FM_CAUSE_IDLE && is_of_rank_alone(cube, problem, rank)) {
            largest = largest == NULL || problem->cost > largest->cost ? problem : largest;
            cost += problem->cost;
        }
    }
    cost >>= cube->experiment.cost_shift;
    text[0] = '\0';
    if (cost > 0) {
        const char *function = function_of(cube, largest);
        snprintf(text, TEXT, " Others wait %s for what this rank does%s%s%s.",
                 fm_format_ticks(time, cube, cost), function != NULL ? ", most in `" : "",
                 function != NULL ? function : "", function != NULL ? "`" : "");
    }
}

static void take(const struct fm_counter_finding *found, void *context)
{
    const struct joining *joining = context;
    char statement[3 * TEXT], waiting[TEXT] = "";
    if (found->rank >= 0) {
        describe_waiting(joining->cube, (uint32_t)found->rank, waiting);
    }
    snprintf(statement, sizeof statement, "%s%s", found->statement, waiting);
    fm_cube_add_finding(joining->cube, &(struct fm_cube_finding){.id = (char *)found->id,
                                                                 .statement = statement,
                                                                 .advice = (char *)found->advice});
}

/* ---- contradictions ---- */

/* What the report has of a metric in each rank. */
static void sum_of_ranks(const struct joining *joining, fm_metric_t metric, int64_t *sums)
{
    const struct fm_cube *cube = joining->cube;
    size_t count;
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, metric, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < joining->job->ranks; k++) {
            if (fm_counter_job_rank(joining->job, k) == cube->locations[cells[i].location].rank) {
                sums[k] += cells[i].value;
            }
        }
    }
}

/* Numbers that the recorder has counted and that the trace has, too: as the sum of metrics, of
 * operations with data and of empty ones. */
static const struct {
    const char *counter, *what;
    size_t metric_count;
    fm_metric_t metrics[4];
} both[] = {
    {"mpi.messages_sent", "messages sent", 2, {FM_METRIC_COMMS_SEND, FM_METRIC_SYNCS_SEND}},
    {"mpi.messages_received", "messages received", 2, {FM_METRIC_COMMS_RECV, FM_METRIC_SYNCS_RECV}},
    {"mpi.bytes_sent", "bytes sent", 1, {FM_METRIC_BYTES_SENT}},
    {"mpi.bytes_received", "bytes received", 1, {FM_METRIC_BYTES_RCVD}},
    {"mpi.collectives",
     "collective operations",
     4,
     {FM_METRIC_SYNCS_COLL, FM_METRIC_COMMS_CXCH, FM_METRIC_COMMS_CSRC, FM_METRIC_COMMS_CDST}},
};

/* Whether a rank has collective operations of other models: the metrics have those of all. */
static bool has_others(const struct fm_counter_job *job, size_t rank)
{
    static const char *const others[] = {"shmem.collectives", "armci.collectives",
                                         "caf.collectives"};
    bool found = false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        size_t counter = fm_counter_job_find(job, others[i]);
        double value;
        found = found || (counter < job->count &&
                          fm_counter_job_value(job, rank, counter, -1, &value) && value != 0);
    }
    return found;
}

/* How a number differs between counters and trace. */
struct difference {
    size_t ranks;   /* that have others by the trace */
    size_t first;   /* of these */
    double counted; /* in the first one */
    int64_t traced; /* likewise */
};

static struct difference compare(const struct joining *joining, size_t number)
{
    const struct fm_counter_job *job = joining->job;
    size_t counter = fm_counter_job_find(job, both[number].counter);
    int64_t *traced = fm_allocate(job->ranks + 1, sizeof *traced);
    struct difference difference = {0};
    bool is_of_collectives = both[number].metrics[0] == FM_METRIC_SYNCS_COLL;
    for (size_t i = 0; i < both[number].metric_count; i++) {
        sum_of_ranks(joining, both[number].metrics[i], traced);
    }
    for (size_t rank = 0; counter < job->count && rank < job->ranks; rank++) {
        double counted;
        if (fm_counter_job_value(job, rank, counter, -1, &counted) &&
            counted != (double)traced[rank] && !(is_of_collectives && has_others(job, rank)) &&
            difference.ranks++ == 0) {
            difference.first = rank;
            difference.counted = counted;
            difference.traced = traced[rank];
        }
    }
    fm_free(traced);
    return difference;
}

static void state_difference(const struct joining *joining, size_t number,
                             struct difference difference)
{
    const struct fm_counter_job *job = joining->job;
    char statement[TEXT], counts[2][FM_FORMAT_SIZE];
    snprintf(statement, sizeof statement,
             "%s in %zu of %zu ranks: rank %u has %s %s by its counters, %s by the trace.",
             joining->is_whole ? "Counters and trace contradict each other"
                               : "The trace lacks what counters have",
             difference.ranks, job->ranks, fm_counter_job_rank(job, difference.first),
             fm_format_count(counts[0], (int64_t)difference.counted), both[number].what,
             fm_format_count(counts[1], difference.traced));
    fm_cube_add_finding(joining->cube,
                        &(struct fm_cube_finding){
                            .id = "counters-and-trace",
                            .statement = statement,
                            .advice = joining->is_whole
                                          ? "The trace lacks what --max-size and --flight-recorder "
                                            "leave out; otherwise its results are in doubt."
                                          : "",
                            .is_contradiction = joining->is_whole});
}

/* Contradictions are stated for each number. Of a trace that is not complete the number that
 * differs in most ranks is enough: the others lack for the same reason. */
static void compare_all(const struct joining *joining)
{
    struct difference most = {0};
    size_t where = 0;
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        struct difference difference = compare(joining, i);
        if (joining->is_whole && difference.ranks > 0) {
            state_difference(joining, i, difference);
        } else if (difference.ranks > most.ranks) {
            most = difference;
            where = i;
        }
    }
    if (most.ranks > 0) {
        state_difference(joining, where, most);
    }
}

void fm_counters_join(const char *directory, bool is_whole, struct fm_cube *cube)
{
    struct fm_counter_job job;
    struct fm_error error;
    if (fm_counter_job_open(directory, &job, &error) != FM_OK) {
        fm_counter_bounds_state(NULL, is_whole, cube);
        return;
    }
    fm_counter_job_read(&job);
    size_t ended = fm_counter_job_in_state(&job, FERMATA_PROCESS_ENDED);
    struct joining joining = {
        .cube = cube, .job = &job, .is_whole = is_whole && ended == job.ranks};
    if (!cube->is_profile) {
        compare_all(&joining);
        fm_counter_bounds_state(&job, joining.is_whole, cube);
    }
    fm_counter_findings(&job, take, &joining);
    fm_counter_job_close(&job);
}
