/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems that a report shows, and what start-up does to shares and efficiencies. */
#include "answer_cube.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/time_shares.h"

#include <stdio.h>

static void test_startup_is_not_counted(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    make_diagnosis(cube, &diagnosis);
    assert_int_equal(diagnosis.time, 2000);
    assert_int_equal(diagnosis.startup, 2000);
    assert_int_equal(diagnosis.longest_startup, 1000);
    assert_int_equal(diagnosis.waiting, 500); /* waiting in Finalize counts, in Init it does not */
    struct fm_time_share shares[FM_TIME_SHARE_COUNT];
    fm_time_shares(&diagnosis, shares);
    int64_t sum = 0;
    for (unsigned i = 0; i < FM_TIME_SHARE_COUNT; i++) {
        sum += shares[i].ticks;
    }
    assert_int_equal(sum, diagnosis.time);
    struct fm_efficiency callpaths[RECV + 1];
    struct fm_efficiency run = fm_efficiency_of_cube(cube, callpaths);
    assert_true(run.parallel == 0.75); /* (1000 + 500) / 2 / 1000 */
    assert_true(run.load_balance == 0.75);
    assert_true(run.communication == 1);
    assert_true(callpaths[MAIN].parallel == 0.75);
    fm_cube_free(cube);
}

static void test_costs_of_startup(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    /* The late arrival of rank 1 in MPI_Init is no problem of the program. */
    add_problem(cube, FM_CAUSE_IMBALANCE, MAIN, 0, FM_METRIC_MPI_INIT_WAIT, INIT, 400);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    add_problem(cube, FM_CAUSE_TRANSFER, RECV, 1, FM_METRIC_MPI_FINALIZE_WAIT, FINALIZE, 150);
    add_problem(cube, FM_CAUSE_UNATTRIBUTED, FM_CUBE_NONE, 1, FM_METRIC_MPI_FINALIZE_WAIT, FINALIZE,
                50);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.items[0].headline.items[0].text,
                        "`slow` on rank 0 makes others wait 300.0 ms: 15.0% of all time.");
    assert_int_equal(answer.omitted, 0);
    assert_int_equal(answer.omitted_count, 0);
    assert_int_equal(answer.unavoidable, 200);
    assert_string_equal(answer.without_cause.items[0].text,
                        "Waiting without a cause in the program: 200.0 ms, 10.0% of all time: "
                        "communication itself 7.5% (most in `MPI_Recv`), unknown causes 2.5%.");
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_library_calls_are_no_causes_of_imbalance(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    add_problem(cube, FM_CAUSE_PROGRESS, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 200);
    add_problem(cube, FM_CAUSE_PROGRESS, RECV, 1, FM_METRIC_MPI_LATESENDER, RECV, 100);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.items[0].cause->callpath, SLOW);
    assert_non_null(strstr(text_of(&answer.items[0], "How"), "makes no MPI calls"));
    assert_non_null(strstr(text_of(&answer.items[0], "Try"), "MPI_Iprobe"));
    assert_int_equal(answer.unavoidable, 100);
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_small_problems_are_summed_up(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 100);
    add_problem(cube, FM_CAUSE_IMBALANCE, MAIN, 1, FM_METRIC_MPI_LATESENDER, RECV, 30);
    add_problem(cube, FM_CAUSE_IMBALANCE, MAIN, 0, FM_METRIC_MPI_LATESENDER, RECV, 19);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_int_equal(answer.count, 2);
    assert_int_equal(answer.omitted_count, 1); /* below 1 % of 2,000 ms */
    assert_int_equal(answer.omitted, 19);
    assert_string_equal(text_of(&answer.items[1], "Try"), "as for problem 1");
    fm_answer_free(&answer);
    fm_answer_make(&diagnosis, 1, &answer);
    assert_int_equal(answer.count, 1);
    assert_int_equal(answer.omitted_count, 2);
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

/** The cause has `there` samples on its location, and `elsewhere` on the other one.
 * @param rate  of samples in a second of CPU time, thousandths; 0: not known */
static void expect_samples_at(uint32_t rate, int64_t there, int64_t elsewhere, const char *expected)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    assert_int_equal(fm_cube_set_text(&cube->experiment.creator, "fermata 1", NULL), FM_OK);
    cube->experiment.sample_rate = rate;
    add(cube, FM_METRIC_SAMPLES, SLOW, 0, there);
    add(cube, FM_METRIC_SAMPLES, SLOW, 1, elsewhere);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_string_equal(text_of(&answer.items[0], "Samples"), expected);
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void expect_samples(int64_t there, int64_t elsewhere, const char *expected)
{
    expect_samples_at(0, there, elsewhere, expected);
}

/** On rank 0, main computes 200 ms of its own, `slow`, which it calls, 800 ms or as long as told.
 */
static void expect_samples_of_caller(int64_t main_samples, int64_t slow_samples, int64_t slow_time,
                                     const char *expected)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    add(cube, FM_METRIC_SAMPLES, MAIN, 0, main_samples);
    add(cube, FM_METRIC_SAMPLES, SLOW, 0, slow_samples);
    add(cube, FM_METRIC_SAMPLES, SLOW, 1, 1000);
    add(cube, FM_METRIC_SAMPLES, RECV, 0, 1000);
    add(cube, FM_METRIC_COMP, SLOW, 0, slow_time - 800);
    add_problem(cube, FM_CAUSE_IMBALANCE, MAIN, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_string_equal(text_of(&answer.items[0], "Samples"), expected);
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_functions_without_names(void **state)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    (void)state;
    const uint32_t region = fm_cube_add_region(cube, "app+0x1a40", "user", NULL, 0);
    const uint32_t nameless = fm_cube_add_callpath(cube, MAIN, region);
    add(cube, FM_METRIC_COMP, nameless, 1, 500);
    add_problem(cube, FM_CAUSE_IMBALANCE, nameless, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 200);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_string_equal(text_of(&answer.items[0], "Name"),
                        "`app` has no symbols: this is its function at 0x1a40; `addr2line -f -e "
                        "FILE 0x1a40` finds the name in a file of the same build that has them");
    assert_string_equal(text_of(&answer.items[1], "Name"), "");
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_samples_of_called_functions(void **state)
{
    (void)state;
    expect_samples_of_caller(0, 12, 100,
                             "0 of 12 samples are in `main` itself, 12 in `slow`: probably most of "
                             "this time is spent there");
    /* 200 ms of 300 ms are those of `slow` by its samples, 100 ms of the caller's 200 ms. */
    expect_samples_of_caller(
        33, 66, 100, "33 samples: some of this time may be that of functions that `main` calls");
    expect_samples_of_caller(
        32, 68, 100,
        "32 of 100 samples are in `main` itself, 68 in `slow`: probably most of "
        "this time is spent there");
    /* `slow` is known to take as long as its samples show. */
    expect_samples_of_caller(
        2, 8, 800, "2 samples: some of this time may be that of functions that `main` calls");
    expect_samples_of_caller(
        0, 4, 100, "no samples: some of this time may be that of functions that `main` calls");
}

static void test_samples(void **state)
{
    (void)state;
    expect_samples(100, 0, "");
    expect_samples(99, 1000,
                   "99 samples: some of this time may be that of functions that `slow` calls");
    expect_samples(1, 0, "1 sample: some of this time may be that of functions that `slow` calls");
    expect_samples(0, 5,
                   "no samples: some of this time may be that of functions that `slow` calls");
    expect_samples_at(248125, 99, 0,
                      "99 samples, at 248 a second of CPU time: some of this time may be that of "
                      "functions that `slow` calls");
    expect_samples_at(1500, 0, 5,
                      "no samples, at 1.5 a second of CPU time: some of this time may be that of "
                      "functions that `slow` calls");
    /* A leaf of the call tree that calls no MPI is in it by other means than samples. */
    expect_samples(0, 0, "");
}

static void test_advice_fits_the_gain(void **state)
{
    (void)state;
    static const struct {
        uint64_t gain;
        const char *advice;
    } cases[] = {
        {9, "Start the send before it, or let the receivers compute before MPI_Wait."},
        {10,
         "Give rank 0 less of this work, or find out why it takes longer there. Otherwise start "
         "the send before it, or let the receivers compute before MPI_Wait."}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fm_cube *cube = make_cube(); /* of 2,000 ms: gains below 10 ms are small */
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
        cube->problems[0].gain = (struct fm_cube_gain){true, cases[i].gain, cases[i].gain};
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        assert_string_equal(text_of(&answer.items[0], "Try"), cases[i].advice);
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/* A lock on the heap has no name. */
static void test_locks_of_threads(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t places;
        int64_t inside; /* of its cost, under the lock */
        const char *kind, *how, *advice;
    } cases[] = {
        {"table_lock (table.c:9)", 1, 300, "serialized by `table_lock (table.c:9)` of rank 0.",
         "it runs while the lock is held: others wait until it is released",
         "Do less while the lock is held, or divide the data among several locks. Balancing the "
         "work does not help."},
        {"0x559833c75430", 1, 150,
         "serialized by the lock at 0x559833c75430 of rank 0, waited for most in `main/MPI_Recv`.",
         "it runs while the lock is held: others wait until it is released",
         "Do less while the lock is held, or divide the data among several locks. Balancing the "
         "work does not help."},
        {"0x559833c75430", 0, 149,
         "the holder of the lock at 0x559833c75430 of rank 0 waits for it.",
         "it runs without the lock, but the holder of the lock waits for it, and others wait for "
         "the holder",
         "Release the lock before waiting for others, or take it only behind that."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fm_cube *cube = make_cube();
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        char name[64];
        snprintf(name, sizeof name, "%s", cases[i].name);
        struct fm_cube_lock lock = {
            .window = FM_CUBE_NONE,
            .name = name,
            .exclusive = 2,
            .waits = cases[i].places,
            .waiting = 300 * cases[i].places,
            .end = 2000,
            .waited_in_count = cases[i].places,
            .waited_in = {{.callpath = RECV, .waits = 1, .waiting = 300}},
        };
        assert_int_equal(fm_cube_add_lock(cube, &lock, NULL), FM_OK);
        add_problem(cube, FM_CAUSE_SERIALIZATION, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
        cube->problems[0].lock = 0;
        cube->problems[0].inside = cases[i].inside;
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        char headline[256];
        snprintf(headline, sizeof headline,
                 "`slow` on rank 0 makes others wait 300.0 ms, 15.0%% of all time: %s",
                 cases[i].kind);
        assert_string_equal(answer.items[0].headline.items[0].text, headline);
        assert_string_equal(text_of(&answer.items[0], "How"), cases[i].how);
        assert_string_equal(text_of(&answer.items[0], "Try"), cases[i].advice);
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/* A lock, or several of one window, that is the cause. */
static void test_locks_as_causes(void **state)
{
    (void)state;
    static const struct {
        struct fm_cube_contention contention;
        const char *name, *headline, *how;
    } cases[] = {
        {{.lock_count = 1,
          .hold = 40,
          .waiting = 660,
          .held = 300,
          .held_in_count = 2,
          .held_in = {RECV, SLOW}},
         "table",
         "The lock of window `table` on rank 1 serializes 2 ranks: they wait 300.0 ms, 15.0% of "
         "all time.",
         "each holds it for 40.00 ms at a time in MPI_Recv and slow, 2.2 wait for it on average"},
        {{.lock_count = 64,
          .hold = 40,
          .waiting = 150,
          .held = 300,
          .held_in_count = 1,
          .held_in = {RECV}},
         "", /* it has none */
         "The locks of window 0 on 64 ranks serialize 2 ranks: they wait 300.0 ms, 15.0% of all "
         "time.",
         "each holds one for 40.00 ms at a time in MPI_Recv, 0.5 wait for it on average"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fm_cube *cube = make_cube();
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        char name[8];
        snprintf(name, sizeof name, "%s", cases[i].name);
        struct fm_cube_lock lock = {
            .window = 0, .target = 1, .name = name, .exclusive = 2, .end = 2000};
        assert_int_equal(fm_cube_add_lock(cube, &lock, NULL), FM_OK);
        add_problem(cube, FM_CAUSE_SERIALIZATION, RECV, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
        cube->problems[0].kind = FM_CAUSE_CONTENTION;
        cube->problems[0].lock = 0;
        cube->problems[0].contention = cases[i].contention;
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        assert_int_equal(answer.count, 1);
        assert_string_equal(answer.items[0].headline.items[0].text, cases[i].headline);
        assert_string_equal(text_of(&answer.items[0], "How"), cases[i].how);
        assert_string_equal(text_of(&answer.items[0], "Try"),
                            "Use atomic operations (MPI_Fetch_and_op, MPI_Accumulate) under one "
                            "MPI_Win_lock_all with MPI_Win_flush instead of exclusive locks, "
                            "divide the data among several targets, or do more in each epoch: "
                            "fewer, larger batches.");
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/* The bound of work that only the problem's location does is that it took no time there. */
static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        struct fm_cube_excess excess;
        const char *gain;
    } cases[] = {
        {{.is_known = true, .there = 300, .elsewhere = 100},
         "2.000 s -> 1.700 s at best if it took as long there as elsewhere; 1.850 s at best if its "
         "work were spread evenly"},
        {{.is_known = true, .there = 300, .elsewhere = 0},
         "2.000 s -> 1.700 s at best if it took no time there; 1.850 s at best if its work were "
         "spread evenly"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fm_cube *cube = make_cube();
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
        cube->problems[0].gain =
            (struct fm_cube_gain){.is_known = true, .balanced = 150, .removed = 300};
        cube->problems[0].excess = cases[i].excess;
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        assert_string_equal(text_of(&answer.items[0], "Gain"), cases[i].gain);
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/* Predictions replace the bounds; of 2,000 ms. */
/* The replay leaves each task to the thread that has executed it. */
static void test_predicted_gain_with_tasks(void **state)
{
    (void)state;
    const struct fm_cube_prediction prediction = {
        FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE, 300, 300, 0, FM_CUBE_NONE};
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    add(cube, FM_METRIC_OMP_TASK_STARVATION, RECV, 1, 1);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    assert_true(fm_cube_predict(cube, 0, &prediction));
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_string_equal(text_of(&answer.items[0], "Gain"),
                        "predicted if each thread keeps its tasks: 1.700 s instead of 2.000 s "
                        "(-15.0%) if it took on rank 0 what it takes on the others");
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_predicted_gains(void **state)
{
    (void)state;
    static const struct {
        struct fm_cube_prediction predictions[2];
        const char *gain, *advice;
    } cases[] = {
        {{{FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE, 300, 300, 0, FM_CUBE_NONE},
          {FM_PREDICTED_BALANCED, FM_CUBE_NONE, 150, 150, 10, RECV}},
         "predicted: 1.700 s instead of 2.000 s (-15.0%) if it took on rank 0 what it takes on the "
         "others; 1.850 s (-7.5%) if its work were spread evenly",
         "Give rank 0 less of this work, or find out why it takes longer there. Otherwise start "
         "the send before it, or let the receivers compute before MPI_Wait."},
        {{{FM_PREDICTED_MEDIAN, FM_CUBE_NONE, 0, 300, 290, FINALIZE},
          {FM_PREDICTED_NO_BARRIER, FINALIZE, -10, 0, 5, RECV}},
         "predicted: no gain if it took nowhere longer than its median, because then MPI_Finalize "
         "in `main` waits 290.0 ms longer; 2.010 s (+0.5%) without MPI_Finalize in `main` alone, "
         "because then MPI_Recv in `main` waits 5.000 ms longer",
         ""},
        {{{FM_PREDICTED_ABSENT, FM_CUBE_NONE, 100, 300, 200, FINALIZE},
          {FM_PREDICTED_BALANCED, FM_CUBE_NONE, 50, 150, 10, RECV}},
         "predicted: 1.900 s instead of 2.000 s (-5.0%) if it took no time on rank 0: no more, "
         "because then MPI_Finalize in `main` waits 200.0 ms longer; 1.950 s (-2.5%) if its work "
         "were spread evenly",
         "Give rank 0 less of this work, or find out why it takes longer there. Otherwise start "
         "the send before it, or let the receivers compute before MPI_Wait."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fm_cube *cube = make_cube();
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
        cube->problems[0].gain = (struct fm_cube_gain){true, 900, 900};
        assert_true(fm_cube_predict(cube, 0, &cases[i].predictions[0]));
        assert_true(fm_cube_predict(cube, 0, &cases[i].predictions[1]));
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        assert_string_equal(text_of(&answer.items[0], "Gain"), cases[i].gain);
        assert_string_equal(text_of(&answer.items[0], "Try"), cases[i].advice);
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/* Of 2,000 ms: what gains less than 40 ms by its replay is not advised. */
static void test_useless_advice_is_left_out(void **state)
{
    (void)state;
    static const char work[] = "Give rank 0 less of this work, or find out why it takes longer "
                               "there.",
                      barrier[] = "emove the barrier if it protects nothing: delays of different "
                                  "ranks can then even out.";
    static const struct {
        uint32_t kind;
        uint32_t change;       /* of the work, or of the lock */
        int64_t work, barrier; /* gains, ms */
        const char *begin, *otherwise, *end;
    } cases[] = {
        {FM_CAUSE_IMBALANCE, FM_PREDICTED_BALANCED, 40, 40, work, " Otherwise r", barrier},
        {FM_CAUSE_IMBALANCE, FM_PREDICTED_BALANCED, 39, 40, "", "R", barrier},
        {FM_CAUSE_IMBALANCE, FM_PREDICTED_BALANCED, 40, 39, work, "", ""},
        {FM_CAUSE_IMBALANCE, FM_PREDICTED_BALANCED, 39, 39, "", "", ""},
        {FM_CAUSE_IMBALANCE, FM_PREDICTED_BALANCED, 0, -20, "", "", ""},
        {FM_CAUSE_SERIALIZATION, FM_PREDICTED_NO_LOCK, 40, 0,
         "Do less while the lock is held, or divide the data among several locks.",
         " Balancing the work does not help.", ""},
        {FM_CAUSE_SERIALIZATION, FM_PREDICTED_NO_LOCK, 39, 0, "", "", ""},
        {FM_CAUSE_PROGRESS, FM_PREDICTED_PROGRESS, 39, 0, "", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fm_cube_prediction predictions[] = {
            {cases[i].change, FM_CUBE_NONE, cases[i].work, 0, 0, FM_CUBE_NONE},
            {FM_PREDICTED_NO_BARRIER, RECV, cases[i].barrier, 0, 0, FM_CUBE_NONE}};
        struct fm_cube *cube = make_cube();
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        char advice[256];
        add_problem(cube, cases[i].kind, SLOW, 1, FM_METRIC_MPI_BARRIER_WAIT, RECV, 300);
        cube->problems[0].inside = cases[i].kind == FM_CAUSE_SERIALIZATION ? 300 : 0;
        assert_true(fm_cube_predict(cube, 0, &predictions[0]));
        assert_true(fm_cube_predict(cube, 0, &predictions[1]));
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        assert_int_equal(answer.count, 1); /* the problem itself is described */
        assert_string_not_equal(text_of(&answer.items[0], "Gain"), "");
        snprintf(advice, sizeof advice, "%s%s%s", cases[i].begin, cases[i].otherwise, cases[i].end);
        assert_string_equal(text_of(&answer.items[0], "Try"), advice);
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/** @return the index of a new call path */
static uint32_t add_function(struct fm_cube *cube, uint32_t parent, const char *name)
{
    uint32_t region = FM_CUBE_NONE;
    for (uint32_t i = 0; i < cube->region_count; i++) {
        region = strcmp(cube->regions[i].name, name) == 0 ? i : region;
    }
    if (region == FM_CUBE_NONE) {
        region = fm_cube_add_region(cube, name, "user", "a.c", 7);
    }
    return fm_cube_add_callpath(cube, parent, region);
}

static void expect_function(const struct fm_diagnosis *diagnosis, uint32_t callpath,
                            const char *expected)
{
    char *text = fm_place_function(diagnosis, callpath);
    assert_string_equal(text, expected);
    free(text);
}

static void test_names_of_functions(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    /* Where a computation begins is named together with the function that takes the time. */
    uint32_t assemble = add_function(cube, MAIN, "assemble");
    uint32_t kernel = add_function(cube, assemble, "kernel");
    uint32_t exp = add_function(cube, kernel, "exp");
    uint32_t deep = add_function(cube, exp, "deep");
    uint32_t deeper = add_function(cube, deep, "deeper");
    /* A function that calls MPI is none of the computation: only what distinguishes is named. */
    uint32_t solve = add_function(cube, MAIN, "solve");
    assert_true(fm_cube_add_callpath(cube, solve, RECV) != FM_CUBE_NONE);
    uint32_t first = add_function(cube, add_function(cube, solve, "left"), "dot");
    uint32_t second = add_function(cube, add_function(cube, solve, "right"), "dot");
    uint32_t log = add_function(cube, solve, "log");
    uint32_t other = add_function(cube, MAIN, "other");
    assert_true(fm_cube_add_callpath(cube, other, RECV) != FM_CUBE_NONE);
    uint32_t same = add_function(cube, other, "log");
    /* Functions of libraries are not where a computation begins. */
    uint32_t each = add_function(cube, MAIN, "std::for_each<int*>");
    uint32_t smooth = add_function(cube, add_function(cube, each, "body"), "smooth");
    /* Call sites distinguish calls of one function by the same caller. */
    uint32_t lines[2];
    for (uint32_t i = 0; i < 2; i++) {
        lines[i] = add_function(cube, other, "twice");
        cube->callpaths[lines[i]].site = fm_cube_add_site(cube, "src/b.c", 20 + i);
    }
    uint32_t nameless =
        fm_cube_add_callpath(cube, other, fm_cube_add_region(cube, "app+0x12", "user", NULL, 0));
    cube->callpaths[nameless].site = fm_cube_add_site(cube, "app+0x34", 0);
    make_diagnosis(cube, &diagnosis);
    expect_function(&diagnosis, lines[0], "`twice@b.c:20` (a.c:7)");
    expect_function(&diagnosis, lines[1], "`twice@b.c:21` (a.c:7)");
    expect_function(&diagnosis, nameless, "`app+0x12`");
    expect_function(&diagnosis, assemble, "`assemble` (a.c:7)");
    expect_function(&diagnosis, kernel, "`assemble/kernel` (a.c:7)");
    expect_function(&diagnosis, exp, "`assemble/kernel/exp` (a.c:7)");
    expect_function(&diagnosis, deep, "`assemble/kernel/exp/deep` (a.c:7)");
    expect_function(&diagnosis, deeper, "`assemble/.../deep/deeper` (a.c:7)");
    expect_function(&diagnosis, solve, "`solve` (a.c:7)");
    expect_function(&diagnosis, first, "`left/dot` (a.c:7)");
    expect_function(&diagnosis, second, "`right/dot` (a.c:7)");
    expect_function(&diagnosis, log, "`solve/log` (a.c:7)");
    expect_function(&diagnosis, same, "`other/log` (a.c:7)");
    expect_function(&diagnosis, each, "`std::for_each<int*>` (a.c:7)");
    expect_function(&diagnosis, smooth, "`body/smooth` (a.c:7)");
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_startup_is_not_counted),
        cmocka_unit_test(test_costs_of_startup),
        cmocka_unit_test(test_library_calls_are_no_causes_of_imbalance),
        cmocka_unit_test(test_small_problems_are_summed_up),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_functions_without_names),
        cmocka_unit_test(test_samples_of_called_functions),
        cmocka_unit_test(test_advice_fits_the_gain),
        cmocka_unit_test(test_locks_of_threads),
        cmocka_unit_test(test_locks_as_causes),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_predicted_gains),
        cmocka_unit_test(test_useless_advice_is_left_out),
        cmocka_unit_test(test_predicted_gain_with_tasks),
        cmocka_unit_test(test_names_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
