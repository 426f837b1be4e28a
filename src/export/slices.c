#include "export/slices.h"

#include "base/memory.h"
#include "base/vector.h"

/** A walk through a location. */
struct walk {
    const struct fm_location *location;
    const struct fm_slice_sink *sink;
    FM_VECTOR(uint32_t) open; /**< nodes of the open slices, outermost first */
    FM_VECTOR(uint32_t) path; /**< scratch */
};

static void close_down_to(struct walk *walk, size_t depth, uint64_t time)
{
    while (walk->open.count > depth) {
        walk->sink->close(walk->sink->context, time);
        walk->open.count--;
    }
}

/* Makes the open slices those of `visit` (FM_NONE: none).
 * @param activity  of the innermost one */
static void change_to(struct walk *walk, uint64_t time, uint32_t visit, uint32_t activity)
{
    walk->path.count = 0;
    for (uint32_t node = visit; node != FM_NONE;
         node = walk->location->profile.items[node].parent) {
        fm_vector_push(&walk->path, node);
    }
    size_t depth = walk->path.count, common = 0;
    while (common < walk->open.count && common < depth &&
           walk->open.items[common] == walk->path.items[depth - 1 - common]) {
        common++;
    }
    /* A call is a slice of its own even if it follows another one of the same place. */
    if (activity != FM_NONE && common == depth) {
        common--;
    }
    close_down_to(walk, common, time);
    for (; common < depth; common++) {
        uint32_t node = walk->path.items[depth - 1 - common];
        walk->sink->open(walk->sink->context, time, node, node == visit ? activity : FM_NONE);
        fm_vector_push(&walk->open, node);
    }
}

static uint64_t next_of(const uint64_t *times, size_t count, size_t next)
{
    return next < count ? times[next] : UINT64_MAX;
}

/* @return whether other calls or changes of state lie inside of the call */
static bool contains_others(const struct fm_location *location, uint32_t activity, size_t state)
{
    uint64_t leave = location->leave.items[activity];
    return next_of(location->enter.items, location->enter.count, activity + (size_t)1) < leave ||
           next_of(location->state_since.items, location->state_since.count, state) < leave;
}

void fm_slices_walk(const struct fm_location *location, uint64_t from, uint64_t to,
                    const struct fm_slice_sink *sink)
{
    struct walk walk = {.location = location, .sink = sink};
    size_t state = 0, activity = 0;
    uint32_t visit = FM_NONE; /* of the code around the calls */
    uint64_t end = location->end < to ? location->end : to;
    bool begun = false;
    if (location->begin > location->end || location->begin > to || location->end < from) {
        return;
    }
    for (;;) {
        uint64_t next_state =
            next_of(location->state_since.items, location->state_since.count, state);
        uint64_t next_call = next_of(location->enter.items, location->enter.count, activity);
        uint64_t time = next_state < next_call ? next_state : next_call;
        if (!begun && time > from) {
            change_to(&walk, from, visit, FM_NONE);
            begun = true;
        }
        if (time == UINT64_MAX || time > to) {
            break;
        }
        if (next_state <= next_call) {
            visit = location->state_visit.items[state++];
            if (begun) {
                change_to(&walk, time, visit, FM_NONE);
            }
            continue;
        }
        uint32_t call = (uint32_t)activity++;
        uint64_t leave = location->leave.items[call];
        if (contains_others(location, call, state)) {
            /* The state changes inside of it and at its end tell the rest. */
            visit = location->visit.items[call];
        }
        if (leave < from) {
            continue;
        }
        begun = true;
        change_to(&walk, time > from ? time : from, location->visit.items[call], call);
        if (visit != location->visit.items[call]) {
            change_to(&walk, leave < end ? leave : end, visit, FM_NONE);
        }
    }
    close_down_to(&walk, 0, end);
    fm_vector_free(&walk.open);
    fm_vector_free(&walk.path);
}
