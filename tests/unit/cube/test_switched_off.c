/* SPDX-License-Identifier: BSD-3-Clause */
/* What was switched off, and findings of counters, in reports and in what is made of them. */
#include "check.h"
#include "cube/merge/unite.h"
#include "cube/model/cube.h"
#include "cube/view/view.h"
#include "sample_cube.h"

#include <stdlib.h>
#include <unistd.h>

static void test_reports_keep_it(void **state)
{
    (void)state;
    char path[] = "/tmp/fermata-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct fm_error error;
    struct fm_cube *cube = sample_cube(), *read, *part;
    assert_int_equal(cube->switched_off_count, 0);
    fm_cube_switch_off(cube, "mpi_latesender");
    fm_cube_switch_off(cube, "own pattern");
    fm_cube_switch_off(cube, "mpi_latesender");
    assert_int_equal(cube->switched_off_count, 2);
    assert_int_equal(fm_cube_write(cube, path, &error), FM_OK);
    assert_int_equal(fm_cube_read(path, &read, &error), FM_OK);
    assert_int_equal(read->switched_off_count, 2);
    assert_true(fm_cube_is_switched_off(read, "mpi_latesender"));
    assert_true(fm_cube_is_switched_off(read, "own pattern"));
    assert_false(fm_cube_is_switched_off(read, "own"));
    assert_int_equal(fm_cube_restrict(read, 0, &part, &error), FM_OK);
    assert_true(fm_cube_is_switched_off(part, "own pattern"));
    fm_cube_free(part);
    fm_cube_free(read);
    fm_cube_free(cube);
    unlink(path);
}

static void test_merged_reports_have_that_of_all(void **state)
{
    (void)state;
    struct fm_error error;
    struct fm_cube *first = sample_cube(), *second = sample_cube(), *merged;
    fm_cube_switch_off(first, "mpi_latesender");
    fm_cube_switch_off(second, "mpi_latereceiver");
    const struct fm_cube *const cubes[] = {first, second};
    const char *const names[] = {"first", "second"};
    assert_int_equal(fm_cube_merge(cubes, names, 2, &merged, &error), FM_OK);
    assert_int_equal(merged->switched_off_count, 2);
    fm_cube_free(merged);
    assert_int_equal(fm_cube_mean(cubes, names, 2, &merged, &error), FM_OK);
    assert_int_equal(merged->switched_off_count, 2);
    fm_cube_free(merged);
    fm_cube_free(first);
    fm_cube_free(second);
}

static void check_finding(const struct fm_cube *cube, uint32_t number, const char *statement,
                          bool is_contradiction)
{
    assert_true(number < cube->finding_count);
    assert_string_equal(cube->findings[number].id, "flood");
    assert_string_equal(cube->findings[number].statement, statement);
    assert_string_equal(cube->findings[number].advice, "Post receives.");
    assert_int_equal(cube->findings[number].is_contradiction, is_contradiction);
}

static void test_findings(void **state)
{
    (void)state;
    char path[] = "/tmp/fermata-test-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct fm_error error;
    struct fm_cube *cube = sample_cube(), *read, *part, *merged;
    struct fm_cube_finding finding = {.id = (char *)"flood",
                                      .statement = (char *)"Rank 1: 10 %.",
                                      .advice = (char *)"Post receives."};
    fm_cube_add_finding(cube, &finding);
    finding.is_contradiction = true;
    fm_cube_add_finding(cube, &finding);
    assert_int_equal(fm_cube_write(cube, path, &error), FM_OK);
    assert_int_equal(fm_cube_read(path, &read, &error), FM_OK);
    assert_int_equal(read->finding_count, 2);
    check_finding(read, 0, "Rank 1: 10 %.", false);
    check_finding(read, 1, "Rank 1: 10 %.", true);
    /* They are about the whole run. */
    assert_int_equal(fm_cube_restrict(read, 0, &part, &error), FM_OK);
    assert_int_equal(part->finding_count, 0);
    fm_cube_free(part);
    const struct fm_cube *const cubes[] = {cube, read};
    const char *const names[] = {"first", "second"};
    assert_int_equal(fm_cube_mean(cubes, names, 2, &merged, &error), FM_OK);
    assert_int_equal(merged->finding_count, 4);
    check_finding(merged, 0, "first: Rank 1: 10 %.", false);
    check_finding(merged, 3, "second: Rank 1: 10 %.", true);
    fm_cube_free(merged);
    fm_cube_free(read);
    fm_cube_free(cube);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_keep_it),
        cmocka_unit_test(test_merged_reports_have_that_of_all),
        cmocka_unit_test(test_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
