/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of counters: bounded in number, with means and extremes that stay. */
#include "check.h"

#include "base/memory.h"
#include "trace/tables/counters.h"

static const struct fm_counter counters[] = {
    {.name = (char *)"level", .unit = (char *)"", .scale = 1},
    {.name = (char *)"total", .unit = (char *)"", .scale = 0.5, .is_total = true},
    {.name = (char *)"added",
     .unit = (char *)"",
     .scale = 1,
     .is_total = true,
     .is_relative = true},
};

static bool near(double a, double b)
{
    return a - b < 1e-9 * b && b - a < 1e-9 * b;
}

static void test_means_and_extremes_stay(void **state)
{
    (void)state;
    fm_counter_table table = {0};
    size_t hint = 0;
    double integral = 0;
    uint64_t time = 5, random = 1;
    for (unsigned i = 0; i < 100000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value = i == 77777 ? 1e6 : i == 33333 ? -5 : (double)(random >> 60);
        uint64_t length = 1 + (random >> 40) % 7;
        fm_counters_add(&table, &hint, &counters[0], 0, time, value);
        fm_counters_add(&table, &hint, &counters[1], 1, time, 2 * (double)time);
        fm_counters_add(&table, &hint, &counters[2], 2, time, (double)length);
        integral += value * (double)length;
        time += length;
    }
    fm_counters_finish(&table, counters, time);
    assert_int_equal(table.count, 3);
    const struct fm_counter_series *level = &table.items[0];
    assert_int_equal(level->counter, 0);
    assert_in_range(level->samples.count, FM_COUNTER_SAMPLES / 8, FM_COUNTER_SAMPLES);
    double sum = 0, least = 1e9, greatest = 0;
    for (size_t i = 0; i < level->samples.count; i++) {
        const struct fm_sample *sample = &level->samples.items[i];
        uint64_t end = i + 1 < level->samples.count ? sample[1].time : time;
        assert_true(sample->time < end);
        assert_true(sample->least <= sample->value && sample->value <= sample->greatest);
        sum += sample->value * (double)(end - sample->time);
        least = sample->least < least ? sample->least : least;
        greatest = sample->greatest > greatest ? sample->greatest : greatest;
    }
    assert_true(near(sum, integral));
    assert_true(near(greatest, 1e6));
    assert_true(near(-least, 5));
    /* Totals: what there was at the time, and the last value. */
    for (unsigned k = 1; k < 3; k++) {
        const fm_samples *samples = &table.items[k].samples;
        for (size_t i = 1; i < samples->count; i++)
            assert_true(samples->items[i - 1].time < samples->items[i].time);
        double growth = samples->items[samples->count - 1].value - samples->items[0].value;
        uint64_t passed = samples->items[samples->count - 1].time - samples->items[0].time;
        if (k == 1) {
            assert_true(near(growth, (double)passed));
            assert_true(passed > 350000);
        }
    }
    fm_counters_free(&table);
}

static void test_thin(void **state)
{
    (void)state;
    fm_samples samples = {0};
    for (unsigned i = 0; i < 9; i++)
        fm_vector_push(&samples, (struct fm_sample){10 * i, i, i, i});
    fm_samples_thin(&samples, false, 100, 3);
    /* Of 0 1 2 3, 4 5 6 7, 8 (which lasts 20 ticks). */
    assert_int_equal(samples.count, 3);
    assert_true(near(samples.items[0].value, 1.5));
    assert_true(near(samples.items[1].value, 5.5));
    assert_true(near(samples.items[1].least, 4) && near(samples.items[1].greatest, 7));
    assert_true(near(samples.items[2].value, 8));
    fm_vector_free(&samples);
    fm_samples totals = {0};
    for (unsigned i = 0; i < 9; i++)
        fm_vector_push(&totals, (struct fm_sample){10 * i, 3 * i, 3 * i, 3 * i});
    fm_samples_thin(&totals, true, 100, 4);
    assert_in_range(totals.count, 2, 4);
    assert_int_equal(totals.items[totals.count - 1].time, 80);
    assert_true(near(totals.items[totals.count - 1].value, 24));
    fm_vector_free(&totals);
}

static void test_no_numbers_are_left_out(void **state)
{
    (void)state;
    fm_counter_table table = {0};
    size_t hint = 0;
    double zero = 0;
    fm_counters_add(&table, &hint, &counters[0], 0, 1, 0 / zero);
    fm_counters_add(&table, &hint, &counters[0], 0, 2, 1 / zero);
    fm_counters_add(&table, &hint, &counters[0], 0, 3, 4);
    fm_counters_add(&table, &hint, &counters[0], 0, 3, 6); /* at the same time */
    fm_counters_finish(&table, counters, 5);
    assert_int_equal(table.items[0].samples.count, 2);
    assert_true(near(table.items[0].samples.items[1].value, 6));
    fm_counters_free(&table);
}

static void test_a_counter_may_have_no_number_at_all(void **state)
{
    (void)state;
    fm_counter_table table = {0};
    size_t hint = 0;
    double zero = 0;
    for (uint32_t counter = 0; counter < 3; counter++)
        fm_counters_add(&table, &hint, &counters[counter], counter, 1, 0 / zero);
    fm_counters_finish(&table, counters, 5);
    for (uint32_t counter = 0; counter < 3; counter++)
        assert_int_equal(table.items[counter].samples.count, 0);
    fm_counters_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means_and_extremes_stay),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_no_numbers_are_left_out),
        cmocka_unit_test(test_a_counter_may_have_no_number_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
