/* SPDX-License-Identifier: BSD-3-Clause */
/* Several runs are found by dynamic programming from the last iteration to the first: the largest
 * cost of k runs with n iterations together, by whether the first run begins right here. */
#include "analysis/problems/occasions.h"

#include "base/containers/sort.h"
#include "base/memory.h"

#include <string.h>

/* Costs are equal if they differ by less than 1 / EQUAL of the whole. */
#define EQUAL 10000000000

/* k runs with n iterations together. */
struct choice {
    int64_t cost;                       /* -1: there is no such choice */
    uint32_t begins[FM_CUBE_OCCASIONS]; /* in blocks; of the first run first */
    uint32_t ends[FM_CUBE_OCCASIONS];   /* included */
};

/* The cost in blocks of consecutive iterations. */
struct blocks {
    int64_t *costs;
    uint32_t count;
    uint32_t size; /* iterations of a block; the last one may have fewer */
};

int64_t fm_tenths_of(int64_t whole, int tenths)
{
    const int64_t one = 1000000000;
    const __int128 divisor = (__int128)10 * one;
    return (int64_t)(((__int128)whole * tenths * (one - 1) + divisor - 1) / divisor);
}

/* Finds the shortest run that holds at least `least`. @return false if there is none */
static bool find_run(const int64_t *costs, uint32_t count, int64_t least,
                     struct fm_iteration_run *run)
{
    bool found = false;
    int64_t sum = 0;
    uint32_t begin = 0;
    for (uint32_t end = 0; end < count; ++end) {
        sum += costs[end];
        while (begin < end && sum - costs[begin] >= least) {
            sum -= costs[begin++];
        }
        if (sum >= least && (!found || end - begin < run->last - run->first)) {
            *run = (struct fm_iteration_run){.first = begin, .last = end};
            found = true;
        }
    }
    return found;
}

/* ---- several runs ---- */

static struct blocks make_blocks(const int64_t *costs, uint32_t count)
{
    struct blocks blocks = {.size = (count + FM_OCCASION_BLOCKS - 1) / FM_OCCASION_BLOCKS};
    blocks.count = (count + blocks.size - 1) / blocks.size;
    blocks.costs = fm_allocate(blocks.count, sizeof *blocks.costs);
    for (uint32_t i = 0; i < count; ++i) {
        blocks.costs[i / blocks.size] += costs[i];
    }
    return blocks;
}

/* The choices from a block on: [runs][blocks of them]. */
struct table {
    uint32_t limit; /* of blocks */
    int64_t equal;  /* costs that differ by less are equal but for rounding */
    struct choice *here[FM_CUBE_OCCASIONS + 1];  /* the first run begins with the block */
    struct choice *later[FM_CUBE_OCCASIONS + 1]; /* it begins behind the block */
};

static struct table make_table(uint32_t runs, uint32_t limit, int64_t equal)
{
    struct table table = {.limit = limit, .equal = equal};
    for (uint32_t k = 0; k <= runs; ++k) {
        table.here[k] = fm_allocate(limit + (size_t)1, sizeof *table.here[k]);
        table.later[k] = fm_allocate(limit + (size_t)1, sizeof *table.later[k]);
        for (uint32_t n = 0; n <= limit; ++n) {
            table.here[k][n].cost = table.later[k][n].cost = -1;
        }
    }
    table.later[0][0].cost = 0;
    return table;
}

static void free_table(struct table *table, uint32_t runs)
{
    for (uint32_t k = 0; k <= runs; ++k) {
        fm_free(table->here[k]);
        fm_free(table->later[k]);
    }
}

/* @return the choice with one more run, which is the block alone */
static struct choice begin_run(const struct choice *rest, uint32_t block)
{
    struct choice choice = *rest;
    memmove(choice.begins + 1, rest->begins, sizeof rest->begins - sizeof rest->begins[0]);
    memmove(choice.ends + 1, rest->ends, sizeof rest->ends - sizeof rest->ends[0]);
    choice.begins[0] = choice.ends[0] = block;
    return choice;
}

/* Goes on to the block before. Larger numbers of blocks first, as they refer to smaller ones. Of
 * equal costs, the choice that comes earlier in time. */
static void step(struct table *table, uint32_t runs, uint32_t block, int64_t cost)
{
    for (uint32_t k = runs; k > 0; --k) {
        for (uint32_t n = table->limit; n > 0; --n) {
            struct choice *here = &table->here[k][n], *later = &table->later[k][n];
            const struct choice *longer = &table->here[k][n - 1];
            const struct choice *rest = &table->later[k - 1][n - 1];
            if (here->cost >= 0 && here->cost + table->equal >= later->cost) {
                *later = *here;
            }
            if (longer->cost >= 0 && longer->cost + table->equal >= rest->cost) {
                *here = *longer;
                here->begins[0] = block;
                here->cost += cost;
            } else if (rest->cost >= 0) {
                *here = begin_run(rest, block);
                here->cost += cost;
            } else {
                here->cost = -1;
            }
        }
    }
}

/* Finds the choice with the fewest blocks that holds at least `least`; of equally many, that with
 * the earliest first run. @return false if `limit` blocks do not hold it */
static bool find_choice(const struct blocks *blocks, uint32_t runs, uint32_t limit, int64_t least,
                        struct choice *choice)
{
    struct table table = make_table(runs, limit, least / EQUAL);
    uint32_t fewest = limit + 1;
    for (uint32_t block = blocks->count; block-- > 0;) {
        step(&table, runs, block, blocks->costs[block]);
        for (uint32_t n = runs; n <= limit && n <= fewest; ++n) {
            if (table.here[runs][n].cost >= least) {
                *choice = table.here[runs][n];
                fewest = n;
                break;
            }
        }
    }
    free_table(&table, runs);
    return fewest <= limit;
}

static int compare_descending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a > b ? -1 : a < b;
}

/* @return whether `limit` iterations, wherever they are, hold at least `least` */
static bool is_possible(const int64_t *costs, uint32_t count, int64_t least, uint32_t limit)
{
    int64_t *sorted = fm_allocate(count, sizeof *sorted);
    int64_t sum = 0;
    memcpy(sorted, costs, count * sizeof *sorted);
    fm_sort(sorted, count, sizeof *sorted, compare_descending);
    for (uint32_t i = 0; i < limit; ++i) {
        sum += sorted[i];
    }
    fm_free(sorted);
    return sum >= least;
}

/* Looks for two or three runs. @return how many were found; 0: none */
static uint32_t find_runs(const int64_t *costs, uint32_t count, int64_t least, uint32_t limit,
                          struct fm_iteration_run *runs)
{
    struct blocks blocks = make_blocks(costs, count);
    uint32_t found = 0;
    struct choice choice;
    for (uint32_t k = 2; k <= FM_CUBE_OCCASIONS && found == 0; ++k) {
        if (limit / blocks.size >= k &&
            find_choice(&blocks, k, limit / blocks.size, least, &choice)) {
            found = k;
        }
    }
    for (uint32_t k = 0; k < found; ++k) {
        uint32_t end = (choice.ends[k] + 1) * blocks.size;
        runs[k] = (struct fm_iteration_run){.first = choice.begins[k] * blocks.size,
                                            .last = (end < count ? end : count) - 1};
    }
    fm_free(blocks.costs);
    return found;
}

/* ---- all runs ---- */

/* @return whether a cost is at least half of the mean of a run */
static bool is_half_of_mean(int64_t cost, const struct fm_iteration_run *run)
{
    return (__int128)2 * cost * (run->last - run->first + (int64_t)1) >=
           fm_tenths_of(run->cost, 10);
}

static void add_up(const int64_t *costs, struct fm_iteration_run *run)
{
    run->cost = 0;
    for (uint32_t i = run->first; i <= run->last; ++i) {
        run->cost += costs[i];
    }
}

/* Widens a run by its neighbours, but not beyond begin .. end - 1. */
static void widen(const int64_t *costs, uint32_t begin, uint32_t end, struct fm_iteration_run *run)
{
    add_up(costs, run);
    const struct fm_iteration_run narrow = *run;
    while (run->first > begin && is_half_of_mean(costs[run->first - 1], &narrow)) {
        --run->first;
    }
    while (run->last + 1 < end && is_half_of_mean(costs[run->last + 1], &narrow)) {
        ++run->last;
    }
}

/* Widens all runs; those that touch become one. @return their number */
static uint32_t widen_all(const int64_t *costs, uint32_t count, struct fm_iteration_run *runs,
                          uint32_t found)
{
    for (uint32_t k = 0; k < found; ++k) {
        widen(costs, k == 0 ? 0 : runs[k - 1].last + 1, k + 1 < found ? runs[k + 1].first : count,
              &runs[k]);
    }
    uint32_t kept = 1;
    for (uint32_t k = 1; k < found; ++k) {
        if (runs[k].first == runs[kept - 1].last + 1) {
            runs[kept - 1].last = runs[k].last;
        } else {
            runs[kept++] = runs[k];
        }
    }
    return kept;
}

static void count_iterations(const int64_t *costs, struct fm_iteration_run *run)
{
    add_up(costs, run);
    for (uint32_t i = run->first; i <= run->last; ++i) {
        run->count += is_half_of_mean(costs[i], run);
    }
}

uint32_t fm_find_occasions(const int64_t *costs, uint32_t count, int64_t whole,
                           struct fm_iteration_run *runs)
{
    int64_t least = fm_tenths_of(whole, 9);
    if (!find_run(costs, count, least, &runs[0])) {
        return 0;
    }
    uint32_t limit = (runs[0].last - runs[0].first + 1) / 2;
    uint32_t found =
        is_possible(costs, count, least, limit) ? find_runs(costs, count, least, limit, runs) : 0;
    found = widen_all(costs, count, runs, found == 0 ? 1 : found);
    uint64_t told = 0;
    for (uint32_t k = 0; k < found; ++k) {
        count_iterations(costs, &runs[k]);
        told += runs[k].last - runs[k].first + (uint64_t)1;
    }
    return 5 * told < (uint64_t)4 * count ? found : 0;
}
