/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that describe an experiment. */
#include "base/files/file_tree.h"
#include "record/experiment/experiment.h"
#include "record/experiment/job.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static char folder[64];

static int new_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/fermata-experiment-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return fm_remove_tree(folder);
}

static json_int_t described_events(void)
{
    char path[96];
    snprintf(path, sizeof path, "%s/environment.json", folder);
    json_t *environment = json_load_file(path, 0, NULL);
    json_int_t events = json_integer_value(json_object_get(environment, "events"));
    json_decref(environment);
    return events;
}

static void a_description_is_replaced_as_a_whole_or_not_at_all(void **state)
{
    (void)state;
    struct fm_environment facts = {
        .ranks = 1, .events = 1, .libraries = {{"MPI", "none"}}, .library_count = 1};
    struct rlimit before, little;
    char path[96];
    fm_experiment_describe(folder, &facts);
    assert_int_equal(described_events(), 1);
    facts.events = 2;
    fm_experiment_describe(folder, &facts);
    assert_int_equal(described_events(), 2);

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    little = before;
    little.rlim_cur = 16;
    setrlimit(RLIMIT_FSIZE, &little);
    facts.events = 3;
    fm_experiment_describe(folder, &facts);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(described_events(), 2);
    snprintf(path, sizeof path, "%s/environment.json.new", folder);
    assert_null(fopen(path, "r"));
}

/* Without the batch system that the test itself may run in. */
static int no_job(void **state)
{
    static const char *const variables[] = {"SLURM_JOB_ID",
                                            "SLURM_JOB_NAME",
                                            "PBS_JOBID",
                                            "PBS_JOBNAME",
                                            "LSB_JOBID",
                                            "LSB_JOBNAME",
                                            "FLUX_JOB_ID",
                                            "COBALT_JOBID",
                                            "COBALT_JOBNAME",
                                            "JOB_ID",
                                            "SLURM_ARRAY_TASK_ID",
                                            "PBS_ARRAY_INDEX",
                                            "PBS_ARRAYID",
                                            "LSB_JOBINDEX",
                                            "SGE_TASK_ID",
                                            "JOB_NAME",
                                            "SGE_ROOT",
                                            "FERMATA_EXPERIMENT_DIRECTORY"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        unsetenv(variables[i]);
    }
    return new_folder(state);
}

static void a_job_is_found_by_its_variables(void **state)
{
    static const struct {
        const char *system, *id, *name;
    } systems[] = {
        {"Slurm", "SLURM_JOB_ID", "SLURM_JOB_NAME"},
        {"PBS", "PBS_JOBID", "PBS_JOBNAME"},
        {"LSF", "LSB_JOBID", "LSB_JOBNAME"},
        {"Cobalt", "COBALT_JOBID", "COBALT_JOBNAME"},
        {"Flux", "FLUX_JOB_ID", NULL},
    };
    struct fm_job job;
    (void)state;
    assert_false(fm_job_find(&job));
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        setenv(systems[i].id, "", 1);
        assert_false(fm_job_find(&job));
        setenv(systems[i].id, "17", 1);
        assert_true(fm_job_find(&job));
        assert_string_equal(job.system, systems[i].system);
        assert_string_equal(job.id, "17");
        assert_null(job.name);
        if (systems[i].name != NULL) {
            setenv(systems[i].name, "ocean", 1);
            assert_true(fm_job_find(&job));
            assert_string_equal(job.name, "ocean");
        }
        unsetenv(systems[i].id);
        assert_false(fm_job_find(&job));
    }
    setenv("JOB_ID", "17", 1);
    assert_false(fm_job_find(&job));
    setenv("SGE_ROOT", "/opt/sge", 1);
    assert_true(fm_job_find(&job));
    assert_string_equal(job.system, "Grid Engine");
    setenv("SLURM_JOB_ID", "18", 1);
    assert_true(fm_job_find(&job));
    assert_string_equal(job.id, "18");
}

static void the_name_has_the_job_unless_it_was_given(void **state)
{
    char path[4096];
    (void)state;
    fm_experiment_place("app-4x1", "now", path, sizeof path);
    assert_string_equal(strrchr(path, '/'), "/fermata-app-4x1-now");
    setenv("PBS_JOBID", "4711[3].head/../node", 1);
    fm_experiment_place("app-4x1", "now", path, sizeof path);
    assert_string_equal(strrchr(path, '/'), "/fermata-app-4x1-job4711_3_.head_.._node-now");
    setenv("FERMATA_EXPERIMENT_DIRECTORY", "/tmp/given", 1);
    fm_experiment_place("app-4x1", "now", path, sizeof path);
    assert_string_equal(path, "/tmp/given");
    unsetenv("FERMATA_EXPERIMENT_DIRECTORY");
    unsetenv("PBS_JOBID");
}

static void the_index_in_a_job_array_is_found(void **state)
{
    static const struct {
        const char *id, *index, *none, *name;
    } systems[] = {
        {"SLURM_JOB_ID", "SLURM_ARRAY_TASK_ID", "", "/fermata-app-4x1-job17-now"},
        {"PBS_JOBID", "PBS_ARRAY_INDEX", "", "/fermata-app-4x1-job17-now"},
        {"PBS_JOBID", "PBS_ARRAYID", "", "/fermata-app-4x1-job17-now"},
        {"LSB_JOBID", "LSB_JOBINDEX", "0", "/fermata-app-4x1-job17_3-now"},
        {"JOB_ID", "SGE_TASK_ID", "undefined", "/fermata-app-4x1-job17_3-now"},
    };
    struct fm_environment facts = {.ranks = 1, .libraries = {{"MPI", "none"}}, .library_count = 1};
    struct fm_job job;
    char path[4096];
    (void)state;
    setenv("SGE_ROOT", "/opt/sge", 1);
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        setenv(systems[i].id, "17", 1);
        setenv(systems[i].index, systems[i].none, 1);
        assert_true(fm_job_find(&job));
        assert_null(job.index);
        fm_experiment_place("app-4x1", "now", path, sizeof path);
        assert_string_equal(strrchr(path, '/'), "/fermata-app-4x1-job17-now");
        setenv(systems[i].index, "3", 1);
        assert_true(fm_job_find(&job));
        assert_string_equal(job.index, "3");
        fm_experiment_place("app-4x1", "now", path, sizeof path);
        assert_string_equal(strrchr(path, '/'), systems[i].name);
        fm_experiment_describe(folder, &facts);
        snprintf(path, sizeof path, "%s/environment.json", folder);
        json_t *environment = json_load_file(path, 0, NULL);
        const json_t *described = json_object_get(environment, "job");
        assert_string_equal(json_string_value(json_object_get(described, "array_index")), "3");
        json_decref(environment);
        unsetenv(systems[i].id);
        unsetenv(systems[i].index);
    }
    unsetenv("SGE_ROOT");
}

static void a_description_has_the_job(void **state)
{
    struct fm_environment facts = {.ranks = 1, .libraries = {{"MPI", "none"}}, .library_count = 1};
    char path[96];
    (void)state;
    snprintf(path, sizeof path, "%s/environment.json", folder);
    fm_experiment_describe(folder, &facts);
    json_t *environment = json_load_file(path, 0, NULL);
    assert_non_null(environment);
    assert_null(json_object_get(environment, "job"));
    json_decref(environment);

    setenv("LSB_JOBID", "17", 1);
    setenv("LSB_JOBNAME",
           "an \"oc\xc3\xa9"
           "an\" \xff",
           1);
    fm_experiment_describe(folder, &facts);
    environment = json_load_file(path, 0, NULL);
    assert_non_null(environment);
    json_t *job = json_object_get(environment, "job");
    assert_string_equal(json_string_value(json_object_get(job, "system")), "LSF");
    assert_string_equal(json_string_value(json_object_get(job, "id")), "17");
    assert_string_equal(json_string_value(json_object_get(job, "name")), "an \"oc\xc3\xa9"
                                                                         "an\" \xef\xbf\xbd");
    json_decref(environment);
    unsetenv("LSB_JOBID");
    unsetenv("LSB_JOBNAME");
}

static void a_description_has_the_sampling_rate_that_was_measured(void **state)
{
    struct fm_environment facts = {.ranks = 1,
                                   .libraries = {{"MPI", "none"}},
                                   .library_count = 1,
                                   .sample_rate = 5000,
                                   .sample_rate_is_asked = true};
    char path[96];
    (void)state;
    snprintf(path, sizeof path, "%s/environment.json", folder);
    fm_experiment_describe(folder, &facts);
    json_t *environment = json_load_file(path, 0, NULL);
    const json_t *sampling = json_object_get(environment, "sampling");
    assert_int_equal(json_number_value(json_object_get(sampling, "hertz")), 5000);
    assert_true(json_is_true(json_object_get(sampling, "asked")));
    assert_string_equal(json_string_value(json_object_get(sampling, "clock")), "CPU timers");
    assert_null(json_object_get(sampling, "obtained_hertz")); /* absent is not zero */
    assert_null(json_object_get(sampling, "shortfall"));
    json_decref(environment);

    facts.sampled_by_timers = true;
    facts.sample_signals = 500;
    facts.sampled_cpu = 2000000000;
    facts.sampling_seconds = 0.003;
    facts.delivery_seconds = 0.001;
    fm_experiment_describe(folder, &facts);
    environment = json_load_file(path, 0, NULL);
    sampling = json_object_get(environment, "sampling");
    assert_int_equal(json_number_value(json_object_get(sampling, "obtained_hertz")), 250);
    assert_int_equal(json_number_value(json_object_get(sampling, "cpu_seconds")), 2);
    assert_int_equal(json_number_value(json_object_get(sampling, "signals")), 500);
    double cost = json_number_value(json_object_get(sampling, "cost_percent"));
    assert_true(cost > 0.1999 && cost < 0.2001);
    assert_string_equal(json_string_value(json_object_get(sampling, "clock")), "CPU timers");
    assert_non_null(strstr(json_string_value(json_object_get(sampling, "shortfall")),
                           "fired 250 times a second of CPU time, not 5000 times"));
    json_decref(environment);

    facts.sample_rate_is_asked = false;
    facts.sampled_by_perf = true;
    fm_experiment_describe(folder, &facts);
    environment = json_load_file(path, 0, NULL);
    sampling = json_object_get(environment, "sampling");
    assert_true(json_is_false(json_object_get(sampling, "asked")));
    assert_string_equal(json_string_value(json_object_get(sampling, "clock")),
                        "perf task clock, CPU timers");
    assert_null(json_object_get(sampling, "shortfall"));
    json_decref(environment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_description_is_replaced_as_a_whole_or_not_at_all,
                                        new_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_job_is_found_by_its_variables, no_job, remove_folder),
        cmocka_unit_test_setup_teardown(the_name_has_the_job_unless_it_was_given, no_job,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(the_index_in_a_job_array_is_found, no_job, remove_folder),
        cmocka_unit_test_setup_teardown(a_description_has_the_job, no_job, remove_folder),
        cmocka_unit_test_setup_teardown(a_description_has_the_sampling_rate_that_was_measured,
                                        no_job, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
