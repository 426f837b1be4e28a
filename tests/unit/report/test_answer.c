/* The problems that a report shows, and what start-up does to shares and efficiencies. */
#include "check.h"
#include "cube/model/cube.h"
#include "diagnosis/efficiency.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/time_shares.h"

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

static void test_samples(void **state)
{
    (void)state;
    expect_sure(100, 0, "");
    expect_sure(99, 1000, "`slow` may contain functions that make no MPI calls: 99 samples");
    expect_sure(1, 0, "`slow` may contain functions that make no MPI calls: 1 sample");
    expect_sure(0, 5, "`slow` may contain functions that make no MPI calls: 0 samples");
    /* A leaf of the call tree that calls no MPI is in it by other means than samples. */
    expect_sure(0, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_startup_is_not_counted),
        cmocka_unit_test(test_costs_of_startup),
        cmocka_unit_test(test_library_calls_are_no_causes_of_imbalance),
        cmocka_unit_test(test_small_problems_are_summed_up),
        cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
