/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_ranks.h"

#include "base/containers/sort.h"

#include <string.h>

/* Events that contain others precede them. */
static int compare_events(const void *a, const void *b)
{
    const struct fm_kineto_event *left = a, *right = b;
    if (left->begin != right->begin) {
        return left->begin < right->begin ? -1 : 1;
    }
    if (left->end != right->end) {
        return left->end > right->end ? -1 : 1;
    }
    if (left->kind != right->kind) {
        return left->kind < right->kind ? -1 : 1;
    }
    return left->name < right->name ? -1 : left->name > right->name;
}

/* ---- threads ---- */

/* The events around the current one. */
typedef FM_VECTOR(const struct fm_kineto_event *) open_events;

/* @return what the innermost operator of a collective states; one that names the process group
 * precedes one that does not */
static uint32_t collective_around(const struct fm_kineto_trace *trace, const open_events *open)
{
    uint32_t found = FM_KINETO_NONE;
    for (size_t i = open->count; i-- > 0;) {
        const uint32_t collective = open->items[i]->collective;
        if (collective == FM_KINETO_NONE) {
            continue;
        }
        if (trace->collectives.items[collective].group != FM_KINETO_NONE) {
            return collective;
        }
        found = found == FM_KINETO_NONE ? collective : found;
    }
    return found;
}

static void connect_thread(struct fm_kineto_job *job, struct fm_kineto_rank *rank,
                           struct fm_kineto_lane *lane)
{
    open_events open = {0};
    for (size_t i = 0; i < lane->events.count; i++) {
        struct fm_kineto_event *event = &lane->events.items[i];
        while (open.count > 0 && open.items[open.count - 1]->end <= event->begin) {
            open.count--;
        }
        if (open.count > 0 && open.items[open.count - 1]->end < event->end) {
            event->end = open.items[open.count - 1]->end;
            job->defects.cut++;
        }
        if (event->kind == FM_KINETO_CALL && event->correlation != 0 &&
            fm_map_get(&rank->works, event->correlation) != FM_MAP_ABSENT) {
            *fm_map_at(&rank->launch_of, event->correlation, 0) = (uint32_t)rank->launches.count;
            fm_vector_push(
                &rank->launches,
                ((struct fm_kineto_launch){event->bytes, collective_around(rank->trace, &open)}));
        }
        fm_vector_push(&open, event);
    }
    fm_vector_free(&open);
}

/* ---- streams ---- */

/* The work of a stream follows one another: each has the part behind the end of the work before. */
static void order_stream(struct fm_kineto_job *job, struct fm_kineto_lane *lane)
{
    int64_t end = INT64_MIN;
    size_t kept = 0;
    for (size_t i = 0; i < lane->events.count; i++) {
        struct fm_kineto_event event = lane->events.items[i];
        if (event.begin < end) {
            const bool is_hidden = event.end <= end;
            job->defects.hidden += is_hidden;
            job->defects.shared += !is_hidden;
            if (is_hidden) {
                continue;
            }
            event.begin = end;
        }
        end = event.end;
        lane->events.items[kept++] = event;
    }
    lane->events.count = kept;
}

static void list_works(struct fm_kineto_rank *rank, const struct fm_kineto_lane *lane)
{
    for (size_t i = 0; i < lane->events.count; i++) {
        if (lane->events.items[i].correlation != 0) {
            fm_map_at(&rank->works, lane->events.items[i].correlation, 0);
        }
    }
}

static void count_unlaunched(struct fm_kineto_job *job, const struct fm_kineto_rank *rank,
                             const struct fm_kineto_lane *lane)
{
    for (size_t i = 0; i < lane->events.count; i++) {
        job->defects.unlaunched +=
            fm_map_get(&rank->launch_of, lane->events.items[i].correlation) == FM_MAP_ABSENT;
    }
}

/* ---- the rank ---- */

/* @return whether a lane precedes another one: the main thread, whose number is that of its
 * process, is the first one */
static bool precedes(const struct fm_kineto_lane *left, const struct fm_kineto_lane *right)
{
    const bool left_is_main = left->thread == left->process;
    if (!left->is_stream && left_is_main != (right->thread == right->process)) {
        return left_is_main;
    }
    return left->process != right->process ? left->process < right->process
                                           : left->thread < right->thread;
}

static void place_lanes(struct fm_kineto_rank *rank)
{
    const struct fm_kineto_trace *trace = rank->trace;
    for (uint32_t i = 0; i < trace->lanes.count; i++) {
        const struct fm_kineto_lane *lane = &trace->lanes.items[i];
        uint32_t place = 0;
        for (uint32_t other = 0; other < trace->lanes.count; other++) {
            place += trace->lanes.items[other].is_stream == lane->is_stream && other != i &&
                     precedes(&trace->lanes.items[other], lane);
        }
        fm_vector_push(&rank->place_of, place);
        if (lane->is_stream) {
            fm_vector_push(&rank->streams, 0);
        } else {
            fm_vector_push(&rank->threads, 0);
        }
    }
    for (uint32_t i = 0; i < trace->lanes.count; i++) {
        uint32_t *places =
            trace->lanes.items[i].is_stream ? rank->streams.items : rank->threads.items;
        places[rank->place_of.items[i]] = i;
    }
}

static void list_syncs(struct fm_kineto_rank *rank)
{
    for (uint32_t i = 0; i < rank->trace->syncs.count; i++) {
        const struct fm_kineto_sync *sync = &rank->trace->syncs.items[i];
        *fm_map_at(&rank->sync_of, sync->correlation, 0) = i + 1;
        if (sync->record != 0) {
            *fm_map_at(&rank->record_of, sync->record, 0) = i + 1;
        }
    }
}

void fm_kineto_rank_connect(struct fm_kineto_job *job, struct fm_kineto_trace *trace,
                            struct fm_kineto_rank *rank)
{
    *rank = (struct fm_kineto_rank){.trace = trace};
    place_lanes(rank);
    list_syncs(rank);
    for (size_t i = 0; i < trace->lanes.count; i++) {
        struct fm_kineto_lane *lane = &trace->lanes.items[i];
        fm_sort(lane->events.items, lane->events.count, sizeof *lane->events.items, compare_events);
        if (lane->is_stream) {
            order_stream(job, lane);
            list_works(rank, lane);
        }
    }
    for (size_t i = 0; i < rank->threads.count; i++) {
        connect_thread(job, rank, &trace->lanes.items[rank->threads.items[i]]);
    }
    for (size_t i = 0; i < rank->streams.count; i++) {
        count_unlaunched(job, rank, &trace->lanes.items[rank->streams.items[i]]);
    }
}

void fm_kineto_rank_free(struct fm_kineto_rank *rank)
{
    fm_vector_free(&rank->threads);
    fm_vector_free(&rank->streams);
    fm_vector_free(&rank->place_of);
    fm_vector_free(&rank->launches);
    fm_map_free(&rank->works);
    fm_map_free(&rank->launch_of);
    fm_map_free(&rank->sync_of);
    fm_map_free(&rank->record_of);
}

const struct fm_kineto_collective *fm_kineto_collective_of(const struct fm_kineto_rank *rank,
                                                           const struct fm_kineto_event *kernel)
{
    const struct fm_kineto_collective *collectives = rank->trace->collectives.items;
    const uint32_t launch = fm_map_get(&rank->launch_of, kernel->correlation);
    const uint32_t around =
        launch == FM_MAP_ABSENT ? FM_KINETO_NONE : rank->launches.items[launch].collective;
    const uint32_t own = kernel->collective;
    if (own != FM_KINETO_NONE && (around == FM_KINETO_NONE || collectives[own].sequence >= 0 ||
                                  collectives[around].sequence < 0)) {
        return &collectives[own];
    }
    return around == FM_KINETO_NONE ? NULL : &collectives[around];
}

uint32_t fm_kineto_stream_place(const struct fm_kineto_rank *rank, int64_t device, int64_t stream)
{
    const int64_t key[] = {true, device, stream};
    const uint32_t lane = fm_key_table_find(&rank->trace->lane_keys, key, sizeof key);
    return lane == FM_KEY_NONE ? FM_KINETO_NONE : rank->place_of.items[lane];
}
