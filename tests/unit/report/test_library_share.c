/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose time of a cause that of libraries is, and what communication itself takes. */
#include "answer_cube.h"
#include "diagnosis/efficiency/transfer.h"
#include "diagnosis/problems/library_share.h"

/** @return the new call path of a function below another one */
static uint32_t add_function(struct fm_cube *cube, const char *name, const char *file,
                             uint32_t caller)
{
    const uint32_t region = fm_cube_add_region(cube, name, "user", file, 0);
    return fm_cube_add_callpath(cube, caller, region);
}

static void expect_share(const struct fm_diagnosis *diagnosis, uint32_t problem,
                         const char *expected)
{
    char *text = fm_library_share(diagnosis, &diagnosis->cube->problems[problem]);
    assert_string_equal(text, expected);
    free(text);
}

static void test_shares(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    const uint32_t sine = add_function(cube, "__sin_fma", "libm.so.6", SLOW);
    const uint32_t inner = add_function(cube, "reduce", "libm.so.6", sine);
    const uint32_t nameless = add_function(cube, "libx.so+0x10", "libx.so", SLOW);
    const uint32_t other = add_function(cube, "libx.so+0x20", "libx.so", SLOW);
    const uint32_t small = add_function(cube, "std::sort", NULL, SLOW);
    const uint32_t own = add_function(cube, "step", "/src/step.c", small);
    add(cube, FM_METRIC_COMP, sine, 0, 700);
    add(cube, FM_METRIC_COMP, inner, 0, 100);
    add(cube, FM_METRIC_COMP, nameless, 0, 150);
    add(cube, FM_METRIC_COMP, other, 0, 150);
    add(cube, FM_METRIC_COMP, small, 0, 100);
    add(cube, FM_METRIC_COMP, own, 0, 5000);  /* of the program: another cause */
    add(cube, FM_METRIC_COMP, sine, 1, 9000); /* not where the problem is; more than there */
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    add_problem(cube, FM_CAUSE_IMBALANCE, MAIN, 1, FM_METRIC_MPI_LATESENDER, RECV, 200);
    make_diagnosis(cube, &diagnosis);
    assert_int_equal(fm_cube_function_of(cube, inner), SLOW);
    assert_int_equal(fm_cube_function_of(cube, own), own);
    assert_int_equal(fm_cube_function_of(cube, RECV), RECV);
    /* Of 2000: 800 in __sin_fma and below, 300 in libx.so, 100 in std::sort, 800 in slow itself. */
    expect_share(&diagnosis, 0, " (40 % in `__sin_fma`, 15 % in libx.so)");
    expect_share(&diagnosis, 1, "");
    fm_cube_free(cube);
}

/* What is as long on the other ranks has no part of what the function takes longer. */
static void test_shares_of_the_excess(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    const uint32_t sine = add_function(cube, "__sin_fma", "libm.so.6", SLOW);
    const uint32_t copy = add_function(cube, "memcpy", "libc.so.6", SLOW);
    add(cube, FM_METRIC_COMP, sine, 0, 700);
    add(cube, FM_METRIC_COMP, sine, 1, 600);
    add(cube, FM_METRIC_COMP, copy, 0, 500);
    add(cube, FM_METRIC_COMP, copy, 1, 400);
    add_problem(cube, FM_CAUSE_IMBALANCE, SLOW, 1, FM_METRIC_MPI_LATESENDER, RECV, 300);
    make_diagnosis(cube, &diagnosis);
    /* slow itself 800 longer, each of the others 100: of 1000. */
    expect_share(&diagnosis, 0, " (10 % in `__sin_fma`, 10 % in `memcpy`)");
    fm_cube_free(cube);
}

static void test_transfer(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube();
    struct fm_diagnosis diagnosis;
    add(cube, FM_METRIC_MPI_POINT2POINT, RECV, 0, 60);
    add(cube, FM_METRIC_MPI_POINT2POINT, RECV, 1, 180);
    add(cube, FM_METRIC_VISITS, RECV, 0, 1);
    add(cube, FM_METRIC_VISITS, RECV, 1, 3);
    add(cube, FM_METRIC_BYTES_RCVD, RECV, 1, 4096);
    make_diagnosis(cube, &diagnosis);
    const struct fm_transfer_time transfer = fm_transfer_find(&diagnosis);
    assert_true(
        transfer.is_notable); /* 240 of 2240; neither the Late Sender nor Init are part of it */
    assert_int_equal(transfer.ticks, 240);
    assert_int_equal(transfer.callpath, RECV);
    assert_int_equal(transfer.calls, 4);
    assert_int_equal(transfer.bytes, 4096);
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_shares_of_the_excess),
        cmocka_unit_test(test_transfer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
