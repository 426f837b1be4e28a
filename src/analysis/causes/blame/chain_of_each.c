/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is blamed for a single wait state: its waiting part is followed from location to location. At
 * each of them, it is divided by the wait states of the location, which are looked up by their
 * times.
 */
#include "analysis/causes/blame/blame_window.h"

#include "base/containers/sort.h"
#include "base/containers/vector.h"
#include "trace/tables/trace.h"

/* A tie, in the order of who depends on something, and when. */
struct entry {
    uint64_t who; /* location or succession */
    uint64_t from, to;
    uint32_t tie;
};

/* A part of the source's waiting part that depends on somebody. */
struct step {
    uint64_t from, to;
    uint64_t until;  /* end of the wait state before in the chain */
    uint32_t tie;    /* that wait state; FM_NONE: the source */
    uint32_t before; /* step; FM_NONE: none */
    uint32_t on;     /* location; FM_NONE: `succession` */
    uint64_t succession;
    bool lacks_progress; /* of this step or one before */
};

struct following {
    const struct fm_blame_window *window;
    FM_VECTOR(struct entry) waits;   /* by location and time */
    FM_VECTOR(struct entry) holders; /* by succession and time */
    FM_VECTOR(struct step) steps;    /* of a source */
    FM_VECTOR(uint32_t) open;        /* steps to be followed */
    const struct fm_blame_tie *source;
    void (*end)(void *context, const struct fm_chain_end *end);
    void *context;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->who != right->who) {
        return left->who < right->who ? -1 : 1;
    }
    return left->from < right->from ? -1 : left->from > right->from;
}

static void list_entries(struct following *following)
{
    const struct fm_blame_window *window = following->window;
    for (size_t i = 0; i < window->ties.count; i++) {
        const struct fm_blame_tie *tie = &window->ties.items[i];
        if (tie->type == FM_TIE_WAIT) {
            fm_vector_push(&following->waits,
                           (struct entry){tie->location, tie->from, tie->to, (uint32_t)i});
        } else if (tie->type == FM_TIE_HOLDER) {
            fm_vector_push(&following->holders,
                           (struct entry){tie->succession, tie->from, tie->to, (uint32_t)i});
        }
    }
    fm_sort(following->waits.items, following->waits.count, sizeof(struct entry), compare_entries);
    fm_sort(following->holders.items, following->holders.count, sizeof(struct entry),
            compare_entries);
}

/* @return the number of entries that come before the first of `who` that ends behind `time`, if
 * those of one do not overlap */
static size_t first_behind(const struct entry *entries, size_t count, uint64_t who, uint64_t time)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct entry *entry = &entries[middle];
        if (entry->who < who || (entry->who == who && entry->to <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void end_chain(const struct following *following, const struct step *step, uint32_t location,
                      uint64_t from, uint64_t to)
{
    if (from >= to) {
        return;
    }
    struct fm_chain_end end = {following->source, from, to, 0, location, step->lacks_progress};
    if (end.source->type == FM_TIE_SAMPLE) {
        end.at = from;
        end.from = end.source->from;
        end.to = end.source->to;
    }
    following->end(following->context, &end);
}

static void add_step(struct following *following, const struct step *step)
{
    fm_vector_push(&following->open, (uint32_t)following->steps.count);
    fm_vector_push(&following->steps, *step);
}

/* @return whether a wait state is in the chain of a step already: all from there on end at once. */
static bool is_in_chain(const struct following *following, uint32_t step,
                        const struct fm_blame_tie *wait)
{
    const struct fm_blame_tie *ties = following->window->ties.items;
    for (; step != FM_NONE && following->steps.items[step].until == wait->until;
         step = following->steps.items[step].before) {
        uint32_t number = following->steps.items[step].tie;
        const struct fm_blame_tie *other = number == FM_NONE ? following->source : &ties[number];
        if (other->location == wait->location && other->until == wait->until) {
            return true;
        }
    }
    return false;
}

static void follow_to_location(struct following *following, uint32_t number)
{
    const struct step step = following->steps.items[number];
    const struct fm_blame_tie *ties = following->window->ties.items;
    uint64_t time = step.from;
    for (size_t i =
             first_behind(following->waits.items, following->waits.count, step.on, step.from);
         i < following->waits.count && following->waits.items[i].who == step.on; i++) {
        if (following->waits.items[i].from >= step.to) {
            break;
        }
        const struct fm_blame_tie *wait = &ties[following->waits.items[i].tie];
        if (wait->until > step.until || is_in_chain(following, number, wait)) {
            continue;
        }
        uint64_t from = wait->from > step.from ? wait->from : step.from;
        uint64_t to = wait->to < step.to ? wait->to : step.to;
        end_chain(following, &step, step.on, time, from);
        add_step(following,
                 &(struct step){from, to, wait->until, following->waits.items[i].tie, number,
                                wait->other, wait->succession, step.lacks_progress});
        time = to;
    }
    end_chain(following, &step, step.on, time, step.to);
}

static void follow_to_holders(struct following *following, uint32_t number)
{
    const struct step step = following->steps.items[number];
    const struct fm_blame_tie *ties = following->window->ties.items;
    for (size_t i = first_behind(following->holders.items, following->holders.count,
                                 step.succession, step.from);
         i < following->holders.count && following->holders.items[i].who == step.succession; i++) {
        if (following->holders.items[i].from >= step.to) {
            break;
        }
        const struct fm_blame_tie *holder = &ties[following->holders.items[i].tie];
        uint64_t from = holder->from > step.from ? holder->from : step.from;
        uint64_t to = holder->to < step.to ? holder->to : step.to;
        if (holder->location == FM_NONE) {
            const struct fm_blame_tie *waits =
                step.tie == FM_NONE ? following->source : &ties[step.tie];
            end_chain(following, &step, waits->location, from, to);
            continue;
        }
        add_step(following,
                 &(struct step){from, to, step.until, step.tie, step.before, holder->location, 0,
                                step.lacks_progress || holder->weight != 0});
    }
}

static void follow_source(struct following *following, const struct fm_blame_tie *source)
{
    following->source = source;
    following->steps.count = following->open.count = 0;
    const bool is_sample = source->type == FM_TIE_SAMPLE;
    const uint64_t from = is_sample ? fm_blame_instant(source) : source->from;
    add_step(following, &(struct step){from, is_sample ? from + 1 : source->to, source->until,
                                       FM_NONE, FM_NONE, source->other, source->succession, false});
    while (following->open.count > 0) {
        uint32_t number = following->open.items[--following->open.count];
        if (following->steps.items[number].on == FM_NONE) {
            follow_to_holders(following, number);
        } else {
            follow_to_location(following, number);
        }
    }
}

void fm_chains_follow_each(const struct fm_blame_window *window,
                           void (*end)(void *context, const struct fm_chain_end *end),
                           void *context)
{
    struct following following = {.window = window, .end = end, .context = context};
    bool listed = false;
    for (size_t i = 0; i < window->ties.count; i++) {
        const uint16_t type = window->ties.items[i].type;
        if (type != FM_TIE_SOURCE && type != FM_TIE_SAMPLE) {
            continue;
        }
        if (!listed) {
            list_entries(&following);
            listed = true;
        }
        follow_source(&following, &window->ties.items[i]);
    }
    fm_vector_free(&following.waits);
    fm_vector_free(&following.holders);
    fm_vector_free(&following.steps);
    fm_vector_free(&following.open);
}
