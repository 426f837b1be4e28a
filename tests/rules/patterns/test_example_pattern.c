/* SPDX-License-Identifier: BSD-3-Clause */
/* The example of docs/adding-a-pattern.md finds what it is to find, beside all other patterns. */
#include "analyse.h"
#include "analysis/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FM_PATTERN(symbol) extern const struct fm_pattern fm_pattern_##symbol;
FM_PATTERN(barrier_behind_nxn)
#include "analysis/patterns.def"
#undef FM_PATTERN

/* In place of those of the library. */
const struct fm_pattern *const fm_patterns[] = {
#define FM_PATTERN(symbol) &fm_pattern_##symbol,
#include "analysis/patterns.def"
    FM_PATTERN(barrier_behind_nxn)
#undef FM_PATTERN
        NULL,
};

static const char *scenario;

static int64_t total(const struct fm_cube *cube, fm_metric_t metric)
{
    int64_t sum = 0;
    for (size_t i = 0; i < cube->cell_count; ++i) {
        sum += cube->cells[i].metric == metric ? cube->cells[i].value : 0;
    }
    return sum;
}

static void test_part_moves_from_its_wait_state(void **state)
{
    (void)state;
    struct fm_cube *cube = analyse(scenario);
    const int64_t second = (int64_t)cube->experiment.ticks_per_second;
    assert_int_equal(total(cube, FM_METRIC_MPI_BARRIER_WAIT), 4 * second);
    /* What is no waiting, a second of each call, and what the example has found. */
    assert_int_equal(total(cube, FM_METRIC_MPI_SYNC_COLLECTIVE), (3 + 4) * second);
    fm_cube_free(cube);
}

int main(int argc, char **argv)
{
    scenario = argc == 2 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part_moves_from_its_wait_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
