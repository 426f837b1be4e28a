/* SPDX-License-Identifier: BSD-3-Clause */
/* When a cost arises: few iterations that hold most of it. */
#include "check.h"

#include "analysis/problems/occasions.h"

#include <stdlib.h>
#include <string.h>

#define MOST 4000

static struct fm_iteration_run runs[FM_CUBE_OCCASIONS];

static uint32_t find(const int64_t *costs, uint32_t count)
{
    int64_t whole = 0;
    for (uint32_t i = 0; i < count; i++) {
        whole += costs[i];
    }
    memset(runs, 0, sizeof runs);
    return fm_find_occasions(costs, count, whole, runs);
}

static void assert_run(const struct fm_iteration_run *run, uint32_t first, uint32_t last,
                       uint32_t count, int64_t cost)
{
    assert_int_equal(run->first, first);
    assert_int_equal(run->last, last);
    assert_int_equal(run->count, count);
    assert_int_equal(run->cost, cost);
}

static void test_one_run(void **state)
{
    (void)state;
    int64_t costs[60] = {0};
    for (uint32_t i = 25; i < 45; i++) {
        costs[i] = 100;
    }
    costs[30] = 3;
    costs[59] = 4;
    assert_int_equal(find(costs, 60), 1);
    assert_run(&runs[0], 25, 44, 19, 1903);
}

/* 90 % need nine iterations, of which the earliest are taken; the tenth costs as much. */
static void test_a_run_is_widened(void **state)
{
    (void)state;
    int64_t costs[100] = {0};
    for (uint32_t i = 50; i < 60; i++) {
        costs[i] = 10;
    }
    assert_int_equal(find(costs, 100), 1);
    assert_run(&runs[0], 50, 59, 10, 100);
    costs[59] = 4; /* less than half */
    costs[60] = 6;
    assert_int_equal(find(costs, 100), 1);
    assert_run(&runs[0], 50, 58, 9, 90);
}

/* A neighbour belongs to its run if it costs half of the mean of that run, not of the other one. */
static void test_one_of_two_runs_is_widened(void **state)
{
    (void)state;
    int64_t costs[50] = {0};
    costs[5] = costs[6] = 10;
    costs[4] = costs[7] = 5;
    costs[3] = costs[8] = 4;
    costs[27] = 200;
    costs[26] = costs[28] = 1;
    assert_int_equal(find(costs, 50), 2);
    assert_run(&runs[0], 4, 7, 4, 30);
    assert_run(&runs[1], 27, 27, 1, 200);
    memset(costs, 0, sizeof costs);
    costs[27] = 200;
    costs[26] = costs[28] = 1;
    costs[35] = costs[36] = 10;
    costs[34] = costs[37] = 5;
    costs[33] = costs[38] = 4;
    assert_int_equal(find(costs, 50), 2);
    assert_run(&runs[0], 27, 27, 1, 200);
    assert_run(&runs[1], 34, 37, 4, 30);
}

static void test_the_middle_one_of_three_runs_is_widened(void **state)
{
    (void)state;
    int64_t costs[50] = {0};
    costs[5] = costs[45] = 100;
    costs[25] = costs[26] = 20;
    costs[24] = costs[27] = 10;
    assert_int_equal(find(costs, 50), 3);
    assert_run(&runs[0], 5, 5, 1, 100);
    assert_run(&runs[1], 24, 27, 4, 60);
    assert_run(&runs[2], 45, 45, 1, 100);
}

static void test_what_is_spread_has_no_time(void **state)
{
    (void)state;
    int64_t costs[10];
    for (uint32_t i = 0; i < 10; i++) {
        costs[i] = 7;
    }
    assert_int_equal(find(costs, 10), 0);
    costs[0] = costs[1] = 0; /* eight of ten are four fifths */
    assert_int_equal(find(costs, 10), 0);
    costs[2] = 0;
    assert_int_equal(find(costs, 10), 1);
    assert_run(&runs[0], 3, 9, 7, 49);
    assert_int_equal(fm_find_occasions(costs, 10, 100, runs), 0); /* most lies elsewhere */
    assert_int_equal(fm_find_occasions(costs, 0, 100, runs), 0);
}

static void test_two_and_three_runs(void **state)
{
    (void)state;
    int64_t costs[50] = {0};
    costs[5] = costs[6] = costs[27] = 10;
    costs[20] = 1;
    assert_int_equal(find(costs, 50), 2);
    assert_run(&runs[0], 5, 6, 2, 20);
    assert_run(&runs[1], 27, 27, 1, 10);
    costs[49] = 10;
    assert_int_equal(find(costs, 50), 3);
    assert_run(&runs[2], 49, 49, 1, 10);
    costs[10] = costs[15] = costs[38] = 10; /* too many of them for three runs of 20 iterations */
    assert_int_equal(find(costs, 50), 0);
}

/* Two runs that are almost as long as one: one is told. */
static void test_two_long_runs_are_one(void **state)
{
    (void)state;
    int64_t costs[20] = {0};
    for (uint32_t i = 3; i < 13; i++) {
        costs[i] = i == 7 ? 0 : 5;
    }
    assert_int_equal(find(costs, 20), 1);
    assert_run(&runs[0], 3, 12, 9, 45);
}

/* Of equally many iterations, the earlier first run, though another choice holds more. */
static void test_the_earlier_first_run(void **state)
{
    (void)state;
    int64_t costs[40] = {0};
    costs[2] = 50;
    costs[20] = 455;
    costs[30] = 460;
    costs[38] = 51;
    /* 90 % of 1016 are 914.4: 20 and 30 hold 915, no other two do */
    assert_int_equal(find(costs, 40), 2);
    assert_run(&runs[0], 20, 20, 1, 455);
    assert_run(&runs[1], 30, 30, 1, 460);
    memset(costs, 0, sizeof costs);
    costs[2] = 50;
    costs[3] = 4;
    costs[20] = 5;
    costs[21] = 45;
    costs[35] = 2;
    /* 95.4 of 106 need three: 2, 3, 21 hold 99; 2, 20, 21 hold 100 and begin as early */
    assert_int_equal(find(costs, 40), 2);
    assert_run(&runs[0], 2, 2, 1, 50);
    assert_run(&runs[1], 20, 21, 1, 50);
}

/* The same by trying all pairs of runs. */
static void test_random_costs(void **state)
{
    (void)state;
    srand(5);
    for (int trial = 0; trial < 2000; trial++) {
        int64_t costs[12] = {0}, sums[13] = {0};
        for (uint32_t i = 0; i < 12; i++) {
            costs[i] = rand() % 3 == 0 ? rand() % 50 : 0;
            sums[i + 1] = sums[i] + costs[i];
        }
        if (sums[12] == 0) {
            continue;
        }
        uint32_t single = 12, fewest = 100, earliest = 0;
        for (uint32_t a = 0; a < 12; a++) {
            for (uint32_t b = a + 1; b <= 12; b++) {
                int64_t first = sums[b] - sums[a];
                single = first * 10 >= sums[12] * 9 && b - a < single ? b - a : single;
                for (uint32_t c = b + 1; c < 12; c++) {
                    for (uint32_t d = c + 1; d <= 12; d++) {
                        uint32_t length = b - a + d - c;
                        if ((first + sums[d] - sums[c]) * 10 >= sums[12] * 9 && length < fewest) {
                            fewest = length;
                            earliest = a;
                        }
                    }
                }
            }
        }
        uint32_t found = find(costs, 12);
        if (2 * fewest <= single) {
            assert_int_equal(found, 2);
            assert_true(runs[0].first <= earliest && earliest <= runs[0].last);
        }
    }
}

static void test_many_iterations(void **state)
{
    (void)state;
    static int64_t costs[MOST];
    for (uint32_t i = 0; i < MOST; i++) {
        costs[i] = i / 100 == 7 || i / 100 == 25 ? 1000 : 1;
    }
    assert_int_equal(find(costs, MOST), 2);
    assert_run(&runs[0], 700, 799, 100, 100000);
    assert_run(&runs[1], 2500, 2599, 100, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_run),
        cmocka_unit_test(test_a_run_is_widened),
        cmocka_unit_test(test_one_of_two_runs_is_widened),
        cmocka_unit_test(test_the_middle_one_of_three_runs_is_widened),
        cmocka_unit_test(test_what_is_spread_has_no_time),
        cmocka_unit_test(test_two_and_three_runs),
        cmocka_unit_test(test_two_long_runs_are_one),
        cmocka_unit_test(test_the_earlier_first_run),
        cmocka_unit_test(test_random_costs),
        cmocka_unit_test(test_many_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
