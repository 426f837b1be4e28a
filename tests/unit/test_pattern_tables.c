/* Patterns that read the same records see all of them, in whichever order they stand. */
#include "analysis/analysis.h"
#include "analysis/pattern.h"
#include "check.h"
#include "scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t seen[2];

static size_t count_records(const struct fm_trace *trace)
{
    size_t count = 0;
    for (uint32_t l = 0; l < trace->location_count; l++)
        count += trace->locations[l].rma.count;
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

/* In place of those of the library. */
#define FM_PATTERN(symbol) extern const struct fm_pattern fm_pattern_##symbol;
#include "analysis/patterns.def"
#undef FM_PATTERN
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
    struct fm_error error;
    struct fm_scenario *scenario;
    char directory[] = "/tmp/fermata-pattern-tables-XXXXXX";
    assert_non_null(mkdtemp(directory));
    char archive[sizeof directory + 16], command[sizeof directory + 16];
    snprintf(archive, sizeof archive, "%s/archive", directory);
    assert_int_equal(fm_scenario_read(SCENARIO, &scenario, &error), FM_OK);
    assert_int_equal(fm_scenario_write_archive(scenario, archive, &error), FM_OK);
    struct fm_analysis_options options = {.workers = 1};
    struct fm_cube *cube;
    assert_int_equal(fm_analysis_run(archive, &options, &cube, &error), FM_OK);
    assert_int_not_equal(seen[0], 0);
    assert_int_equal(seen[0], seen[1]);
    fm_cube_free(cube);
    fm_scenario_free(scenario);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_stay_until_the_last_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
