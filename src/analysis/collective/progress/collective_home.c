/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/progress/collective_home.h"

#include "base/containers/search.h"
#include "base/containers/sort.h"

/* ---- who needs whom ---- */

bool fm_home_needs_all(const struct fm_home_instance *instance)
{
    return instance->call == FM_CALL_BARRIER || instance->call == FM_CALL_ALL_TO_ALL;
}

/* @return whether the states of an instance are ranked: where all members need all others, in one
 * block; where they need the lower ranks, in blocks of 1, 2, 4, ... members, those of one size
 * after the other */
static bool is_ranked(const struct fm_home_instance *instance)
{
    return fm_home_needs_all(instance) || instance->call == FM_CALL_SCAN;
}

struct fm_needed_parts fm_home_needed(const struct fm_home_instance *instance, uint32_t number)
{
    switch (instance->call) {
    case FM_CALL_ONE_TO_ALL:
        return instance->root == FM_NONE || instance->root == number
                   ? (struct fm_needed_parts){0, 0}
                   : (struct fm_needed_parts){instance->root, instance->root + 1};
    case FM_CALL_ALL_TO_ONE:
        return (struct fm_needed_parts){0, instance->root == number ? instance->count : 0};
    case FM_CALL_SCAN:
        return (struct fm_needed_parts){0, number};
    default:
        return (struct fm_needed_parts){0, instance->count};
    }
}

bool fm_home_needs(const struct fm_collective_home *home, const struct fm_home_instance *instance,
                   uint32_t number, uint32_t other)
{
    if (instance->call == FM_CALL_ONE_TO_ALL) {
        return fm_home_part(home, instance, number)->takes_part;
    }
    return other != number && (instance->call != FM_CALL_ALL_TO_ONE ||
                               fm_home_part(home, instance, other)->takes_part);
}

/* ---- states ---- */

static int compare_states(const void *a, const void *b)
{
    const struct fm_home_state *left = a, *right = b;
    const int order = fm_compare_numbers(left->part, right->part);
    return order != 0 ? order : fm_compare_numbers(left->from, right->from);
}

/* By time, then the lower call last. */
static int compare_ranked(const void *a, const void *b)
{
    const struct fm_ranked_state *left = a, *right = b;
    const int order = fm_compare_numbers(left->time, right->time);
    return order != 0 ? order : fm_compare_calls(right->call, left->call);
}

/* Ranks some states, those inside or those outside of calls. */
static struct fm_ranking rank(struct fm_collective_home *home, size_t first, size_t end,
                              bool inside)
{
    struct fm_ranking ranking = {
        .first = home->ranked.count, .root = home->least.count, .leaves = 1};
    for (size_t i = first; i < end; ++i) {
        const struct fm_home_state *state = &home->states.items[i];
        if (fm_partner_is_outside(&state->of, state->from) != inside) {
            const struct fm_ranked_state ranked = {inside ? state->of.leave : state->of.enter,
                                                   state->of.call, i};
            fm_vector_push(&home->ranked, ranked);
        }
    }
    ranking.count = home->ranked.count - ranking.first;
    fm_sort(home->ranked.items + ranking.first, ranking.count, sizeof *home->ranked.items,
            compare_ranked);
    while (ranking.leaves < ranking.count) {
        ranking.leaves *= 2;
    }
    fm_vector_reserve(&home->least, 2 * ranking.leaves);
    home->least.count += 2 * ranking.leaves;
    uint64_t *least = home->least.items + ranking.root;
    for (size_t i = 0; i < ranking.leaves; ++i) {
        least[ranking.leaves + i] =
            i < ranking.count ? home->states.items[home->ranked.items[ranking.first + i].state].from
                              : UINT64_MAX;
    }
    for (size_t i = ranking.leaves - 1; i > 0; --i) {
        least[i] = least[2 * i] < least[2 * i + 1] ? least[2 * i] : least[2 * i + 1];
    }
    return ranking;
}

/* @return the last one before `end` of the ranked states that contains a time; NULL: none does.
 * O(log n) */
static const struct fm_ranked_state *last_ranked(const struct fm_collective_home *home,
                                                 const struct fm_ranking *ranking, size_t end,
                                                 uint64_t time)
{
    const uint64_t *least = home->least.items + ranking->root;
    const struct fm_ranked_state *ranked = home->ranked.items + ranking->first;
    if (end == 0) {
        return NULL;
    }
    size_t node = ranking->leaves + end - 1;
    if (least[node] > time) {
        while (node > 1 && (node % 2 == 0 || least[node - 1] > time)) {
            node /= 2;
        }
        if (node <= 1) {
            return NULL;
        }
        for (--node; node < ranking->leaves;) {
            node = least[2 * node + 1] <= time ? 2 * node + 1 : 2 * node;
        }
    }
    ranked += node - ranking->leaves;
    return ranked->time > time ? ranked : NULL; /* the latest one that begins by then */
}

/* @return how many ranked states have a time up to `time` */
static size_t count_ranked(const struct fm_collective_home *home, const struct fm_ranking *ranking,
                           uint64_t time)
{
    const struct fm_ranked_state *ranked = home->ranked.items + ranking->first;
    return time == UINT64_MAX || ranking->count == 0
               ? ranking->count
               : fm_count_below(&ranked->time, ranking->count, sizeof *ranked, time + 1);
}

/* @return the first state of a part of an instance or of one behind it */
static size_t first_state_of(const struct fm_collective_home *home, uint32_t part)
{
    const struct fm_home_state *states = home->states.items;
    const size_t count = home->states.count;
    return count == 0 ? 0 : fm_count_below_32(&states->part, count, sizeof *states, part);
}

static void rank_instance(struct fm_collective_home *home, struct fm_home_instance *instance)
{
    instance->first_block = home->blocks.count;
    const uint32_t smallest = fm_home_needs_all(instance) ? instance->count : 1;
    for (uint32_t size = smallest; is_ranked(instance) && size <= instance->count; size *= 2) {
        for (uint32_t first = 0; first + size <= instance->count; first += size) {
            const size_t begin = first_state_of(home, instance->first_part + first);
            const size_t end = first_state_of(home, instance->first_part + first + size);
            struct fm_ranked_block block;
            block.outside = rank(home, begin, end, false);
            block.inside = rank(home, begin, end, true);
            fm_vector_push(&home->blocks, block);
        }
    }
}

/* At most so many blocks have the members that one needs. */
#define MOST_BLOCKS 32

/* Finds the blocks of the members that one needs. @return their number */
static size_t find_blocks(const struct fm_collective_home *home,
                          const struct fm_home_instance *instance, uint32_t number,
                          const struct fm_ranked_block *found[MOST_BLOCKS])
{
    const struct fm_ranked_block *blocks = home->blocks.items + instance->first_block;
    if (fm_home_needs_all(instance)) {
        found[0] = blocks;
        return 1;
    }
    size_t count = 0;
    uint32_t rest = number; /* members in front of it that no smaller block has */
    for (uint32_t size = 1; rest != 0; size *= 2) {
        if ((rest & size) != 0) {
            rest -= size;
            found[count++] = blocks + rest / size;
        }
        blocks += instance->count / size;
    }
    return count;
}

void fm_home_sort(struct fm_collective_home *home)
{
    fm_sort(home->states.items, home->states.count, sizeof *home->states.items, compare_states);
    for (size_t i = 0; i < home->states.count; ++i) {
        struct fm_home_part *part = &home->parts.items[home->states.items[i].part];
        part->first_state = part->state_count == 0 ? i : part->first_state;
        ++part->state_count;
    }
    for (size_t i = 0; i < home->instances.count; ++i) {
        rank_instance(home, &home->instances.items[i]);
    }
}

/* @return what a member does at a time at which others need it; NULL: it is not known, or its part
 * is complete */
static const struct fm_partner_state *state_at(const struct fm_collective_home *home,
                                               const struct fm_home_part *part, uint64_t time)
{
    const struct fm_home_state *states = home->states.items + part->first_state;
    if (part->leave <= time || part->state_count == 0) {
        return NULL;
    }
    const size_t behind = time == UINT64_MAX ? part->state_count
                                             : fm_count_below(&states->from, part->state_count,
                                                              sizeof *states, time + 1);
    return behind == 0 || states[behind - 1].to <= time ? NULL : &states[behind - 1].of;
}

/* ---- calls ---- */

static bool is_better(uint64_t enter, struct fm_call_ref call, uint64_t than,
                      struct fm_call_ref other)
{
    return enter > than || (enter == than && fm_compare_calls(call, other) < 0);
}

/* Visits what the members that a call needs do when the need begins. */
#define FOR_EACH_STATE(state, home, instance, need)                                                \
    for (uint32_t other_ = fm_home_needed(instance, (need)->part).first;                           \
         other_ < fm_home_needed(instance, (need)->part).last; ++other_)                           \
        if (fm_home_needs(home, instance, (need)->part, other_) &&                                 \
            ((state) = state_at(home, fm_home_part(home, instance, other_), (need)->begin)) !=     \
                NULL)

/* @return the last one before `end` of the ranked states that contains the begin of a need, without
 * those of the needing member, which may be between two tests of its loop; NULL: there is none */
static const struct fm_ranked_state *last_needed(const struct fm_collective_home *home,
                                                 const struct fm_home_instance *instance,
                                                 const struct fm_ranking *ranking, size_t end,
                                                 const struct fm_home_need *need)
{
    const struct fm_ranked_state *found = last_ranked(home, ranking, end, need->begin);
    while (found != NULL &&
           home->states.items[found->state].part == instance->first_part + need->part) {
        end = (size_t)(found - home->ranked.items) - ranking->first;
        found = last_ranked(home, ranking, end, need->begin);
    }
    return found;
}

/* Finds what find_calls() does among the members of a block. */
static void find_ranked_calls(const struct fm_collective_home *home,
                              const struct fm_home_instance *instance,
                              const struct fm_ranking *outside, const struct fm_home_need *need,
                              struct fm_home_calls *answer)
{
    const size_t contained = count_ranked(home, outside, need->leave);
    const struct fm_ranked_state *latest = last_needed(home, instance, outside, contained, need);
    const struct fm_ranked_state *farthest =
        last_needed(home, instance, outside, outside->count, need);
    if (latest != NULL && is_better(latest->time, latest->call, answer->latest, answer->serving)) {
        answer->latest = latest->time;
        answer->serving = latest->call;
    }
    if (farthest != NULL && farthest->time > need->leave && farthest->time > answer->farthest) {
        answer->farthest = farthest->time;
    }
}

struct fm_home_calls fm_home_find(const struct fm_collective_home *home,
                                  const struct fm_home_instance *instance,
                                  const struct fm_home_need *need)
{
    struct fm_home_calls answer = {0};
    if (is_ranked(instance)) {
        const struct fm_ranked_block *blocks[MOST_BLOCKS];
        const size_t count = find_blocks(home, instance, need->part, blocks);
        for (size_t i = 0; i < count; ++i) {
            find_ranked_calls(home, instance, &blocks[i]->outside, need, &answer);
        }
        return answer;
    }
    const struct fm_partner_state *state;
    FOR_EACH_STATE(state, home, instance, need)
    {
        if (!fm_partner_is_outside(state, need->begin)) {
            continue;
        }
        if (state->enter > need->leave) {
            answer.farthest = state->enter > answer.farthest ? state->enter : answer.farthest;
        } else if (is_better(state->enter, state->call, answer.latest, answer.serving)) {
            answer.latest = state->enter;
            answer.serving = state->call;
        }
    }
    return answer;
}

static int compare_enters(const void *a, const void *b)
{
    const struct fm_partner_state *left = a, *right = b;
    const int order = fm_compare_numbers(left->enter, right->enter);
    return order != 0 ? order : fm_compare_calls(right->call, left->call);
}

/* Lists the last calls of a block that are contained, then those that run. */
static void list_last_calls(const struct fm_collective_home *home,
                            const struct fm_home_instance *instance,
                            const struct fm_ranked_block *block, const struct fm_home_need *need,
                            size_t most, fm_partner_states *listed)
{
    const size_t limit = listed->count + most;
    size_t end = count_ranked(home, &block->outside, need->leave);
    const struct fm_ranked_state *found;
    while (listed->count < limit &&
           (found = last_needed(home, instance, &block->outside, end, need)) != NULL) {
        fm_vector_push(listed, home->states.items[found->state].of);
        end = (size_t)(found - home->ranked.items) - block->outside.first;
    }
    end = block->inside.count;
    while (listed->count < limit &&
           (found = last_needed(home, instance, &block->inside, end, need)) != NULL) {
        fm_vector_push(listed, home->states.items[found->state].of);
        end = (size_t)(found - home->ranked.items) - block->inside.first;
    }
}

/* Lists the first calls that begin before a time. */
static void list_calls_until(const struct fm_collective_home *home,
                             const struct fm_home_instance *instance,
                             const struct fm_ranking *outside, const struct fm_home_need *need,
                             uint64_t until, fm_partner_states *listed)
{
    for (size_t i = count_ranked(home, outside, need->begin); i < outside->count; ++i) {
        const struct fm_ranked_state *ranked = &home->ranked.items[outside->first + i];
        const struct fm_home_state *state = &home->states.items[ranked->state];
        if (ranked->time >= until) {
            break;
        }
        if (state->from <= need->begin && state->part != instance->first_part + need->part) {
            fm_vector_push(listed, state->of);
        }
    }
}

/* Of the calls that run at the begin, the last one of each block to end; unless these cover all,
 * those that begin later. */
static void list_ranked_cover(const struct fm_collective_home *home,
                              const struct fm_home_instance *instance,
                              const struct fm_home_need *need, uint64_t until,
                              fm_partner_states *listed)
{
    const struct fm_ranked_block *blocks[MOST_BLOCKS];
    const size_t count = find_blocks(home, instance, need->part, blocks);
    bool is_covered = false;
    for (size_t i = 0; i < count; ++i) {
        const struct fm_ranking *inside = &blocks[i]->inside;
        const struct fm_ranked_state *found =
            last_needed(home, instance, inside, inside->count, need);
        if (found != NULL) {
            fm_vector_push(listed, home->states.items[found->state].of);
            is_covered |= found->time >= until;
        }
    }
    for (size_t i = 0; i < count && !is_covered; ++i) {
        list_calls_until(home, instance, &blocks[i]->outside, need, until, listed);
    }
}

/* Lists all first calls that a call contains or finds running. */
static void list_all(const struct fm_collective_home *home, const struct fm_home_instance *instance,
                     const struct fm_home_need *need, fm_partner_states *listed)
{
    const struct fm_partner_state *state;
    FOR_EACH_STATE(state, home, instance, need)
    {
        if (state->enter <= need->leave) {
            fm_vector_push(listed, *state);
        }
    }
}

void fm_home_list_cover(const struct fm_collective_home *home,
                        const struct fm_home_instance *instance, const struct fm_home_need *need,
                        uint64_t until, fm_partner_states *listed)
{
    if (is_ranked(instance)) {
        list_ranked_cover(home, instance, need, until, listed);
    } else {
        list_all(home, instance, need, listed);
    }
    fm_sort(listed->items, listed->count, sizeof *listed->items, compare_enters);
}

void fm_home_list_last(const struct fm_collective_home *home,
                       const struct fm_home_instance *instance, const struct fm_home_need *need,
                       size_t most, fm_partner_states *listed)
{
    if (is_ranked(instance)) {
        const struct fm_ranked_block *blocks[MOST_BLOCKS];
        const size_t count = find_blocks(home, instance, need->part, blocks);
        for (size_t i = 0; i < count; ++i) {
            list_last_calls(home, instance, blocks[i], need, most, listed);
        }
    } else {
        list_all(home, instance, need, listed);
    }
    fm_sort(listed->items, listed->count, sizeof *listed->items, compare_enters);
}

void fm_home_free(struct fm_collective_home *home)
{
    fm_vector_free(&home->parts);
    fm_vector_free(&home->instances);
    fm_vector_free(&home->states);
    fm_vector_free(&home->blocks);
    fm_vector_free(&home->ranked);
    fm_vector_free(&home->least);
}
