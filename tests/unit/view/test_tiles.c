/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a timeline's tiles, written and read back: the index describes the levels, and the
 * tiles of each level have the shares of computation and waiting that follow from the run. */
#include "bundle_content.h"
#include "temporary.h"

#include "base/files/file_tree.h"
#include "scenario/scenario.h"
#include "view/tiles/tile_cells.h"
#include "view/tiles/tile_store.h"
#include "view/tiles/tiles.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More locations than fit in the rows of the coarsest level: there are two levels, the finer one
 * with several bands. */
enum { RANKS = 260, BANDS = (RANKS + FM_TILE_ROWS - 1) / FM_TILE_ROWS, GROUP = 4, KEY = 12345 };

static char folder[200];

/* Odd ranks compute in the first half of the run; then they wait for a message of the even rank
 * before them until the end of the run. Even ranks compute all the time. */
static struct fm_scenario *make_scenario(void)
{
    char *text = NULL;
    size_t length;
    struct fm_scenario *scenario = NULL;
    struct fm_error error = {""};
    FILE *file = open_memstream(&text, &length);
    fprintf(file, "unit 1\nranks %u\n", (unsigned)RANKS);
    for (unsigned even = 0; even < RANKS; even += 2) {
        const unsigned odd = even + 1;
        fprintf(file, "0 %u enter main\n0 %u enter main\n", even, odd);
        fprintf(file, "50 %u enter MPI_Recv\n", odd);
        fprintf(file, "100 %u enter MPI_Send\n100 %u send %u 7 8\n100 %u leave MPI_Send\n", even,
                even, odd, even);
        fprintf(file, "100 %u recv %u 7 8\n100 %u leave MPI_Recv\n", odd, even, odd);
        fprintf(file, "100 %u leave main\n100 %u leave main\n", even, odd);
    }
    fclose(file);
    if (fm_scenario_parse("run", text, length, &scenario, &error) != FM_OK) {
        fail_msg("%s", error.message);
    }
    free(text);
    return scenario;
}

/* @return the file of the run's tiles */
static struct fm_tile_store *write_tiles(void)
{
    char path[220];
    struct fm_error error = {""};
    struct fm_cube *cube = NULL;
    struct fm_detail *detail = NULL;
    struct fm_tile_store *store = NULL;
    const struct fm_analysis_options options = {.workers = 1};
    struct fm_scenario *scenario = make_scenario();
    snprintf(path, sizeof path, "%s/archive", folder);
    if (fm_scenario_write_archive(scenario, path, &error) != FM_OK ||
        fm_analysis_run_in_detail(path, &options, &cube, &detail, &error) != FM_OK) {
        fail_msg("%s", error.message);
    }
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fm_tiles_write(detail, cube, KEY, file, &error), FM_OK);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(fm_tile_store_open(dup(fileno(file)), KEY, &store, &error), FM_OK);
    fclose(file);
    fm_detail_free(detail);
    fm_cube_free(cube);
    fm_scenario_free(scenario);
    return store;
}

static void open_tile(const struct fm_tile_store *store, uint64_t tile, struct content *content)
{
    unsigned char *bytes = NULL;
    size_t size;
    assert_int_equal(fm_tile_store_read(store, tile, &bytes, &size, NULL), FM_OK);
    assert_true(size > 0);
    bundle_open(content, bytes, size);
    free(bytes);
}

/* Asserts the percentages of a row of cells, which are the same in each bin.
 * @param values  [row][bin] */
static void assert_row(const uint64_t *values, size_t row, uint64_t expected)
{
    for (size_t bin = 0; bin < FM_TILE_BINS; bin++) {
        assert_int_equal(values[row * FM_TILE_BINS + bin], expected);
    }
}

/* Asserts computation and waiting of a tile of one half of the run.
 * @param first  location of the tile's first row; rows have `group` locations */
static void assert_half(const struct content *tile, unsigned half, unsigned first, unsigned group)
{
    size_t computing, waiting;
    uint64_t *compute = column(tile, "compute", &computing);
    uint64_t *wait = column(tile, "wait", &waiting);
    const size_t rows = (size_t)number(tile->json, "rows");
    const unsigned left = (RANKS - first + group - 1) / group;
    assert_int_equal(rows, left < FM_TILE_ROWS ? left : FM_TILE_ROWS);
    assert_int_equal(computing, rows * FM_TILE_BINS);
    assert_int_equal(waiting, half == 0 ? 0 : rows * FM_TILE_BINS); /* only kinds that occur */
    for (size_t row = 0; row < rows; row++) {
        const bool is_odd = group == 1 && row % 2 == 1;
        const uint64_t share = half == 0 ? 0 : group > 1 ? 50 : is_odd ? 100 : 0;
        assert_row(compute, row, 100 - share);
        if (half == 1) {
            assert_row(wait, row, share);
        }
    }
    free(compute);
    free(wait);
}

/* ---- the tests ---- */

static int make_folder(void **state)
{
    (void)state;
    temporary_path(folder, sizeof folder, "fermata-tile-file");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return fm_remove_tree(folder);
}

static void all_levels_are_in_the_file(void **state)
{
    static const unsigned groups[] = {1, GROUP};
    static const unsigned bands[] = {BANDS, (BANDS + GROUP - 1) / GROUP};
    struct content index, tile;
    size_t i;
    const json_t *level;
    (void)state;
    struct fm_tile_store *store = write_tiles();
    open_tile(store, fm_tile_store_count(store) - 1, &index);
    assert_int_equal(number(index.json, "locations"), RANKS);
    assert_int_equal(json_array_size(json_object_get(index.json, "levels")), 2);
    json_array_foreach(json_object_get(index.json, "levels"), i, level)
    {
        const uint64_t depth = number(level, "depth"), in_band = (UINT64_C(2) << depth) - 1;
        assert_int_equal(number(level, "group"), groups[i]);
        assert_int_equal(number(level, "bands"), bands[i]);
        assert_true(depth >= 1);
        for (unsigned band = 0; band < bands[i]; band++) {
            for (unsigned half = 0; half < 2; half++) {
                open_tile(store, number(level, "first") + band * in_band + 1 + half, &tile);
                assert_half(&tile, half, band * FM_TILE_ROWS * groups[i], groups[i]);
                bundle_close(&tile);
            }
        }
    }
    /* Even ranks are similar to each other, and so are odd ones. */
    assert_int_equal(number(index.json, "alike"), 2);
    open_tile(store, number(json_object_get(index.json, "alike_level"), "first"), &tile);
    assert_int_equal(number(tile.json, "rows"), 2);
    bundle_close(&tile);
    bundle_close(&index);
    fm_tile_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_levels_are_in_the_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
