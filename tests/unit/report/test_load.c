/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems of a run that lacked processors, and the reasons for loads that the kernel counts. */
#include "answer_cube.h"

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

    /* The same, but little would be gained: what the lack of processors leaves is not told from
     * it. */
    cube = make_cube();
    add_load(cube, 0, 0, 200);
    add_load(cube, 1, 400, 0);
    expect_load(cube, 50, 0, "", "lack of processors 12.5% (most in `slow`)");

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
    add(cube, FM_METRIC_BLOCKED_TIME, SLOW, 0, 400);
    expect_load(cube, 200, 300, "", NULL);

    /* It is not known whether rank 0 slept: nothing is taken for lack of processors. */
    cube = make_cube();
    add(cube, FM_METRIC_MEASURED_TIME, SLOW, 0, 800);
    add(cube, FM_METRIC_STOLEN_TIME, SLOW, 0, 400);
    add(cube, FM_METRIC_UNRESOLVED_TIME, SLOW, 0, 400);
    expect_load(
        cube, 200, 300,
        "did not run for 50.0% of this time; unknown whether it waited for a processor or in "
        "the operating system",
        NULL);
}

/* A quarter of rank 0's 800 ms is measured, of which it had no processor for 50 ms: for 200 ms in
 * all, if the run delay of all threads is as long as that. */
static void test_computation_that_is_measured_in_part(void **state)
{
    (void)state;
    static const struct {
        uint32_t lack; /* percent of 2400 ms */
        int64_t cost;
        const char *load;
    } runs[] = {
        {10, 200,
         "no processor for about 25.0% of this time; 100.0 ms of waiting because of that is not "
         "counted here"},
        {2, 300,
         "no processor for 6.2% of this time: without other load on the machine it is shorter"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct fm_cube *cube = make_cube();
        cube->experiment.lack_of_processors = runs[i].lack;
        add(cube, FM_METRIC_MEASURED_TIME, SLOW, 0, 200);
        add(cube, FM_METRIC_STOLEN_TIME, SLOW, 0, 50);
        add(cube, FM_METRIC_DELAY_MEASURED_TIME, SLOW, 0, 200);
        add(cube, FM_METRIC_RUN_DELAY, SLOW, 0, 50);
        add_load(cube, 1, 400, 0);
        expect_load(cube, 200, runs[i].cost, runs[i].load, NULL);
    }
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
    add(cube, FM_METRIC_BLOCKED_TIME, SLOW, location, counted->stolen);
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
    /* One long wait, as often as the other rank. */
    there.switches = 1;
    expect_reason(&there, &other,
                  "it waits in the operating system 1 time there, 1 time on the other rank "
                  "(page faults from disk: 0): 350.0 ms, 87.5% of what it takes longer",
                  "strace");
    /* The time, but no context switch that would explain it. */
    there.switches = 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicted_gains_of_crowded_runs),
        cmocka_unit_test(test_lack_of_processors),
        cmocka_unit_test(test_computation_that_is_measured_in_part),
        cmocka_unit_test(test_reasons_in_the_kernel),
        cmocka_unit_test(test_preemptions_of_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
