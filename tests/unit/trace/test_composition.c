/* SPDX-License-Identifier: BSD-3-Clause */
/* Compositions of stretches from pools of samples. */
#include "check.h"

#include "trace/composition/kinds.h"
#include "trace/composition/pools.h"

#include <math.h>

enum { A, B, C }; /* nodes of call paths */

#define assert_double_equal(value, expected, tolerance)                                            \
    assert_true(fabs((value) - (expected)) <= (tolerance))

/** A location's stretches while they are made. */
struct made {
    struct fm_stretches stretches;
    FM_VECTOR(struct fm_sized) members; /**< ascending by ticks */
    uint64_t now;
};

static void add_stretch(struct made *made, uint64_t ticks)
{
    const uint32_t first = (uint32_t)made->stretches.samples.count;
    fm_vector_push(&made->members, (struct fm_sized){ticks, (uint32_t)made->stretches.items.count});
    fm_vector_push(
        &made->stretches.items,
        (struct fm_stretch){.begin = made->now, .end = made->now + ticks, .first_sample = first});
    made->now += ticks;
}

/* Adds a sample to the last stretch. */
static void add_sample(struct made *made, uint64_t after, uint32_t visit, double weight)
{
    struct fm_stretch *stretch = &made->stretches.items.items[made->stretches.items.count - 1];
    fm_vector_push(&made->stretches.samples,
                   (struct fm_stack_sample){stretch->begin + after, weight, visit, FM_NONE});
    stretch->sample_count++;
}

static void add_samples(struct made *made, uint32_t visit, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add_sample(made, i, visit, 1);
    }
}

static double share_of(const fm_shares *shares, uint32_t visit)
{
    for (size_t i = 0; i < shares->count; i++) {
        if (shares->items[i].visit == visit) {
            return shares->items[i].share;
        }
    }
    return 0;
}

static void free_made(struct made *made, struct fm_pools *pools, fm_shares *shares)
{
    fm_pools_free(pools);
    fm_vector_free(shares);
    fm_vector_free(&made->members);
    fm_stretches_free(&made->stretches);
}

/* 40 stretches of 20 ticks of A and 40 with one more of B: the pool has both. */
static void test_length_tells_what_longer_stretches_do(void **state)
{
    (void)state;
    struct made made = {.now = 100};
    struct fm_pools pools = {0};
    fm_shares shares = {0};
    for (unsigned i = 0; i < 80; i++) {
        add_stretch(&made, i < 40 ? 20 : 21);
        add_samples(&made, A, 20);
        add_samples(&made, B, i < 40 ? 0 : 1);
    }
    fm_pools_begin(&pools, &made.stretches, made.members.items, 80);
    fm_pools_shares(&pools, 20, &shares);
    const double shorter = 20 * share_of(&shares, B);
    assert_true(shorter > 0.04 && shorter < 0.06);
    fm_pools_shares(&pools, 21, &shares);
    const double longer = 21 * share_of(&shares, B);
    assert_true(longer > 0.94 && longer < 0.96);
    assert_double_equal(share_of(&shares, A) + share_of(&shares, B), 1, 1e-12);
    free_made(&made, &pools, &shares);
}

/* Samples in proportion to the length do not depend on it: nothing is corrected. */
static void test_equal_shares_need_no_correction(void **state)
{
    (void)state;
    struct made made = {.now = 100};
    struct fm_pools pools = {0};
    fm_shares shares = {0};
    for (unsigned i = 0; i < 40; i++) {
        add_stretch(&made, i < 20 ? 100 : 102);
        add_samples(&made, A, 3);
        add_samples(&made, B, 1);
    }
    fm_pools_begin(&pools, &made.stretches, made.members.items, 40);
    fm_pools_shares(&pools, 102, &shares);
    assert_double_equal(share_of(&shares, A), 0.75, 1e-12);
    assert_double_equal(share_of(&shares, B), 0.25, 1e-12);
    free_made(&made, &pools, &shares);
}

/* All within a twentieth belong to a pool; beyond, the nearest until there are 32 samples, whole
 * stretches, of equally near ones the earlier. */
static void test_pools_are_filled_by_the_nearest(void **state)
{
    (void)state;
    struct made made = {.now = 100};
    struct fm_pools pools = {0};
    fm_shares shares = {0};
    static const struct {
        uint64_t ticks;
        uint32_t visit, samples;
    } stretches[] = {{100, C, 9},  {180, B, 3}, {190, A, 20},
                     {210, A, 10}, {220, C, 4}, {221, C, 40}};
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        add_stretch(&made, stretches[i].ticks);
        add_samples(&made, stretches[i].visit, stretches[i].samples);
    }
    fm_pools_begin(&pools, &made.stretches, made.members.items, 6);
    pools.is_corrected = false;            /* what is tested elsewhere */
    fm_pools_shares(&pools, 200, &shares); /* 190 to 210, then 180: as far as 220, but earlier */
    assert_int_equal(shares.count, 2);
    assert_double_equal(share_of(&shares, A), 30. / 33, 1e-12);
    assert_double_equal(share_of(&shares, B), 3. / 33, 1e-12);
    fm_pools_shares(&pools, 220, &shares); /* 209 to 231 */
    assert_double_equal(share_of(&shares, C), 44. / 54, 1e-12);
    assert_double_equal(share_of(&shares, A), 10. / 54, 1e-12);
    free_made(&made, &pools, &shares);
}

/* A sample that stands for more CPU time counts more; positions are means. */
static void test_samples_are_weighted(void **state)
{
    (void)state;
    struct made made = {.now = 100};
    struct fm_pools pools = {0};
    fm_shares shares = {0};
    add_stretch(&made, 100);
    add_sample(&made, 25, A, 4e6);
    add_sample(&made, 50, B, 1e6);
    add_sample(&made, 75, A, 3e6);
    fm_pools_begin(&pools, &made.stretches, made.members.items, 1);
    fm_pools_shares(&pools, 100, &shares);
    assert_double_equal(share_of(&shares, A), 7. / 8, 1e-12);
    assert_double_equal(shares.items[0].position, 0.5 * (double)FM_POSITION_END, 1);
    free_made(&made, &pools, &shares);
}

/* Time without a processor is no computation. */
static void test_blocked_time_is_left_out(void **state)
{
    (void)state;
    const struct fm_stretch stretch = {.begin = 10, .end = 30, .blocked = 5};
    const struct fm_stretch wholly = {.begin = 10, .end = 30, .blocked = 25};
    assert_int_equal(fm_stretch_ticks(&stretch), 15);
    assert_int_equal(fm_stretch_ticks(&wholly), 0);
}

/* A block ends with the stretch with which it has 1,024 samples; the rest joins the last one. */
static void test_blocks(void **state)
{
    (void)state;
    struct made made = {.now = 100};
    struct fm_location location = {.id = 0};
    fm_vector_push(&location.profile, (struct fm_visit_profile){.parent = FM_NONE});
    fm_vector_push(&made.stretches.ends, (struct fm_stretch_ends){.calls = 1});
    for (unsigned i = 0; i < 50; i++) {
        add_stretch(&made, 100);
        add_samples(&made, A, 100);
    }
    struct fm_kinds kinds = fm_kinds_of(&location, &made.stretches);
    assert_int_equal(kinds.count, 1);
    uint32_t first = 0, blocks = 0;
    static const uint32_t sizes[] = {11, 11, 11, 17};
    for (; first < kinds.items[0].count; blocks++) {
        const uint32_t count = fm_kind_block(&kinds, &made.stretches, &kinds.items[0], first);
        assert_int_equal(count, sizes[blocks]);
        first += count;
    }
    assert_int_equal(blocks, 4);
    fm_kinds_free(&kinds);
    fm_vector_free(&location.profile);
    struct fm_pools pools = {0};
    fm_shares shares = {0};
    free_made(&made, &pools, &shares);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_length_tells_what_longer_stretches_do),
        cmocka_unit_test(test_equal_shares_need_no_correction),
        cmocka_unit_test(test_pools_are_filled_by_the_nearest),
        cmocka_unit_test(test_samples_are_weighted),
        cmocka_unit_test(test_blocked_time_is_left_out),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
