/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_spans.h"

#include "base/containers/sort.h"

static int compare_spans(const void *a, const void *b)
{
    const struct fm_lock_span *left = a, *right = b;
    return fm_compare_numbers(left->from, right->from);
}

/* Adds a wait to the spans of a lock, none of which begins later. */
static void add(struct fm_lock_span *spans, struct fm_spans_of_lock *of,
                const struct fm_lock_span *wait)
{
    struct fm_lock_span *last = of->end > of->first ? &spans[of->end - 1] : NULL;
    if (last != NULL && wait->from <= last->to) {
        last->to = wait->to > last->to ? wait->to : last->to;
    } else {
        spans[of->end++] = *wait;
    }
}

void fm_lock_spans_find(struct fm_lock_spans *spans, uint32_t locks)
{
    fm_sort(spans->waits.items, spans->waits.count, sizeof *spans->waits.items, compare_spans);
    spans->of_lock.count = 0;
    for (uint32_t lock = 0; lock <= locks; lock++) {
        fm_vector_push(&spans->of_lock, ((struct fm_spans_of_lock){0, 0}));
    }
    struct fm_spans_of_lock *of_lock = spans->of_lock.items;
    for (size_t i = 0; i < spans->waits.count; i++) {
        of_lock[spans->waits.items[i].lock].end++;
    }
    of_lock[locks].end = (uint32_t)spans->waits.count;
    uint32_t room = 0;
    for (uint32_t lock = 0; lock <= locks; lock++) {
        const uint32_t waits = of_lock[lock].end;
        of_lock[lock] = (struct fm_spans_of_lock){room, room};
        room += waits;
    }
    spans->spans.count = 0;
    fm_vector_reserve(&spans->spans, room);
    for (size_t i = 0; i < spans->waits.count; i++) {
        const struct fm_lock_span *wait = &spans->waits.items[i];
        add(spans->spans.items, &of_lock[wait->lock], wait);
        add(spans->spans.items, &of_lock[locks], wait);
    }
}

bool fm_lock_spans_meet(const struct fm_lock_spans *spans, uint32_t lock, uint64_t from,
                        uint64_t to)
{
    const struct fm_spans_of_lock *of = &spans->of_lock.items[lock];
    uint32_t low = of->first, high = of->end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (spans->spans.items[middle].to <= from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < of->end && spans->spans.items[low].from < to;
}

void fm_lock_spans_free(struct fm_lock_spans *spans)
{
    fm_vector_free(&spans->waits);
    fm_vector_free(&spans->spans);
    fm_vector_free(&spans->of_lock);
}
