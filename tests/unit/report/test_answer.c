/* The problems that a report shows, and what start-up does to shares and efficiencies. */
#include "check.h"
#include "cube/model/cube.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/time_shares.h"
#include "diagnosis/uncertainty.h"

#include <stdlib.h>
#include <string.h>

enum { MAIN, SLOW, INIT, FINALIZE, RECV };

static void add(struct fm_cube *cube, fm_metric_t metric, uint32_t callpath, uint32_t location,
                int64_t value)
{
    assert_int_equal(fm_cube_add(cube, metric, callpath, location, value, NULL), FM_OK);
}

/** Two ranks and a clock of milliseconds. Rank 0 computes 800 ms in `slow` and 200 ms in main, rank
 * 1 500 ms in main, and then waits for rank 0: 300 ms in MPI_Recv, 200 ms in MPI_Finalize. Rank 1
 * is in MPI_Init for 900 ms, rank 0 for 400 ms of waiting and 500 ms more. */
static struct fm_cube *make_cube(void)
{
    static const char *const regions[] = {"main", "slow", "MPI_Init", "MPI_Finalize", "MPI_Recv"};
    struct fm_cube *cube = fm_cube_create();
    assert_non_null(cube);
    cube->experiment.ticks_per_second = 1000;
    cube->experiment.end = 2000;
    cube->experiment.process_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(fm_cube_add_location(cube, i, i, 0, "node", "rank"), i);
    }
    for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        const char *paradigm = i < INIT ? "user" : "mpi";
        uint32_t region = fm_cube_add_region(cube, regions[i], paradigm, NULL, 0);
        assert_int_equal(fm_cube_add_callpath(cube, i == 0 ? FM_CUBE_NONE : MAIN, region), i);
    }
    add(cube, FM_METRIC_COMP, SLOW, 0, 800);
    add(cube, FM_METRIC_COMP, MAIN, 0, 200);
    add(cube, FM_METRIC_COMP, MAIN, 1, 500);
    add(cube, FM_METRIC_MPI_LATESENDER, RECV, 1, 300);
    add(cube, FM_METRIC_MPI_FINALIZE_WAIT, FINALIZE, 1, 200);
    add(cube, FM_METRIC_MPI_INIT_EXIT, FINALIZE, 0, 100);
    add(cube, FM_METRIC_MPI_INIT_EXIT, FINALIZE, 1, 100);
    add(cube, FM_METRIC_MPI_INIT_WAIT, INIT, 0, 400);
    add(cube, FM_METRIC_MPI_INIT_EXIT, INIT, 0, 500);
    add(cube, FM_METRIC_MPI_INIT_EXIT, INIT, 1, 900);
    return cube;
}

/** Appends a problem on rank 1 - `waiter` with a wait state of rank `waiter`. */
static void add_problem(struct fm_cube *cube, uint32_t kind, uint32_t callpath, uint32_t waiter,
                        fm_metric_t metric, uint32_t place, int64_t cost)
{
    uint32_t locations[] = {1 - waiter};
    struct fm_cube_symptom symptom = {metric, place, 1, &waiter, cost};
    const struct fm_cube_problem problem = {
        .kind = kind,
        .callpath = callpath,
        .phase = FM_CUBE_NONE,
        .lock = FM_CUBE_NONE,
        .location_count = kind == FM_CAUSE_UNATTRIBUTED ? 0 : 1,
        .locations = locations,
        .cost = cost,
        .symptom_count = 1,
        .symptoms = &symptom,
    };
    assert_int_equal(fm_cube_add_problem(cube, &problem, NULL), FM_OK);
}

static void make_diagnosis(struct fm_cube *cube, struct fm_diagnosis *diagnosis)
{
    const struct fm_diagnosis_options options = {.width = 80, .utf8 = true};
    assert_int_equal(fm_cube_seal(cube, NULL), FM_OK);
    assert_int_equal(fm_diagnosis_make(diagnosis, cube, &options, NULL), FM_OK);
}

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

/** @return the text of a problem with this label, "" if there is none */
static const char *text_of(const struct fm_cause_text *problem, const char *label)
{
    for (size_t i = 0; i < problem->lines.count; i++) {
        if (strcmp(problem->lines.items[i].label, label) == 0) {
            return problem->lines.items[i].text;
        }
    }
    return "";
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

static void expect_efficiency(bool known, double share, const char *expected)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_efficiency run;
    char text[FM_UNCERTAIN_SIZE];
    make_diagnosis(cube, &diagnosis);
    assert_true(fm_diagnosis_efficiency(&diagnosis, &run));
    cube->errors.are_known = known;
    cube->errors.computation = (uint64_t)(share * run.time);
    assert_string_equal(
        fm_format_efficiency(text, &diagnosis, 0.75, fm_errors_of_efficiency(cube, &run).parallel),
        expected);
    fm_cube_free(cube);
}

static void assert_near(double found, double expected)
{
    assert_true(found > expected - 1e-12 && found < expected + 1e-12);
}

/* A run of 1000 ticks on 4 locations: on average 600 of computation, 750 on the busiest one; 800 on
 * an ideal network. The recorder took 40 of all 4000 ticks, 20 of them on one location; clocks of
 * nodes differ by 8. */
static void test_errors_of_the_efficiencies(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    const struct fm_efficiency run = {.parallel = 0.6,
                                      .load_balance = 0.8,
                                      .communication = 0.75,
                                      .serialization = 0.9375,
                                      .transfer = 0.8,
                                      .time = 4000,
                                      .duration = 1000};
    cube->errors =
        (struct fm_cube_errors){.clock = 8, .computation = 40, .longest_computation = 20};
    assert_near(fm_errors_of_efficiency(cube, &run).parallel, 0); /* not known */
    cube->errors.are_known = true;
    struct fm_efficiency errors = fm_errors_of_efficiency(cube, &run);
    assert_near(errors.parallel, 0.01);
    assert_near(errors.communication, 0.02);
    assert_near(errors.load_balance, 0.8 * 0.02 / 0.75);
    assert_near(errors.transfer, 0.02);
    assert_near(errors.serialization, 20.0 / 800);
    /* One node has one clock, unless each process has its own. */
    cube->clock.is_estimated = true;
    errors = fm_errors_of_efficiency(cube, &run);
    assert_near(errors.communication, 0.02);
    assert_near(errors.transfer, 0.028);
    assert_near(errors.serialization, (20 + 0.9375 * 8) / 800);
    cube->clock.is_estimated = false;
    free(cube->locations[1].node);
    cube->locations[1].node = strdup("other");
    assert_near(fm_errors_of_efficiency(cube, &run).transfer, 0.028);
    fm_cube_free(cube);
}

/* Half of the waiting has half of the error; a gain is as wrong as so much waiting. */
static void test_errors_of_parts_of_the_waiting(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    char text[FM_UNCERTAIN_SIZE];
    const struct fm_cube_statistics late = {
        .metric = FM_METRIC_MPI_LATESENDER, .count = 2, .sum = 400, .error = 40};
    const struct fm_cube_link link = {
        .to = 1, .metric = FM_METRIC_MPI_LATESENDER, .amount = 100, .error = 3};
    assert_int_equal(fm_cube_add_statistics(cube, &late, NULL), FM_OK);
    make_diagnosis(cube, &diagnosis);
    assert_int_equal(fm_error_of_waiting(cube, 200), 0); /* not known */
    cube->errors.are_known = true;
    assert_int_equal(fm_error_of_waiting(cube, 200), 20);
    assert_int_equal(fm_error_of_link(cube, FM_MATRIX_DELAYS, &link), 3);
    assert_int_equal(fm_error_of_link(cube, FM_MATRIX_BLAME, &link), 10);
    assert_int_equal(fm_error_of_link(cube, FM_MATRIX_MESSAGES, &link), 0);
    assert_string_equal(fm_format_uncertain_time(text, &diagnosis, 200, 20, 1000),
                        "200.0 ms (\u00b120.00 ms)");
    assert_string_equal(fm_format_uncertain_time(text, &diagnosis, 200, 20, 50000), "200.0 ms");
    assert_string_equal(fm_format_error(text, &diagnosis, ", ", 20, 1000), ", \u00b12.0%");
    assert_string_equal(fm_format_error(text, &diagnosis, ", ", 20, 50000), "");
    fm_cube_free(cube);
}

static void test_error_of_the_efficiency(void **state)
{
    (void)state;
    expect_efficiency(true, 0.02, "75.0% (\u00b12.0)");
    expect_efficiency(true, 0.0001, "75.0%");
    expect_efficiency(false, 0.02, "75.0%");
}

/** The cause has `there` samples on its location, and `elsewhere` on the other one. */
static void expect_sure(int64_t there, int64_t elsewhere, const char *expected)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    assert_int_equal(fm_cube_set_text(&cube->experiment.creator, "fermata 1", NULL), FM_OK);
    add(cube, FM_METRIC_SAMPLES, SLOW, 0, there);
    add(cube, FM_METRIC_SAMPLES, SLOW, 1, elsewhere);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_string_equal(text_of(&answer.items[0], "Sure"), expected);
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

/** On rank 0, main computes 200 ms of its own, `slow`, which it calls, 800 ms or as long as told.
 */
static void expect_sure_of_caller(int64_t main_samples, int64_t slow_samples, int64_t slow_time,
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
    assert_string_equal(text_of(&answer.items[0], "Sure"), expected);
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_samples_of_called_functions(void **state)
{
    (void)state;
    expect_sure_of_caller(0, 12, 100,
                          "0 of 12 samples are in `main` itself, 12 in `slow`: probably most of "
                          "this time is spent there");
    /* 200 ms of 300 ms are those of `slow` by its samples, 100 ms of the caller's 200 ms. */
    expect_sure_of_caller(
        33, 66, 100,
        "33 samples only: some of this time may be that of functions that `main` calls");
    expect_sure_of_caller(32, 68, 100,
                          "32 of 100 samples are in `main` itself, 68 in `slow`: probably most of "
                          "this time is spent there");
    /* `slow` is known to take as long as its samples show. */
    expect_sure_of_caller(
        2, 8, 800, "2 samples only: some of this time may be that of functions that `main` calls");
    expect_sure_of_caller(
        0, 4, 100, "no samples: some of this time may be that of functions that `main` calls");
}

static void test_samples(void **state)
{
    (void)state;
    expect_sure(100, 0, "");
    expect_sure(99, 1000,
                "99 samples only: some of this time may be that of functions that `slow` calls");
    expect_sure(1, 0,
                "1 sample only: some of this time may be that of functions that `slow` calls");
    expect_sure(0, 5, "no samples: some of this time may be that of functions that `slow` calls");
    /* A leaf of the call tree that calls no MPI is in it by other means than samples. */
    expect_sure(0, 0, "");
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

/* Predictions replace the bounds; of 2,000 ms. */
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
         "Start the send before it, or let the receivers compute before MPI_Wait."},
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

/** Adds computation of `slow` on a rank, all of it measured, and its time without a processor, all
 * of it confirmed by the scheduler. */
static void add_load(struct fm_cube *cube, uint32_t location, int64_t more, int64_t stolen)
{
    int64_t time = more + (location == 0 ? 800 : 0); /* make_cube() */
    add(cube, FM_METRIC_COMP, SLOW, location, more);
    add(cube, FM_METRIC_MEASURED_TIME, SLOW, location, time);
    add(cube, FM_METRIC_STOLEN_TIME, SLOW, location, stolen);
    add(cube, FM_METRIC_DELAY_MEASURED_TIME, SLOW, location, time);
    add(cube, FM_METRIC_RUN_DELAY, SLOW, location, stolen);
}

/* Predictions hold for processors as scarce as they were: 40 of 800 ms of computation are notable,
 * 39 are not; 5 % of all time are, 4 % are not. */
static void test_predicted_gains_of_crowded_runs(void **state)
{
    (void)state;
    static const struct fm_cube_prediction prediction = {
        FM_PREDICTED_AS_OTHERS, FM_CUBE_NONE, 300, 300, 0, FM_CUBE_NONE};
    static const char *const gains[] = {
        "predicted: 1.700 s instead of 2.000 s (-15.0%) if it took on rank 0 what it takes on the "
        "others",
        "predicted for processors as scarce as in this run: 1.700 s instead of 2.000 s (-15.0%) if "
        "it took on rank 0 what it takes on the others"};
    for (int64_t i = 0; i < 4; i++) {
        struct fm_cube *cube = make_cube();
        struct fm_diagnosis diagnosis;
        struct fm_answer answer;
        if (i < 2) {
            add_load(cube, 1, 800, 39 + i);
        } else {
            cube->experiment.lack_of_processors = (uint32_t)(4 + i - 2);
        }
        add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
        assert_true(fm_cube_predict(cube, 0, &prediction));
        make_diagnosis(cube, &diagnosis);
        fm_answer_make(&diagnosis, 8, &answer);
        assert_string_equal(text_of(&answer.items[0], "Gain"), gains[i % 2]);
        fm_answer_free(&answer);
        fm_cube_free(cube);
    }
}

/** Describes `slow` on rank 0 as a problem with this gain, both ways, and frees the cube. */
static void expect_load(struct fm_cube *cube, uint64_t gain, int64_t cost, const char *load,
                        const char *without_cause)
{
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    cube->problems[0].gain = (struct fm_cube_gain){true, gain, gain};
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_int_equal(answer.unavoidable, 300 - cost);
    assert_int_equal(answer.count, cost > 0 ? 1 : 0);
    if (cost > 0) {
        assert_int_equal(answer.items[0].cost, cost);
        assert_string_equal(text_of(&answer.items[0], "Load"), load);
    }
    if (without_cause != NULL) {
        assert_non_null(strstr(answer.without_cause.items[0].text, without_cause));
    }
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_lack_of_processors(void **state)
{
    (void)state;
    /* Rank 0 alone had to share its processor: its 400 ms of CPU time are those of rank 1. */
    struct fm_cube *cube = make_cube();
    add_load(cube, 0, 0, 400);
    add_load(cube, 1, 400, 0);
    expect_load(cube, 200, 0, "", "lack of processors 12.5% (most in `slow`)");

    /* Both had a processor for a quarter of the time; rank 0 needs 200 ms of it, rank 1 100 ms. The
     * difference is the program's. */
    cube = make_cube();
    add_load(cube, 0, 0, 600);
    add_load(cube, 1, 400, 300);
    expect_load(cube, 200, 300,
                "no processor for 75.0% of this time: without other load on the machine it is "
                "shorter",
                NULL);

    /* In CPU time rank 0 needs 200 ms more than rank 1, which waits for 300 ms. */
    cube = make_cube();
    add_load(cube, 0, 0, 200);
    add_load(cube, 1, 400, 0);
    expect_load(cube, 200, 200,
                "no processor for 25.0% of this time; 100.0 ms of waiting because of that is not "
                "counted here",
                "lack of processors 4.2% (most in `slow`)");

    /* Rank 1 is never there: the lack of processors is the same in all that was measured. */
    cube = make_cube();
    add_load(cube, 0, 0, 600);
    expect_load(cube, 200, 300,
                "no processor for 75.0% of this time: without other load on the machine it is "
                "shorter",
                NULL);

    /* The scheduler does not confirm it: rank 0 slept. */
    cube = make_cube();
    add(cube, FM_METRIC_MEASURED_TIME, SLOW, 0, 800);
    add(cube, FM_METRIC_STOLEN_TIME, SLOW, 0, 400);
    add(cube, FM_METRIC_DELAY_MEASURED_TIME, SLOW, 0, 800);
    expect_load(cube, 200, 300, "", NULL);
}

/** What a rank has counted in `slow`; 1 tick is 1 ms. */
struct counted {
    int64_t more; /**< computation besides that of make_cube() */
    int64_t measured, stolen, kernel, faults, preemptions, switches;
};

static void add_counted(struct fm_cube *cube, uint32_t location, const struct counted *counted)
{
    add(cube, FM_METRIC_COMP, SLOW, location, counted->more);
    add(cube, FM_METRIC_MEASURED_TIME, SLOW, location, counted->measured);
    add(cube, FM_METRIC_STOLEN_TIME, SLOW, location, counted->stolen);
    add(cube, FM_METRIC_DELAY_MEASURED_TIME, SLOW, location, counted->measured);
    add(cube, FM_METRIC_COUNTER_USAGE_TIME_SYSTEM, SLOW, location, counted->kernel);
    add(cube, FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR, SLOW, location, counted->faults);
    add(cube, FM_METRIC_COUNTER_USAGE_PREEMPTIONS, SLOW, location, counted->preemptions);
    add(cube, FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY, SLOW, location, counted->switches);
}

/** The problem is `slow` on rank 0, which computes for 800 ms there; rank 1 for 400 ms. */
static void expect_reason(const struct counted *there, const struct counted *other, const char *why,
                          const char *advice)
{
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    add_counted(cube, 0, there);
    add_counted(cube, 1, other);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    cube->problems[0].gain = (struct fm_cube_gain){true, 200, 200};
    make_diagnosis(cube, &diagnosis);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_int_equal(answer.count, 1);
    assert_string_equal(text_of(&answer.items[0], "Why"), why);
    assert_non_null(strstr(text_of(&answer.items[0], "Try"), advice));
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_reasons_in_the_kernel(void **state)
{
    (void)state;
    static const char balance[] = "Give rank 0 less of this work";
    const struct counted other = {.more = 400, .measured = 400, .faults = 40, .switches = 1};
    /* 300 of the 400 ms that it takes longer, 3 us for each page fault. */
    struct counted there = {.measured = 800, .kernel = 300, .faults = 100040, .preemptions = 3};
    expect_reason(&there, &other,
                  "100,040 page faults there, 40 on the other rank: the kernel works 300.0 ms "
                  "longer, 75.0% of what it takes longer",
                  "Allocate once");
    /* Rank 1 has more than half as many, and is not late. */
    struct counted as_many = other;
    as_many.faults = 60000;
    expect_reason(&there, &as_many,
                  "the kernel works 300.0 ms longer there, 75.0% of what it takes longer: system "
                  "calls, or page faults of large pages (100,040 page faults there, 60,000 on the "
                  "other rank)",
                  "Page faults are the usual reason");
    /* The kernel works as long for rank 1: no reason. */
    as_many.kernel = 250;
    expect_reason(&there, &as_many, "", balance);
    /* Too few page faults for the time of the kernel. */
    there.faults = 1000;
    expect_reason(&there, &other,
                  "the kernel works 300.0 ms longer there, 75.0% of what it takes longer: system "
                  "calls, or page faults of large pages (1,000 page faults there, 40 on the other "
                  "rank)",
                  "Page faults are the usual reason");
    /* Too little time for many page faults. */
    there = (struct counted){.measured = 800, .kernel = 199, .faults = 100000};
    expect_reason(&there, &other, "", balance);
    /* Less than half of the computation was measured. */
    there = (struct counted){.measured = 399, .kernel = 300, .faults = 100000};
    expect_reason(&there, &other, "", balance);
    /* It waits in the operating system: the scheduler confirms no waiting for a processor. */
    there = (struct counted){.measured = 800, .stolen = 350, .switches = 120, .faults = 7};
    expect_reason(&there, &other,
                  "it waits in the operating system 120 times there, 1 time on the other rank "
                  "(page faults from disk: 0): 350.0 ms, 87.5% of what it takes longer",
                  "strace");
    /* The time, but no context switch that would explain it. */
    there.switches = 1;
    expect_reason(&there, &other, "", balance);
}

static void test_preemptions_of_a_load(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    add_load(cube, 0, 0, 400);
    add_load(cube, 1, 400, 0);
    add(cube, FM_METRIC_COUNTER_USAGE_PREEMPTIONS, SLOW, 0, 41);
    add(cube, FM_METRIC_COUNTER_USAGE_PREEMPTIONS, SLOW, 1, 2);
    expect_load(cube, 200, 0, "",
                "lack of processors 12.5% (most in `slow`: preempted 41 times there, 2 times on "
                "the other rank)");
    cube = make_cube();
    add_load(cube, 0, 0, 200);
    add_load(cube, 1, 400, 0);
    add(cube, FM_METRIC_COUNTER_USAGE_PREEMPTIONS, SLOW, 0, 1);
    expect_load(cube, 200, 200,
                "no processor for 25.0% of this time (preempted 1 time there, 0 times on the "
                "other rank); 100.0 ms of waiting because of that is not counted here",
                NULL);
    /* Counter and clock contradict each other. */
    cube = make_cube();
    add_load(cube, 0, 0, 400);
    add_load(cube, 1, 400, 0);
    add(cube, FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY, SLOW, 1, 9);
    expect_load(cube, 200, 0, "",
                "lack of processors 12.5% (most in `slow`: the kernel counted no context switch "
                "there, which contradicts this)");
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
    make_diagnosis(cube, &diagnosis);
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
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_startup_is_not_counted),
        cmocka_unit_test(test_costs_of_startup),
        cmocka_unit_test(test_library_calls_are_no_causes_of_imbalance),
        cmocka_unit_test(test_small_problems_are_summed_up),
        cmocka_unit_test(test_error_of_the_efficiency),
        cmocka_unit_test(test_errors_of_the_efficiencies),
        cmocka_unit_test(test_errors_of_parts_of_the_waiting),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_samples_of_called_functions),
        cmocka_unit_test(test_advice_fits_the_gain),
        cmocka_unit_test(test_predicted_gains),
        cmocka_unit_test(test_predicted_gains_of_crowded_runs),
        cmocka_unit_test(test_lack_of_processors),
        cmocka_unit_test(test_reasons_in_the_kernel),
        cmocka_unit_test(test_preemptions_of_a_load),
        cmocka_unit_test(test_names_of_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
