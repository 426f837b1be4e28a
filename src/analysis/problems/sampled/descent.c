/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/sampled/descent.h"

#include "cube/model/cube_problem.h"

#include <math.h>

/* Shares of excess and of time are equal if they differ by at most so much, or by 2 errors. */
#define EQUAL 0.1

struct descending {
    const struct fm_cause_tree *tree;
    struct fm_descent *of; /* [row] */
};

static const struct fm_cause_row *row_of(const struct descending *descending, uint32_t row)
{
    return &descending->tree->rows.items[row];
}

/* @return whether the excess of a part of a function is its share of the time */
static bool is_in_proportion(double excess, double error, double time,
                             const struct fm_cause_row *function)
{
    const double difference = fabs(excess / function->all - time / function->waiters_all);
    const double limit = 2 * error / function->all;
    return difference <= (limit > EQUAL ? limit : EQUAL);
}

/* @return whether a function is entered more often, by so much as its excess takes in visits as
 * they are on the waiters */
static bool is_called_more_often(const struct fm_cause_row *of)
{
    return of->waiters_visits > 0 && of->visits > of->waiters_visits &&
           (of->visits - of->waiters_visits) * of->waiters_all / of->waiters_visits >=
               FM_CUBE_MOST_OF_EXCESS * of->excess;
}

/* @return whether most of the excess of a function is its own: of its own time, or of the number of
 * its visits */
static bool is_itself_the_cause(const struct fm_cause_row *of)
{
    return is_called_more_often(of) || of->own_excess >= FM_CUBE_MOST_OF_EXCESS * of->excess;
}

/* @return whether a function is slower as a whole */
static bool is_slower_as_a_whole(const struct descending *descending, uint32_t function)
{
    const struct fm_cause_row *of = row_of(descending, function);
    if (!(of->waiters_all > 0) || !(of->all > 0) ||
        !is_in_proportion(of->own, fm_cause_error(of, true), of->waiters_own, of)) {
        return false;
    }
    for (uint32_t r = function + 1; r < descending->tree->rows.count; ++r) {
        const struct fm_cause_row *row = row_of(descending, r);
        if (!row->is_call && fm_cause_is_within(descending->tree, r, function) &&
            !is_in_proportion(row->all, fm_cause_error(row, false), row->waiters_all, of)) {
            return false;
        }
    }
    return true;
}

/* @return the callee with most of the excess of a function; FM_NONE: no single one has */
static uint32_t main_callee(const struct descending *descending, uint32_t function)
{
    for (uint32_t r = function + 1; r < descending->tree->rows.count; ++r) {
        const struct fm_cause_row *row = row_of(descending, r);
        if (row->parent == function &&
            row->excess >= FM_CUBE_MOST_OF_EXCESS * row_of(descending, function)->excess) {
            return r;
        }
    }
    return FM_NONE;
}

static void name(struct descending *descending, uint32_t function)
{
    for (uint32_t r = function + 1; r < descending->tree->rows.count; ++r) {
        if (!row_of(descending, r)->is_call && fm_cause_is_within(descending->tree, r, function)) {
            descending->of[r].cause = function;
        }
    }
}

/* Gives the own time of the callers that a cause stands for to it. */
static void replace_callers(struct descending *descending, uint32_t first, uint32_t cause)
{
    for (uint32_t at = cause; at != first;) {
        at = row_of(descending, at)->parent;
        descending->of[at].cause = cause;
    }
}

static void descend(struct descending *descending, uint32_t function)
{
    const uint32_t first = function;
    uint32_t replaced = FM_NONE;
    const struct fm_cause_row *of = row_of(descending, function);
    bool is_cause = is_itself_the_cause(of);
    while (!is_cause) {
        const uint32_t callee = main_callee(descending, function);
        if (callee == FM_NONE) {
            break;
        }
        replaced = function;
        function = callee;
        of = row_of(descending, function);
        is_cause = is_itself_the_cause(of);
    }
    if (is_cause || is_slower_as_a_whole(descending, function)) {
        name(descending, function);
        replace_callers(descending, first, function);
        descending->of[function].replaced = replaced;
        descending->of[function].share =
            replaced == FM_NONE ? 0 : of->excess / row_of(descending, replaced)->excess;
        return;
    }
    for (uint32_t r = function + 1; r < descending->tree->rows.count; ++r) {
        const struct fm_cause_row *row = row_of(descending, r);
        if (row->parent == function && row->excess > 0) {
            descend(descending, r);
        }
    }
}

struct fm_descent *fm_descend(const struct fm_cause_tree *tree)
{
    struct descending descending = {tree, fm_allocate(tree->rows.count, sizeof *descending.of)};
    for (uint32_t r = 0; r < tree->rows.count; ++r) {
        descending.of[r] = (struct fm_descent){.cause = r, .replaced = FM_NONE};
    }
    for (uint32_t r = 0; r < tree->rows.count; ++r) {
        if (tree->rows.items[r].parent == FM_NONE && tree->rows.items[r].excess > 0) {
            descend(&descending, r);
        }
    }
    return descending.of;
}
