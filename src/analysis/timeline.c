#include "analysis/timeline.h"

#include "base/sort.h"

#include <string.h>

#define SMALLEST_STRIDE 16

/* Where a walk stands: what follows `time` is `visit` until the next boundary, which is the next
 * change of state or the next communication call. */
struct cursor {
    uint64_t time;
    uint32_t visit;
    uint32_t state;    /* next change of state */
    uint32_t activity; /* next communication call */
    uint32_t wait;     /* next wait state */
};

struct fm_timeline_checkpoint {
    struct cursor cursor;
};

/* ---- wait states ---- */

struct timed_wait {
    uint64_t until;
    uint32_t candidate;
};

static int compare_waits(const void *a, const void *b)
{
    const struct timed_wait *left = a, *right = b;
    if (left->until != right->until) {
        return left->until < right->until ? -1 : 1;
    }
    return left->candidate < right->candidate ? -1 : left->candidate > right->candidate;
}

static void list_waits(struct fm_wait_list *waits, const struct fm_location *location,
                       const struct fm_findings *findings)
{
    uint32_t count = (uint32_t)findings->waits.count;
    struct timed_wait *timed = fm_allocate(count, sizeof *timed);
    bool sorted = true;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t candidate = findings->waits.items[i];
        timed[i] = (struct timed_wait){findings->candidates.items[candidate].t, candidate};
        sorted &= i == 0 || timed[i - 1].until <= timed[i].until;
    }
    if (!sorted) {
        fm_sort(timed, count, sizeof *timed, compare_waits);
    }
    waits->count = count;
    waits->candidates = fm_allocate(count, sizeof *waits->candidates);
    waits->enter = fm_allocate(count, sizeof *waits->enter);
    waits->until = fm_allocate(count, sizeof *waits->until);
    waits->before = fm_allocate((size_t)count + 1, sizeof *waits->before);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t activity = findings->candidates.items[timed[i].candidate].activity;
        waits->candidates[i] = timed[i].candidate;
        waits->enter[i] = location->enter.items[activity];
        waits->until[i] = timed[i].until;
        waits->before[i + 1] = waits->before[i] + waits->until[i] - waits->enter[i];
    }
    fm_free(timed);
}

uint32_t fm_wait_list_behind(const struct fm_wait_list *waits, uint64_t time)
{
    uint32_t low = 0, high = waits->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (waits->until[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- walking ---- */

static void add_time(struct fm_profile *profile, uint32_t visit, uint64_t ticks)
{
    if (visit == FM_NONE || ticks == 0) {
        return;
    }
    if (profile->time[visit] == 0) {
        profile->visits[profile->count++] = visit;
    }
    profile->time[visit] += ticks;
}

/* Adds the part of [begin, end) that lies behind `from`, is no waiting and belongs to `visit`. */
static void add_busy(const struct fm_timeline *timeline, struct cursor *cursor, uint64_t begin,
                     uint64_t end, uint64_t from, uint32_t visit, struct fm_profile *profile)
{
    const struct fm_wait_list *waits = &timeline->waits;
    if (end <= from) {
        return;
    }
    while (cursor->wait < waits->count && waits->until[cursor->wait] <= begin) {
        ++cursor->wait;
    }
    begin = begin > from ? begin : from;
    uint32_t wait = cursor->wait;
    while (begin < end) {
        uint64_t stop = end, resume = end;
        if (wait < waits->count && waits->enter[wait] < end) {
            stop = waits->enter[wait] > begin ? waits->enter[wait] : begin;
            resume = waits->until[wait];
            ++wait;
        }
        add_time(profile, visit, stop - begin);
        begin = resume > begin ? resume : begin;
    }
}

static bool contains_calls(const struct fm_location *location, uint32_t activity)
{
    return location->nested.count != 0 &&
           fm_location_own_time(location, activity) !=
               location->leave.items[activity] - location->enter.items[activity];
}

/* Goes one boundary ahead, but not behind `to`; adds what lies behind `from`.
 * @return whether `to` was not yet reached */
static bool step(const struct fm_timeline *timeline, struct cursor *cursor, uint64_t from,
                 uint64_t to, struct fm_profile *profile)
{
    const struct fm_location *location = timeline->location;
    uint64_t next_state = cursor->state < location->state_since.count
                              ? location->state_since.items[cursor->state]
                              : UINT64_MAX;
    uint64_t next_call = cursor->activity < location->enter.count
                             ? location->enter.items[cursor->activity]
                             : UINT64_MAX;
    uint64_t boundary = next_state < next_call ? next_state : next_call;
    uint64_t end = boundary < to ? boundary : to;
    add_busy(timeline, cursor, cursor->time, end, from, cursor->visit, profile);
    if (boundary >= to) {
        return false;
    }
    cursor->time = boundary;
    if (next_state <= next_call) {
        cursor->visit = location->state_visit.items[cursor->state++];
        return true;
    }
    uint32_t activity = cursor->activity++;
    uint32_t visit = location->visit.items[activity];
    if (contains_calls(location, activity)) {
        cursor->visit = visit;
        return true;
    }
    uint64_t leave = location->leave.items[activity];
    add_busy(timeline, cursor, boundary, leave < to ? leave : to, from, visit, profile);
    if (leave >= to) {
        return false;
    }
    cursor->time = leave;
    /* Calls without duration inside this one have left changes of state behind. */
    while (cursor->state < location->state_since.count &&
           location->state_since.items[cursor->state] < leave) {
        cursor->visit = location->state_visit.items[cursor->state++];
    }
    return true;
}

/* ---- checkpoints ---- */

static void make_checkpoints(struct fm_timeline *timeline)
{
    const struct fm_location *location = timeline->location;
    size_t nodes = location->profile.count;
    size_t boundaries = location->state_since.count + location->enter.count;
    timeline->stride = nodes > SMALLEST_STRIDE ? (uint32_t)nodes : SMALLEST_STRIDE;
    timeline->checkpoint_count = (uint32_t)(boundaries / timeline->stride) + 1;
    timeline->checkpoints = fm_allocate(timeline->checkpoint_count, sizeof *timeline->checkpoints);
    timeline->profiles =
        fm_allocate(timeline->checkpoint_count * nodes, sizeof *timeline->profiles);
    struct fm_profile profile = {
        .time = fm_allocate(nodes, sizeof *profile.time),
        .visits = fm_allocate(nodes, sizeof *profile.visits),
    };
    struct cursor cursor = {.visit = FM_NONE};
    bool more = true;
    uint32_t made = 0;
    for (size_t walked = 0; more && made < timeline->checkpoint_count; ++walked) {
        if (walked % timeline->stride == 0) {
            timeline->checkpoints[made].cursor = cursor;
            memcpy(&timeline->profiles[made * nodes], profile.time, nodes * sizeof *profile.time);
            ++made;
        }
        more = step(timeline, &cursor, 0, UINT64_MAX, &profile);
    }
    timeline->checkpoint_count = made;
    fm_profile_free(&profile);
}

void fm_timeline_open(struct fm_timeline *timeline, const struct fm_location *location,
                      const struct fm_findings *findings)
{
    *timeline = (struct fm_timeline){.location = location};
    list_waits(&timeline->waits, location, findings);
    make_checkpoints(timeline);
}

void fm_timeline_close(struct fm_timeline *timeline)
{
    fm_free(timeline->waits.candidates);
    fm_free(timeline->waits.enter);
    fm_free(timeline->waits.until);
    fm_free(timeline->waits.before);
    fm_free(timeline->checkpoints);
    fm_free(timeline->profiles);
}

/* @return number of the last checkpoint that is not behind `time` */
static uint32_t checkpoint_before(const struct fm_timeline *timeline, uint64_t time)
{
    uint32_t low = 0, high = timeline->checkpoint_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->checkpoints[middle].cursor.time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void clear(struct fm_profile *profile, size_t nodes)
{
    if (nodes > profile->capacity) {
        fm_profile_free(profile);
        profile->time = fm_allocate(nodes, sizeof *profile->time);
        profile->visits = fm_allocate(nodes, sizeof *profile->visits);
        profile->capacity = (uint32_t)nodes;
    }
    for (uint32_t i = 0; i < profile->count; ++i) {
        profile->time[profile->visits[i]] = 0;
    }
    profile->count = 0;
}

void fm_timeline_profile(const struct fm_timeline *timeline, uint64_t from, uint64_t to,
                         struct fm_profile *profile)
{
    size_t nodes = timeline->location->profile.count;
    clear(profile, nodes);
    if (from >= to || timeline->checkpoint_count == 0) {
        return;
    }
    uint32_t first = checkpoint_before(timeline, from);
    uint32_t last = checkpoint_before(timeline, to);
    struct cursor cursor = timeline->checkpoints[first].cursor;
    if (last <= first + 1) {
        while (step(timeline, &cursor, from, to, profile)) {
        }
        return;
    }
    /* From `from` to the checkpoint behind it, by difference to the last one, and on to `to`. */
    uint64_t middle = timeline->checkpoints[first + 1].cursor.time;
    while (step(timeline, &cursor, from, middle, profile)) {
    }
    const uint64_t *begin = &timeline->profiles[(first + 1) * nodes];
    const uint64_t *end = &timeline->profiles[last * nodes];
    for (uint32_t v = 0; v < nodes; ++v) {
        add_time(profile, v, end[v] - begin[v]);
    }
    cursor = timeline->checkpoints[last].cursor;
    while (step(timeline, &cursor, cursor.time, to, profile)) {
    }
}

void fm_profile_free(struct fm_profile *profile)
{
    fm_free(profile->time);
    fm_free(profile->visits);
    *profile = (struct fm_profile){0};
}
