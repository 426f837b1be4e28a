/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics that patterns of the user declare: rules, order, and reports of other processes. */
#include "check.h"
#include "cube/model/cube.h"
#include "cube/model/metric_id.h"
#include "cube/view/view.h"
#include "sample_cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static struct fm_metric_info row(const char *id, fm_metric_t parent, fm_unit_t unit)
{
    return (struct fm_metric_info){.id = id,
                                   .parent = parent,
                                   .name = "Own",
                                   .unit = unit,
                                   .description = "What it is.",
                                   .formula = "How.",
                                   .advice = "Do this."};
}

static fm_metric_t declare(const char *id, fm_metric_t parent, fm_unit_t unit)
{
    struct fm_metric_info info = row(id, parent, unit);
    return fm_metric_declare(&info);
}

/* In another process: writes a report with 3 ticks of `own_late`, a part of Late Sender. */
static void write_report(const char *path)
{
    struct fm_error error;
    struct fm_cube *cube = sample_cube();
    fm_metric_t metric = declare("own_late", FM_METRIC_MPI_LATESENDER, FM_UNIT_TICKS);
    bool done = metric == FM_METRIC_USER && fm_cube_add(cube, metric, 0, 0, 3, &error) == FM_OK &&
                fm_cube_seal(cube, &error) == FM_OK && fm_cube_write(cube, path, &error) == FM_OK;
    _exit(done ? 0 : 1);
}

static void make_report(char path[32])
{
    strcpy(path, "/tmp/fermata-test-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    pid_t child = fork();
    if (child == 0) {
        write_report(path);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Renames the section of the texts, as for a reader that does not know it. */
static void hide_texts(const char *path)
{
    FILE *stream = fopen(path, "r+b");
    assert_non_null(stream);
    unsigned char *bytes = malloc(1 << 20);
    size_t size = fread(bytes, 1, 1 << 20, stream);
    unsigned char *tag = memmem(bytes, size, "UMET", 4);
    assert_non_null(tag);
    memcpy(tag, "????", 4);
    uint64_t crc = crc32_z(0, bytes, size - 8);
    for (size_t i = 0; i < 8; i++) {
        bytes[size - 8 + i] = (unsigned char)(crc >> (8 * i));
    }
    rewind(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
    free(bytes);
}

static void test_unknown_metrics_count_in_their_parents(void **state)
{
    (void)state;
    char path[32];
    struct fm_error error;
    struct fm_cube *cube, *original = sample_cube();
    make_report(path);
    hide_texts(path);
    assert_int_equal(fm_cube_read(path, &cube, &error), FM_OK);
    assert_int_equal(fm_metric_by_id("own_late"), FM_METRIC_NONE);
    assert_int_equal(fm_cube_value(cube, FM_METRIC_MPI_LATESENDER, 0, 0),
                     fm_cube_value(original, FM_METRIC_MPI_LATESENDER, 0, 0) + 3);
    fm_cube_free(cube);
    fm_cube_free(original);
    unlink(path);
}

static void test_reports_declare_their_metrics(void **state)
{
    (void)state;
    char path[32];
    struct fm_error error;
    struct fm_cube *cube;
    make_report(path);
    assert_int_equal(fm_cube_read(path, &cube, &error), FM_OK);
    fm_metric_t metric = fm_metric_by_id("own_late");
    assert_int_equal(metric, FM_METRIC_USER);
    assert_int_equal(fm_cube_value(cube, metric, 0, 0), 3);
    const struct fm_metric_info *info = fm_metric_info(metric);
    assert_string_equal(info->description, "What it is.");
    assert_string_equal(info->formula, "How.");
    assert_string_equal(info->advice, "Do this.");
    assert_int_equal(info->parent, FM_METRIC_MPI_LATESENDER);
    assert_true(info->is_wait_state);
    assert_true(fm_metric_is_within(metric, FM_METRIC_TIME));
    fm_cube_free(cube);
    unlink(path);
}

static void test_rules(void **state)
{
    (void)state;
    static const char *const no_ids[] = {"", "time", "Own", "own metric", "1st", "_own"};
    for (size_t i = 0; i < sizeof no_ids / sizeof no_ids[0]; i++) {
        assert_int_equal(declare(no_ids[i], FM_METRIC_NONE, FM_UNIT_BYTES), FM_METRIC_NONE);
    }
    assert_int_equal(declare("own_bytes", FM_METRIC_TIME, FM_UNIT_BYTES), FM_METRIC_NONE);
    assert_int_equal(declare("own_bytes", FM_METRIC_COUNT - 1, FM_UNIT_BYTES), FM_METRIC_NONE);
    fm_metric_t metric = declare("own_bytes", FM_METRIC_NONE, FM_UNIT_BYTES);
    assert_true(metric >= FM_METRIC_USER && metric < FM_METRIC_COUNT);
    assert_int_equal(declare("own_bytes", FM_METRIC_NONE, FM_UNIT_BYTES), metric);
    assert_int_equal(declare("own_bytes", FM_METRIC_NONE, FM_UNIT_TICKS), FM_METRIC_NONE);
    assert_int_equal(fm_metric_root(declare("own_part", metric, FM_UNIT_BYTES)), metric);
    assert_false(fm_metric_info(metric)->is_wait_state);
    struct fm_metric_info hostile = row("own_hostile", FM_METRIC_NONE, FM_UNIT_BYTES);
    hostile.name = "Own\n\x1b[2J";
    metric = fm_metric_declare(&hostile);
    assert_string_equal(fm_metric_info(metric)->name, "Own  [2J");
}

static void test_order_is_that_of_the_trees(void **state)
{
    (void)state;
    fm_metric_t order[FM_METRIC_COUNT];
    fm_metric_t part = declare("own_late_part", fm_metric_by_id("own_late"), FM_UNIT_TICKS);
    unsigned count = fm_metrics_in_order(order);
    assert_int_equal(count, fm_metric_end());
    unsigned at = 0;
    while (order[at] != fm_metric_by_id("own_late")) {
        assert_int_equal(order[at], at); /* the table's order */
        at++;
    }
    assert_true(fm_metric_is_within(order[at - 1], FM_METRIC_MPI_LATESENDER));
    assert_false(fm_metric_is_within(order[at + 2], FM_METRIC_MPI_LATESENDER));
    assert_int_equal(order[at + 1], part);
}

static void test_limit(void **state)
{
    (void)state;
    char id[32];
    for (int i = 0; fm_metric_end() < FM_METRIC_COUNT; i++) {
        snprintf(id, sizeof id, "own_number_%d", i);
        unsigned next = fm_metric_end();
        assert_int_equal(declare(id, FM_METRIC_NONE, FM_UNIT_OCCURRENCES), next);
    }
    assert_int_equal(declare("own_more", FM_METRIC_NONE, FM_UNIT_OCCURRENCES), FM_METRIC_NONE);
}

/* The counter's own name in any case, also with Open MPI's prefix, finds the metric of a counter.
 */
static void counters_are_named_in_any_case(void **state)
{
    (void)state;
    fm_metric_t eager = declare("counter:eager_messages", FM_METRIC_NONE, FM_UNIT_OCCURRENCES);
    assert_true(eager != FM_METRIC_NONE);
    static const char *const names[] = {"counter:eager_messages", "counter:EAGER_MESSAGES",
                                        "COUNTER:Eager_Messages", "counter:OMPI_SPC_EAGER_MESSAGES",
                                        "counter:ompi_spc_eager_messages"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(fm_metric_named(names[i]), eager);
        assert_true(fm_metric_matches(eager, names[i]));
    }
    assert_int_equal(fm_metric_named("counter:USAGE.PREEMPTIONS"),
                     FM_METRIC_COUNTER_USAGE_PREEMPTIONS);
    assert_int_equal(fm_metric_named("counter:"), FM_METRIC_NONE);
    assert_int_equal(fm_metric_named("counter:OMPI_SPC_"), FM_METRIC_NONE);
    assert_int_equal(fm_metric_named("TIME"), FM_METRIC_NONE);
    assert_true(fm_metric_matches(eager, "counter:EAGER*"));
    assert_true(fm_metric_matches(eager, "counter:OMPI_SPC_E*"));
    assert_true(fm_metric_matches(eager, "*eager*"));
    assert_false(fm_metric_matches(eager, "counter:NOT*"));
    assert_false(fm_metric_matches(FM_METRIC_TIME, "TIME"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_metrics_count_in_their_parents),
        cmocka_unit_test(test_reports_declare_their_metrics),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_order_is_that_of_the_trees),
        cmocka_unit_test(counters_are_named_in_any_case),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
