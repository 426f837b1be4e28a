/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample_cube.h"

#include <stdlib.h>

static void must(int holds)
{
    if (!holds)
        abort();
}

struct value {
    fm_metric_t metric;
    uint32_t callpath, location;
    int64_t value;
};

static const struct value values[] = {
    /* rank 0 */
    {FM_METRIC_COMP, SAMPLE_MAIN, 0, 100000},
    {FM_METRIC_COMP, SAMPLE_SOLVE, 0, 1100000},
    {FM_METRIC_MPI_POINT2POINT, SAMPLE_SEND, 0, 50000},
    {FM_METRIC_MPI_RMA_SYNC_ACTIVE, SAMPLE_WAIT, 0, 30000},
    {FM_METRIC_MPI_RMA_EARLY_WAIT, SAMPLE_WAIT, 0, 370000},
    {FM_METRIC_MPI_RMA_LATE_COMPLETE, SAMPLE_WAIT, 0, 150000},
    {FM_METRIC_MPI_BARRIER_WAIT, SAMPLE_BARRIER, 0, 180000},
    {FM_METRIC_MPI_SYNC_COLLECTIVE, SAMPLE_BARRIER, 0, 20000},
    /* rank 1 */
    {FM_METRIC_COMP, SAMPLE_MAIN, 1, 100000},
    {FM_METRIC_COMP, SAMPLE_SOLVE, 1, 900000},
    {FM_METRIC_MPI_POINT2POINT, SAMPLE_RECV, 1, 40000},
    {FM_METRIC_MPI_LATESENDER, SAMPLE_RECV, 1, 700000},
    {FM_METRIC_MPI_LSWO_SAME, SAMPLE_RECV, 1, 60000},
    {FM_METRIC_MPI_BARRIER_WAIT, SAMPLE_BARRIER, 1, 190000},
    {FM_METRIC_MPI_SYNC_COLLECTIVE, SAMPLE_BARRIER, 1, 10000},
    /* rank 2: in two parts, to be added up */
    {FM_METRIC_COMP, SAMPLE_SOLVE, 2, 600000},
    {FM_METRIC_COMP, SAMPLE_SOLVE, 2, 700000},
    {FM_METRIC_MPI_LATESENDER, SAMPLE_RECV, 2, 300000},
    {FM_METRIC_MPI_LATESENDER, SAMPLE_RECV, 2, 200000},
    {FM_METRIC_MPI_BARRIER_WAIT, SAMPLE_BARRIER, 2, 195000},
    {FM_METRIC_MPI_BARRIER_COMPLETION, SAMPLE_BARRIER, 2, 5000},
    /* rank 3, two threads */
    {FM_METRIC_COMP, SAMPLE_SOLVE, 3, 1700000},
    {FM_METRIC_COMP, SAMPLE_EVIL, 3, 150000},
    {FM_METRIC_MPI_POINT2POINT, SAMPLE_SEND, 3, 130000},
    {FM_METRIC_MPI_SYNC_COLLECTIVE, SAMPLE_BARRIER, 3, 1},
    {FM_METRIC_OVERHEAD, SAMPLE_MAIN, 3, 19999},
    {FM_METRIC_COMP, SAMPLE_SOLVE, 4, 1999999},
    {FM_METRIC_OMP_IBARRIER, SAMPLE_SOLVE, 4, 1},
    /* counts */
    {FM_METRIC_VISITS, SAMPLE_MAIN, 0, 1},
    {FM_METRIC_VISITS, SAMPLE_RECV, 1, 1200},
    {FM_METRIC_COMMS_RECV, SAMPLE_RECV, 1, 1200},
    {FM_METRIC_BYTES_RCVD, SAMPLE_RECV, 1, 1258291200},
    {FM_METRIC_BYTES_SENT, SAMPLE_SEND, 3, INT64_C(9007199254740993)},
    {FM_METRIC_MPI_RMA_PAIRSYNC_COUNT, SAMPLE_WAIT, 0, 10},
    {FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, SAMPLE_WAIT, 0, 8},
    /* the critical path */
    {FM_METRIC_CRITICAL_PATH, SAMPLE_SOLVE, 3, 1300000},
    {FM_METRIC_CRITICAL_PATH_IMBALANCE, SAMPLE_SOLVE, 3, 300000},
    {FM_METRIC_CRITICAL_PATH, SAMPLE_BARRIER, 0, 200000},
    /* a pair that vanishes */
    {FM_METRIC_SYNCS_SEND, SAMPLE_SEND, 0, 5},
    {FM_METRIC_SYNCS_SEND, SAMPLE_SEND, 0, -5},
};

static void add_definitions(struct fm_cube *cube)
{
    static const struct {
        const char *name, *paradigm, *file;
        uint32_t line, parent;
    } paths[SAMPLE_CALLPATHS] = {
        {"main", "user", "main.c", 12, FM_CUBE_NONE},
        {"solve", "user", "solve.c", 3, SAMPLE_MAIN},
        {"MPI_Recv", "mpi", NULL, 0, SAMPLE_SOLVE},
        {"MPI_Send", "mpi", NULL, 0, SAMPLE_SOLVE},
        {"MPI_Win_wait", "mpi", NULL, 0, SAMPLE_SOLVE},
        {"\033[31mevil/\"\xc3\xa4\"\xff,\n", "user", "a\"b", 1, SAMPLE_SOLVE},
        {"MPI_Barrier", "mpi", NULL, 0, SAMPLE_MAIN},
    };
    for (uint32_t i = 0; i < SAMPLE_CALLPATHS; i++) {
        uint32_t region = fm_cube_add_region(cube, paths[i].name, paths[i].paradigm, paths[i].file,
                                             paths[i].line);
        must(fm_cube_add_callpath(cube, paths[i].parent, region) == i);
    }
    must(fm_cube_add_location(cube, 0, 0, 0, "node1", "rank 0") == 0);
    must(fm_cube_add_location(cube, 10, 1, 0, "node1", "rank 1") == 1);
    must(fm_cube_add_location(cube, 20, 2, 0, "node2", "rank 2") == 2);
    must(fm_cube_add_location(cube, 30, 3, 0, "node2", "rank 3") == 3);
    must(fm_cube_add_location(cube, 4, 3, 1, "node2", "rank 3 thread 1") == 4);
}

static void add_statistics(struct fm_cube *cube)
{
    const struct fm_cube_statistics late_sender = {
        .metric = FM_METRIC_MPI_LATESENDER,
        .count = 1200,
        .sum = 1260000,
        .min = 12,
        .lower_quartile = 400,
        .median = 950,
        .upper_quartile = 1500,
        .max = 250000,
        .worst_count = 3,
        .worst =
            {{1,
              SAMPLE_RECV,
              1250000,
              250000,
              3,
              SAMPLE_SEND,
              {3, SAMPLE_SOLVE, 175000},
              2,
              {{3, SAMPLE_BARRIER, FM_METRIC_MPI_BARRIER_WAIT, 800, 190000},
               {2, SAMPLE_SEND, FM_METRIC_NONE, 1000, 45000}}},
             {2, SAMPLE_RECV, 1260000, 120000, 3, SAMPLE_SEND, {3, FM_CUBE_NONE, 120000}, 0, {{0}}},
             {1,
              SAMPLE_RECV,
              300000,
              90000,
              0,
              FM_CUBE_NONE,
              {FM_CUBE_NONE, FM_CUBE_NONE, 0},
              0,
              {{0}}}},
    };
    const struct fm_cube_statistics barrier = {
        .metric = FM_METRIC_MPI_BARRIER_WAIT,
        .count = 3,
        .sum = 565000,
        .min = 180000,
        .lower_quartile = 180000,
        .median = 190000,
        .upper_quartile = 190000,
        .max = 195000,
        .worst_count = 1,
        .worst = {{2,
                   SAMPLE_BARRIER,
                   1800000,
                   195000,
                   3,
                   SAMPLE_BARRIER,
                   {3, SAMPLE_BARRIER, 195000},
                   0,
                   {{0}}}},
    };
    must(fm_cube_add_statistics(cube, &late_sender, NULL) == FM_OK);
    must(fm_cube_add_statistics(cube, &barrier, NULL) == FM_OK);
}

/* Rank 0 holds the lock for 0.6 s; ranks 1 to 3 wait for it, in overlapping turns. */
static void add_locks(struct fm_cube *cube)
{
    uint64_t queue[FM_CUBE_LOCK_BINS];
    /* 1 s in 256 parts: of 0.25 s each one, two and three wait, then nobody. */
    const struct fm_cube_lock edges = {.begin = 500000, .end = 1500000};
    for (uint32_t i = 0; i < FM_CUBE_LOCK_BINS; i++)
        queue[i] = (i < 192 ? i / 64 + 1 : 0) *
                   (fm_cube_lock_edge(&edges, i + 1) - fm_cube_lock_edge(&edges, i));
    struct fm_cube_lock contended = {
        .window = 1,
        .name = "halo \"\033[2J\"",
        .target = 0,
        .exclusive = 1234,
        .shared = 1,
        .held = 1000000,
        .waits = 3,
        .waiting = 1500000,
        .begin = 500000,
        .end = 1500000,
        .longest_queue = 3,
        .longest_chain = 4,
        .chain_count = 4,
        .chain = {0, 1, 2, 3},
        .holder_count = 2,
        .holders = {{0, 1, 600000, 1200000, 0, 0, 0, 0},
                    {1, 1231, 300000, 300000, 1, 500000, 0, 0}},
        .victim_count = 2,
        .victims = {{2, 2, 100000, 0, 1, 700000, 0, 0}, {1, 1231, 300000, 300000, 1, 500000, 0, 0}},
        .held_in_count = 1,
        .held_in = {{SAMPLE_MAIN, 0, 1400000}},
        .waited_in_count = 2,
        .waited_in = {{SAMPLE_RECV, 2, 1000000}, {SAMPLE_BARRIER, 1, 500000}},
        .bin_count = FM_CUBE_LOCK_BINS,
        .queue = queue,
    };
    const struct fm_cube_lock quiet = {
        .window = 0,
        .target = FM_CUBE_NONE,
        .shared = 2,
        .held = 20,
        .begin = 10,
        .end = 20,
        .holder_count = 1,
        .holders = {{3, 2, 20, 0, 0, 0, 0, 0}},
    };
    must(fm_cube_add_lock(cube, &quiet, NULL) == FM_OK);
    must(fm_cube_add_lock(cube, &contended, NULL) == FM_OK);
    contended.target = 2;
    contended.name = NULL;
    contended.longest_chain = 17;
    contended.chain_count = FM_CUBE_LOCK_CHAIN;
    must(fm_cube_add_lock(cube, &contended, NULL) == FM_OK);
    must(fm_cube_add_lock(cube, &contended, NULL) == FM_ERR_FAILED); /* twice */
    cube->left_out_locks = 7;
    cube->left_out_locks_waiting = 1000;
}

static void add_options(struct fm_cube *cube)
{
    char *names[] = {"io", "solver \033[2J"};
    uint32_t of_location[] = {0, 1, 1, 2, FM_CUBE_NONE};
    must(fm_cube_set_partitions(cube, names, 2, of_location, NULL) == FM_ERR_FAILED);
    of_location[3] = 1;
    must(fm_cube_set_partitions(cube, names, 2, of_location, NULL) == FM_OK);
    cube->path_from_init_to_finalize = true;
}

/* Twenty iterations of solve, the eighth of which is slow, and two rows of a phase with an evil
 * name that stand for several iterations each. */
static void add_phases(struct fm_cube *cube)
{
    enum { ITERATIONS = 20, KINDS = 2 };
    struct fm_cube_iteration rows[ITERATIONS] = {0};
    uint64_t waiting[ITERATIONS * KINDS] = {0};
    uint32_t kinds[KINDS] = {FM_METRIC_MPI_LATESENDER, FM_METRIC_MPI_BARRIER_WAIT};
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        uint64_t extra = i == 7 ? 60000 : i * 500;
        rows[i] = (struct fm_cube_iteration){
            .first = i,
            .count = 1,
            .begin = i * 90000,
            .end = i * 90000 + 70000 + extra,
            .duration = 60000 + extra,
            .time = 4 * (60000 + extra) - 5000,
            .capacity = 4 * (60000 + extra),
            .computation = 4 * 40000 + extra,
            .longest_computation = 40000 + extra,
            .computation_capacity = 4 * (40000 + extra),
            .waiting = 20000 + 3 * extra,
            .locations = 4,
            .slowest = i == 7    ? 3
                       : i == 11 ? FM_CUBE_NONE
                                 : 0,
        };
        waiting[i * KINDS] = i % 2 == 0 ? 3 * extra : 0;
        waiting[i * KINDS + 1] = rows[i].waiting - waiting[i * KINDS];
    }
    struct fm_cube_phase phase = {SAMPLE_SOLVE, ITERATIONS, ITERATIONS, rows,
                                  KINDS,        kinds,      waiting,    NULL};
    must(fm_cube_add_phase(cube, &phase, NULL) == FM_OK);
    rows[3].first = 2;
    must(fm_cube_add_phase(cube, &phase, NULL) == FM_ERR_FAILED); /* the third one twice */
    rows[3].first = 3;
    phase.kinds[1] = FM_METRIC_COMP;
    must(fm_cube_add_phase(cube, &phase, NULL) == FM_ERR_FAILED); /* no wait state */
    struct fm_cube_iteration several[2] = {
        {0, 50, 0, 900000, 100000, 90000, 100000, 0, 0, 0, 0, 0, 1, FM_CUBE_NONE},
        {50, 30, 900000, 2000000, 200000, 200000, 200000, 100000, 100000, 100000, 0, 0, 1, 3},
    };
    const struct fm_cube_phase grouped = {SAMPLE_EVIL, 80, 2, several, 0, NULL, NULL, NULL};
    must(fm_cube_add_phase(cube, &grouped, NULL) == FM_OK);
}

static void add_bins(struct fm_cube *cube)
{
    struct fm_cube_bin cells[] = {
        {FM_METRIC_MPI_RMA_EARLY_WAIT, 0, 100, 700}, {FM_METRIC_MPI_LATESENDER, 0, 0, 5000},
        {FM_METRIC_MPI_LATESENDER, 0, 1, 10000},     {FM_METRIC_MPI_LATESENDER, 0, 3, 1},
        {FM_METRIC_MPI_LATESENDER, 1, 199, 250},
    };
    struct fm_cube_bins bins = {FM_CUBE_TIME_BINS, 4, 5, cells};
    must(fm_cube_set_bins(cube, &bins, NULL) == FM_OK);
    bins.locations_per_row = 5; /* then there is no second row */
    must(fm_cube_set_bins(cube, &bins, NULL) == FM_ERR_FAILED);
    bins.locations_per_row = 4;
    cells[2].bin = 0; /* twice */
    must(fm_cube_set_bins(cube, &bins, NULL) == FM_ERR_FAILED);
}

static void add_topologies(struct fm_cube *cube)
{
    uint32_t locations[] = {0, 1, 3}, coordinates[] = {1, 0, 0, 2, 1, 1};
    struct fm_cube_topology topology = {.name = (char *)"a <grid> & \"more\"",
                                        .dimension_count = 2,
                                        .dimensions = {{(char *)"x", 2, true}, {NULL, 3, false}},
                                        .member_count = 3,
                                        .locations = locations,
                                        .coordinates = coordinates};
    must(fm_cube_add_topology(cube, &topology, NULL) == FM_OK);
    coordinates[5] = 3; /* outside */
    must(fm_cube_add_topology(cube, &topology, NULL) == FM_ERR_FAILED);
    coordinates[5] = 2;
    locations[1] = 3; /* twice */
    must(fm_cube_add_topology(cube, &topology, NULL) == FM_ERR_FAILED);
    locations[1] = 1;
    topology.dimension_count = 0;
    must(fm_cube_add_topology(cube, &topology, NULL) == FM_ERR_FAILED);
    topology = (struct fm_cube_topology){.dimension_count = 1, .dimensions = {{NULL, 5, false}}};
    must(fm_cube_add_topology(cube, &topology, NULL) == FM_OK);
}

static void add_matrices(struct fm_cube *cube)
{
    struct fm_cube_link messages[] = {
        {0, 1, FM_METRIC_COMMS_SEND, 1000, 1048576, 0},
        {0, 3, FM_METRIC_COMMS_SEND, 1, 0, 0},
        {3, 1, FM_METRIC_COMMS_SEND, 199, 1257242624, 0},
        {4, 0, FM_METRIC_COMMS_SEND, 1, INT64_C(1) << 50, 0},
    };
    struct fm_cube_link operations[] = {
        {1, 0, FM_METRIC_COMMS_RMA_GETS, 10, 800, 0},
        {1, 0, FM_METRIC_COMMS_RMA_PUTS, 2, 16, 0},
    };
    struct fm_cube_link delays[] = {
        {0, 1, FM_METRIC_MPI_LATESENDER, 700, 60000, 0},
        {3, 1, FM_METRIC_MPI_BARRIER_WAIT, 1, 190000, 0},
        {3, 1, FM_METRIC_MPI_LATESENDER, 500, 700000, 0},
        {3, 2, FM_METRIC_MPI_BARRIER_WAIT, 1, 195000, 0},
    };
    struct fm_cube_link blame[] = {
        {2, 1, FM_METRIC_BLAME_LATESENDER, 200, 90000, 0},
        {3, 1, FM_METRIC_BLAME_LATESENDER, 1000, 670000, 0},
        {3, 1, FM_METRIC_BLAME_BARRIER, 1, 190000, 0},
        {3, 2, FM_METRIC_BLAME_BARRIER, 1, 195000, 0},
    };
    struct fm_cube_matrix matrix = {4, messages, 7, 14, 28};
    must(fm_cube_set_matrix(cube, FM_MATRIX_MESSAGES, &matrix, NULL) == FM_OK);
    matrix = (struct fm_cube_matrix){2, operations, 0, 0, 0};
    must(fm_cube_set_matrix(cube, FM_MATRIX_OPERATIONS, &matrix, NULL) ==
         FM_ERR_FAILED); /* order */
    operations[1].metric = FM_METRIC_COMMS_RMA_ATOMICS;
    must(fm_cube_set_matrix(cube, FM_MATRIX_OPERATIONS, &matrix, NULL) == FM_OK);
    operations[1].to = 5; /* does not exist */
    must(fm_cube_set_matrix(cube, FM_MATRIX_OPERATIONS, &matrix, NULL) == FM_ERR_FAILED);
    matrix = (struct fm_cube_matrix){4, delays, 0, 0, 0};
    must(fm_cube_set_matrix(cube, FM_MATRIX_DELAYS, &matrix, NULL) == FM_OK);
    matrix = (struct fm_cube_matrix){4, blame, 0, 0, 0};
    must(fm_cube_set_matrix(cube, FM_MATRIX_BLAME, &matrix, NULL) == FM_OK);
}

/** Tries to add a problem that contradicts itself or the cube. */
static void refuse(struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    must(fm_cube_add_problem(cube, problem, NULL) == FM_ERR_FAILED);
}

/* A cause in two parts of the phase, a holder of a lock, and waiting without a cause. */
static void add_problems(struct fm_cube *cube)
{
    cube->experiment.duration = 2000000;
    cube->experiment.ideal_duration = 1900000;
    cube->experiment.lack_of_processors = 4;
    cube->experiment.page_fault = 1;
    cube->experiment.overhead = 32100;
    cube->experiment.costliest = 1;
    cube->experiment.sample_rate = 248125;
    uint32_t slow[] = {3, 4}, waiters[] = {1, 2}, all[] = {0, 1, 2};
    struct fm_cube_symptom symptoms[] = {
        {FM_METRIC_MPI_LATESENDER, SAMPLE_RECV, 2, waiters, 1200000},
        {FM_METRIC_MPI_BARRIER_WAIT, SAMPLE_BARRIER, 3, all, 300000},
    };
    struct fm_cube_problem problem = {
        .kind = FM_CAUSE_IMBALANCE,
        .callpath = SAMPLE_SOLVE,
        .phase = 0,
        .lock = FM_CUBE_NONE,
        .location_count = 2,
        .locations = slow,
        .cost = 1500000,
        .error = 45000,
        .replaced = 0,
        .replaced_share = 0.92,
        .occasion_count = 2,
        .occasions = {{3, 7, 270000, 760000, 5, 0.75}, {12, 12, 1080000, 1156000, 1, 0.1875}},
        .excess = {60000, 20000, 55000, true},
        .gain = {true, 250000, 400000},
        .prediction_count = 3,
        .predictions = {{FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE, 350000, 1400000, 0, FM_CUBE_NONE},
                        {FM_PREDICTED_BALANCED, FM_CUBE_NONE, 200000, 700000, 50000, SAMPLE_RECV},
                        {FM_PREDICTED_NO_BARRIER, SAMPLE_BARRIER, -500, 300000, 290000,
                         SAMPLE_RECV}},
        .symptom_count = 2,
        .symptoms = symptoms,
    };
    must(fm_cube_add_problem(cube, &problem, NULL) == FM_OK);
    problem.replaced = cube->callpath_count;
    refuse(cube, &problem); /* no such call path */
    problem.replaced_share = 0;
    problem.error = -1;
    refuse(cube, &problem);
    problem.error = 0;
    problem.candidate_count = FM_CUBE_CANDIDATES + 1;
    refuse(cube, &problem);
    problem.candidate_count = 0;
    problem.cost++;
    refuse(cube, &problem); /* larger than the one before */
    problem.cost = 0;
    refuse(cube, &problem);
    problem.cost = 100000;
    problem.predictions[1].change = FM_PREDICTED_AS_OTHERS; /* twice */
    refuse(cube, &problem);
    problem.predictions[1].change = FM_PREDICTED_BALANCED;
    problem.predictions[0].moved = 1; /* nowhere */
    refuse(cube, &problem);
    must(!fm_cube_predict(cube, 0, &problem.predictions[2])); /* more than there may be */
    problem.prediction_count = 0;
    problem.occasions[1].first = 7; /* twice */
    refuse(cube, &problem);
    problem.occasions[1].first = 12;
    problem.occasions[1].last = 20; /* does not exist */
    refuse(cube, &problem);
    problem.phase = FM_CUBE_NONE; /* then there are no iterations */
    refuse(cube, &problem);
    problem.occasion_count = 0;
    problem.phase = 2; /* does not exist */
    refuse(cube, &problem);
    problem.phase = FM_CUBE_NONE;
    slow[1] = 3; /* twice */
    refuse(cube, &problem);
    problem.location_count = 1;
    symptoms[0].cost = 1; /* less than the next one */
    refuse(cube, &problem);
    symptoms[0].cost = 300000;
    symptoms[0].metric = FM_METRIC_COMP; /* no wait state */
    refuse(cube, &problem);
    problem.symptom_count = 0;
    problem.kind = FM_CAUSE_UNATTRIBUTED; /* then there is no call path */
    refuse(cube, &problem);
    problem.kind = FM_CAUSE_SERIALIZATION;
    problem.lock = 3; /* does not exist */
    refuse(cube, &problem);
    problem.lock = 1;
    problem.inside = problem.cost + 1;
    refuse(cube, &problem);
    problem.inside = problem.cost / 2;
    problem.contention.lock_count = 1; /* it is no contention */
    refuse(cube, &problem);
    problem.contention.lock_count = 0;
    problem.occasion_count = 1;
    problem.occasions[0] = (struct fm_cube_occasion){.begin = 0, .end = 500000, .share = 0.9375};
    problem.excess.is_known = false;
    must(fm_cube_add_problem(cube, &problem, NULL) == FM_OK);
    problem = (struct fm_cube_problem){
        .kind = FM_CAUSE_UNATTRIBUTED,
        .callpath = FM_CUBE_NONE,
        .phase = FM_CUBE_NONE,
        .lock = FM_CUBE_NONE,
        .cost = 25000,
    };
    must(fm_cube_add_problem(cube, &problem, NULL) == FM_OK);
    must(!fm_cube_set_consequence(cube, 0, 0));
    must(!fm_cube_set_consequence(cube, 2, 1)); /* has no prediction */
    must(fm_cube_set_consequence(cube, 2, 0));
}

struct fm_cube *wide_cube(void)
{
    enum { RANKS = 300 };
    struct fm_cube *cube = empty_cube();
    struct fm_cube_link links[2 * RANKS];
    size_t count = 0;
    for (uint32_t i = 0; i < RANKS; i++) {
        must(fm_cube_add_location(cube, i, i, 0, "node", "rank") == i);
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        if (i > 0)
            links[count++] = (struct fm_cube_link){i, i - 1, FM_METRIC_COMMS_SEND, 1, i, 0};
        if (i + 1 < RANKS)
            links[count++] = (struct fm_cube_link){i, i + 1, FM_METRIC_COMMS_SEND, 1, i, 0};
    }
    const struct fm_cube_matrix matrix = {count, links, 0, 0, 0};
    must(fm_cube_set_matrix(cube, FM_MATRIX_MESSAGES, &matrix, NULL) == FM_OK);
    must(fm_cube_seal(cube, NULL) == FM_OK);
    return cube;
}

struct fm_cube *sample_cube(void)
{
    struct fm_cube *cube = empty_cube();
    struct fm_cube_experiment *experiment = &cube->experiment;
    must(fm_cube_set_text(&experiment->title, "sor", NULL) == FM_OK);
    must(fm_cube_set_text(&experiment->command, "./sor --size 100", NULL) == FM_OK);
    must(fm_cube_set_text(&experiment->creator, "fermata", NULL) == FM_OK);
    must(fm_cube_set_text(&experiment->machine, "cluster", NULL) == FM_OK);
    experiment->ticks_per_second = 1000000;
    experiment->begin = 5000000;
    experiment->end = 7000000;
    experiment->event_count = 123456;
    experiment->process_count = 4;
    add_definitions(cube);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        must(fm_cube_add(cube, values[i].metric, values[i].callpath, values[i].location,
                         values[i].value, NULL) == FM_OK);
    add_statistics(cube);
    add_locks(cube);
    add_options(cube);
    add_phases(cube);
    add_bins(cube);
    add_matrices(cube);
    add_topologies(cube);
    add_problems(cube);
    must(fm_cube_warn(cube, NULL, "%d messages on rank %d were never received.", 2, 3) == FM_OK);
    must(fm_cube_seal(cube, NULL) == FM_OK);
    return cube;
}

struct fm_cube *empty_cube(void)
{
    struct fm_cube *cube = fm_cube_create();
    must(cube != NULL);
    cube->experiment.ticks_per_second = 1;
    return cube;
}
