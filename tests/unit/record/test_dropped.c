/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that are left out after they were recorded: what of them is counted, where they end, and
 * which regions and functions are open then. */
#include "record/conversion/dropped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fm_dropped dropped;
static struct fm_path path;
static const struct fm_callsites no_sites;

static const char *name_of(uint32_t function)
{
    return function == 1 ? "MPI_Send" : "MPI_Recv";
}

static void write(void *context, bool enter, uint32_t region, uint64_t time)
{
    (void)context, (void)enter, (void)region, (void)time;
}

static uint32_t number(void *context, uint32_t region, uint32_t line)
{
    (void)context, (void)line;
    return region;
}

/* The path has two open regions: 10, 11. */
static int begin(void **state)
{
    const struct fm_path_writer writer = {.write = write, .number = number};
    const struct fm_path_times times = {1, 1, 1};
    (void)state;
    assert_true(fm_path_begin(&path, &no_sites, 10, &writer, &times));
    assert_true(fm_path_begin(&path, &no_sites, 11, &writer, &times));
    return 0;
}

static int end(void **state)
{
    (void)state;
    fm_path_free(&path);
    fm_dropped_free(&dropped);
    dropped = (struct fm_dropped){0};
    return 0;
}

static void pass(enum fm_record_kind kind, uint32_t aux, uint32_t ref, uint64_t first)
{
    const uint64_t record[8] = {fm_record_header(kind, aux, ref), first, 5};
    fm_dropped_pass(&dropped, &path, record, name_of);
}

/* Number of unrecorded members of a series; 0: none. */
static uint64_t count_of(uint32_t series, uint32_t peer)
{
    const struct fm_unrecorded_table *table = &dropped.unrecorded;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].series == series && table->slots[i].peer == peer) {
            return table->slots[i].count;
        }
    }
    return 0;
}

static void a_visit_ends_with_its_region(void **state)
{
    (void)state;
    fm_dropped_begin(&dropped, &path, false, false);
    pass(FM_RECORD_REGION_ENTER, 0, 20, 100);
    pass(FM_RECORD_CALL, 1, 3, 110);
    pass(FM_RECORD_SEND, 0, 0, 4);
    pass(FM_RECORD_REGION_ENTER, 0, 21, 120);
    pass(FM_RECORD_SEND, 0, 0, 4);
    pass(FM_RECORD_REGION_LEAVE, 0, 99, 125); /* not open: without effect */
    pass(FM_RECORD_REGION_LEAVE, 0, 21, 130);
    assert_false(dropped.lingers);
    pass(FM_RECORD_UNRECORDED, FM_SERIES_SENDS, 0, 4);
    pass(FM_RECORD_REGION_LEAVE, 0, 20, 140);
    assert_true(dropped.lingers);
    assert_int_equal(dropped.ended, 140);
    assert_int_equal(dropped.stay, 2);
    assert_int_equal(count_of(FM_SERIES_SENDS, 4), 2 + 5);
    fm_dropped_end(&dropped);
    assert_false(dropped.active || dropped.lingers);
    assert_int_equal(dropped.unrecorded.count, 0);
}

static void a_visit_ends_with_a_region_around_it(void **state)
{
    (void)state;
    fm_dropped_begin(&dropped, &path, false, false);
    pass(FM_RECORD_REGION_ENTER, 0, 20, 100);
    pass(FM_RECORD_REGION_ENTER, 0, 21, 120);
    pass(FM_RECORD_REGION_LEAVE, 0, 11, 130);
    assert_true(dropped.lingers);
    assert_int_equal(dropped.stay, 1);
}

static void a_visit_may_end_in_a_pause(void **state)
{
    (void)state;
    fm_dropped_begin(&dropped, &path, false, false);
    pass(FM_RECORD_REGION_ENTER, 0, 20, 100);
    pass(FM_RECORD_REGION_ENTER, 0, 21, 100);
    pass(FM_RECORD_RECORDING_OFF, 0, 0, 110);
    assert_true(dropped.off);
    pass(FM_RECORD_RECORDING_ON, 0, 3, 120); /* the inner region has ended */
    assert_false(dropped.off || dropped.lingers);
    assert_int_equal(dropped.regions.count, 1);
    pass(FM_RECORD_RECORDING_OFF, 0, 0, 130);
    pass(FM_RECORD_RECORDING_ON, 0, 2, 140);
    assert_true(dropped.lingers);
    assert_int_equal(dropped.ended, 140);
    assert_int_equal(dropped.stay, 2);
}

static void instrumented_functions_are_tracked(void **state)
{
    (void)state;
    path.instrumented = 3;
    fm_dropped_begin(&dropped, &path, false, false);
    pass(FM_RECORD_REGION_ENTER, 0, 20, 100);
    pass(FM_RECORD_FUNCTION_ENTER, 0, 7, 110);
    pass(FM_RECORD_FUNCTION_ENTER, 0, 8, 111);
    pass(FM_RECORD_FUNCTION_LEAVE, 0, 4, 112);
    assert_int_equal(dropped.functions_stay, 3);
    assert_int_equal(dropped.functions.count, 1);
    assert_int_equal(dropped.functions.regions[0], 7);
    pass(FM_RECORD_FUNCTION_LEAVE, 0, 1, 113);
    pass(FM_RECORD_FUNCTION_ENTER, 0, 9, 114);
    assert_int_equal(dropped.functions_stay, 1);
    assert_int_equal(dropped.functions.count, 1);
    assert_int_equal(dropped.functions.regions[0], 9);
}

static void to_the_end_nothing_ends_it(void **state)
{
    (void)state;
    fm_dropped_begin(&dropped, &path, true, true);
    pass(FM_RECORD_RECORDING_ON, 0, 2, 90);
    pass(FM_RECORD_REGION_ENTER, 0, 20, 100);
    pass(FM_RECORD_REGION_LEAVE, 0, 20, 110);
    pass(FM_RECORD_REGION_LEAVE, 0, 10, 120);
    assert_false(dropped.lingers || dropped.off);
    assert_int_equal(dropped.stay, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_visit_ends_with_its_region, begin, end),
        cmocka_unit_test_setup_teardown(a_visit_ends_with_a_region_around_it, begin, end),
        cmocka_unit_test_setup_teardown(a_visit_may_end_in_a_pause, begin, end),
        cmocka_unit_test_setup_teardown(instrumented_functions_are_tracked, begin, end),
        cmocka_unit_test_setup_teardown(to_the_end_nothing_ends_it, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
