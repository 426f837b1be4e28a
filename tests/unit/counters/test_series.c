/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters over time: values begin at 0 with the run, those that stay are in every snapshot, damage
 * is refused. */
#include "check.h"
#include "counters/counter_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/fermata-series-XXXXXX";

static void write_rows(const char *rows)
{
    char path[128];
    snprintf(path, sizeof path, "%s/counters/snapshots.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "seconds,rank,counter,value\n%s", rows);
    fclose(file);
}

static void values_stay_until_they_change(void **state)
{
    (void)state;
    struct fm_snapshot_series series;
    struct fm_error error;
    write_rows("0.5,,,\n0.5,0,a,3\n0.5,1,a,1\n0.5,1,ab,9\n"
               "1.5,,,\n"
               "2.5,,,\n2.5,1,a,6\n2.5,0,ab,4\n3.5,0,");
    assert_int_equal(fm_counter_series_read(folder, "a", 3, NULL, &series, &error), FM_OK);
    assert_int_equal(series.snapshots, 4);
    const double expected[] = {0, 0, 0, 3, 1, 0, 3, 1, 0, 3, 6, 0};
    for (int i = 0; i < 12; i++) {
        assert_true(series.values[i] == expected[i]);
    }
    assert_true(series.seconds[0] == 0 && series.seconds[1] == 0.5 && series.seconds[3] == 2.5);
    assert_true(fm_counter_series_change(&series, 0, 0) == 3);
    assert_true(fm_counter_series_change(&series, 1, 0) == 0);
    assert_true(fm_counter_series_change(&series, 2, 1) == 5);
    fm_counter_series_free(&series);
}

/* A single snapshot is one interval with the begin of the run, unless it is of that moment. */
static void the_begin_is_a_snapshot(void **state)
{
    (void)state;
    struct fm_snapshot_series series;
    struct fm_error error;
    write_rows("2,,,\n2,0,a,7\n");
    assert_int_equal(fm_counter_series_read(folder, "a", 1, NULL, &series, &error), FM_OK);
    assert_int_equal(series.snapshots, 2);
    assert_true(series.seconds[0] == 0 && series.seconds[1] == 2);
    assert_true(fm_counter_series_change(&series, 0, 0) == 7);
    fm_counter_series_free(&series);
    write_rows("0,,,\n0,0,a,7\n2,,,\n2,0,a,8\n");
    assert_int_equal(fm_counter_series_read(folder, "a", 1, NULL, &series, &error), FM_OK);
    assert_int_equal(series.snapshots, 2);
    assert_true(fm_counter_series_change(&series, 0, 0) == 1);
    fm_counter_series_free(&series);
}

static void several_counters_are_read_at_once(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "none", "ab"};
    struct fm_snapshot_series series[3];
    struct fm_error error;
    write_rows("0.5,,,\n0.5,0,a,3\n0.5,1,ab,9\n1.5,,,\n1.5,1,a,2\n1.5,0,c,5\n1.5,1,ab,11\n");
    assert_true(fm_counter_series_exist(folder));
    assert_int_equal(fm_counter_series_read_all(folder, names, 3, 2, NULL, series, &error), FM_OK);
    const double expected[3][6] = {{0, 0, 3, 0, 3, 2}, {0}, {0, 0, 0, 9, 0, 11}};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(series[i].name, names[i]);
        assert_int_equal(series[i].snapshots, 3);
        assert_true(series[i].seconds[2] == 1.5);
        assert_memory_equal(series[i].values, expected[i], sizeof expected[i]);
        fm_counter_series_free(&series[i]);
    }
}

/* Snapshots have the calls under each of the two names of a function. */
static void sums_are_made_of_their_summands(void **state)
{
    (void)state;
    static const char *const names[] = {"calls:MPIX_Scan_init", "SCAN_INIT", "a"};
    struct fm_snapshot_series series[3];
    struct fm_error error;
    write_rows("0.5,,,\n0.5,0,calls:MPI_Scan_init,3\n0.5,1,calls:MPIX_Scan_init,9\n1.5,,,\n"
               "1.5,0,calls:MPIX_Scan_init,2\n1.5,0,a,5\n");
    assert_int_equal(fm_counter_series_read_all(folder, names, 3, 2, NULL, series, &error), FM_OK);
    const double expected[3][6] = {{0, 0, 0, 9, 2, 9}, {0, 0, 3, 9, 5, 9}, {0, 0, 0, 0, 5, 0}};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(series[i].name, names[i]);
        assert_memory_equal(series[i].values, expected[i], sizeof expected[i]);
        fm_counter_series_free(&series[i]);
    }
}

static void refused(const char *rows, const char *reason)
{
    struct fm_snapshot_series series;
    struct fm_error error;
    write_rows(rows);
    assert_int_equal(fm_counter_series_read(folder, "a", 2, NULL, &series, &error), FM_ERR_DATA);
    assert_non_null(strstr(error.message, reason));
}

static void damage_is_refused(void **state)
{
    (void)state;
    refused("", "no snapshot later than the begin");
    refused("0,,,\n", "no snapshot later than the begin");
    refused("1,,,\n1,0,a,1\nnonsense\n", "snapshots.csv:4: not a row of snapshots");
    refused("1,0,a,1\n", ":2: not a row");
    refused("1,,,\n1,2,a,1\n", ":3: not a row");
    refused("1,,,\n1,0,a,x\n", ":3: not a row");
    refused("1,,,\n1,0,a\n", ":3: not a row");
}

static void write_own(unsigned rank, const char *rows)
{
    char path[128];
    snprintf(path, sizeof path, "%s/counters/snapshots.%u", folder, rank);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "seconds,rank,counter,value\n%s", rows);
    fclose(file);
}

/* Snapshots that ranks take themselves: as many as each rank has, at the mean of their times. */
static void ranks_take_their_own(void **state)
{
    (void)state;
    struct fm_snapshot_series series;
    struct fm_error error;
    char path[128];
    const double starts[] = {0, 1};
    snprintf(path, sizeof path, "%s/counters/snapshots.csv", folder);
    unlink(path);
    write_own(0, "1,,,\n1,0,a,5\n2,,,\n2,0,a,7\n3,,,\n3,0,a,8\n");
    assert_int_equal(fm_counter_series_read(folder, "a", 2, starts, &series, &error), FM_ERR_DATA);
    write_own(1, "1,,,\n1,1,a,10\n4,,,\n");
    assert_int_equal(fm_counter_series_read(folder, "a", 2, starts, &series, &error), FM_OK);
    assert_int_equal(series.snapshots, 3);
    assert_true(series.seconds[0] == 0.5 && series.seconds[1] == 1.5 && series.seconds[2] == 3.5);
    const double expected[] = {0, 0, 5, 10, 7, 10};
    for (int i = 0; i < 6; i++) {
        assert_true(series.values[i] == expected[i]);
    }
    fm_counter_series_free(&series);
    write_own(1, "1,,,\n1,0,a,10\n");
    assert_int_equal(fm_counter_series_read(folder, "a", 2, starts, &series, &error), FM_ERR_DATA);
    assert_non_null(strstr(error.message, "snapshots.1:3: not a row"));
    for (unsigned rank = 0; rank < 2; rank++) {
        snprintf(path, sizeof path, "%s/counters/snapshots.%u", folder, rank);
        unlink(path);
    }
}

static void read_series(const char *rows, size_t ranks, struct fm_snapshot_series *series)
{
    struct fm_error error;
    write_rows(rows);
    assert_int_equal(fm_counter_series_read(folder, "a", ranks, NULL, series, &error), FM_OK);
}

/* At the snapshots of both while both run; totals grow at constant rates, levels are those of the
 * next snapshot. */
static void a_difference_is_that_at_the_same_time(void **state)
{
    (void)state;
    struct fm_snapshot_series first, second, difference;
    struct fm_error error;
    read_series("1,,,\n1,0,a,4\n2,,,\n2,1,a,2\n9,,,\n9,0,a,99\n", 2, &first);
    read_series("0.5,,,\n0.5,0,a,1\n2,,,\n2,0,a,7\n2.5,,,\n2.5,1,a,3\n", 2, &second);
    const double seconds[] = {0, 0.5, 1, 2, 2.5};
    const double rest = 95.0 / 7 / 2; /* of rank 0 of the first run, from 2 to 2.5 */
    const double totals[][2] = {{0, 0}, {-1, 0}, {-1, 0}, {3, -2}, {3 - rest, 1}};
    const double levels[][2] = {{0, 0}, {-3, 0}, {3, 0}, {3, -2}, {7 - 99, 1}};
    for (int is_level = 0; is_level < 2; is_level++) {
        assert_int_equal(
            fm_counter_series_subtract(&first, &second, is_level != 0, &difference, &error), FM_OK);
        assert_int_equal(difference.snapshots, 5);
        for (size_t i = 0; i < 5; i++) {
            assert_true(difference.seconds[i] == seconds[i]);
            for (size_t rank = 0; rank < 2; rank++) {
                const double expected = (is_level ? levels : totals)[i][rank];
                assert_float_equal(difference.values[i * 2 + rank], expected, 1e-9);
            }
        }
        fm_counter_series_free(&difference);
    }
    fm_counter_series_free(&second);
    read_series("1,,,\n", 1, &second);
    assert_int_equal(fm_counter_series_subtract(&first, &second, false, &difference, &error),
                     FM_ERR_USAGE);
    assert_non_null(strstr(error.message, "2 and 1 ranks"));
    fm_counter_series_free(&first);
    fm_counter_series_free(&second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stay_until_they_change),
        cmocka_unit_test(the_begin_is_a_snapshot),
        cmocka_unit_test(several_counters_are_read_at_once),
        cmocka_unit_test(sums_are_made_of_their_summands),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(ranks_take_their_own),
        cmocka_unit_test(a_difference_is_that_at_the_same_time),
    };
    char path[128];
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/counters", folder);
    mkdir(path, 0700);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(path, sizeof path, "%s/counters/snapshots.csv", folder);
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
    return failures;
}
