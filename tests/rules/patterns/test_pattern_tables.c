/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns that read the same records see all of them, whatever their order. */
#include "analyse.h"
#include "analysis/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *scenario;
static size_t seen[2];

static size_t count_records(const struct fm_trace *trace)
{
    size_t count = 0;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        count += trace->locations[l].rma.count;
    }
    return count;
}

static void count_first(const struct fm_finder *finder)
{
    seen[0] = count_records(finder->analysis->trace);
}

static void count_last(const struct fm_finder *finder)
{
    seen[1] = count_records(finder->analysis->trace);
}

static const struct fm_pattern first = {
    .name = "first", .reads = FM_READS(ONE_SIDED), .detect = count_first};
static const struct fm_pattern last = {
    .name = "last", .reads = FM_READS(ONE_SIDED), .detect = count_last};

#define FM_PATTERN(symbol) extern const struct fm_pattern fm_pattern_##symbol;
#include "analysis/patterns.def"
#undef FM_PATTERN

/* In place of those of the library. */
const struct fm_pattern *const fm_patterns[] = {
    &first,
#define FM_PATTERN(symbol) &fm_pattern_##symbol,
#include "analysis/patterns.def"
#undef FM_PATTERN
    &last,
    NULL,
};

static void test_records_stay_until_the_last_reader(void **state)
{
    (void)state;
    fm_cube_free(analyse(scenario));
    assert_int_not_equal(seen[0], 0);
    assert_int_equal(seen[0], seen[1]);
}

int main(int argc, char **argv)
{
    scenario = argc == 2 ? argv[1] : "";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_stay_until_the_last_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
