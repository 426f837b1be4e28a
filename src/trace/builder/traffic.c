/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/builder/traffic.h"

#include "base/containers/sort.h"

static int compare_traffic(const void *a, const void *b)
{
    const struct fm_traffic *left = a, *right = b;
    if (left->kind != right->kind) {
        return left->kind < right->kind ? -1 : 1;
    }
    return left->process < right->process ? -1 : left->process > right->process;
}

/* A process may be reached through several communicators. */
static void merge_equal(struct fm_location *location)
{
    size_t kept = 0;
    for (size_t i = 0; i < location->traffic.count; ++i) {
        struct fm_traffic *last = &location->traffic.items[kept > 0 ? kept - 1 : 0];
        const struct fm_traffic *next = &location->traffic.items[i];
        if (kept > 0 && compare_traffic(last, next) == 0) {
            last->count += next->count;
            last->bytes += next->bytes;
        } else {
            location->traffic.items[kept++] = *next;
        }
    }
    location->traffic.count = kept;
}

void fm_traffic_finish(struct fm_traffic_counter *counter, const struct fm_trace *trace,
                       struct fm_location *location)
{
    for (size_t i = 0; i < counter->rows.count; ++i) {
        const struct fm_traffic_row *row = &counter->rows.items[i];
        uint32_t process = fm_trace_member(trace, row->communicator, row->peer, location->process);
        if (process != FM_NONE) {
            fm_vector_push(&location->traffic,
                           (struct fm_traffic){process, row->kind, row->count, row->bytes});
        }
    }
    fm_sort(location->traffic.items, location->traffic.count, sizeof *location->traffic.items,
            compare_traffic);
    merge_equal(location);
    fm_vector_trim(&location->traffic);
    fm_traffic_clear(counter);
}

void fm_traffic_clear(struct fm_traffic_counter *counter)
{
    counter->rows.count = 0;
    fm_map_clear(&counter->index);
}

void fm_traffic_free(struct fm_traffic_counter *counter)
{
    fm_map_free(&counter->index);
    fm_vector_free(&counter->rows);
}
