/* SPDX-License-Identifier: BSD-3-Clause */
/* The map from handles to objects, with recycled handles and stale caches. */
#include "record/capture/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { HANDLES = 5000 };

static int objects[HANDLES];

static void finds_what_was_entered(void **state)
{
    (void)state;
    struct fm_handle_map map = FM_HANDLE_MAP(0);
    static struct fm_thread thread;
    for (uint64_t i = 0; i < HANDLES; i++) {
        assert_null(fm_handles_find(&map, &thread, 1 + i * 64));
        fm_handles_insert(&map, 1 + i * 64, &objects[i]);
        assert_ptr_equal(fm_handles_find(&map, &thread, 1 + i * 64), &objects[i]);
    }
    for (uint64_t i = 0; i < HANDLES; i += 3) {
        assert_ptr_equal(fm_handles_remove(&map, 1 + i * 64), &objects[i]);
        assert_null(fm_handles_remove(&map, 1 + i * 64));
    }
    for (uint64_t i = 0; i < HANDLES; i++) {
        assert_ptr_equal(fm_handles_find(&map, &thread, 1 + i * 64),
                         i % 3 == 0 ? NULL : &objects[i]);
    }
    free(map.slots);
}

static void recycled_handles_mean_the_new_object(void **state)
{
    (void)state;
    struct fm_handle_map map = FM_HANDLE_MAP(1);
    static struct fm_thread thread, other;
    for (int i = 0; i < HANDLES; i++) {
        fm_handles_insert(&map, 4711, &objects[i]);
        assert_ptr_equal(fm_handles_find(&map, &thread, 4711), &objects[i]);
        assert_ptr_equal(fm_handles_find(&map, &other, 4711), &objects[i]);
        fm_handles_remove(&map, 4711);
        assert_null(fm_handles_find(&map, &thread, 4711));
    }
    assert_int_equal(map.count, 0);
    assert_true(map.capacity <= 64);
    free(map.slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_entered),
        cmocka_unit_test(recycled_handles_mean_the_new_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
