/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/decisions/turn_queue.h"

#include "base/containers/map.h"
#include "trace/tables/trace.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- a run ---- */

/* The acquisition is the next one of its owner. */
static void show(struct fm_turn_queue *queue, uint32_t number)
{
    struct fm_turn_state *state = &queue->states[number];
    state->is_visible = true;
    if (state->requested != FM_UNKNOWN_TIME && !state->has_turn) {
        fm_heap_push(&queue->coming, state->requested, number);
    }
}

void fm_turn_queue_open(struct fm_turn_queue *queue, const struct fm_turn *turns,
                        struct fm_turn_state *states, uint32_t count)
{
    *queue = (struct fm_turn_queue){
        .turns = turns,
        .states = states,
        .count = count,
        .exclusive = FM_NONE,
        .any = FM_NONE,
        .is_plain = true,
    };
    for (uint32_t i = 0; i < count; i++) {
        states[i].has_turn = states[i].is_let = states[i].is_visible = false;
        states[i].follows = FM_NONE;
        states[i].place = 0;
        queue->is_plain &= turns[i].is_exclusive && turns[i].can_wait;
        if (turns[i].is_first) {
            show(queue, i);
        }
    }
}

void fm_turn_queue_close(struct fm_turn_queue *queue)
{
    fm_heap_free(&queue->coming);
    fm_heap_free(&queue->waiting);
}

void fm_turn_queue_request(struct fm_turn_queue *queue, uint32_t number, uint64_t time)
{
    queue->states[number].requested = time;
    if (queue->states[number].is_visible) {
        show(queue, number);
    }
}

void fm_turn_queue_pass(struct fm_turn_queue *queue, uint32_t number, uint64_t time,
                        uint64_t latitude)
{
    struct fm_turn_state *state = &queue->states[number];
    state->passed = time;
    state->latitude = latitude;
    if (!state->has_turn || state->place < queue->first_place) {
        return;
    }
    const struct fm_turn_state *last = &queue->states[queue->any];
    queue->unknown--;
    if (last->passed == FM_UNKNOWN_TIME || time > last->passed ||
        (time == last->passed && state->place < last->place)) {
        queue->any = number;
    }
}

/* @return which acquisition another one would follow; FM_NONE: none */
static uint32_t blocking(const struct fm_turn_queue *queue, uint32_t number)
{
    return queue->turns[number].is_exclusive ? queue->any : queue->exclusive;
}

/* @return when an acquisition would get the lock, if it has requested it; FM_UNKNOWN_TIME */
static uint64_t bound_of(const struct fm_turn_queue *queue, uint32_t number)
{
    const struct fm_turn *turn = &queue->turns[number];
    const uint32_t before = blocking(queue, number);
    if (before == FM_NONE || !turn->can_wait) {
        return 0;
    }
    const struct fm_turn_state *state = &queue->states[before];
    if ((turn->is_exclusive && queue->unknown != 0) || state->passed == FM_UNKNOWN_TIME) {
        return FM_UNKNOWN_TIME;
    }
    const bool is_measured = before == turn->measured;
    if (is_measured ? !turn->is_bound : queue->turns[before].owner == turn->owner) {
        return 0;
    }
    const uint64_t lag = is_measured ? earlier(turn->lag, state->latitude) : 0;
    return state->passed > lag ? state->passed - lag : 0;
}

/* @return when an acquisition gets the lock if it is the next one; FM_UNKNOWN_TIME */
static uint64_t granted_at(const struct fm_turn_queue *queue, uint32_t number)
{
    return later(queue->states[number].requested, bound_of(queue, number));
}

static void drop_past(const struct fm_turn_queue *queue, struct fm_heap *heap)
{
    while (heap->of.count != 0 && queue->states[heap->of.items[0].value].has_turn) {
        fm_heap_pop(heap);
    }
}

/* @return the request of the head; FM_UNKNOWN_TIME: not known yet */
static uint64_t head_request(const struct fm_turn_queue *queue)
{
    const struct fm_turn_state *head = &queue->states[queue->head];
    return head->is_visible ? head->requested : FM_UNKNOWN_TIME;
}

/* @return the first one in the measured order that has requested the lock until `now`, or for which
 * it is kept; FM_NONE: none has */
static uint32_t first_of(struct fm_turn_queue *queue)
{
    const uint64_t now = queue->now;
    drop_past(queue, &queue->coming);
    while (queue->coming.of.count != 0 && queue->coming.of.items[0].key <= now) {
        const uint32_t arrived = fm_heap_pop(&queue->coming).value;
        fm_heap_push(&queue->waiting, arrived, arrived);
        drop_past(queue, &queue->coming);
    }
    drop_past(queue, &queue->waiting);
    const uint64_t requested = head_request(queue);
    if (requested != FM_UNKNOWN_TIME &&
        (requested <= now || requested - now <= queue->turns[queue->head].slack)) {
        return queue->head;
    }
    return queue->waiting.of.count != 0 ? queue->waiting.of.items[0].value : FM_NONE;
}

/* @return when the next request comes behind `now`, or the lock begins to be kept for the head;
 * FM_UNKNOWN_TIME: neither */
static uint64_t next_change(const struct fm_turn_queue *queue)
{
    const uint64_t requested = head_request(queue), slack = queue->turns[queue->head].slack;
    uint64_t next = queue->coming.of.count != 0 ? queue->coming.of.items[0].key : FM_UNKNOWN_TIME;
    if (requested != FM_UNKNOWN_TIME && requested > queue->now && requested - queue->now > slack) {
        next = earlier(next, requested - slack);
    }
    return next;
}

/* @return until when nobody can get the lock: those who follow the last owner get it when that
 * passes it on; only the one that followed when measured may get it earlier */
static uint64_t held_until(const struct fm_turn_queue *queue)
{
    const uint32_t last = queue->exclusive;
    if (!queue->is_plain || last == FM_NONE || queue->unknown != 0 ||
        !(last + 1 == queue->count || last + 1 == queue->head ||
          queue->states[last + 1].has_turn)) {
        return queue->now;
    }
    return queue->states[last].passed;
}

/* @return when it is certain that the head does not request the lock while it is kept for it:
 * behind all that is decided at the last tick */
static uint64_t kept_until(uint64_t now, uint64_t slack)
{
    if (slack == 0) {
        return now;
    }
    return slack < FM_UNKNOWN_TIME - 1 - now ? now + slack + 1 : FM_UNKNOWN_TIME;
}

uint32_t fm_turn_queue_next(struct fm_turn_queue *queue, struct fm_known_requests known,
                            struct fm_turn_wait *wait)
{
    *wait = (struct fm_turn_wait){FM_UNKNOWN_TIME, false, FM_NONE};
    if (queue->head == queue->count) {
        return FM_NONE;
    }
    const uint64_t held = held_until(queue);
    for (;;) {
        const uint32_t first = first_of(queue);
        const uint64_t granted = first == FM_NONE ? FM_UNKNOWN_TIME : granted_at(queue, first);
        if (granted <= queue->now) {
            const uint64_t certain = head_request(queue) == FM_UNKNOWN_TIME
                                         ? kept_until(queue->now, queue->turns[queue->head].slack)
                                         : queue->now;
            const bool is_certain = certain != FM_UNKNOWN_TIME && known.until >= certain;
            if (first == queue->head || (is_certain && known.until > certain) ||
                known.until == FM_UNKNOWN_TIME) {
                return first;
            }
            if (is_certain && !queue->states[first].is_let) {
                queue->states[first].is_let = true;
                queue->states[first].follows = blocking(queue, first);
                wait->let = first;
            }
            wait->time = is_certain ? certain + 1 : certain;
            wait->is_until = true;
            return FM_NONE;
        }
        const uint64_t next = earlier(granted, next_change(queue));
        if (next == FM_UNKNOWN_TIME || (next > held && next > known.before)) {
            wait->time = next;
            return FM_NONE;
        }
        queue->now = next; /* others may come that were before it */
    }
}

bool fm_turn_queue_grant(struct fm_turn_queue *queue, uint32_t number)
{
    const struct fm_turn *turn = &queue->turns[number];
    struct fm_turn_state *state = &queue->states[number];
    const bool overtakes = number != queue->head;
    const uint64_t granted = granted_at(queue, number);
    const bool is_unknown = state->passed == FM_UNKNOWN_TIME;
    state->follows = state->is_let ? state->follows : blocking(queue, number);
    state->is_let = true;
    state->place = queue->had++;
    state->has_turn = true;
    queue->now = granted != FM_UNKNOWN_TIME ? later(queue->now, granted) : queue->now;
    if (turn->is_exclusive || queue->any == queue->exclusive) {
        queue->any = number;
        queue->first_place = state->place;
        queue->unknown = is_unknown;
        queue->exclusive = turn->is_exclusive ? number : queue->exclusive;
    } else {
        const uint64_t last = queue->states[queue->any].passed;
        queue->unknown += is_unknown;
        queue->any =
            last == FM_UNKNOWN_TIME || (!is_unknown && state->passed > last) ? number : queue->any;
    }
    if (turn->next != FM_NONE) {
        show(queue, turn->next);
    }
    while (queue->head < queue->count && queue->states[queue->head].has_turn) {
        queue->head++;
    }
    return overtakes;
}

/* ---- the measured run ---- */

static void link_owners(struct fm_turn *turns, uint32_t count)
{
    struct fm_map last_of_owner = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *last = fm_map_at(&last_of_owner, turns[i].owner, i);
        turns[i].next = FM_NONE;
        turns[i].is_first = *last == i;
        turns[*last].next = turns[i].is_first ? FM_NONE : i;
        *last = i;
    }
    fm_map_free(&last_of_owner);
}

bool fm_turns_learn(struct fm_turn *turns, struct fm_turn_state *states, uint32_t count)
{
    const struct fm_known_requests all = {FM_UNKNOWN_TIME, FM_UNKNOWN_TIME};
    struct fm_turn_queue queue;
    bool is_possible = true;
    link_owners(turns, count);
    fm_turn_queue_open(&queue, turns, states, count);
    for (uint32_t i = 0; i < count; i++) {
        turns[i].measured = blocking(&queue, i);
        fm_turn_queue_grant(&queue, i);
    }
    fm_turn_queue_close(&queue);
    fm_turn_queue_open(&queue, turns, states, count);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_turn_wait unused;
        if (turns[i].slack != FM_NOT_OVERTAKEN) {
            turns[i].slack = 0;
            if (fm_turn_queue_next(&queue, all, &unused) != i) {
                turns[i].slack = states[i].requested - queue.now;
            }
        }
        fm_turn_queue_grant(&queue, i);
        is_possible &= queue.now <= turns[i].had_by;
    }
    fm_turn_queue_close(&queue);
    return is_possible;
}
