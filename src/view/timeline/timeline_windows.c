/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/timeline_windows.h"

#include "base/containers/search.h"

#include <stdlib.h>

/** Number of the longest waits of a kind that get a window, unless another window contains them. */
#define INSTANCES 2

uint64_t fm_timeline_calls(const struct fm_trace *trace)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < trace->location_count; i++)
        calls += trace->locations[i].enter.count;
    return calls;
}

static uint64_t run_time(const struct fm_cube *cube)
{
    return cube->experiment.end - cube->experiment.begin;
}

fm_timeline_windows fm_timeline_whole_run(const struct fm_cube *cube)
{
    fm_timeline_windows windows = {0};
    struct fm_timeline_window window = {.to = run_time(cube), .metric = FM_CUBE_NONE};
    for (uint32_t i = 0; i < cube->location_count; i++)
        fm_vector_push(&window.locations, i);
    fm_vector_push(&windows, window);
    return windows;
}

struct search {
    const struct fm_trace *trace;
    uint64_t begin, length; /* of the run, ticks */
    uint64_t limit;         /* maximum number of calls in a window */
};

static uint64_t calls_of(const struct search *search, uint32_t location, uint64_t from, uint64_t to)
{
    const struct fm_location *where = &search->trace->locations[location];
    const uint64_t *enter = where->enter.items;
    return fm_count_below(enter, where->enter.count, sizeof *enter, search->begin + to) -
           fm_count_below(enter, where->enter.count, sizeof *enter, search->begin + from);
}

static uint64_t calls_of_all(const struct search *search, uint64_t from, uint64_t to)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < search->trace->location_count && calls <= search->limit; i++)
        calls += calls_of(search, i, from, to);
    return calls;
}

static void widen(const struct search *search, uint64_t *from, uint64_t *to)
{
    uint64_t margin = (*to - *from) / 2 + 1;
    *from = *from > margin ? *from - margin : 0;
    *to = search->length - *to > margin ? *to + margin : search->length;
}

static void add_location(struct fm_timeline_window *window, uint32_t location)
{
    if (!fm_timeline_window_has(window, location)) {
        fm_vector_push(&window->locations, location);
        for (size_t i = window->locations.count - 1;
             i > 0 && window->locations.items[i - 1] > window->locations.items[i]; i--) {
            uint32_t swap = window->locations.items[i];
            window->locations.items[i] = window->locations.items[i - 1];
            window->locations.items[i - 1] = swap;
        }
    }
}

/** Adds the locations of the wait, its cause, what is blamed for it, and its chain of causes. */
static void add_involved(struct fm_timeline_window *window)
{
    const struct fm_cube_instance *instance = window->instance;
    add_location(window, instance->location);
    if (instance->cause_location != FM_CUBE_NONE)
        add_location(window, instance->cause_location);
    if (instance->blamed.location != FM_CUBE_NONE)
        add_location(window, instance->blamed.location);
    for (uint32_t i = 0; i < instance->chain_length; i++)
        add_location(window, instance->chain[i].location);
}

/** Adds the neighbours of the waiting location, up to the limit of calls. */
static void add_neighbours(const struct search *search, struct fm_timeline_window *window)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < window->locations.count; i++)
        calls += calls_of(search, window->locations.items[i], window->from, window->to);
    uint32_t count = search->trace->location_count, centre = window->instance->location;
    for (uint32_t distance = 1; distance < count; distance++) {
        const uint32_t sides[] = {centre - distance, centre + distance};
        for (unsigned i = 0; i < 2; i++) {
            if (sides[i] >= count || fm_timeline_window_has(window, sides[i]))
                continue; /* includes numbers below 0, which wrap around */
            calls += calls_of(search, sides[i], window->from, window->to);
            if (calls > search->limit)
                return;
            add_location(window, sides[i]);
        }
    }
}

/** Shortens the window until the involved locations have few enough calls. The window keeps the end
 * of the wait, where its cause is. */
static void shorten(const struct search *search, struct fm_timeline_window *window, uint64_t end)
{
    for (;;) {
        uint64_t calls = 0;
        for (size_t i = 0; i < window->locations.count; i++)
            calls += calls_of(search, window->locations.items[i], window->from, window->to);
        if (calls <= search->limit || window->to - window->from < 2)
            return;
        window->from += (end - window->from + 1) / 2;
        window->to -= (window->to - end + 1) / 2;
    }
}

static struct fm_timeline_window
window_around(const struct search *search, const struct fm_cube_instance *instance, uint32_t metric)
{
    uint64_t end = instance->enter + instance->wait, tail = instance->wait / 4 + 1;
    struct fm_timeline_window window = {
        .from = instance->enter > instance->wait ? instance->enter - instance->wait : 0,
        .to = search->length - end > tail ? end + tail : search->length,
        .instance = instance,
        .metric = metric,
    };
    if (calls_of_all(search, window.from, window.to) > search->limit) {
        add_involved(&window);
        shorten(search, &window, end);
        add_neighbours(search, &window);
        return window;
    }
    uint64_t from = window.from, to = window.to;
    do {
        window.from = from;
        window.to = to;
        widen(search, &from, &to);
    } while ((from < window.from || to > window.to) &&
             calls_of_all(search, from, to) <= search->limit);
    for (uint32_t i = 0; i < search->trace->location_count; i++)
        fm_vector_push(&window.locations, i);
    return window;
}

static bool is_shown(const fm_timeline_windows *windows, const struct fm_cube_instance *instance)
{
    for (size_t i = 0; i < windows->count; i++) {
        const struct fm_timeline_window *window = &windows->items[i];
        if (window->from <= instance->enter && instance->enter + instance->wait <= window->to &&
            fm_timeline_window_has(window, instance->location) &&
            (instance->cause_location == FM_CUBE_NONE ||
             fm_timeline_window_has(window, instance->cause_location)))
            return true;
    }
    return false;
}

static int compare_sums(const void *left, const void *right)
{
    const struct fm_cube_statistics *a = *(const struct fm_cube_statistics *const *)left;
    const struct fm_cube_statistics *b = *(const struct fm_cube_statistics *const *)right;
    if (a->sum != b->sum)
        return a->sum > b->sum ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

fm_timeline_windows fm_timeline_excerpts(const struct fm_detail *detail, const struct fm_cube *cube,
                                         uint64_t calls, size_t most)
{
    const struct search search = {.trace = detail->trace,
                                  .begin = cube->experiment.begin,
                                  .length = run_time(cube),
                                  .limit = calls};
    fm_timeline_windows windows = {0};
    const struct fm_cube_statistics *kinds[FM_METRIC_USER];
    for (uint32_t i = 0; i < cube->statistics_count; i++)
        kinds[i] = &cube->statistics[i];
    qsort(kinds, cube->statistics_count, sizeof kinds[0], compare_sums);
    for (uint32_t turn = 0; turn < INSTANCES; turn++) {
        for (uint32_t i = 0; i < cube->statistics_count && windows.count < most; i++) {
            if (turn < kinds[i]->worst_count && !is_shown(&windows, &kinds[i]->worst[turn]))
                fm_vector_push(&windows,
                               window_around(&search, &kinds[i]->worst[turn], kinds[i]->metric));
        }
    }
    return windows;
}

bool fm_timeline_window_has(const struct fm_timeline_window *window, uint32_t location)
{
    size_t low = 0, high = window->locations.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (window->locations.items[middle] < location)
            low = middle + 1;
        else
            high = middle;
    }
    return low < window->locations.count && window->locations.items[low] == location;
}

void fm_timeline_windows_free(fm_timeline_windows *windows)
{
    for (size_t i = 0; i < windows->count; i++)
        fm_vector_free(&windows->items[i].locations);
    fm_vector_free(windows);
}
