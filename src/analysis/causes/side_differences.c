/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/side_differences.h"

struct fm_side_differences *fm_side_differences_create(const struct fm_location *location)
{
    struct fm_side_differences *differences = fm_allocate(1, sizeof *differences);
    for (size_t v = 0; v < location->profile.count; ++v) {
        *fm_map_at(&differences->node_of, location->profile.items[v].callpath, 0) = (uint32_t)v;
    }
    return differences;
}

void fm_side_differences_free(struct fm_side_differences *differences)
{
    if (differences != NULL) {
        fm_vector_free(&differences->waits);
        fm_vector_free(&differences->items);
        fm_vector_free(&differences->totals);
        fm_map_free(&differences->total_of);
        fm_map_free(&differences->node_of);
        fm_free(differences);
    }
}

static void add_total(struct fm_side_differences *differences, uint32_t callpath, uint64_t own,
                      uint64_t waiter)
{
    const uint32_t next = (uint32_t)differences->totals.count;
    const uint32_t row = *fm_map_at(&differences->total_of, callpath, next);
    if (row == next) {
        fm_vector_push(&differences->totals, (struct fm_path_total){.callpath = callpath});
    }
    differences->totals.items[row].own += own;
    differences->totals.items[row].waiters += waiter;
}

/* Adds the times of both sides in a call path. */
static void add(struct fm_side_differences *differences, const struct fm_trace *trace,
                uint32_t callpath, uint64_t own, uint64_t waiter)
{
    const uint32_t function = fm_trace_function_of(trace, callpath);
    add_total(differences, function, own, waiter);
    if (own != 0 || waiter != 0) { /* equal times count, too: samples may tell of them */
        fm_vector_push(&differences->items,
                       (struct fm_path_difference){(int64_t)own - (int64_t)waiter, function});
    }
}

void fm_side_differences_note(struct fm_side_differences *differences, const struct fm_trace *trace,
                              const struct fm_sides *sides, uint64_t *waiter_time,
                              uint32_t position, uint64_t begin)
{
    if (position >= differences->waits.count) {
        const size_t more = position + 1 - differences->waits.count;
        fm_vector_reserve(&differences->waits, more);
        while (differences->waits.count <= position) {
            differences->waits.items[differences->waits.count++] =
                (struct fm_wait_difference){.begin = 0};
        }
    }
    const uint32_t first = (uint32_t)differences->items.count;
    for (uint32_t i = 0; i < sides->own_count; ++i) {
        const struct fm_cause_share *own = &sides->own[i];
        add(differences, trace, own->callpath, own->ticks, waiter_time[own->callpath]);
        waiter_time[own->callpath] = 0;
    }
    for (uint32_t i = 0; i < sides->share_count; ++i) {
        uint64_t *waiter = &waiter_time[sides->shares[i].callpath];
        if (*waiter != 0) {
            add(differences, trace, sides->shares[i].callpath, 0, *waiter);
            *waiter = 0;
        }
    }
    differences->waits.items[position] =
        (struct fm_wait_difference){begin, first, (uint32_t)differences->items.count};
}
