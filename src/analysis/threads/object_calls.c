/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/object_calls.h"

#include "base/containers/sort.h"

static int compare_calls(const void *a, const void *b)
{
    const struct fm_object_call *left = a, *right = b;
    if (left->object != right->object) {
        return left->object < right->object ? -1 : 1;
    }
    if (left->enter != right->enter) {
        return left->enter < right->enter ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->activity < right->activity ? -1 : left->activity > right->activity;
}

void fm_object_calls_list(const struct fm_trace *trace, uint32_t process, uint64_t kinds,
                          fm_object_calls *calls)
{
    calls->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->threads.count; i++) {
            const struct fm_thread_record *record = &location->threads.items[i];
            if (record->type != FM_THREAD_OBJECT || record->activity == FM_NONE) {
                continue;
            }
            const fm_call_t call = fm_trace_called(trace, location, record->activity)->call;
            if ((kinds >> call & 1) != 0) {
                fm_vector_push(calls, ((struct fm_object_call){
                                          .object = record->id,
                                          .enter = location->enter.items[record->activity],
                                          .leave = location->leave.items[record->activity],
                                          .location = l,
                                          .activity = record->activity,
                                      }));
            }
        }
    }
    fm_sort(calls->items, calls->count, sizeof *calls->items, compare_calls);
}

/* @return the last of the calls of one object that another thread has entered in a call, (Enter,
 * Leave], to wake it; NULL: none. Of simultaneous ones that of the lowest location. */
static const struct fm_object_call *last_inside(const struct fm_object_call *wakes, size_t count,
                                                const struct fm_object_call *wait)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (wakes[middle].enter <= wait->leave) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct fm_object_call *last = NULL;
    for (; low > 0 && wakes[low - 1].enter > wait->enter; low--) {
        if (last != NULL && wakes[low - 1].enter < last->enter) {
            break;
        }
        last = wakes[low - 1].location == wait->location ? last : &wakes[low - 1];
    }
    return last;
}

void fm_awakenings_find(const struct fm_trace *trace, uint32_t process, fm_call_t waits,
                        fm_call_t wakes, fm_awakenings *found)
{
    fm_object_calls waiting = {0}, waking = {0};
    found->count = 0;
    fm_object_calls_list(trace, process, (uint64_t)1 << waits, &waiting);
    if (waiting.count != 0) {
        fm_object_calls_list(trace, process, (uint64_t)1 << wakes, &waking);
    }
    size_t begin = 0, end = 0;
    for (size_t i = 0; i < waiting.count; i++) {
        const struct fm_object_call *wait = &waiting.items[i];
        while (begin < waking.count && waking.items[begin].object < wait->object) {
            begin++;
        }
        end = end > begin ? end : begin;
        while (end < waking.count && waking.items[end].object == wait->object) {
            end++;
        }
        const struct fm_object_call *last = last_inside(waking.items + begin, end - begin, wait);
        if (last != NULL) {
            fm_vector_push(found, ((struct fm_awakening){*wait, *last}));
        }
    }
    fm_vector_free(&waiting);
    fm_vector_free(&waking);
}
