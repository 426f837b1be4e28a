/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/busy_time.h"

#include "base/containers/sort.h"

#include <string.h>

#define SMALLEST_STRIDE 64

/* ---- wait states ---- */

/* Orders wait states by their end. Only nested calls are not in this order already. */
static int compare_waits(const void *a, const void *b)
{
    const struct fm_wait *left = a, *right = b;
    if (left->until != right->until) {
        return left->until < right->until ? -1 : 1;
    }
    return left->activity < right->activity ? -1 : left->activity > right->activity;
}

static void list_waits(struct fm_wait_list *waits, const struct fm_location *location,
                       const struct fm_findings *findings)
{
    waits->count = (uint32_t)findings->waits.count;
    waits->items = fm_resize(NULL, 0, waits->count * sizeof *waits->items);
    waits->before = fm_resize(NULL, 0, ((size_t)waits->count + 1) * sizeof *waits->before);
    waits->begin = fm_resize(NULL, 0, waits->count * sizeof *waits->begin);
    waits->positions = fm_resize(NULL, 0, waits->count * sizeof *waits->positions);
    waits->covers = fm_allocate((size_t)waits->count + 1, sizeof *waits->covers);
    uint64_t last = 0;
    bool sorted = true;
    for (uint32_t i = 0; i < waits->count; ++i) {
        const struct fm_candidate *candidate =
            &findings->candidates.items[findings->waits.items[i]];
        waits->items[i] = (struct fm_wait){
            .enter = fm_trace_begin(location, candidate->activity),
            .until = candidate->t,
            .activity = candidate->activity,
            .cause_location = candidate->cause_location,
            .cause_activity = candidate->cause_activity,
            .metric = candidate->metric,
        };
        sorted &= last <= candidate->t;
        last = candidate->t;
    }
    if (!sorted) {
        fm_sort(waits->items, waits->count, sizeof *waits->items, compare_waits);
    }
    waits->before[0] = 0;
    for (uint32_t i = 0; i < waits->count; ++i) {
        waits->before[i + 1] = waits->before[i] + fm_wait_ticks(&waits->items[i]);
    }
}

void fm_wait_list_sum_up(struct fm_wait_list *waits)
{
    for (uint32_t w = 1; w <= waits->count; ++w) {
        waits->covers[w] += waits->covers[w - 1];
    }
}

uint32_t fm_wait_list_behind(const struct fm_wait_list *waits, uint64_t time)
{
    uint32_t low = 0, high = waits->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (waits->items[middle].until <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- walking ---- */

/* @return the part of the first `ticks` of a merged call that lies between its calls */
static uint64_t gaps_until(const struct fm_merged_call *merged, uint64_t ticks, uint64_t length)
{
    return (uint64_t)((unsigned __int128)ticks * merged->gaps / length);
}

/* Adds [begin, end) of a call that stands for several ones: the gaps between them belong to the
 * caller. */
static __attribute__((noinline)) void add_merged(const struct fm_busy_time *busy_time,
                                                 const struct fm_busy_time_walk *walk,
                                                 uint64_t begin, uint64_t end, uint64_t *busy)
{
    const struct fm_location *location = busy_time->location;
    const struct fm_merged_call *merged = &location->merged.items[walk->merged];
    const uint64_t enter = location->enter.items[merged->activity];
    const uint64_t length = location->leave.items[merged->activity] - enter;
    const uint32_t caller = location->profile.items[walk->visit].parent; /* there is one */
    const uint64_t gaps =
        gaps_until(merged, end - enter, length) - gaps_until(merged, begin - enter, length);
    busy[caller] += gaps;
    busy[walk->visit] += end - begin - gaps;
}

/* Adds [begin, end) of the current segment. */
static inline void add_time(const struct fm_busy_time *busy_time,
                            const struct fm_busy_time_walk *walk, uint64_t begin, uint64_t end,
                            uint64_t *busy)
{
    if (__builtin_expect(walk->is_merged && begin < end, 0)) {
        add_merged(busy_time, walk, begin, end, busy);
    } else {
        busy[walk->visit] += end - begin;
    }
}

/* Adds the part of [begin, end) outside of wait states. */
static void add_beside_waits(const struct fm_busy_time *busy_time, struct fm_busy_time_walk *walk,
                             uint64_t begin, uint64_t end, uint64_t *busy)
{
    const struct fm_wait_list *waits = &busy_time->waits;
    while (walk->wait < waits->count && waits->items[walk->wait].until <= begin) {
        ++walk->wait;
    }
    walk->next_wait = walk->wait < waits->count ? waits->items[walk->wait].enter : UINT64_MAX;
    uint32_t wait = walk->wait;
    while (begin < end) {
        uint64_t stop = end, resume = end;
        const struct fm_wait *at = &waits->items[wait];
        if (wait < waits->count && at->enter < end) {
            stop = at->enter > begin ? at->enter : begin;
            resume = at->until;
            ++wait;
        }
        add_time(busy_time, walk, begin, stop, busy);
        begin = resume > begin ? resume : begin;
    }
}

/* Adds the time between the walk's time and `end`, which is in the current segment. */
static inline void add_segment(const struct fm_busy_time *busy_time, struct fm_busy_time_walk *walk,
                               uint64_t end, uint64_t *busy)
{
    if (end <= walk->next_wait) {
        add_time(busy_time, walk, walk->time, end, busy);
    } else {
        add_beside_waits(busy_time, walk, walk->time, end, busy);
    }
    walk->time = end;
}

static inline uint64_t state_time(const struct fm_location *location, uint32_t state)
{
    return state < location->state_since.count ? location->state_since.items[state] : UINT64_MAX;
}

static inline uint64_t call_time(const struct fm_location *location, uint32_t activity)
{
    return activity < location->enter.count ? location->enter.items[activity] : UINT64_MAX;
}

/* @return whether an event inside a call has happened at the tick of its Enter. A call with events
 * inside is a state: then this state, or one inside it, is current. */
static bool has_begun_inside(const struct fm_busy_time *busy_time,
                             const struct fm_busy_time_walk *walk, uint32_t activity)
{
    const struct fm_location *location = busy_time->location;
    if (walk->state == 0 ||
        location->state_since.items[walk->state - 1] != location->enter.items[activity]) {
        return false;
    }
    uint32_t outer = location->profile.items[location->visit.items[activity]].parent;
    return walk->visit != (outer == FM_NONE ? busy_time->nodes : outer);
}

/* Finds out whether a call stands for several ones. */
static inline void look_for_merged(const struct fm_location *location,
                                   struct fm_busy_time_walk *walk, uint32_t activity)
{
    while (walk->merged < location->merged.count &&
           location->merged.items[walk->merged].activity < activity) {
        walk->merged++;
    }
    walk->is_merged = walk->merged < location->merged.count &&
                      location->merged.items[walk->merged].activity == activity;
}

/* Passes the boundary at the walk's current time. */
static inline void pass_boundary(const struct fm_busy_time *busy_time,
                                 struct fm_busy_time_walk *walk)
{
    const struct fm_location *location = busy_time->location;
    if (walk->in_call) {
        walk->in_call = walk->is_merged = false;
        walk->visit = walk->outer;
    } else if (walk->next_state <= walk->next_call) {
        uint32_t visit = location->state_visit.items[walk->state];
        walk->visit = visit == FM_NONE ? busy_time->nodes : visit;
        walk->next_state = state_time(location, ++walk->state);
    } else {
        uint32_t activity = walk->activity++;
        uint64_t leave = location->leave.items[activity];
        walk->next_call = call_time(location, walk->activity);
        if (leave <= walk->next_call && leave <= walk->next_state &&
            !has_begun_inside(busy_time, walk, activity)) {
            walk->outer = walk->visit;
            walk->visit = location->visit.items[activity];
            walk->in_call = true;
            walk->until = leave;
            look_for_merged(location, walk, activity);
            return;
        }
    }
    uint64_t next = walk->next_state < walk->next_call ? walk->next_state : walk->next_call;
    walk->until = next > walk->time ? next : walk->time;
}

/* Walks to `to`, but passes at most `limit` boundaries. @return how many of them remain */
static inline uint32_t walk_on(const struct fm_busy_time *busy_time, struct fm_busy_time_walk *walk,
                               uint64_t to, uint64_t *busy, uint32_t limit)
{
    while (walk->until < to) {
        add_segment(busy_time, walk, walk->until, busy);
        pass_boundary(busy_time, walk);
        if (--limit == 0) {
            return 0;
        }
    }
    add_segment(busy_time, walk, to, busy);
    return limit;
}

static void leave_checkpoint(struct fm_busy_time *busy_time)
{
    uint32_t number = busy_time->checkpoint_count++;
    busy_time->checkpoints[number] = busy_time->walk;
    memcpy(busy_time->profiles + (size_t)number * busy_time->nodes, busy_time->busy,
           busy_time->nodes * sizeof *busy_time->busy);
    busy_time->until_next = busy_time->stride;
}

void fm_busy_time_walk_to(struct fm_busy_time *busy_time, uint64_t time)
{
    while ((busy_time->until_next = walk_on(busy_time, &busy_time->walk, time, busy_time->busy,
                                            busy_time->until_next)) == 0) {
        leave_checkpoint(busy_time);
    }
}

void fm_busy_time_open(struct fm_busy_time *busy_time, const struct fm_location *location,
                       const struct fm_findings *findings)
{
    uint32_t nodes = (uint32_t)location->profile.count;
    uint32_t stride = nodes > SMALLEST_STRIDE ? nodes : SMALLEST_STRIDE;
    size_t boundaries = location->state_since.count + 2 * location->enter.count;
    *busy_time = (struct fm_busy_time){
        .location = location,
        .nodes = nodes,
        .busy = fm_allocate((size_t)nodes + 1, sizeof *busy_time->busy),
        .stride = stride,
    };
    list_waits(&busy_time->waits, location, findings);
    busy_time->walk = (struct fm_busy_time_walk){
        .next_state = state_time(location, 0),
        .next_call = call_time(location, 0),
        .next_wait = busy_time->waits.count == 0 ? UINT64_MAX : busy_time->waits.items[0].enter,
        .visit = nodes,
    };
    busy_time->walk.until = busy_time->walk.next_state < busy_time->walk.next_call
                                ? busy_time->walk.next_state
                                : busy_time->walk.next_call;
    size_t room = boundaries / stride + 1;
    busy_time->checkpoints = fm_resize(NULL, 0, room * sizeof *busy_time->checkpoints);
    busy_time->profiles = fm_resize(NULL, 0, room * nodes * sizeof *busy_time->profiles);
    leave_checkpoint(busy_time);
}

void fm_busy_time_reopen(const struct fm_busy_time *busy_time, struct fm_busy_time *copy)
{
    *copy = *busy_time;
    copy->walk = busy_time->checkpoints[0];
    copy->busy = fm_allocate((size_t)busy_time->nodes + 1, sizeof *copy->busy);
    copy->until_next = UINT32_MAX;
}

void fm_busy_time_close(struct fm_busy_time *busy_time)
{
    fm_free(busy_time->waits.items);
    fm_free(busy_time->waits.before);
    fm_free(busy_time->waits.begin);
    fm_free(busy_time->waits.positions);
    fm_free(busy_time->waits.covers);
    fm_free(busy_time->busy);
    fm_free(busy_time->checkpoints);
    fm_free(busy_time->profiles);
}

/* ---- profile of any interval ---- */

/* @return number of the last checkpoint that is not after `time` */
static uint32_t checkpoint_before(const struct fm_busy_time *busy_time, uint64_t time)
{
    uint32_t low = 0, high = busy_time->checkpoint_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (busy_time->checkpoints[middle].time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void clear(struct fm_profile *profile, uint32_t nodes)
{
    if (nodes >= profile->capacity) {
        fm_profile_free(profile);
        profile->capacity = nodes + 1;
        profile->time = fm_allocate(profile->capacity, sizeof *profile->time);
        profile->visits = fm_allocate(profile->capacity, sizeof *profile->visits);
    }
    for (uint32_t i = 0; i < profile->count; ++i) {
        profile->time[profile->visits[i]] = 0;
    }
    profile->count = 0;
}

static void list_visits(struct fm_profile *profile, uint32_t nodes)
{
    profile->time[nodes] = 0;
    for (uint32_t v = 0; v < nodes; ++v) {
        if (profile->time[v] != 0) {
            profile->visits[profile->count++] = v;
        }
    }
}

void fm_busy_time_profile(const struct fm_busy_time *busy_time, uint64_t from, uint64_t to,
                          struct fm_profile *profile)
{
    uint32_t nodes = busy_time->nodes;
    clear(profile, nodes);
    if (from >= to || busy_time->checkpoint_count == 0) {
        return;
    }
    uint32_t first = checkpoint_before(busy_time, from), last = checkpoint_before(busy_time, to);
    struct fm_busy_time_walk walk = busy_time->checkpoints[first];
    uint64_t *time = profile->time;
    walk_on(busy_time, &walk, from, time, UINT32_MAX);
    if (last > first) {
        const uint64_t *before = busy_time->profiles + (size_t)first * nodes;
        const uint64_t *until = busy_time->profiles + (size_t)last * nodes;
        for (uint32_t v = 0; v < nodes; ++v) {
            time[v] = until[v] - before[v] - time[v];
        }
        walk = busy_time->checkpoints[last];
    } else {
        memset(time, 0, nodes * sizeof *time);
    }
    walk_on(busy_time, &walk, to, time, UINT32_MAX);
    list_visits(profile, nodes);
}

void fm_busy_time_whole_profile(const struct fm_busy_time *busy_time, uint64_t from, uint64_t to,
                                struct fm_profile *profile)
{
    const uint32_t nodes = busy_time->nodes;
    clear(profile, nodes);
    if (from >= to || busy_time->checkpoint_count == 0) {
        return;
    }
    struct fm_busy_time without_waits = *busy_time;
    struct fm_busy_time_walk walk = busy_time->checkpoints[checkpoint_before(busy_time, from)];
    without_waits.waits.count = 0;
    walk.next_wait = UINT64_MAX;
    walk_on(&without_waits, &walk, from, profile->time, UINT32_MAX);
    memset(profile->time, 0, nodes * sizeof *profile->time);
    walk_on(&without_waits, &walk, to, profile->time, UINT32_MAX);
    list_visits(profile, nodes);
}

void fm_busy_time_look(const struct fm_busy_time *busy_time, struct fm_busy_time_walk *walk,
                       uint64_t time)
{
    bool starts = walk->until == 0 && walk->visit == 0 && walk->next_call == 0;
    uint32_t near = SMALLEST_STRIDE;
    while (!starts && walk->until <= time && near-- > 0) {
        walk->time = walk->until;
        pass_boundary(busy_time, walk);
    }
    if (starts || walk->until <= time) {
        const struct fm_busy_time_walk *checkpoint =
            &busy_time->checkpoints[checkpoint_before(busy_time, time)];
        if (starts || checkpoint->time > walk->time) {
            *walk = *checkpoint;
        }
        while (walk->until <= time) {
            walk->time = walk->until;
            pass_boundary(busy_time, walk);
        }
    }
    walk->time = time;
}

void fm_profile_free(struct fm_profile *profile)
{
    fm_free(profile->time);
    fm_free(profile->visits);
    *profile = (struct fm_profile){0};
}
