/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters beside a trace: their findings and contradictions become a part of the report. */
#include "check.h"
#include "cli/counters/counter_join.h"
#include "counter_files.h"
#include "sample_cube.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, COUNTERS = 9 };

static const char *const names[COUNTERS] = {
    "mpi.messages_sent",  "mpi.messages_received", "mpi.bytes_sent",
    "mpi.bytes_received", "EAGER_MESSAGES",        "NOT_EAGER_MESSAGES",
    "UNEXPECTED",         "mpi.collectives",       "shmem.collectives"};

static char folder[] = "/tmp/fermata-join-XXXXXX";

/* What the sample's ranks have sent and received; nothing from inside of the library. */
static void write_equal(int64_t values[RANKS][COUNTERS])
{
    for (int rank = 0; rank < RANKS; rank++) {
        for (int i = 0; i < COUNTERS; i++) {
            values[rank][i] = i < 4 ? 0 : -1;
        }
    }
    values[1][1] = 1200;
    values[1][3] = 1258291200;
    values[3][2] = INT64_C(9007199254740993);
}

static void write_all(int64_t values[RANKS][COUNTERS])
{
    for (unsigned rank = 0; rank < RANKS; rank++) {
        write_counters(folder, rank, RANKS, COUNTERS, names, values[rank]);
    }
}

static struct fm_cube *join(bool is_whole)
{
    struct fm_cube *cube = sample_cube();
    fm_counters_join(folder, is_whole, cube);
    remove_counters(folder, RANKS);
    return cube;
}

static void equal_numbers_are_no_finding(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 0);
    fm_cube_free(cube);
    cube = join(true); /* there are no files */
    assert_int_equal(cube->finding_count, 0);
    fm_cube_free(cube);
}

static void numbers_that_differ_contradict(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    values[2][1] = 7;
    values[3][1] = 8;
    values[1][3]--;
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 2);
    assert_true(cube->findings[0].is_contradiction);
    assert_string_equal(cube->findings[0].id, "counters-and-trace");
    assert_string_equal(cube->findings[0].statement,
                        "Counters and trace contradict each other in 2 of 4 ranks: rank 2 has 7 "
                        "messages received by its counters, 0 by the trace.");
    assert_string_equal(cube->findings[1].statement,
                        "Counters and trace contradict each other in 1 of 4 ranks: rank 1 has "
                        "1,258,291,199 bytes received by its counters, 1,258,291,200 by the "
                        "trace.");
    fm_cube_free(cube);
    write_all(values);
    cube = join(false);
    assert_int_equal(cube->finding_count, 1); /* the one of most ranks */
    assert_false(cube->findings[0].is_contradiction);
    assert_non_null(strstr(cube->findings[0].statement, "The trace lacks what counters have in 2"));
    fm_cube_free(cube);
}

/* The metrics of the report have the collective operations of all models. */
static void collectives_that_differ_contradict(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    values[0][7] = 0;
    values[2][7] = 12;
    values[3][7] = 12;
    values[3][8] = 1;
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 1);
    assert_true(cube->findings[0].is_contradiction);
    assert_string_equal(cube->findings[0].statement,
                        "Counters and trace contradict each other in 1 of 4 ranks: rank 2 has 12 "
                        "collective operations by its counters, 0 by the trace.");
    fm_cube_free(cube);
}

static const struct fm_cube_unexpected bounds = {.messages = 5000,
                                                 .least = 2600,
                                                 .most = 3000,
                                                 .queue_least = 1900,
                                                 .queue_most = 2100,
                                                 .bytes_least = 19000,
                                                 .bytes_most = 21000};

/* Joins a report whose rank 1 has these bounds. */
static struct fm_cube *join_bounded(void)
{
    struct fm_cube *cube = sample_cube();
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].rank == 1 && cube->locations[i].thread == 0) {
            cube->locations[i].unexpected = bounds;
        }
    }
    fm_counters_join(folder, true, cube);
    remove_counters(folder, RANKS);
    return cube;
}

/* 200 messages of the library itself, and a hundredth of the others, may be unexpected, too. */
static void counters_outside_of_bounds_contradict(void **state)
{
    static const struct {
        int64_t unexpected;
        const char *contradiction;
    } cases[] = {{2549, "2,549 messages came to rank 1 before their receive by the library's "
                        "counters, at least 2,600 by the trace."},
                 {2550, NULL},
                 {3250, NULL},
                 {3251, "3,251 messages came to rank 1 before their receive by the library's "
                        "counters, at most 3,000 by the trace and 200 messages of the library "
                        "itself."}};
    int64_t values[RANKS][COUNTERS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_equal(values);
        for (int rank = 0; rank < RANKS; rank++) {
            values[rank][4] = rank == 1 ? 5200 : 0;
            values[rank][5] = 0;
            values[rank][6] = rank == 1 ? cases[i].unexpected : 0;
        }
        write_all(values);
        struct fm_cube *cube = join_bounded();
        const bool contradicts = cases[i].contradiction != NULL;
        if (contradicts) {
            assert_true(cube->finding_count >= 1);
            assert_string_equal(cube->findings[0].id, "unexpected-and-trace");
            assert_true(cube->findings[0].is_contradiction);
            assert_non_null(strstr(cube->findings[0].statement, cases[i].contradiction));
        }
        for (uint32_t f = 0; f < cube->finding_count; f++) { /* the library's counter states it */
            assert_string_not_equal(cube->findings[f].id, "unexpected-by-trace");
            assert_int_equal(cube->findings[f].is_contradiction, contradicts && f == 0);
        }
        fm_cube_free(cube);
    }
}

static void bounds_are_a_finding_without_counters(void **state)
{
    (void)state;
    struct fm_cube *cube = join_bounded();
    assert_int_equal(cube->finding_count, 1);
    assert_string_equal(cube->findings[0].id, "unexpected-by-trace");
    assert_string_equal(
        cube->findings[0].statement,
        "Rank 1: at least 2,600 of 5,000 messages came before their receive and "
        "waited in the library, 1,900 or more at a time with 19,000 bytes or more.");
    fm_cube_free(cube);
}

/* A finding about a rank has what others wait for there. */
static void findings_have_the_waiting_beside_them(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    for (int rank = 0; rank < RANKS; rank++) {
        values[rank][4] = 100000;
        values[rank][5] = 0;
        values[rank][6] = rank == 3 ? 60000 : 0;
    }
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 1);
    assert_string_equal(cube->findings[0].id, "unexpected");
    assert_non_null(
        strstr(cube->findings[0].statement, "Rank 3: 60,000 of 100,000 messages (60.0%)"));
    assert_non_null(strstr(cube->findings[0].statement, "Others wait "));
    assert_non_null(strstr(cube->findings[0].statement, " for what this rank does, most in `"));
    assert_null(
        strstr(cube->findings[0].statement, "(problem")); /* reports number what they show */
    assert_true(cube->findings[0].advice[0] != '\0');
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_are_no_finding),
        cmocka_unit_test(numbers_that_differ_contradict),
        cmocka_unit_test(collectives_that_differ_contradict),
        cmocka_unit_test(counters_outside_of_bounds_contradict),
        cmocka_unit_test(bounds_are_a_finding_without_counters),
        cmocka_unit_test(findings_have_the_waiting_beside_them),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
