/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/shared_points.h"

#include "analysis/libraries/library_metrics.h"
#include "base/containers/sort.h"

#include <string.h>

/* From `t` until the next entry, a location takes part in the operations on a communicator for its
 * process: usually it is always the same thread. Entries of one tick are valid together. */
struct participant {
    uint64_t t;
    uint32_t process;
    uint32_t communicator;
    uint32_t location;
};

typedef FM_VECTOR(struct participant) participant_vector;

/* When the Init of each library synchronized a process, ascending; UINT64_MAX: no further one. */
struct init_times {
    uint64_t t[FM_LIBRARIES];
};

struct fm_shared_points {
    participant_vector participants; /* ascending by process, communicator, time, location */
    struct init_times *init;         /* by process */
};

static int compare_participants(const void *a, const void *b)
{
    const struct participant *left = a, *right = b;
    if (left->communicator != right->communicator) {
        return left->communicator < right->communicator ? -1 : 1;
    }
    if (left->t != right->t) {
        return left->t < right->t ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

/* @return end of the entries that are valid together with the one at `first` */
static size_t end_of_tick(const struct participant *items, size_t count, size_t first)
{
    size_t end = first + 1;
    while (end < count && items[end].communicator == items[first].communicator &&
           items[end].t == items[first].t) {
        ++end;
    }
    return end;
}

/* Appends those of a process's sorted points at which the location changes. */
static void append_changes(const struct participant *points, size_t count,
                           participant_vector *changes)
{
    const struct participant *only = NULL; /* the only entry of the tick before */
    for (size_t begin = 0; begin < count;) {
        size_t end = end_of_tick(points, count, begin);
        size_t kept = changes->count;
        for (size_t i = begin; i < end; ++i) {
            if (i == begin || points[i].location != points[i - 1].location) {
                fm_vector_push(changes, points[i]);
            }
        }
        bool alone = changes->count == kept + 1;
        if (alone && only != NULL && only->communicator == points[begin].communicator &&
            only->location == points[begin].location) {
            changes->count = kept;
        }
        only = alone ? &points[begin] : NULL;
        begin = end;
    }
}

/* Inserts the times of Init among the points. */
static void add_inits(const fm_group_point_vector *points, struct init_times *times)
{
    for (size_t i = 0; i < points->count; ++i) {
        uint64_t t = points->items[i].t;
        for (size_t k = 0; points->items[i].is_init && k < FM_LIBRARIES && t != times->t[k]; ++k) {
            if (t < times->t[k]) {
                const uint64_t later = times->t[k];
                times->t[k] = t;
                t = later;
            }
        }
    }
}

/* Adds the entries of a process, and finds the times of its Inits. */
static void collect_process(const struct fm_trace *trace, const fm_group_point_vector *points,
                            uint32_t process, participant_vector *found,
                            participant_vector *changes, struct init_times *init)
{
    uint32_t end = fm_trace_first_location(trace, process + 1);
    bool several = trace->processes[process].location_count > 1;
    found->count = 0;
    memset(init, 0xff, sizeof *init);
    for (uint32_t l = fm_trace_first_location(trace, process); l < end; ++l) {
        add_inits(&points[l], init);
        for (size_t i = 0; i < points[l].count; ++i) {
            const struct fm_group_point *point = &points[l].items[i];
            if (several && !fm_is_team_community(trace, point->communicator)) {
                fm_vector_push(found,
                               (struct participant){point->t, process, point->communicator, l});
            }
        }
    }
    fm_sort(found->items, found->count, sizeof *found->items, compare_participants);
    append_changes(found->items, found->count, changes);
}

struct fm_shared_points *fm_shared_points_collect(struct fm_engine *engine,
                                                  const struct fm_trace *trace,
                                                  const fm_group_point_vector *points)
{
    struct fm_shared_points *shared = fm_allocate(1, sizeof *shared);
    participant_vector found = {0}, changes = {0};
    FM_VECTOR(struct init_times) init = {0};
    uint32_t first, last;
    fm_engine_own(engine, &first, &last);
    for (uint32_t p = first; p < last; ++p) {
        struct init_times times;
        collect_process(trace, points, p, &found, &changes, &times);
        fm_vector_push(&init, times);
    }
    size_t bytes;
    fm_team_share_vector(fm_engine_team(engine), &changes, &shared->participants);
    shared->init =
        fm_team_share(fm_engine_team(engine), init.items, init.count * sizeof *init.items, &bytes);
    fm_vector_free(&found);
    fm_vector_free(&changes);
    fm_vector_free(&init);
    return shared;
}

void fm_shared_points_free(struct fm_shared_points *shared)
{
    fm_vector_free(&shared->participants);
    fm_free(shared->init);
    fm_free(shared);
}

/* @return whether the entry is ordered before the point, or at it */
static bool is_reached(const struct participant *entry, uint32_t process,
                       const struct fm_group_point *point)
{
    if (entry->process != process) {
        return entry->process < process;
    }
    if (entry->communicator != point->communicator) {
        return entry->communicator < point->communicator;
    }
    return entry->t <= point->t;
}

bool fm_shared_points_takes_part(const struct fm_shared_points *shared, uint32_t process,
                                 uint32_t location, const struct fm_group_point *point)
{
    const struct participant *items = shared->participants.items;
    size_t low = 0, high = shared->participants.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_reached(&items[middle], process, point)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (size_t i = low; i > 0; --i) {
        const struct participant *entry = &items[i - 1];
        if (entry->process != process || entry->communicator != point->communicator ||
            entry->t != items[low - 1].t) {
            return false;
        }
        if (entry->location == location) {
            return true;
        }
    }
    return false;
}

uint64_t fm_shared_points_init(const struct fm_shared_points *shared, uint32_t process,
                               uint64_t before)
{
    const uint64_t *times = shared->init[process].t;
    uint64_t latest = UINT64_MAX;
    for (size_t k = 0; k < FM_LIBRARIES && times[k] < before; ++k) {
        latest = times[k];
    }
    return latest;
}
