/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/thread_lives.h"

#include "base/containers/sort.h"

/* Orders the records of one thread: its creation, begin, waits for it, its end. */
static int compare_records(const void *a, const void *b)
{
    const struct fm_life_record *left = a, *right = b;
    if (left->team != right->team) {
        return left->team < right->team ? -1 : 1;
    }
    if (left->sequence != right->sequence) {
        return left->sequence < right->sequence ? -1 : 1;
    }
    if (left->type != right->type) {
        return left->type < right->type ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->record < right->record ? -1 : left->record > right->record;
}

void fm_life_records_list(const struct fm_trace *trace, uint32_t process, fm_life_records *lives)
{
    lives->count = 0;
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t i = 0; i < location->threads.count; i++) {
            const struct fm_thread_record *record = &location->threads.items[i];
            if (record->type >= FM_THREAD_CREATE && record->type <= FM_THREAD_END) {
                fm_vector_push(
                    lives, ((struct fm_life_record){record->id, record->team, record->type, l, i}));
            }
        }
    }
    fm_sort(lives->items, lives->count, sizeof *lives->items, compare_records);
}

struct fm_life fm_thread_life_at(const fm_life_records *lives, size_t first)
{
    const struct fm_life_record *items = lives->items;
    const struct fm_life_record *firsts[FM_THREAD_END + 1] = {NULL};
    size_t end = first;
    for (; end < lives->count && items[end].team == items[first].team &&
           items[end].sequence == items[first].sequence;
         end++) {
        if (firsts[items[end].type] == NULL) {
            firsts[items[end].type] = &items[end];
        }
    }
    return (struct fm_life){.first = first,
                            .end = end,
                            .created = firsts[FM_THREAD_CREATE],
                            .begun = firsts[FM_THREAD_BEGIN],
                            .ended = firsts[FM_THREAD_END]};
}
