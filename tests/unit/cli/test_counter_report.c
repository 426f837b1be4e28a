/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a recording with counters only: times, visits and bytes of calls, by hand. */
#include "check.h"
#include "cli/counters/counter_report.h"
#include "counter_files.h"
#include "counters/call_profile.h"
#include "temporary.h"

#include "base/files/file_tree.h"

#include <string.h>
#include <sys/stat.h>

enum { RANKS = 2, SECOND = 1000000000 };

static char experiment[200];

static void write_text(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/counters/%s", experiment, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_experiment(void **state)
{
    char counters[220];
    static const char *const names[] = {"mpi.messages_sent"};
    static const int64_t values[] = {3};
    (void)state;
    temporary_path(experiment, sizeof experiment, "fermata-counter-report");
    assert_non_null(mkdtemp(experiment));
    snprintf(counters, sizeof counters, "%s/counters", experiment);
    assert_int_equal(mkdir(counters, 0700), 0);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        write_counters(counters, rank, RANKS, 1, names, values);
    }
    return 0;
}

static int remove_experiment(void **state)
{
    (void)state;
    return fm_remove_tree(experiment);
}

static struct fm_cube *report(const char *first, const char *second)
{
    struct fm_cube *cube = NULL;
    struct fm_error error;
    write_text("calls.0", first);
    write_text("calls.1", second);
    fm_status_t status = fm_counters_make_report(experiment, &cube, &error);
    if (status != FM_OK) {
        fail_msg("%s", error.message);
    }
    return cube;
}

/* Sums over all call paths. */
static int64_t total(const struct fm_cube *cube, fm_metric_t metric, uint32_t location)
{
    int64_t sum = 0;
    for (uint32_t path = 0; path < cube->callpath_count; path++) {
        sum += fm_cube_value(cube, metric, path, location);
    }
    return sum;
}

/* Of a call path, which begins with the program (counter_files.h). */
static int64_t value(const struct fm_cube *cube, const char *path, fm_metric_t metric,
                     uint32_t location)
{
    uint32_t callpath = fm_cube_find_callpath(cube, path);
    if (callpath == FM_CUBE_NONE) {
        fail_msg("no call path %s", path);
    }
    return fm_cube_value(cube, metric, callpath, location);
}

static void computation_is_the_time_outside_of_calls(void **state)
{
    (void)state;
    struct fm_cube *cube = report(FM_CALL_PROFILE_HEAD "\n"
                                                       "thread\t0\t10\n"
                                                       "call\t0\t3\t0.25\t300\t0\tMPI_Send\tmain\n"
                                                       "call\t0\t1\t1.5\t0\t50\tMPI_Recv\tmain\tf\n"
                                                       "call\t0\t2\t0.5\t0\t50\tMPI_Recv\tmain\tf\n"
                                                       "thread\t1\t4\n"
                                                       "call\t1\t5\t1\t8\t16\tMPI_Allreduce\tg\n"
                                                       "end\n",
                                  FM_CALL_PROFILE_HEAD "\n"
                                                       "thread\t0\t12.5\n"
                                                       "end\n");
    assert_int_equal(cube->location_count, 3);
    assert_int_equal(cube->experiment.ticks_per_second, SECOND);
    assert_int_equal(cube->experiment.end - cube->experiment.begin, 12500000000);
    static const int64_t computation[] = {7750000000, 3000000000, 12500000000};
    for (uint32_t location = 0; location < 3; location++) {
        assert_int_equal(fm_cube_value(cube, FM_METRIC_COMP, 0, location), computation[location]);
        assert_int_equal(total(cube, FM_METRIC_COMP, location), computation[location]);
    }
    assert_int_equal(cube->callpaths[0].parent, FM_CUBE_NONE);
    assert_int_equal(value(cube, "program/main/MPI_Send", FM_METRIC_MPI_POINT2POINT, 0), 250000000);
    assert_int_equal(value(cube, "program/main/MPI_Send", FM_METRIC_VISITS, 0), 3);
    assert_int_equal(value(cube, "program/main/MPI_Send", FM_METRIC_BYTES_SENT, 0), 300);
    assert_int_equal(value(cube, "program/main/MPI_Send", FM_METRIC_BYTES_RCVD, 0), 0);
    assert_int_equal(value(cube, "program/main/f/MPI_Recv", FM_METRIC_MPI_POINT2POINT, 0),
                     2000000000);
    assert_int_equal(value(cube, "program/main/f/MPI_Recv", FM_METRIC_VISITS, 0), 3);
    assert_int_equal(value(cube, "program/main/f/MPI_Recv", FM_METRIC_BYTES_RCVD, 0), 100);
    assert_int_equal(value(cube, "program/g/MPI_Allreduce", FM_METRIC_MPI_COLLECTIVE, 1), SECOND);
    assert_int_equal(value(cube, "program/g/MPI_Allreduce", FM_METRIC_VISITS, 1), 5);
    assert_int_equal(value(cube, "program/g/MPI_Allreduce", FM_METRIC_BYTES_COUT, 1), 8);
    assert_int_equal(value(cube, "program/g/MPI_Allreduce", FM_METRIC_BYTES_CIN, 1), 16);
    assert_int_equal(total(cube, FM_METRIC_VISITS, 2), 0);
    assert_int_equal(cube->warning_count, 0);
    fm_cube_free(cube);
}

/* The time of calls that contain each other may exceed that of their thread by rounding. */
static void computation_is_not_negative(void **state)
{
    (void)state;
    struct fm_cube *cube = report(FM_CALL_PROFILE_HEAD "\n"
                                                       "thread\t0\t1\n"
                                                       "call\t0\t1\t1.25\t0\t0\tMPI_Barrier\n"
                                                       "end\n",
                                  FM_CALL_PROFILE_HEAD "\n"
                                                       "thread\t0\t1\n"
                                                       "call\t0\t1\t1\t0\t0\tMPI_Barrier\n"
                                                       "end\n");
    assert_int_equal(total(cube, FM_METRIC_COMP, 0), 0);
    assert_int_equal(total(cube, FM_METRIC_COMP, 1), 0);
    assert_int_equal(total(cube, FM_METRIC_MPI_SYNC_COLLECTIVE, 0), 1250000000);
    fm_cube_free(cube);
}

/* What the kernel counts in computation is no time of calls: it leaves computation as it is. */
static void stretches_are_part_of_computation(void **state)
{
    (void)state;
    struct fm_cube *cube =
        report(FM_CALL_PROFILE_HEAD "\n"
                                    "thread\t0\t8\n"
                                    "call\t0\t1\t2\t0\t0\tMPI_Barrier\tmain\n"
                                    "stretch\t0\t4\t5\t0.5\t4\t0.25\t0.125\t6\t7\t8\t9\tmain\n"
                                    "end\n",
               FM_CALL_PROFILE_HEAD "\nthread\t0\t1\nend\n");
    static const struct {
        fm_metric_t metric;
        int64_t value;
    } expected[] = {{FM_METRIC_MEASURED_TIME, 5000000000},
                    {FM_METRIC_STOLEN_TIME, 500000000},
                    {FM_METRIC_DELAY_MEASURED_TIME, 4000000000},
                    {FM_METRIC_RUN_DELAY, 250000000},
                    {FM_METRIC_COUNTER_USAGE_TIME_SYSTEM, 125000000},
                    {FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR, 6},
                    {FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MAJOR, 7},
                    {FM_METRIC_COUNTER_USAGE_PREEMPTIONS, 8},
                    {FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY, 9}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(value(cube, "program/main", expected[i].metric, 0), expected[i].value);
    }
    assert_int_equal(total(cube, FM_METRIC_COMP, 0), 6000000000);
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computation_is_the_time_outside_of_calls),
        cmocka_unit_test(computation_is_not_negative),
        cmocka_unit_test(stretches_are_part_of_computation),
    };
    return cmocka_run_group_tests(tests, make_experiment, remove_experiment);
}
