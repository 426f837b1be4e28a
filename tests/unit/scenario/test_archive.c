/* SPDX-License-Identifier: BSD-3-Clause */
/* Archives appear complete or not at all. */
#include "base/files/file_tree.h"
#include "scenario/scenario.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/fermata-archive-XXXXXX";
static char directory[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(directory, sizeof directory, "%s/archive", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return fm_remove_tree(folder);
}

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static struct fm_scenario *build(uint32_t ranks, size_t events)
{
    struct fm_scenario *scenario = fm_scenario_create("built", 1000, ranks, 1);
    assert_non_null(scenario);
    struct fm_scenario_event event = {.object = fm_key_table_add(&scenario->regions, "main", 4)};
    for (uint32_t rank = 0; rank < ranks; rank++) {
        for (size_t i = 0; i < events; i++) {
            event.time = i;
            event.kind = i % 2 == 0 ? FM_SCENARIO_ENTER : FM_SCENARIO_LEAVE;
            assert_true(fm_scenario_append(scenario, rank, &event));
        }
    }
    return scenario;
}

static void built_scenarios_can_be_written(void **state)
{
    (void)state;
    struct fm_scenario *scenario = build(3, 10);
    struct fm_error error;
    char file[96];
    assert_int_equal(fm_scenario_write_archive(scenario, directory, &error), FM_OK);
    snprintf(file, sizeof file, "%s/traces.otf2", directory);
    assert_true(exists(file));
    snprintf(file, sizeof file, "%s/traces/2.evt", directory);
    assert_true(exists(file));
    fm_scenario_free(scenario);
    assert_int_equal(fm_remove_tree(directory), 0);
}

static void existing_directories_are_kept(void **state)
{
    (void)state;
    struct fm_scenario *scenario = build(1, 2);
    struct fm_error error;
    char file[96], missing[96];
    snprintf(file, sizeof file, "%s/traces.otf2", directory);
    snprintf(missing, sizeof missing, "%s/missing/archive", folder);
    assert_int_equal(mkdir(directory, 0777), 0);
    assert_int_equal(fm_scenario_write_archive(scenario, directory, &error), FM_ERR_USAGE);
    assert_non_null(strstr(error.message, directory));
    assert_true(exists(directory));
    assert_false(exists(file));
    assert_int_equal(fm_scenario_write_archive(scenario, missing, &error), FM_ERR_SYSTEM);
    fm_scenario_free(scenario);
    assert_int_equal(fm_remove_tree(directory), 0);
}

/* A file size limit stands for a full disk: the n-th write fails. */
static void failures_leave_nothing(void **state)
{
    (void)state;
    struct fm_scenario *scenario = build(2, 1000000);
    struct fm_error error = {""};
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit small = {1 << 20, limit.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    fm_status_t status = fm_scenario_write_archive(scenario, directory, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, FM_ERR_SYSTEM);
    assert_non_null(strstr(error.message, "cannot write the archive"));
    assert_false(exists(directory));
    fm_scenario_free(scenario);
}

static void names_are_defined_once(void **state)
{
    (void)state;
    struct fm_scenario *scenario = build(4, 0);
    const uint32_t ranks[] = {3, 1};
    assert_int_equal(fm_scenario_add_comm(scenario, "c", ranks, 2), 2);
    assert_int_equal(fm_scenario_add_comm(scenario, "c", ranks, 2), FM_SCENARIO_NONE);
    assert_true(fm_scenario_comm_has(scenario, 2, 3));
    assert_false(fm_scenario_comm_has(scenario, 2, 2));
    assert_int_equal(fm_scenario_world_rank(scenario, 2, 0, 1), 3);
    assert_int_equal(fm_scenario_world_rank(scenario, 1, 0, 2), 2);
    assert_int_equal(fm_scenario_add_window(scenario, "w", 2), 0);
    assert_int_equal(fm_scenario_add_window(scenario, "w", 2), FM_SCENARIO_NONE);
    assert_int_equal(fm_scenario_add_team(scenario, "t", ranks, 2), 0);
    assert_int_equal(fm_scenario_add_team(scenario, "t", ranks, 2), FM_SCENARIO_NONE);
    assert_int_equal(scenario->teams[0].locations[1], 1);
    fm_scenario_free(scenario);
    assert_null(fm_scenario_create("none", 1, 0, 1));
    assert_null(fm_scenario_create("many", 1, 1u << 20, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_scenarios_can_be_written),
        cmocka_unit_test(existing_directories_are_kept),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(names_are_defined_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
