/* SPDX-License-Identifier: BSD-3-Clause */
/* write_sample sample|empty|wide|progress|little-progress|causes|deep|problems FILE: writes a
 * report for the tests of the report command. progress: the sample, where rank 0 also waits for
 * progress, long or shortly; causes: the sample, where it is known why ranks wait; deep: the same,
 * with a long call path; problems: the sample with start-up and problems of all kinds. */
#include "sample_cube.h"

#include <stdio.h>
#include <string.h>

static fm_status_t add_progress(struct fm_cube *cube, int64_t upper, int64_t lower,
                                struct fm_error *error)
{
    fm_status_t status =
        fm_cube_add(cube, FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS, SAMPLE_WAIT, 0, upper, error);
    if (status == FM_OK)
        status = fm_cube_add(cube, FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS_LOWER, SAMPLE_WAIT, 0,
                             lower, error);
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

/* Late Sender goes back to solve on rank 3, the barrier now to one rank and now to another, most of
 * Early Wait to other waiting, and two owners hold a lock. */
static fm_status_t add_causes(struct fm_cube *cube, struct fm_error *error)
{
    static const struct {
        fm_metric_t metric;
        uint32_t callpath, location;
        int64_t value;
    } cells[] = {
        {FM_METRIC_COMP, SAMPLE_SOLVE, 3, 800000},
        {FM_METRIC_DELAY_LATESENDER, SAMPLE_SOLVE, 3, 900000},
        {FM_METRIC_DELAY_LATESENDER_LONGTERM, SAMPLE_SOLVE, 3, 500000},
        {FM_METRIC_DELAY_LATESENDER, SAMPLE_RECV, 0, 300000},
        {FM_METRIC_WAIT_DIRECT_LATESENDER, SAMPLE_RECV, 1, 1200000},
        {FM_METRIC_WAIT_INDIRECT_LATESENDER, SAMPLE_RECV, 1, 60000},
        {FM_METRIC_DELAY_BARRIER, SAMPLE_EVIL, 0, 280000},
        {FM_METRIC_DELAY_BARRIER, SAMPLE_EVIL, 1, 280000},
        {FM_METRIC_WAIT_DIRECT_BARRIER, SAMPLE_BARRIER, 0, 565000},
        {FM_METRIC_DELAY_RMA_EARLY_WAIT, SAMPLE_BARRIER, 1, 20000},
        {FM_METRIC_WAIT_DIRECT_RMA_EARLY_WAIT, SAMPLE_WAIT, 0, 20000},
        {FM_METRIC_WAIT_INDIRECT_RMA_EARLY_WAIT, SAMPLE_WAIT, 0, 500000},
        {FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION, SAMPLE_WAIT, 1, 400000},
        {FM_METRIC_INTERVAL_DELAY_MPI_RMA_LOCK, SAMPLE_SOLVE, 2, 150000},
        {FM_METRIC_INTERVAL_DELAY_MPI_RMA_LOCK, SAMPLE_SOLVE, 3, 250000},
        {FM_METRIC_WAIT_DIRECT_MPI_RMA_LOCK, SAMPLE_WAIT, 1, 400000},
        {FM_METRIC_MPI_LATERECEIVER, SAMPLE_SEND, 1, 200000},
        {FM_METRIC_DELAY_LATERECEIVER, SAMPLE_EVIL, 2, 200000},
        {FM_METRIC_WAIT_DIRECT_LATERECEIVER, SAMPLE_SEND, 1, 200000},
    };
    const struct fm_cube_statistics early_wait = {
        .metric = FM_METRIC_MPI_RMA_EARLY_WAIT,
        .count = 2,
        .sum = 520000,
        .min = 120000,
        .lower_quartile = 120000,
        .median = 120000,
        .upper_quartile = 120000,
        .max = 400000,
        .worst_count = 2,
        .worst =
            {{0,
              SAMPLE_WAIT,
              600000,
              400000,
              1,
              SAMPLE_SEND,
              {3, SAMPLE_SOLVE, 280000},
              2,
              {{1, SAMPLE_RECV, FM_METRIC_MPI_LATESENDER, 950, 380000},
               {3, SAMPLE_SOLVE, FM_METRIC_NONE, 1000, 370000}}},
             {0, SAMPLE_WAIT, 1200000, 120000, 1, SAMPLE_SEND, {1, SAMPLE_SEND, 120000}, 0, {{0}}}},
    };
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < sizeof cells / sizeof *cells && status == FM_OK; i++)
        status = fm_cube_add(cube, cells[i].metric, cells[i].callpath, cells[i].location,
                             cells[i].value, error);
    if (status == FM_OK)
        status = fm_cube_add_statistics(cube, &early_wait, error);
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

/* Late Sender in a second function, deep down in the call tree, as well; all functions of the
 * program lead to MPI calls. */
static fm_status_t add_deep_call(struct fm_cube *cube, struct fm_error *error)
{
    static const char *const names[] = {"Simulation::run(Input const&)", "Integrator::step(double)",
                                        "Halo::exchange(Field&)", "Halo::finish(Field&)",
                                        "MPI_Waitall"};
    uint32_t callpath = SAMPLE_MAIN;
    fm_cube_add_callpath(cube, SAMPLE_EVIL, fm_cube_add_region(cube, "MPI_Test", "mpi", NULL, 0));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t region = fm_cube_add_region(cube, names[i], i == 4 ? "mpi" : "user", NULL, 0);
        callpath = fm_cube_add_callpath(cube, callpath, region);
    }
    const struct fm_cube_statistics lock = {
        .metric = FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION,
        .count = 1,
        .sum = 400000,
        .min = 400000,
        .lower_quartile = 400000,
        .median = 400000,
        .upper_quartile = 400000,
        .max = 400000,
        .worst_count = 1,
        .worst =
            {{1, SAMPLE_WAIT, 600000, 400000, 2, SAMPLE_SEND, {2, SAMPLE_SEND, 1000}, 0, {{0}}}},
    };
    fm_status_t status = fm_cube_set_text(&cube->experiment.machine, "", error);
    if (status == FM_OK)
        status = fm_cube_add(cube, FM_METRIC_MPI_LATESENDER, callpath, 0, 900000, error);
    if (status == FM_OK)
        status = fm_cube_add_statistics(cube, &lock, error);
    return status == FM_OK ? add_causes(cube, error) : status;
}

/* Problems of all kinds, more than fit on the first screen, and start-up. */
static fm_status_t add_problems(struct fm_cube *cube, struct fm_error *error)
{
    uint32_t slow[] = {3, 4}, all[] = {0, 1, 2, 3, 4}, first[] = {0}, waiters[] = {0, 1, 2};
    const struct fm_cube_symptom symptoms[] = {
        {FM_METRIC_MPI_LATESENDER, SAMPLE_RECV, 3, waiters, 500000},
        {FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION, SAMPLE_WAIT, 3, waiters, 200000},
        {FM_METRIC_MPI_BARRIER_WAIT, SAMPLE_BARRIER, 5, all, 150000},
        {FM_METRIC_MPI_RMA_EARLY_WAIT, SAMPLE_WAIT, 1, first, 120000},
    };
    const struct fm_cube_occasion part = {3, 7, 270000, 760000, 4, 0.9};
    const struct {
        enum fm_cause_kind kind;
        uint32_t callpath;
        uint32_t *locations;
        uint32_t location_count;
        int64_t cost;
        struct fm_cube_excess excess;
        struct fm_cube_gain gain;
    } causes[] = {
        {FM_CAUSE_IMBALANCE,
         SAMPLE_SOLVE,
         slow,
         2,
         1000000,
         {60000, 0, 0, true},
         {true, 250000, 400000}},
        {FM_CAUSE_IMBALANCE, SAMPLE_EVIL, all, 5, 800000, {3000, 0, 0, true}, {true, 120000, 0}},
        {FM_CAUSE_SERIALIZATION,
         SAMPLE_SOLVE,
         waiters,
         3,
         500000,
         {0, 0, 0, false},
         {true, 0, 300000}},
        {FM_CAUSE_PROGRESS, SAMPLE_SOLVE, first, 1, 400000, {0, 0, 0, false}, {false, 0, 0}},
        {FM_CAUSE_TRANSFER, SAMPLE_SEND, waiters, 3, 300000, {0, 0, 0, false}, {false, 0, 0}},
        {FM_CAUSE_IMBALANCE,
         SAMPLE_EVIL,
         first,
         1,
         200000,
         {5000, 6000, 6000, true},
         {true, 1000, 2000}},
        {FM_CAUSE_STARTUP, SAMPLE_BARRIER, first, 1, 100000, {0, 0, 0, false}, {false, 0, 0}},
        {FM_CAUSE_UNATTRIBUTED, FM_CUBE_NONE, NULL, 0, 80000, {0, 0, 0, false}, {false, 0, 0}},
    };
    fm_cube_free_problems(cube);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < sizeof causes / sizeof *causes && status == FM_OK; i++) {
        bool is_small = causes[i].cost <= 200000;
        const struct fm_cube_problem problem = {
            .kind = causes[i].kind,
            .callpath = causes[i].callpath,
            .phase = i == 0 ? 0 : FM_CUBE_NONE,
            .lock = causes[i].kind == FM_CAUSE_SERIALIZATION ? 1 : FM_CUBE_NONE,
            .inside = causes[i].kind == FM_CAUSE_SERIALIZATION ? causes[i].cost : 0,
            .location_count = causes[i].location_count,
            .locations = causes[i].locations,
            .cost = causes[i].cost,
            .occasion_count = i == 0 ? 1 : 0,
            .occasions = {part},
            .excess = causes[i].excess,
            .gain = causes[i].gain,
            .prediction_count = i == 0 ? 3 : 0,
            .predictions = {{FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE, 350000, 900000, 0, FM_CUBE_NONE},
                            {FM_PREDICTED_BALANCED, FM_CUBE_NONE, 200000, 700000, 50000,
                             SAMPLE_RECV},
                            {FM_PREDICTED_NO_BARRIER, SAMPLE_BARRIER, 0, 300000, 290000,
                             SAMPLE_RECV}},
            .symptom_count = is_small ? 0 : 4,
            .symptoms = is_small ? NULL : (struct fm_cube_symptom *)symptoms,
        };
        status = fm_cube_add_problem(cube, &problem, error);
    }
    if (status == FM_OK) { /* no gain is longer than the critical path in the function */
        status = fm_cube_add(cube, FM_METRIC_CRITICAL_PATH, SAMPLE_EVIL, 0, 150000, error);
    }
    uint32_t init = fm_cube_add_callpath(cube, SAMPLE_MAIN,
                                         fm_cube_add_region(cube, "MPI_Init", "mpi", NULL, 0));
    for (uint32_t i = 0; i < 4 && status == FM_OK; i++) {
        status = fm_cube_add(cube, FM_METRIC_MPI_INIT_EXIT, init, i, 100000 + i * 10000, error);
    }
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

/* Findings of counters, one of which is no text that a terminal may get. */
static void add_findings(struct fm_cube *cube)
{
    const struct fm_cube_finding findings[] = {
        {.id = (char *)"unexpected",
         .statement = (char *)"Rank 1: 90 of 100 messages (90 %) arrived before their receive.",
         .advice = (char *)"Post receives before the messages come."},
        {.id = (char *)"counters-and-trace",
         .statement = (char *)"Counters and trace contradict each other\033[2J in 1 of 4 ranks.",
         .advice = (char *)"",
         .is_contradiction = true}};
    for (size_t i = 0; i < sizeof findings / sizeof findings[0]; i++)
        fm_cube_add_finding(cube, &findings[i]);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct fm_cube *cube = strcmp(argv[1], "empty") == 0  ? empty_cube()
                           : strcmp(argv[1], "wide") == 0 ? wide_cube()
                                                          : sample_cube();
    struct fm_error error;
    fm_status_t status = FM_OK;
    if (strcmp(argv[1], "progress") == 0)
        status = add_progress(cube, 340000, 120000, &error);
    else if (strcmp(argv[1], "little-progress") == 0)
        status = add_progress(cube, 400, 300, &error);
    else if (strcmp(argv[1], "causes") == 0)
        status = add_causes(cube, &error);
    else if (strcmp(argv[1], "deep") == 0)
        status = add_deep_call(cube, &error);
    else if (strcmp(argv[1], "problems") == 0) {
        status = add_problems(cube, &error);
        add_findings(cube);
    }
    if (status == FM_OK)
        status = fm_cube_write(cube, argv[2], &error);
    if (status != FM_OK)
        fprintf(stderr, "%s\n", error.message);
    fm_cube_free(cube);
    return (int)status;
}
