/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of kernels and their works, in any order. */
#include "base/kernel_activity.h"
#include "check.h"
#include "record/capture/thread.h"
#include "record/cuda/measured_kernels.h"

#include <string.h>

static struct {
    const struct fm_thread *stream;
    uint64_t number;
    double first;
} recorded[100000];
static size_t count;

/* In place of that of the recorder. */
void fm_stream_put_activity(struct fm_thread *stream, uint64_t correlation, const double *values)
{
    recorded[count].stream = stream;
    recorded[count].number = correlation;
    recorded[count++].first = values[FM_KERNEL_SM];
}

static struct fm_thread streams[2];

static void add_values(uint32_t outer, uint32_t inner, double value)
{
    const double values[FM_KERNEL_ACTIVITY_COUNT] = {[FM_KERNEL_SM] = value};
    fm_measured_kernel_values(outer, inner, values);
}

static void check_last(size_t expected, const struct fm_thread *stream, uint64_t number,
                       double value)
{
    assert_int_equal(count, expected);
    assert_ptr_equal(recorded[count - 1].stream, stream);
    assert_int_equal(recorded[count - 1].number, number);
    assert_true(recorded[count - 1].first == value);
}

/* A work has the number of the outer or of the inner call; it gets its values once. */
static void any_order(void **state)
{
    (void)state;
    count = 0;
    fm_measured_kernel_work(&streams[0], 10);
    assert_int_equal(count, 0);
    add_values(10, 11, 1);
    check_last(1, &streams[0], 10, 1);
    add_values(20, 21, 2);
    assert_int_equal(count, 1);
    fm_measured_kernel_work(&streams[1], 21);
    check_last(2, &streams[1], 21, 2);
    fm_measured_kernel_work(&streams[0], 20); /* of another launch: those values are taken */
    assert_int_equal(count, 2);
    fm_measured_kernel_work(&streams[1], 31);
    add_values(30, 31, 3);
    check_last(3, &streams[1], 31, 3);
    add_values(40, 40, 4);
    fm_measured_kernel_work(&streams[0], 40);
    check_last(4, &streams[0], 40, 4);
    fm_measured_kernel_work(&streams[0], 40); /* a second kernel of the launch has none */
    assert_int_equal(count, 4);
    assert_int_equal(fm_measured_kernels_without_work(), 0);
    add_values(50, 51, 5);
    add_values(60, 60, 6);
    assert_int_equal(fm_measured_kernels_without_work(), 2);
    fm_measured_kernel_work(&streams[0], 60);
    fm_measured_kernel_work(&streams[0], 50);
    assert_int_equal(fm_measured_kernels_without_work(), 0);
}

/* Works without values, as those of graphs, do not stand in the way of later ones. */
static void many(void **state)
{
    enum { GRAPHS = 300000, KERNELS = 10000 };
    (void)state;
    count = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        fm_measured_kernel_work(&streams[0], 1000 + i);
    }
    for (uint32_t i = 0; i < KERNELS; i++) {
        add_values(400000 + 2 * i, 400001 + 2 * i, i);
    }
    for (uint32_t i = 0; i < KERNELS; i++) {
        fm_measured_kernel_work(&streams[1], 400000 + 2 * i);
        check_last(i + 1, &streams[1], 400000 + 2 * i, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
