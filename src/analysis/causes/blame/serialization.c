/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/blame/serialization.h"

#include "analysis/locks/lock_holders.h"
#include "base/containers/sort.h"
#include "cube/model/delay_kind.h"

void fm_path_moves_note(fm_path_moves *moves, uint32_t location, const struct fm_wait *wait)
{
    if (fm_delay_metrics(fm_delay_kind((fm_metric_t)wait->metric))->is_contention) {
        fm_vector_push(moves, (struct fm_path_move){wait->until, location, wait->cause_location});
    }
}

static int compare_moves(const void *a, const void *b)
{
    const struct fm_path_move *left = a, *right = b;
    if (left->until != right->until) {
        return left->until < right->until ? -1 : 1;
    }
    if (left->waiter != right->waiter) {
        return left->waiter < right->waiter ? -1 : 1;
    }
    return left->cause < right->cause ? -1 : left->cause > right->cause;
}

/* @return whether the path makes a move. `moves` are sorted. */
static bool is_move(const fm_path_moves *moves, const struct fm_lock_turn *turn)
{
    const struct fm_path_move wanted = {turn->until, turn->waiter, turn->cause};
    size_t low = 0, high = moves->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_moves(&moves->items[middle], &wanted);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static void add_holds(const struct fm_analysis *analysis, const fm_path_moves *moves,
                      fm_path_holds *holds)
{
    uint32_t first, last;
    fm_engine_own(analysis->engine, &first, &last);
    for (uint32_t process = first; process < last; process++) {
        const fm_lock_turns *turns = fm_lock_holders_turns(analysis->lock_holders, process);
        for (size_t i = 0; i < turns->count; i++) {
            const struct fm_lock_turn *turn = &turns->items[i];
            if (is_move(moves, turn)) {
                fm_vector_push(holds, (struct fm_path_hold){.from = turn->acquired,
                                                            .to = turn->released,
                                                            .location = turn->waiter});
                fm_vector_push(holds, (struct fm_path_hold){.from = turn->cause_acquired,
                                                            .to = turn->cause_released,
                                                            .location = turn->cause});
            }
        }
    }
}

static int compare_holds(const void *a, const void *b)
{
    const struct fm_path_hold *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

void fm_path_holds_find(const struct fm_analysis *analysis, const fm_path_moves *moves,
                        fm_path_holds *holds)
{
    fm_path_moves all_moves = {0};
    fm_path_holds own = {0}, all = {0};
    fm_team_share_vector(analysis->team, moves, &all_moves);
    if (all_moves.count > 0 && analysis->lock_holders != NULL) {
        fm_sort(all_moves.items, all_moves.count, sizeof *all_moves.items, compare_moves);
        add_holds(analysis, &all_moves, &own);
    }
    fm_vector_free(&all_moves);
    fm_team_share_vector(analysis->team, &own, &all);
    fm_vector_free(&own);
    fm_sort(all.items, all.count, sizeof *all.items, compare_holds);
    size_t joined = 0;
    for (size_t i = 0; i < all.count; i++) {
        struct fm_path_hold *last = joined > 0 ? &all.items[joined - 1] : NULL;
        const struct fm_path_hold hold = all.items[i];
        if (last != NULL && last->location == hold.location && hold.from <= last->to) {
            last->to = hold.to > last->to ? hold.to : last->to;
        } else {
            all.items[joined++] = hold;
        }
    }
    all.count = joined;
    *holds = all;
}

size_t fm_path_holds_behind(const fm_path_holds *holds, uint32_t location, uint64_t time)
{
    size_t low = 0, high = holds->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_path_hold *hold = &holds->items[middle];
        if (hold->location < location || (hold->location == location && hold->to <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
