/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON and CSV hold what the cube holds. */
#include "check.h"
#include "export/csv/csv_report.h"
#include "export/json/json_report.h"
#include "sample_cube.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef fm_status_t exporter(const struct fm_view *, FILE *, struct fm_error *);

static char *exported(exporter *export, const struct fm_cube *cube, struct fm_selection selection)
{
    struct fm_view view;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(fm_view_prepare(&view, cube, &selection, NULL), FM_OK);
    assert_int_equal(export(&view, stream, NULL), FM_OK);
    fm_view_release(&view);
    fclose(stream);
    return text;
}

static json_t *parsed(const struct fm_cube *cube, struct fm_selection selection)
{
    char *text = exported(fm_export_json, cube, selection);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void test_json_holds_every_severity(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    json_t *root = parsed(cube, fm_selection_all());
    assert_string_equal(text_of(root, "format"), "fermata-report");
    assert_int_equal(json_integer_value(json_object_get(root, "version")), 2);
    json_t *severities = json_object_get(root, "severities");
    assert_int_equal(json_array_size(severities), cube->cell_count);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const json_t *severity = json_array_get(severities, i);
        const struct fm_cube_cell *cell = &cube->cells[i];
        fm_metric_t metric = fm_metric_by_id(text_of(severity, "metric"));
        const json_t *value = json_object_get(severity, "value");
        assert_int_equal(metric, cell->metric);
        assert_int_equal(json_integer_value(json_object_get(severity, "callpath")), cell->callpath);
        assert_int_equal(json_integer_value(json_object_get(severity, "location")), cell->location);
        if (fm_unit_is_time(fm_metric_info(metric)->unit)) /* costs of the sample are whole ticks */
            assert_true(json_number_value(value) == (double)cell->value / 1e6);
        else
            assert_true(json_integer_value(value) == cell->value);
    }
    json_decref(root);
    fm_cube_free(cube);
}

static void test_json_problems(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    json_t *root = parsed(cube, fm_selection_all());
    char *problems = json_dumps(json_object_get(root, "problems"), JSON_COMPACT);
    assert_string_equal(
        problems,
        "[{\"id\":1,\"cause\":{\"callpath\":1,\"callpaths\":[1],\"locations\":[3,4],\"kind\":"
        "\"imbalance\",\"exact\":"
        "false,"
        "\"error\":0.044999999999999998,\"candidates\":[],\"replaced\":{\"callpath\":0,"
        "\"share\":0.92000000000000004}},"
        "\"cost\":1.5,\"cost_error\":null,\"share\":0.14999999999999999,"
        "\"when\":[{\"first\":3,\"last\":7,\"begin\":0.27000000000000002,"
        "\"end\":0.76000000000000001,\"count\":5,\"share\":0.75},"
        "{\"first\":12,\"last\":12,\"begin\":1.0800000000000001,\"end\":1.1559999999999999,"
        "\"count\":1,\"share\":0.1875}],"
        "\"symptoms\":[{\"metric\":\"mpi_latesender\",\"callpath\":2,\"locations\":[1,2],"
        "\"cost\":1.2},{\"metric\":\"mpi_barrier_wait\",\"callpath\":6,"
        "\"locations\":[0,1,2],\"cost\":0.29999999999999999}],"
        "\"gain\":{\"balanced\":0.20000000000000001,\"balanced_error\":null,\"removed\":0."
        "34999999999999998,\"removed_error\":null,"
        "\"proved\":true},\"predictions\":["
        "{\"change\":\"as_others\",\"callpath\":null,\"saved\":0.34999999999999998,\"saved_error\":"
        "null,"
        "\"freed\":1.3999999999999999,\"instead\":null,\"moved\":0},"
        "{\"change\":\"balanced\",\"callpath\":null,\"saved\":0.20000000000000001,\"saved_error\":"
        "null,"
        "\"freed\":0.69999999999999996,\"instead\":2,\"moved\":0.050000000000000003},"
        "{\"change\":\"no_barrier\",\"callpath\":6,\"saved\":-0.00050000000000000001,\"saved_"
        "error\":null,"
        "\"freed\":0.29999999999999999,\"instead\":2,\"moved\":0.28999999999999998}],"
        "\"consequence_of\":null,\"excess\":{\"there\":0.059999999999999998,\"elsewhere\":0.02,"
        "\"longest\":0.055},"
        "\"phase\":0,\"lock\":null,\"inside_lock\":0,\"contention\":null},"
        "{\"id\":2,\"cause\":{\"callpath\":1,\"callpaths\":[1],\"locations\":[3],\"kind\":"
        "\"serialization\","
        "\"exact\":true,\"error\":0,\"candidates\":[],\"replaced\":null},"
        "\"cost\":0.10000000000000001,\"cost_error\":null,\"share\":0.01,"
        "\"when\":[{\"first\":null,\"last\":null,\"begin\":0,\"end\":0.5,\"count\":null,"
        "\"share\":0.9375}],\"symptoms\":[],"
        "\"gain\":{\"balanced\":0.25,\"balanced_error\":null,\"removed\":0.40000000000000002,"
        "\"removed_error\":null,\"proved\":false},"
        "\"predictions\":[],"
        "\"consequence_of\":null,\"excess\":null,\"phase\":null,\"lock\":1,"
        "\"inside_lock\":0.050000000000000003,\"contention\":null},"
        "{\"id\":3,\"cause\":{\"callpath\":null,\"callpaths\":[],\"locations\":[],\"kind\":"
        "\"unattributed\","
        "\"exact\":true,\"error\":0,\"candidates\":[],\"replaced\":null},"
        "\"cost\":0.025000000000000001,\"cost_error\":null,\"share\":0.0025000000000000001,"
        "\"when\":[],"
        "\"symptoms\":[],\"gain\":{\"balanced\":null,\"balanced_error\":null,\"removed\":null,"
        "\"removed_error\":null,\"proved\":false},"
        "\"predictions\":[],"
        "\"consequence_of\":1,\"excess\":null,\"phase\":null,\"lock\":null,"
        "\"inside_lock\":0,\"contention\":null}]");
    free(problems);
    json_decref(root);
    fm_cube_free(cube);
}

static void test_json_definitions(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    json_t *root = parsed(cube, fm_selection_all());
    json_t *metrics = json_object_get(root, "metrics");
    assert_int_equal(json_array_size(metrics), FM_METRIC_USER);
    const json_t *metric = json_array_get(metrics, FM_METRIC_MPI_LATESENDER);
    assert_string_equal(text_of(metric, "id"), "mpi_latesender");
    assert_string_equal(text_of(metric, "parent"), "mpi_point2point");
    assert_string_equal(text_of(metric, "name"), "Late Sender");
    assert_string_equal(text_of(metric, "unit"), "sec");
    assert_true(json_is_null(json_object_get(json_array_get(metrics, 0), "parent")));
    json_t *callpaths = json_object_get(root, "callpaths");
    const json_t *evil = json_array_get(callpaths, SAMPLE_EVIL);
    assert_int_equal(json_integer_value(json_object_get(evil, "parent")), SAMPLE_SOLVE);
    assert_string_equal(text_of(evil, "region"), "\033[31mevil/\"\xc3\xa4\"\xef\xbf\xbd,\n");
    assert_string_equal(text_of(evil, "file"), "a\"b");
    assert_true(json_is_null(json_object_get(json_array_get(callpaths, 0), "parent")));
    assert_string_equal(text_of(json_array_get(callpaths, SAMPLE_RECV), "paradigm"), "mpi");
    const json_t *thread = json_array_get(json_object_get(root, "locations"), 4);
    assert_int_equal(json_integer_value(json_object_get(thread, "id")), 4);
    assert_int_equal(json_integer_value(json_object_get(thread, "rank")), 3);
    assert_int_equal(json_integer_value(json_object_get(thread, "thread")), 1);
    assert_string_equal(text_of(thread, "node"), "node2");
    const json_t *statistics = json_array_get(json_object_get(root, "statistics"), 1);
    assert_string_equal(text_of(statistics, "metric"), "mpi_latesender");
    assert_true(json_number_value(json_object_get(statistics, "median")) == 950e-6);
    assert_int_equal(json_array_size(json_object_get(statistics, "worst")), 3);
    assert_int_equal(json_array_size(json_object_get(root, "warnings")), 1);
    assert_int_equal(json_array_size(json_object_get(root, "critical_path")), 0);
    json_decref(root);
    fm_cube_free(cube);
}

static void test_json_of_selection_and_of_nothing(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_MPI_LATESENDER;
    selection.rank = 1;
    json_t *root = parsed(cube, selection);
    assert_int_equal(json_array_size(json_object_get(root, "severities")), 2);
    assert_int_equal(json_array_size(json_object_get(root, "statistics")), 1);
    json_decref(root);
    fm_cube_free(cube);
    cube = empty_cube();
    root = parsed(cube, fm_selection_all());
    assert_int_equal(json_array_size(json_object_get(root, "severities")), 0);
    assert_true(json_is_null(json_object_get(json_object_get(root, "experiment"), "title")));
    json_decref(root);
    fm_cube_free(cube);
}

static void test_csv_lines(void **state)
{
    (void)state;
    struct fm_cube *cube = sample_cube();
    struct fm_selection selection = fm_selection_all();
    selection.callpath = SAMPLE_EVIL;
    char *text = exported(fm_export_csv, cube, selection);
    assert_string_equal(
        text, "metric,unit,callpath_id,callpath,location,rank,thread,node,value\r\n"
              "comp,sec,5,\"main/solve/\\x1b[31mevil/\"\"\xc3\xa4\"\"\xef\xbf\xbd,\\x0a\","
              "3,3,0,node2,0.15\r\n");
    free(text);
    selection = fm_selection_all();
    text = exported(fm_export_csv, cube, selection);
    size_t lines = 0;
    for (const char *c = text; (c = strstr(c, "\r\n")) != NULL; c++)
        lines++;
    assert_int_equal(lines, cube->cell_count + 1);
    assert_non_null(strstr(text, ",9007199254740993\r\n"));
    free(text);
    fm_cube_free(cube);
}

static void test_full_disk_is_an_error(void **state)
{
    (void)state;
    FILE *stream = fopen("/dev/full", "w");
    if (stream == NULL)
        skip();
    struct fm_cube *cube = sample_cube();
    struct fm_view view;
    struct fm_selection all = fm_selection_all();
    struct fm_error error;
    assert_int_equal(fm_view_prepare(&view, cube, &all, NULL), FM_OK);
    assert_int_equal(fm_export_json(&view, stream, &error), FM_ERR_SYSTEM);
    assert_int_equal(fm_export_csv(&view, stream, &error), FM_ERR_SYSTEM);
    fm_view_release(&view);
    fclose(stream);
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_holds_every_severity),
        cmocka_unit_test(test_json_definitions),
        cmocka_unit_test(test_json_problems),
        cmocka_unit_test(test_json_of_selection_and_of_nothing),
        cmocka_unit_test(test_csv_lines),
        cmocka_unit_test(test_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
