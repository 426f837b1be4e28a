/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a page: a run is shown whole, or as excerpts around its longest waits where that
 * is too large. What an excerpt contains is computed by hand from the run. */
#include "bundle_content.h"
#include "temporary.h"

#include "base/files/file_tree.h"
#include "base/memory.h"
#include "scenario/scenario.h"
#include "view/timeline/timeline_data.h"

#include <stdio.h>
#include <string.h>

/* In each of the iterations, rank 1 waits for a message of rank 0; longest in one of them. Times
 * vary, so that the whole run needs more room than excerpts. A unit of the scenario is TICKS ticks.
 */
enum { ITERATIONS = 6000, LONGEST = 3000, TICKS = 1000, PERIOD = 10 };

static char folder[200];
static struct fm_cube *cube;
static struct fm_detail *detail;

/* @return a number below `most` that has no pattern */
static uint64_t scattered(uint64_t i, uint64_t seed, uint64_t most)
{
    uint64_t state = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed;
    next_random(&state);
    return next_random(&state) % most;
}

/* When rank 1 begins to wait in iteration `i`, ticks. */
static uint64_t enter_of(uint64_t i)
{
    return PERIOD * TICKS * i + (i == LONGEST ? 100 : 1000 + scattered(i, 1, 2000));
}

static uint64_t sent_at(uint64_t i)
{
    return PERIOD * TICKS * i + 4000 + scattered(i, 2, 500);
}

static uint64_t received_at(uint64_t i)
{
    return PERIOD * TICKS * i + 5000 + scattered(i, 3, 1000);
}

static void write_event(FILE *file, uint64_t time, unsigned rank, const char *event)
{
    fprintf(file, "%llu.%03llu %u %s\n", (unsigned long long)time / TICKS,
            (unsigned long long)time % TICKS, rank, event);
}

static void write_scenario(FILE *file)
{
    fputs("unit 1\nranks 2\n0 0 enter main\n0 1 enter main\n", file);
    for (uint64_t i = 0; i < ITERATIONS; i++) {
        write_event(file, sent_at(i), 0, "enter MPI_Send");
        write_event(file, sent_at(i), 0, "send 1 7 8");
        write_event(file, received_at(i), 0, "leave MPI_Send");
        write_event(file, enter_of(i), 1, "enter MPI_Recv");
        write_event(file, received_at(i), 1, "recv 0 7 8");
        write_event(file, received_at(i), 1, "leave MPI_Recv");
    }
    fprintf(file, "%d 0 leave main\n%d 1 leave main\n", PERIOD * ITERATIONS, PERIOD * ITERATIONS);
}

/* Writes a scenario as archive `name`, and analyzes it. */
static fm_status_t analyze_text(const char *name, const char *text, size_t length,
                                struct fm_cube **into_cube, struct fm_detail **into_detail)
{
    char archive[220];
    struct fm_scenario *scenario = NULL;
    struct fm_error error = {""};
    const struct fm_analysis_options options = {.workers = 1};
    snprintf(archive, sizeof archive, "%s/%s", folder, name);
    fm_status_t status = fm_scenario_parse(name, text, length, &scenario, &error);
    if (status == FM_OK) {
        status = fm_scenario_write_archive(scenario, archive, &error);
    }
    if (status == FM_OK) {
        status = fm_analysis_run_in_detail(archive, &options, into_cube, into_detail, &error);
    }
    fm_scenario_free(scenario);
    if (status != FM_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    return status;
}

static int analyze(void **state)
{
    char *text = NULL;
    size_t length = 0;
    (void)state;
    temporary_path(folder, sizeof folder, "fermata-timeline");
    assert_non_null(mkdtemp(folder));
    FILE *file = open_memstream(&text, &length);
    write_scenario(file);
    fclose(file);
    const fm_status_t status = analyze_text("run", text, length, &cube, &detail);
    free(text);
    return status == FM_OK ? 0 : -1;
}

static int clean_up(void **state)
{
    (void)state;
    fm_detail_free(detail);
    fm_cube_free(cube);
    return fm_remove_tree(folder);
}

/* @return whether there is a timeline that fits */
static bool open_timeline(struct content *content, const struct fm_detail *of_detail,
                          const struct fm_cube *of_cube, size_t limit)
{
    unsigned char *packed = NULL;
    size_t size;
    *content = (struct content){0};
    assert_int_equal(fm_timeline_data_make(of_detail, of_cube, limit, &packed, &size, NULL), FM_OK);
    if (packed == NULL) {
        assert_int_equal(size, 0);
        return false;
    }
    bundle_open(content, packed, size);
    fm_free(packed);
    return true;
}

static bool open_content(struct content *content, size_t limit)
{
    return open_timeline(content, detail, cube, limit);
}

/* ---- what it must contain ---- */

/* Waits, messages and calls of a window, by the run's times. */
static void assert_events(const struct content *content, size_t window, uint64_t from, uint64_t to)
{
    size_t waits, arrows, lanes, segments;
    uint64_t *wait_window = column(content, "wait_window", &waits);
    uint64_t *wait_enter = column(content, "wait_enter", &waits);
    uint64_t *wait_time = column(content, "wait_time", &waits);
    uint64_t *wait_rest = column(content, "wait_rest", &waits);
    uint64_t *wait_cause = column(content, "wait_cause_location", &waits);
    uint64_t *arrow_window = column(content, "arrow_window", &arrows);
    uint64_t *arrow_since = column(content, "arrow_since", &arrows);
    uint64_t *arrow_bytes = column(content, "arrow_bytes", &arrows);
    uint64_t *lane_window = column(content, "lane_window", &lanes);
    uint64_t *lane_location = column(content, "lane_location", &lanes);
    uint64_t *lane_count = column(content, "lane_count", &lanes);
    uint64_t *since = column(content, "segment_since", &segments);
    uint64_t *kind = column(content, "segment_kind", &segments);
    size_t wait = 0, arrow = 0, calls[2] = {0}, first = 0;
    while (wait < waits && wait_window[wait] < window) {
        wait++;
    }
    while (arrow < arrows && arrow_window[arrow] < window) {
        arrow++;
    }
    for (uint64_t i = 0; i < ITERATIONS; i++) {
        if (enter_of(i) <= to && sent_at(i) >= from) {
            assert_true(wait < waits && wait_window[wait] == window);
            assert_int_equal(wait_enter[wait], enter_of(i));
            assert_int_equal(wait_time[wait], sent_at(i) - enter_of(i));
            assert_int_equal(wait_rest[wait], received_at(i) - sent_at(i));
            assert_int_equal(wait_cause[wait], 0 + 1);
            wait++;
        }
        if (sent_at(i) >= from && received_at(i) <= to) {
            assert_true(arrow < arrows && arrow_window[arrow] == window);
            assert_int_equal(arrow_since[arrow], sent_at(i));
            assert_int_equal(arrow_bytes[arrow], 8);
            arrow++;
        }
        calls[0] += sent_at(i) < to && received_at(i) > from;
        calls[1] += enter_of(i) < to && received_at(i) > from;
    }
    assert_true(wait == waits || wait_window[wait] > window);
    assert_true(arrow == arrows || arrow_window[arrow] > window);
    for (size_t lane = 0; lane < lanes; first += lane_count[lane++]) {
        size_t begun = 0;
        for (size_t i = first; i < first + lane_count[lane]; i++) {
            assert_true(i == first || since[i] > since[i - 1]);
            begun += kind[i] == 1;
        }
        if (lane_window[lane] == window) {
            assert_true(since[first] <= from || lane_count[lane] == 0);
            assert_int_equal(since[first + lane_count[lane] - 1], to);
            assert_int_equal(begun, calls[lane_location[lane]]);
        }
    }
    assert_int_equal(first, segments);
    uint64_t *all[] = {wait_window,  wait_enter,  wait_time,   wait_rest,   wait_cause,
                       arrow_window, arrow_since, arrow_bytes, lane_window, lane_location,
                       lane_count,   since,       kind};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

static void assert_whole(const struct content *content)
{
    const json_t *windows = json_object_get(content->json, "windows");
    const json_t *window = json_array_get(windows, 0);
    assert_int_equal(json_array_size(windows), 1);
    assert_int_equal(number(window, "from"), 0);
    assert_int_equal(number(window, "to"), PERIOD * ITERATIONS * TICKS);
    assert_true(json_is_null(json_object_get(window, "metric")));
    assert_true(json_is_null(json_object_get(window, "location")));
    assert_true(json_is_null(json_object_get(window, "enter")));
    assert_null(json_object_get(content->json, "bins"));
    assert_events(content, 0, 0, PERIOD * ITERATIONS * TICKS);
}

/* @param calls  most of a window */
static void assert_excerpts(const struct content *content, uint64_t calls)
{
    const json_t *windows = json_object_get(content->json, "windows"), *window;
    size_t i;
    assert_non_null(json_object_get(content->json, "bins"));
    assert_true(json_array_size(windows) >= 1);
    json_array_foreach(windows, i, window)
    {
        uint64_t from = number(window, "from"), to = number(window, "to"), inside = 0;
        uint64_t enter = number(window, "enter");
        assert_int_equal(number(window, "metric"), FM_METRIC_MPI_LATESENDER);
        assert_int_equal(number(window, "location"), 1);
        assert_true(from <= enter && enter < to && to <= PERIOD * ITERATIONS * TICKS);
        for (uint64_t k = 0; k < ITERATIONS; k++) {
            inside +=
                (sent_at(k) >= from && sent_at(k) < to) + (enter_of(k) >= from && enter_of(k) < to);
        }
        assert_true(inside <= calls && inside > calls / 4);
        assert_events(content, i, from, to);
    }
    window = json_array_get(windows, 0);
    assert_int_equal(number(window, "enter"), enter_of(LONGEST));
    assert_true(number(window, "from") < enter_of(LONGEST));
    assert_true(number(window, "to") > sent_at(LONGEST));
}

/* ---- the tests ---- */

static void a_run_that_fits_is_whole(void **state)
{
    struct content content;
    (void)state;
    assert_true(open_content(&content, SIZE_MAX));
    assert_int_equal(number(content.json, "version"), 1);
    assert_int_equal(number(content.json, "length"), PERIOD * ITERATIONS * TICKS);
    assert_int_equal(number(content.json, "calls"), 2 * ITERATIONS);
    assert_whole(&content);
    size_t size = content.size;
    bundle_close(&content);
    assert_true(open_content(&content, size)); /* the limit is the most that is allowed */
    assert_whole(&content);
    bundle_close(&content);
}

/* Each time that the page is one byte too large, its timeline becomes smaller: shorter excerpts,
 * then none, then no timeline. */
static void less_room_makes_smaller_excerpts(void **state)
{
    static const uint64_t calls[] = {4000, 2000, 1000};
    struct content content;
    (void)state;
    assert_true(open_content(&content, SIZE_MAX));
    for (size_t i = 0; i < 3; i++) {
        size_t limit = content.size - 1;
        bundle_close(&content);
        assert_true(open_content(&content, limit));
        assert_true(content.size <= limit);
        assert_int_equal(number(content.json, "calls"), 2 * ITERATIONS);
        assert_excerpts(&content, calls[i]);
    }
    size_t limit = content.size - 1;
    bundle_close(&content);
    assert_true(open_content(&content, limit));
    assert_int_equal(json_array_size(json_object_get(content.json, "windows")), 0);
    assert_non_null(json_object_get(content.json, "bins"));
    limit = content.size - 1;
    bundle_close(&content);
    assert_false(open_content(&content, limit));
}

/* Two kernels of a stream, each with a value of a counter. */
static const char counted_text[] =
    "unit 1\nranks 1 threads 2\nstream 0.1\n"
    "0 0.0 enter main\n0 0.0 enter cudaLaunchKernel\n0 0.0 correlation 1\n"
    "1 0.0 leave cudaLaunchKernel\n30 0.0 leave main\n"
    "2 0.1 enter kernel force\n2 0.1 correlation 1\n2 0.1 activity sm 75\n"
    "10 0.1 leave kernel force\n14 0.1 enter kernel pack\n14 0.1 activity sm 25\n"
    "18 0.1 leave kernel pack\n";

static void counters_and_similar_locations_are_in_a_page(void **state)
{
    struct content content;
    struct fm_cube *counted_cube = NULL;
    struct fm_detail *counted = NULL;
    size_t series, values, locations;
    (void)state;
    assert_int_equal(
        analyze_text("counted", counted_text, sizeof counted_text - 1, &counted_cube, &counted),
        FM_OK);
    assert_true(open_timeline(&content, counted, counted_cube, SIZE_MAX));
    const json_t *counters = json_object_get(content.json, "counters");
    assert_int_equal(json_array_size(counters), 1);
    const json_t *counter = json_array_get(counters, 0);
    assert_non_null(strstr(json_string_value(json_object_get(counter, "name")), "cycles_active"));
    assert_int_equal(number(counter, "series"), 1);
    uint64_t *of = column(&content, "counter_location", &series);
    uint64_t *time = column(&content, "counter_time", &values);
    assert_int_equal(series, 1);
    assert_int_equal(of[0], 1);
    assert_int_equal(values, 2);
    assert_int_equal(time[0], 2 * TICKS);
    assert_int_equal(time[1], 14 * TICKS);
    free(of);
    free(time);
    assert_int_equal(number(content.json, "alike"), 2);
    of = column(&content, "alike_of", &locations);
    assert_int_equal(locations, 2);
    assert_true(of[0] != of[1]);
    free(of);
    bundle_close(&content);
    fm_detail_free(counted);
    fm_cube_free(counted_cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_fits_is_whole),
        cmocka_unit_test(less_room_makes_smaller_excerpts),
        cmocka_unit_test(counters_and_similar_locations_are_in_a_page),
    };
    return cmocka_run_group_tests(tests, analyze, clean_up);
}
