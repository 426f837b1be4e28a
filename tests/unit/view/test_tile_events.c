/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a timeline together have the events of the timeline of a whole run, each at its
 * time; a team of threads and its columns by hand. */
#include "bundle_content.h"
#include "temporary.h"

#include "base/files/file_tree.h"
#include "base/memory.h"
#include "scenario/scenario.h"
#include "view/tiles/tile_cells.h"
#include "view/tiles/tile_events.h"
#include "view/timeline/timeline_data.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* ---- rows of events ---- */

/* Texts that describe events, or none. */
struct rows {
    char **items;
    size_t count, room;
};

static void add_row(struct rows *rows, const char *text)
{
    if (rows->count == rows->room) {
        rows->room = 2 * rows->room + 64;
        rows->items = realloc(rows->items, rows->room * sizeof *rows->items);
        assert_non_null(rows->items);
    }
    rows->items[rows->count++] = strdup(text);
}

static int compare_rows(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorts the rows; each one stays once. */
static void settle_rows(struct rows *rows)
{
    size_t kept = 0;
    if (rows->count > 1) {
        qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (kept > 0 && strcmp(rows->items[kept - 1], rows->items[i]) == 0) {
            free(rows->items[i]);
        } else {
            rows->items[kept++] = rows->items[i];
        }
    }
    rows->count = kept;
}

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i]);
    }
    free(rows->items);
    *rows = (struct rows){0};
}

static void assert_equal_rows(const char *name, const struct rows *whole, const struct rows *tiles)
{
    for (size_t i = 0; i < whole->count || i < tiles->count; i++) {
        const char *expected = i < whole->count ? whole->items[i] : "(none)";
        const char *found = i < tiles->count ? tiles->items[i] : "(none)";
        if (strcmp(expected, found) != 0) {
            fail_msg("%s: the run has %s, its tiles have %s", name, expected, found);
        }
    }
}

/* ---- rows of a bundle ---- */

/* Adds a row for each element of these columns, of which the first is the event's name. */
static void add_columns(struct rows *rows, const struct content *content, const char *const names[])
{
    size_t count = 0;
    for (size_t c = 0; names[c] != NULL; c++) {
        size_t length;
        free(column(content, names[c], &length));
        assert_true(c == 0 || length == count);
        count = length;
    }
    char **texts = calloc(count + 1, sizeof *texts);
    for (size_t c = 0; names[c] != NULL; c++) {
        uint64_t *values = column(content, names[c], &count);
        for (size_t i = 0; i < count; i++) {
            char text[512];
            snprintf(text, sizeof text, "%s %s %llu", c == 0 ? "" : texts[i], names[c],
                     (unsigned long long)values[i]);
            free(texts[i]);
            texts[i] = strdup(text);
        }
        free(values);
    }
    for (size_t i = 0; i < count; i++) {
        add_row(rows, texts[i]);
        free(texts[i]);
    }
    free(texts);
}

static void add_teams(struct rows *rows, const struct content *content)
{
    size_t teams, members, first = 0;
    uint64_t *since = column(content, "team_since", &teams);
    uint64_t *time = column(content, "team_time", &teams);
    uint64_t *count = column(content, "team_count", &teams);
    uint64_t *member = column(content, "team_member", &members);
    for (size_t i = 0; i < teams; i++) {
        char text[256];
        int length =
            snprintf(text, sizeof text, "team since %llu time %llu:", (unsigned long long)since[i],
                     (unsigned long long)time[i]);
        for (size_t k = 0; k < count[i]; k++) {
            assert_true(first < members && (size_t)length < sizeof text);
            length += snprintf(text + length, sizeof text - (size_t)length, " %llu",
                               (unsigned long long)member[first++]);
        }
        add_row(rows, text);
    }
    assert_int_equal(first, members);
    free(since);
    free(time);
    free(count);
    free(member);
}

/* The activities of locations, without what continues at the begin of a tile. */
static void add_segments(struct rows *rows, const struct content *content)
{
    size_t lanes, segments, at = 0;
    uint64_t *location = column(content, "lane_location", &lanes);
    uint64_t *count = column(content, "lane_count", &lanes);
    uint64_t *since = column(content, "segment_since", &segments);
    uint64_t *callpath = column(content, "segment_callpath", &segments);
    uint64_t *kind = column(content, "segment_kind", &segments);
    const json_t *window = json_array_get(json_object_get(content->json, "windows"), 0);
    for (size_t lane = 0; lane < lanes; lane++) {
        for (size_t i = 0; i < count[lane]; i++, at++) {
            char text[256];
            bool is_bound =
                since[at] <= number(window, "from") || since[at] >= number(window, "to");
            snprintf(text, sizeof text, "location %llu since %llu callpath %llu kind %llu",
                     (unsigned long long)location[lane], (unsigned long long)since[at],
                     (unsigned long long)callpath[at], (unsigned long long)kind[at]);
            if (!is_bound) {
                add_row(rows, text);
            }
        }
    }
    assert_int_equal(at, segments);
    free(location);
    free(count);
    free(since);
    free(callpath);
    free(kind);
}

static void add_content(struct rows *rows, const struct content *content)
{
    static const char *const waits[] = {
        "wait_location", "wait_enter",          "wait_time",           "wait_rest", "wait_metric",
        "wait_callpath", "wait_cause_location", "wait_cause_callpath", NULL};
    static const char *const arrows[] = {"arrow_kind", "arrow_tail",  "arrow_head", "arrow_since",
                                         "arrow_time", "arrow_bytes", NULL};
    add_columns(rows, content, waits);
    add_columns(rows, content, arrows);
    add_teams(rows, content);
    add_segments(rows, content);
}

/* ---- runs ---- */

static char folder[200];

static void analyze(const struct fm_scenario *scenario, struct fm_cube **cube,
                    struct fm_detail **detail)
{
    char archive[220];
    struct fm_error error = {""};
    const struct fm_analysis_options options = {.workers = 1};
    snprintf(archive, sizeof archive, "%s/archive", folder);
    fm_status_t status = fm_scenario_write_archive(scenario, archive, &error);
    if (status == FM_OK) {
        status = fm_analysis_run_in_detail(archive, &options, cube, detail, &error);
    }
    if (status != FM_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(fm_remove_tree(archive), 0);
}

static void open_whole(struct content *content, const struct fm_detail *detail,
                       const struct fm_cube *cube)
{
    unsigned char *packed = NULL;
    size_t size;
    assert_int_equal(fm_timeline_data_make(detail, cube, SIZE_MAX, &packed, &size, NULL), FM_OK);
    assert_non_null(packed);
    bundle_open(content, packed, size);
    fm_free(packed);
}

/* ---- the events of one tile ---- */

/* Where and when a tile is; times are ticks since the begin of the run. */
struct part {
    uint64_t from, to;
    uint64_t next; /* begin of the next tile */
    uint64_t first, end;
};

static bool has(const struct part *part, uint64_t location)
{
    return location >= part->first && location < part->end;
}

/* @return the number of waits that overlap the tile, or are at its bounds */
static size_t waits_in(const struct content *content, const struct part *part)
{
    size_t count, inside = 0;
    uint64_t *location = column(content, "wait_location", &count);
    uint64_t *enter = column(content, "wait_enter", &count);
    uint64_t *time = column(content, "wait_time", &count);
    for (size_t i = 0; i < count; i++) {
        inside +=
            has(part, location[i]) && enter[i] <= part->to && enter[i] + time[i] >= part->from;
    }
    free(location);
    free(enter);
    free(time);
    return inside;
}

/* @return the number of arrows that begin or end in the tile */
static size_t arrows_in(const struct content *content, const struct part *part)
{
    size_t count, inside = 0;
    uint64_t *tail = column(content, "arrow_tail", &count);
    uint64_t *head = column(content, "arrow_head", &count);
    uint64_t *since = column(content, "arrow_since", &count);
    uint64_t *time = column(content, "arrow_time", &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t until = since[i] + time[i];
        inside += (has(part, tail[i]) && since[i] >= part->from && since[i] < part->next) ||
                  (has(part, head[i]) && until >= part->from && until < part->next);
    }
    free(tail);
    free(head);
    free(since);
    free(time);
    return inside;
}

/* @return the number of teams with a member in the tile */
static size_t teams_in(const struct content *content, const struct part *part)
{
    size_t count, members, inside = 0, at = 0;
    uint64_t *since = column(content, "team_since", &count);
    uint64_t *time = column(content, "team_time", &count);
    uint64_t *size = column(content, "team_count", &count);
    uint64_t *member = column(content, "team_member", &members);
    for (size_t i = 0; i < count; i++) {
        bool is_here = false;
        for (size_t k = 0; k < size[i]; k++) {
            is_here = has(part, member[at++]) || is_here;
        }
        inside += is_here && since[i] <= part->to && since[i] + time[i] >= part->from;
    }
    free(since);
    free(time);
    free(size);
    free(member);
    return inside;
}

/* The tile has as many events as the run has there: each one once. */
static void assert_once(const struct content *whole, const struct content *tile,
                        const struct part *part)
{
    size_t count;
    free(column(tile, "wait_enter", &count));
    assert_int_equal(count, waits_in(whole, part));
    free(column(tile, "arrow_since", &count));
    assert_int_equal(count, arrows_in(whole, part));
    free(column(tile, "team_since", &count));
    assert_int_equal(count, teams_in(whole, part));
}

/* What the tiles have, and what each one says about itself. */
struct tiles {
    struct fm_event_tiles chosen;
    const struct content *whole;
    struct rows rows;
    size_t made;
    uint64_t calls;
};

static void take_tile(void *context, size_t tile, const void *bytes, size_t size)
{
    struct tiles *tiles = context;
    struct content content;
    bundle_open(&content, bytes, size);
    assert_int_equal(tile, tiles->made);
    tiles->made++;
    tiles->calls += number(content.json, "calls");
    assert_int_equal(number(content.json, "calls"), tiles->chosen.calls.items[tile]);
    const json_t *window = json_array_get(json_object_get(content.json, "windows"), 0);
    assert_int_equal(number(window, "from"), tiles->chosen.from.items[tile]);
    assert_true(number(window, "from") < number(window, "to"));
    size_t band = 0;
    while (tiles->chosen.first.items[band + 1] <= tile) {
        band++;
    }
    const bool is_last = tiles->chosen.first.items[band + 1] == tile + 1;
    const uint64_t next = is_last ? UINT64_MAX : tiles->chosen.from.items[tile + 1];
    const struct part part = {.from = number(window, "from"),
                              .to = number(window, "to"),
                              .next = next,
                              .first = band * FM_TILE_ROWS,
                              .end = (band + 1) * FM_TILE_ROWS};
    assert_int_equal(part.to, is_last ? tiles->chosen.length : next);
    assert_once(tiles->whole, &content, &part);
    add_content(&tiles->rows, &content);
    bundle_close(&content);
}

/* @return the number of tiles */
static size_t compare(const char *name, const struct fm_scenario *scenario)
{
    struct fm_cube *cube = NULL;
    struct fm_detail *detail = NULL;
    struct content content;
    struct rows whole = {0};
    struct tiles tiles = {0};
    analyze(scenario, &cube, &detail);
    const uint64_t length = cube->experiment.end - cube->experiment.begin;
    if (length > 0) {
        open_whole(&content, detail, cube);
        add_content(&whole, &content);
        tiles.whole = &content;
        fm_event_tiles_choose(&tiles.chosen, detail, cube->experiment.begin, length);
        assert_int_equal(fm_event_tiles_make(&tiles.chosen, detail, take_tile, &tiles, NULL),
                         FM_OK);
        assert_int_equal(tiles.made, tiles.chosen.from.count);
        assert_int_equal(tiles.calls, number(content.json, "calls"));
        bundle_close(&content);
        settle_rows(&whole);
        settle_rows(&tiles.rows);
        assert_equal_rows(name, &whole, &tiles.rows);
    }
    free_rows(&whole);
    free_rows(&tiles.rows);
    fm_event_tiles_free(&tiles.chosen);
    fm_detail_free(detail);
    fm_cube_free(cube);
    return tiles.made;
}

static struct fm_scenario *parsed(char *text, size_t length)
{
    struct fm_scenario *scenario = NULL;
    struct fm_error error;
    if (fm_scenario_parse("run", text, length, &scenario, &error) != FM_OK) {
        fail_msg("%s", error.message);
    }
    free(text);
    return scenario;
}

/* Threads of ranks 0 to 2 form teams. */
static const char teams_text[] =
    "unit 1\nranks 3 threads 2\nteam a 0.0 0.1\nteam b 2.0 2.1\n"
    "0 0.0 enter main\n2 0.0 fork 2\n2 0.0 team_begin a\n2 0.1 team_begin a\n"
    "9 0.0 team_end a\n8 0.1 team_end a\n9 0.0 join\n20 0.0 leave main\n"
    "0 1.0 enter main\n20 1.0 leave main\n"
    "0 2.0 enter main\n11 2.0 fork 2\n11 2.0 team_begin b\n11 2.1 team_begin b\n"
    "15 2.0 team_end b\n16 2.1 team_end b\n16 2.0 join\n20 2.0 leave main\n";

/* ---- the tests ---- */

static int make_folder(void **state)
{
    (void)state;
    temporary_path(folder, sizeof folder, "fermata-tiles");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return fm_remove_tree(folder);
}

static void tiles_of_scenarios(void **state)
{
    static const char *const families[] = {"threads", "p2p", "passive"};
    size_t compared = 0;
    (void)state;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, SCENARIOS "/%s", families[i]);
        DIR *directory = opendir(path);
        assert_non_null(directory);
        for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            struct fm_scenario *scenario = NULL;
            snprintf(path, sizeof path, SCENARIOS "/%s/%s", families[i], entry->d_name);
            if (strstr(path, ".scn") == NULL || fm_scenario_read(path, &scenario, NULL) != FM_OK) {
                continue;
            }
            compare(path, scenario);
            fm_scenario_free(scenario);
            compared++;
        }
        closedir(directory);
    }
    assert_true(compared > 50);
}

/* Ranks of two bands, in pairs: in each iteration, the second one waits for the first one. Both
 * bands have several tiles, at whose bounds calls and waits are under way. */
static void tiles_of_many_calls(void **state)
{
    enum { RANKS = FM_TILE_ROWS + 16, ITERATIONS = 400 };
    char *text = NULL;
    size_t length;
    (void)state;
    FILE *file = open_memstream(&text, &length);
    fprintf(file, "unit 1\nranks %u\n", (unsigned)RANKS);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        fprintf(file, "0 %u enter main\n", rank);
        for (unsigned i = 0; i < ITERATIONS; i++) {
            /* The partner is in the other band for some. */
            unsigned partner = (rank + RANKS / 2) % RANKS, t = 10 * i;
            if (rank < RANKS / 2) {
                fprintf(file, "%u %u enter MPI_Send\n%u %u send %u 7 8\n%u %u leave MPI_Send\n",
                        t + 5, rank, t + 5, rank, partner, t + 7, rank);
            } else {
                fprintf(file, "%u %u enter MPI_Recv\n%u %u recv %u 7 8\n%u %u leave MPI_Recv\n",
                        t + 1, rank, t + 7, rank, partner, t + 7, rank);
            }
        }
        fprintf(file, "%u %u leave main\n", 10U * ITERATIONS, rank);
    }
    fclose(file);
    struct fm_scenario *scenario = parsed(text, length);
    assert_true(compare("many calls", scenario) >= 4);
    fm_scenario_free(scenario);
}

static void teams_have_their_times(void **state)
{
    struct fm_cube *cube = NULL;
    struct fm_detail *detail = NULL;
    struct content content;
    struct rows rows = {0};
    (void)state;
    struct fm_scenario *scenario = parsed(strdup(teams_text), sizeof teams_text - 1);
    compare("teams", scenario);
    analyze(scenario, &cube, &detail);
    open_whole(&content, detail, cube);
    add_teams(&rows, &content);
    settle_rows(&rows);
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.items[0], "team since 11000 time 5000: 4 5");
    assert_string_equal(rows.items[1], "team since 2000 time 7000: 0 1");
    free_rows(&rows);
    bundle_close(&content);
    fm_detail_free(detail);
    fm_cube_free(cube);
    fm_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_scenarios),
        cmocka_unit_test(tiles_of_many_calls),
        cmocka_unit_test(teams_have_their_times),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
