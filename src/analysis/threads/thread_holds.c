/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/thread_holds.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

/* @return the hold that a release ends; without a known begin `acquired` is UINT64_MAX */
static struct fm_thread_hold begin_of(const struct fm_thread_record *acquisition,
                                      const struct fm_thread_record *release)
{
    if (acquisition == NULL) {
        return (struct fm_thread_hold){.acquired = release->acquired,
                                       .order = release->order,
                                       .call = FM_NONE,
                                       .shared = release->shared};
    }
    return (struct fm_thread_hold){
        .acquired = acquisition->time, .order = acquisition->order, .call = acquisition->activity};
}

/* @return what an acquisition and its release have in common. An acquisition without
 * a release is no hold: when it ended is not known. */
static uint64_t key_of(const struct fm_thread_record *record)
{
    return (uint64_t)record->id << 32 | record->order;
}

/* @param elsewhere  gets the releases of what the thread has not acquired */
static void read_thread(const struct fm_trace *trace, uint32_t l, struct fm_map *acquired,
                        struct fm_map *elsewhere, fm_thread_holds *holds)
{
    const struct fm_location *location = &trace->locations[l];
    fm_map_clear(acquired);
    for (uint32_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *record = &location->threads.items[i];
        if (record->type == FM_THREAD_LOCK_ACQUIRE) {
            *fm_map_at(acquired, key_of(record), i) = i;
        } else if (record->type == FM_THREAD_LOCK_RELEASE) {
            const uint32_t row = fm_map_take(acquired, key_of(record));
            struct fm_thread_hold hold =
                begin_of(row == FM_MAP_ABSENT ? NULL : &location->threads.items[row], record);
            if (row == FM_MAP_ABSENT) {
                fm_map_at(elsewhere, key_of(record), l);
            }
            if (hold.acquired == UINT64_MAX || record->activity == FM_NONE) {
                continue;
            }
            const struct fm_region *region = fm_trace_called(trace, location, record->activity);
            hold.lock = record->id;
            hold.location = l;
            hold.release = record->activity;
            hold.end = region->call == FM_CALL_CONDITION_WAIT
                           ? record->time
                           : location->leave.items[record->activity];
            hold.shared |= hold.call != FM_NONE &&
                           fm_trace_called(trace, location, hold.call)->call == FM_CALL_SHARED_LOCK;
            hold.ordered = region->call == FM_CALL_ORDERED;
            hold.blocked_by = FM_NONE;
            fm_vector_push(holds, hold);
        }
    }
}

/* Lists the acquisitions of a thread that are left in `acquired`. */
static void list_unreleased(const struct fm_trace *trace, uint32_t l, const struct fm_map *acquired,
                            fm_thread_holds *unreleased)
{
    const struct fm_location *location = &trace->locations[l];
    for (size_t i = 0; acquired->count != 0 && i <= acquired->mask; i++) {
        if (acquired->slots[i].value == FM_MAP_ABSENT) {
            continue;
        }
        const struct fm_thread_record *record = &location->threads.items[acquired->slots[i].value];
        struct fm_thread_hold hold = begin_of(record, record);
        hold.lock = record->id;
        hold.location = l;
        hold.shared =
            record->activity != FM_NONE &&
            fm_trace_called(trace, location, record->activity)->call == FM_CALL_SHARED_LOCK;
        fm_vector_push(unreleased, hold);
    }
}

static int compare_holds(const void *a, const void *b)
{
    const struct fm_thread_hold *left = a, *right = b;
    if (left->lock != right->lock) {
        return left->lock < right->lock ? -1 : 1;
    }
    if (left->order != right->order) {
        return left->order < right->order ? -1 : 1;
    }
    if (left->acquired != right->acquired) {
        return left->acquired < right->acquired ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

/* @return the number of acquisitions that no thread has released, with another one of the same lock
 * behind them
 * @param unreleased  not in any order; sorted */
static uint64_t count_followed(const fm_thread_holds *holds, const struct fm_map *elsewhere,
                               fm_thread_holds *unreleased)
{
    fm_sort(unreleased->items, unreleased->count, sizeof *unreleased->items, compare_holds);
    uint64_t followed = 0;
    size_t next = 0;
    for (size_t i = 0; i < unreleased->count; i++) {
        const struct fm_thread_hold *hold = &unreleased->items[i];
        while (next < holds->count && compare_holds(&holds->items[next], hold) <= 0) {
            next++;
        }
        followed += !hold->shared &&
                    fm_map_get(elsewhere, hold->lock << 32 | hold->order) == FM_MAP_ABSENT &&
                    ((next < holds->count && holds->items[next].lock == hold->lock) ||
                     (i + 1 < unreleased->count && hold[1].lock == hold->lock));
    }
    return followed;
}

uint64_t fm_thread_holds_find(const struct fm_trace *trace, uint32_t process,
                              fm_thread_holds *holds)
{
    struct fm_map acquired = {0}, elsewhere = {0};
    fm_thread_holds unreleased = {0};
    holds->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        if (trace->locations[l].threads.count != 0) {
            read_thread(trace, l, &acquired, &elsewhere, holds);
            list_unreleased(trace, l, &acquired, &unreleased);
        }
    }
    fm_sort(holds->items, holds->count, sizeof *holds->items, compare_holds);
    const uint64_t followed = count_followed(holds, &elsewhere, &unreleased);
    fm_vector_free(&unreleased);
    fm_map_free(&acquired);
    fm_map_free(&elsewhere);
    return followed;
}

/* @return the later one of two holds in the order of the lock; of simultaneous ones the first */
static uint32_t later(const struct fm_thread_hold *holds, uint32_t hold, uint32_t candidate)
{
    return hold != FM_NONE && holds[hold].order == holds[candidate].order &&
                   holds[hold].acquired == holds[candidate].acquired
               ? hold
               : candidate;
}

void fm_blocking_holds_add(struct fm_blocking_holds *blocking, const struct fm_thread_hold *holds,
                           uint32_t number)
{
    if (!holds[number].shared) {
        blocking->exclusive = later(holds, blocking->exclusive, number);
        blocking->any = later(holds, blocking->any, number);
    } else if (blocking->any == blocking->exclusive ||
               holds[number].end > holds[blocking->any].end) {
        blocking->any = number;
    }
}
