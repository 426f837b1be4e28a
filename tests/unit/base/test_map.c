/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash map against a table of all keys that the test uses. */
#include "check.h"

#include "base/containers/map.h"

#define KEYS  600
#define STEPS 200000

/* Keys that fall into few slots, so that deletion has chains to mend. */
static uint64_t key_of(uint32_t number)
{
    static const uint64_t far[] = {0, UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX};
    return number < 4 ? far[number] : (uint64_t)number << (number % 3 * 16);
}

static void compare(const struct fm_map *map, const uint32_t *model)
{
    size_t count = 0;
    for (uint32_t i = 0; i < KEYS; ++i) {
        assert_int_equal(fm_map_get(map, key_of(i)), model[i]);
        count += model[i] != FM_MAP_ABSENT;
    }
    assert_int_equal(map->count, count);
}

static void empty_model(uint32_t *model)
{
    for (uint32_t i = 0; i < KEYS; ++i) {
        model[i] = FM_MAP_ABSENT;
    }
}

static void test_empty(void **state)
{
    (void)state;
    struct fm_map map = {0};
    assert_int_equal(fm_map_get(&map, 7), FM_MAP_ABSENT);
    assert_int_equal(fm_map_take(&map, 7), FM_MAP_ABSENT);
    fm_map_clear(&map);
    fm_map_free(&map);
}

static void test_a_key_keeps_its_value(void **state)
{
    (void)state;
    struct fm_map map = {0};
    assert_int_equal(*fm_map_at(&map, 5, 1), 1);
    assert_int_equal(*fm_map_at(&map, 5, 2), 1);
    *fm_map_at(&map, 5, 2) = 3;
    assert_int_equal(fm_map_get(&map, 5), 3);
    assert_int_equal(fm_map_take(&map, 5), 3);
    assert_int_equal(*fm_map_at(&map, 5, 4), 4);
    fm_map_free(&map);
}

static void test_random_changes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        uint64_t random = seed;
        struct fm_map map = {0};
        uint32_t model[KEYS];
        empty_model(model);
        for (uint32_t step = 0; step < STEPS; ++step) {
            uint32_t key = (uint32_t)(next_random(&random) % KEYS);
            /* Phases that mostly fill and mostly empty the map. */
            bool insert = next_random(&random) % 8 < (step / 5000 % 2 == 0 ? 6u : 2u);
            if (insert) {
                uint32_t *value = fm_map_at(&map, key_of(key), step);
                assert_int_equal(*value, model[key] == FM_MAP_ABSENT ? step : model[key]);
                *value = model[key] = step;
            } else {
                assert_int_equal(fm_map_take(&map, key_of(key)), model[key]);
                model[key] = FM_MAP_ABSENT;
            }
            if (step % 1000 == 0) {
                compare(&map, model);
            }
            if (step == STEPS / 2) {
                fm_map_clear(&map);
                empty_model(model);
            }
        }
        compare(&map, model);
        fm_map_free(&map);
        assert_int_equal(map.count, 0);
        assert_int_equal(fm_map_get(&map, key_of(1)), FM_MAP_ABSENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_a_key_keeps_its_value),
        cmocka_unit_test(test_random_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
