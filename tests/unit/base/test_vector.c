/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "base/containers/vector.h"

static void test_push_keeps_all(void **state)
{
    (void)state;
    FM_VECTOR(uint64_t) vector = {0};
    for (uint64_t i = 0; i < 100000; ++i) {
        fm_vector_push(&vector, i * i);
        assert_true(vector.capacity >= vector.count);
    }
    assert_int_equal(vector.count, 100000);
    for (uint64_t i = 0; i < vector.count; ++i) {
        assert_true(vector.items[i] == i * i);
    }
    fm_vector_free(&vector);
    assert_null(vector.items);
    assert_int_equal(vector.count, 0);
    assert_int_equal(vector.capacity, 0);
}

static void test_structures(void **state)
{
    (void)state;
    struct pair {
        uint32_t a;
        char b;
    };
    FM_VECTOR(struct pair) vector = {0};
    for (uint32_t i = 0; i < 1000; ++i) {
        fm_vector_push(&vector, (struct pair){.a = i, .b = 'x'});
    }
    assert_int_equal(vector.items[999].a, 999);
    assert_int_equal(vector.items[0].b, 'x');
    fm_vector_free(&vector);
}

static void test_reserve_makes_room_for_all(void **state)
{
    (void)state;
    FM_VECTOR(int) vector = {0};
    fm_vector_push(&vector, 1);
    fm_vector_reserve(&vector, 5000);
    assert_true(vector.capacity >= 5001);
    assert_int_equal(vector.count, 1);
    const int *items = vector.items;
    for (int i = 0; i < 5000; ++i) {
        fm_vector_push(&vector, i);
    }
    assert_ptr_equal(vector.items, items);
    assert_int_equal(vector.items[0], 1);
    fm_vector_free(&vector);
}

static void test_trim_keeps_the_elements(void **state)
{
    (void)state;
    FM_VECTOR(int) vector = {0};
    fm_vector_trim(&vector);
    assert_int_equal(vector.count, 0);
    for (int i = 0; i < 100; ++i) {
        fm_vector_push(&vector, i);
    }
    fm_vector_trim(&vector);
    assert_int_equal(vector.capacity, 100);
    assert_int_equal(vector.items[99], 99);
    fm_vector_push(&vector, 100);
    assert_int_equal(vector.items[100], 100);
    fm_vector_free(&vector);
}

static void test_settle_copies_and_keeps_the_room(void **state)
{
    (void)state;
    FM_VECTOR(int) made = {0};
    FM_VECTOR(int) first = {0};
    FM_VECTOR(int) none = {0};
    for (int i = 0; i < 1000; ++i) {
        fm_vector_push(&made, i);
    }
    const size_t room = made.capacity;
    fm_vector_settle(&made, &first);
    assert_int_equal(made.count, 0);
    assert_int_equal(made.capacity, room);
    fm_vector_settle(&made, &none);
    assert_int_equal(none.count, 0);
    fm_vector_push(&made, 77);
    assert_int_equal(first.count, 1000);
    assert_int_equal(first.capacity, 1000);
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(first.items[i], i);
    }
    fm_vector_push(&none, 5);
    assert_int_equal(none.items[0], 5);
    fm_vector_free(&made);
    fm_vector_free(&first);
    fm_vector_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_keeps_all),
        cmocka_unit_test(test_structures),
        cmocka_unit_test(test_reserve_makes_room_for_all),
        cmocka_unit_test(test_trim_keeps_the_elements),
        cmocka_unit_test(test_settle_copies_and_keeps_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
