/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/lock_places.h"

#include "base/containers/sort.h"

static bool waited(const struct fm_thread_hold *hold)
{
    return hold->blocked_by != FM_NONE;
}

/* ---- places ---- */

static struct fm_cube_lock_place *place_at(struct fm_lock_places_scratch *scratch,
                                           const struct fm_location *location, uint32_t visit)
{
    const uint32_t callpath = location->profile.items[visit].callpath;
    const uint32_t next = (uint32_t)scratch->found.count;
    const uint32_t index = *fm_map_at(&scratch->place_of_callpath, callpath, next);
    if (index == next) {
        fm_vector_push(&scratch->found, (struct fm_cube_lock_place){.callpath = callpath});
    }
    return &scratch->found.items[index];
}

static int compare_places(const void *a, const void *b)
{
    const struct fm_cube_lock_place *left = a, *right = b;
    if (left->waiting != right->waiting) {
        return left->waiting > right->waiting ? -1 : 1;
    }
    return left->callpath < right->callpath ? -1 : left->callpath > right->callpath;
}

/* Moves the places with most waiting out of the scratch memory. @return their number */
static uint32_t take_largest(struct fm_lock_places_scratch *scratch,
                             struct fm_cube_lock_place largest[FM_CUBE_LOCK_PLACES])
{
    uint32_t count = 0;
    fm_sort(scratch->found.items, scratch->found.count, sizeof *scratch->found.items,
            compare_places);
    while (count < scratch->found.count && count < FM_CUBE_LOCK_PLACES) {
        largest[count] = scratch->found.items[count];
        count++;
    }
    scratch->found.count = 0;
    fm_map_clear(&scratch->place_of_callpath);
    return count;
}

/* ---- where a thread is ---- */

/* @return the number of elements that are at most `time`, by bisection */
static size_t count_until(const uint64_t *times, size_t count, uint64_t time)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (times[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Books the time of a thread from `from` to `to` on its call paths, `waiters` times. Calls of
 * libraries exclude each other; between them, the thread is in the latest state. */
static void book(struct fm_lock_places_scratch *scratch, const struct fm_location *location,
                 uint64_t from, uint64_t to, uint64_t waiters)
{
    size_t call = count_until(location->leave.items, location->leave.count, from);
    size_t state = count_until(location->state_since.items, location->state_since.count, from);
    while (from < to) {
        uint32_t visit = FM_NONE;
        uint64_t until = to;
        if (call < location->enter.count && location->enter.items[call] <= from) {
            visit = location->visit.items[call];
            until = location->leave.items[call] < to ? location->leave.items[call] : to;
            call++;
        } else {
            if (call < location->enter.count && location->enter.items[call] < until) {
                until = location->enter.items[call];
            }
            while (state < location->state_since.count &&
                   location->state_since.items[state] <= from) {
                state++;
            }
            if (state < location->state_since.count && location->state_since.items[state] < until) {
                until = location->state_since.items[state];
            }
            visit = state > 0 ? location->state_visit.items[state - 1] : FM_NONE;
        }
        if (visit != FM_NONE && until > from) {
            place_at(scratch, location, visit)->waiting += (until - from) * waiters;
        }
        from = until > from ? until : from;
    }
}

/* ---- one lock ---- */

static int compare_steps(const void *a, const void *b)
{
    const struct fm_lock_queue_step *left = a, *right = b;
    return left->time < right->time ? -1 : left->time > right->time;
}

/* Lists the steps of the queue, and the holds that may overlap it. @return false: nobody waited */
static bool prepare(struct fm_lock_places_scratch *scratch, const struct fm_thread_hold *holds,
                    size_t count)
{
    scratch->steps.count = scratch->holds.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (waited(&holds[i])) {
            fm_vector_push(&scratch->steps, ((struct fm_lock_queue_step){holds[i].queued_from, 1}));
            fm_vector_push(&scratch->steps,
                           ((struct fm_lock_queue_step){holds[i].waited_until, -1}));
        }
    }
    if (scratch->steps.count == 0) {
        return false;
    }
    fm_sort(scratch->steps.items, scratch->steps.count, sizeof *scratch->steps.items,
            compare_steps);
    const uint64_t from = scratch->steps.items[0].time;
    const uint64_t to = scratch->steps.items[scratch->steps.count - 1].time;
    for (size_t i = 0; i < count; i++) {
        if (holds[i].acquired < holds[i].end && holds[i].end > from && holds[i].acquired < to) {
            fm_vector_push(&scratch->holds, ((struct fm_segment_hold){
                                                .acquired = holds[i].acquired,
                                                .released = holds[i].end,
                                                .location = holds[i].location,
                                            }));
        }
    }
    fm_lock_segments_find(&scratch->sweep, scratch->holds.items, scratch->holds.count, from, to,
                          &scratch->segments);
    return true;
}

/* Books what is waited from `from` to `to`, where neither the queue nor the decisive hold changes.
 */
static void book_hold(struct fm_lock_places_scratch *scratch, const struct fm_trace *trace,
                      uint32_t hold, uint64_t from, uint64_t to, int64_t waiters)
{
    if (hold == FM_NONE || waiters <= 0) {
        return;
    }
    const struct fm_segment_hold *holder = &scratch->holds.items[hold];
    from = holder->acquired > from ? holder->acquired : from;
    to = holder->released < to ? holder->released : to;
    book(scratch, &trace->locations[holder->location], from, to, (uint64_t)waiters);
}

static void find_held(struct fm_lock_places_scratch *scratch, const struct fm_trace *trace)
{
    const struct fm_lock_queue_step *steps = scratch->steps.items;
    const fm_lock_segments *segments = &scratch->segments;
    int64_t waiters = 0;
    size_t segment = 0;
    for (size_t s = 0; s + 1 < scratch->steps.count; s++) {
        uint64_t from = steps[s].time;
        const uint64_t to = steps[s + 1].time;
        waiters += steps[s].more;
        while (segment + 1 < segments->count && segments->items[segment + 1].from <= from) {
            segment++;
        }
        for (; from < to && segment < segments->count; segment++) {
            const bool is_last =
                segment + 1 >= segments->count || segments->items[segment + 1].from >= to;
            const uint64_t until = is_last ? to : segments->items[segment + 1].from;
            book_hold(scratch, trace, segments->items[segment].hold, from, until, waiters);
            from = until;
            if (is_last) {
                break;
            }
        }
    }
}

void fm_lock_places_find(struct fm_lock_places_scratch *scratch, const struct fm_trace *trace,
                         const struct fm_thread_hold *holds, size_t count,
                         struct fm_lock_places *places)
{
    *places = (struct fm_lock_places){0};
    if (!prepare(scratch, holds, count)) {
        return;
    }
    find_held(scratch, trace);
    places->held_in_count = take_largest(scratch, places->held_in);
    for (size_t i = 0; i < count; i++) {
        if (waited(&holds[i])) {
            const struct fm_location *location = &trace->locations[holds[i].location];
            struct fm_cube_lock_place *place =
                place_at(scratch, location, location->visit.items[holds[i].call]);
            place->waits++;
            place->waiting += holds[i].waited_until - holds[i].queued_from;
        }
    }
    places->waited_in_count = take_largest(scratch, places->waited_in);
}

void fm_lock_places_scratch_free(struct fm_lock_places_scratch *scratch)
{
    fm_vector_free(&scratch->holds);
    fm_vector_free(&scratch->steps);
    fm_vector_free(&scratch->found);
    fm_vector_free(&scratch->segments);
    fm_lock_sweep_free(&scratch->sweep);
    fm_map_free(&scratch->place_of_callpath);
}
