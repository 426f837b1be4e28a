/* The files that describe an experiment. */
#include "base/file_tree.h"
#include "record/core/experiment.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
    struct fm_environment facts = {.ranks = 1, .events = 1, .mpi = "none"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_description_is_replaced_as_a_whole_or_not_at_all,
                                        new_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
