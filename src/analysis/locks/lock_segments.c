/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_segments.h"

#include "analysis/model/run.h"

/* The heap has the position of the latest hold in the order of the lock on top. */
static void push_hold(struct fm_lock_sweep *sweep, uint32_t hold)
{
    fm_vector_push(&sweep->heap, hold);
    uint32_t *heap = sweep->heap.items;
    for (size_t i = sweep->heap.count - 1; i > 0 && heap[(i - 1) / 2] < heap[i]; i = (i - 1) / 2) {
        uint32_t above = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = heap[i];
        heap[i] = above;
    }
}

static void pop_hold(struct fm_lock_sweep *sweep)
{
    uint32_t *heap = sweep->heap.items;
    size_t count = --sweep->heap.count;
    heap[0] = heap[count];
    for (size_t i = 0, next; (next = 2 * i + 1) < count; i = next) {
        next += next + 1 < count && heap[next + 1] > heap[next];
        if (heap[i] >= heap[next]) {
            return;
        }
        uint32_t moved = heap[i];
        heap[i] = heap[next];
        heap[next] = moved;
    }
}

/* Sorts holds by acquisition; of simultaneous ones the last one in the order of the lock comes
 * first. */
static void order_by_acquisition(struct fm_lock_sweep *sweep, const struct fm_segment_hold *holds,
                                 size_t count)
{
    sweep->order.count = 0;
    fm_vector_reserve(&sweep->order, count);
    for (size_t i = count; i-- > 0;) {
        sweep->order.items[sweep->order.count++] =
            (struct fm_keyed){holds[i].acquired, (uint32_t)i};
    }
    fm_keyed_sort(sweep->order.items, count, NULL);
}

void fm_lock_segments_find(struct fm_lock_sweep *sweep, const struct fm_segment_hold *holds,
                           size_t count, uint64_t from, uint64_t to, fm_lock_segments *segments)
{
    order_by_acquisition(sweep, holds, count);
    const struct fm_keyed *order = sweep->order.items;
    sweep->heap.count = 0;
    segments->count = 0;
    size_t next = 0;
    for (uint64_t now = from; now < to;) {
        for (; next < count && order[next].key <= now; next++) {
            if (holds[order[next].value].released > now) {
                push_hold(sweep, order[next].value);
            }
        }
        while (sweep->heap.count > 0 && holds[sweep->heap.items[0]].released <= now) {
            pop_hold(sweep);
        }
        struct fm_lock_segment segment = {now, FM_NONE, 0, false};
        now = next < count ? order[next].key : to;
        if (sweep->heap.count > 0) {
            segment.hold = sweep->heap.items[0];
            uint64_t end = holds[segment.hold].released;
            now = end < now ? end : now;
        } else if (next < count) {
            segment.hold = order[next].value;
            const uint64_t requested = holds[segment.hold].requested;
            segment.is_free = requested > segment.from;
            now = segment.is_free && requested < now ? requested : now;
        }
        const size_t last = segments->count;
        if (last == 0 || segments->items[last - 1].hold != segment.hold ||
            segments->items[last - 1].is_free != segment.is_free) {
            fm_vector_push(segments, segment);
        }
    }
}

size_t fm_lock_segment_at(const fm_lock_segments *segments, uint64_t time)
{
    size_t low = 0, high = segments->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (segments->items[middle].from <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void fm_lock_sweep_free(struct fm_lock_sweep *sweep)
{
    fm_vector_free(&sweep->order);
    fm_vector_free(&sweep->heap);
}
