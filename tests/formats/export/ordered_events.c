/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered_events DIR: windows of any length give the same events in the same order. */
#include "export/perfetto/ordered_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef FM_VECTOR(struct fm_ordered_event) event_list;

static void take(void *context, const struct fm_ordered_event *event)
{
    event_list *list = context;
    fm_vector_push(list, *event);
}

static bool are_equal(const struct fm_ordered_event *a, const struct fm_ordered_event *b)
{
    return a->time == b->time && a->location == b->location && a->kind == b->kind &&
           a->visit == b->visit && a->activity == b->activity && a->arrow == b->arrow;
}

/** @return whether the events are those of `expected`: equal times of different locations may be in
 * any order, those of one location may not. */
static bool is_same_order(const event_list *events, const event_list *expected)
{
    if (events->count != expected->count)
        return false;
    for (size_t i = 0; i < events->count; i++) {
        if (events->items[i].time != expected->items[i].time)
            return false;
    }
    for (uint32_t l = 0; l < 1000; l++) {
        size_t e = 0;
        for (size_t i = 0; i < events->count; i++) {
            if (events->items[i].location != l)
                continue;
            while (expected->items[e].location != l)
                e++;
            if (!are_equal(&events->items[i], &expected->items[e++]))
                return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static const uint64_t lengths[] = {1, 2, 3, 7, 50, 1000};
    struct fm_export_request request = {
        .archive = argv[argc - 1], .to = INFINITY, .last_rank = UINT32_MAX};
    struct fm_event_source events;
    struct fm_error error;
    event_list expected = {0};
    int failed = 0;
    if (fm_event_source_open(&events, &request, &error) != FM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    fm_ordered_events_walk(&events, UINT64_MAX, take, &expected);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        event_list list = {0};
        fm_ordered_events_walk(&events, lengths[i], take, &list);
        if (!is_same_order(&list, &expected)) {
            fprintf(stderr, "windows of %llu events\n", (unsigned long long)lengths[i]);
            failed = 1;
        }
        fm_vector_free(&list);
    }
    if (expected.count < 100) {
        fprintf(stderr, "only %zu events\n", expected.count);
        failed = 1;
    }
    fm_vector_free(&expected);
    fm_event_source_close(&events);
    return failed;
}
