/* SPDX-License-Identifier: BSD-3-Clause */
/* How locations ended. An open call counts if it lasted for at least a second and for a hundred
 * times the median of the completed calls of its function, which is never more than ten seconds. */
#include "analysis/hang/parts.h"

#include "base/containers/sort.h"

#include <string.h>
#include <strings.h>

#define LEAST_SECONDS 1
#define MOST_SECONDS  10
#define TIMES_MEDIAN  100

/* A process that lived so much shorter than others, by heartbeats of a second each, has died before
 * the run ended. */
#define DEAD_SECONDS 2

/* ---- medians ---- */

#define DIGITS     256
#define DIGIT_BITS 8

/* The search for the median of the lengths of the completed calls of a region: digit by digit from
 * the highest on, so that no process needs all of them. */
struct median {
    uint64_t value;  /* its digits so far */
    uint64_t before; /* number of values that are known to be in front of it among all of them */
    uint64_t count;  /* of values with these digits; at first of all */
};

struct medians {
    const struct fm_analysis *analysis;
    uint32_t *number_of; /* [region]; FM_NONE: not wanted */
    struct median *items;
    uint32_t count;
};

static bool is_wanted(const struct medians *medians, const struct fm_location *location,
                      uint32_t activity, uint32_t *number)
{
    *number = medians->number_of[fm_trace_region(location, activity)];
    return *number != FM_NONE && !fm_trace_is_open(location, activity);
}

/* Counts the values of each digit. @param counts  [region][digit], in: 0 */
static void count_digits(const struct medians *medians, unsigned shift, uint64_t *counts)
{
    const struct fm_trace *trace = medians->analysis->trace;
    uint32_t first, last, number;
    fm_engine_own(medians->analysis->engine, &first, &last);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t a = 0; a < location->enter.count; ++a) {
            if (!is_wanted(medians, location, a, &number)) {
                continue;
            }
            const uint64_t length = location->leave.items[a] - location->enter.items[a];
            const unsigned above = shift + DIGIT_BITS;
            if (above == 64 || length >> above == medians->items[number].value >> above) {
                ++counts[(size_t)number * DIGITS + (length >> shift & (DIGITS - 1))];
            }
        }
    }
}

/* Chooses the digit of each median, of two the lower one. */
static void choose_digits(struct medians *medians, unsigned shift, const uint64_t *counts)
{
    for (uint32_t i = 0; i < medians->count; ++i) {
        struct median *median = &medians->items[i];
        const uint64_t *of_region = &counts[(size_t)i * DIGITS];
        if (shift == 64 - DIGIT_BITS) {
            for (unsigned d = 0; d < DIGITS; ++d) {
                median->count += of_region[d];
            }
        }
        const uint64_t at = (median->count - (median->count != 0)) / 2;
        for (unsigned d = 0; d < DIGITS && median->count != 0; ++d) {
            if (median->before + of_region[d] > at) {
                median->value |= (uint64_t)d << shift;
                break;
            }
            median->before += of_region[d];
        }
    }
}

static void find_medians(struct medians *medians)
{
    const size_t cells = (size_t)medians->count * DIGITS;
    uint64_t *counts = fm_allocate(cells, sizeof *counts);
    for (unsigned shift = 64; shift > 0 && medians->count != 0;) {
        shift -= DIGIT_BITS;
        memset(counts, 0, cells * sizeof *counts);
        count_digits(medians, shift, counts);
        fm_team_sum(medians->analysis->team, counts, cells);
        choose_digits(medians, shift, counts);
    }
    fm_free(counts);
}

/* Numbers the regions whose median decides about some open call of the run. */
static void want_medians(struct medians *medians, const fm_location_ends *ends)
{
    const struct fm_trace *trace = medians->analysis->trace;
    const uint64_t second = trace->ticks_per_second;
    uint64_t *wanted = fm_allocate(trace->region_count + (size_t)1, sizeof *wanted);
    for (size_t i = 0; i < ends->count; ++i) {
        const struct fm_location_end *end = &ends->items[i];
        const uint64_t length = end->end - end->since;
        if (end->is_open && length >= LEAST_SECONDS * second && length < MOST_SECONDS * second) {
            const struct fm_location *location = &trace->locations[end->location];
            ++wanted[fm_trace_region(location, fm_trace_last_call(trace, end->location))];
        }
    }
    fm_team_sum(medians->analysis->team, wanted, trace->region_count);
    medians->number_of = fm_allocate(trace->region_count + (size_t)1, sizeof *medians->number_of);
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        medians->number_of[r] = wanted[r] == 0 ? FM_NONE : medians->count++;
    }
    medians->items = fm_allocate(medians->count + (size_t)1, sizeof *medians->items);
    fm_free(wanted);
}

static bool counts(const struct medians *medians, const struct fm_location_end *end)
{
    const struct fm_trace *trace = medians->analysis->trace;
    const uint64_t second = trace->ticks_per_second, length = end->end - end->since;
    const uint32_t activity = fm_trace_last_call(trace, end->location);
    if (length < LEAST_SECONDS * second || length >= MOST_SECONDS * second) {
        return length >= MOST_SECONDS * second;
    }
    const uint32_t region = fm_trace_region(&trace->locations[end->location], activity);
    return medians->items[medians->number_of[region]].value <= length / TIMES_MEDIAN;
}

/* ---- ends ---- */

/* @return whether a call tests, is local or only passes time: then its location waits for nobody */
static bool never_waits(const struct fm_region *called)
{
    return called->polling.part == FM_POLLING_TEST || called->polling.part == FM_POLLING_LOCAL ||
           called->polling.part == FM_POLLING_PAUSE;
}

/* @return whether a thread has ended, and whether it is one of OpenMP that is in no team */
static bool has_ended(const struct fm_location *location, bool *is_idle)
{
    unsigned depth = 0;
    bool ended = false, is_member = false;
    for (size_t i = 0; i < location->threads.count; ++i) {
        switch (location->threads.items[i].type) {
        case FM_THREAD_BEGIN:
            ended = false;
            break;
        case FM_THREAD_END:
            ended = true;
            break;
        case FM_THREAD_TEAM_BEGIN:
            is_member = true;
            ++depth;
            break;
        case FM_THREAD_TEAM_END:
            depth -= depth != 0;
            break;
        default:
            break;
        }
    }
    *is_idle = is_member && depth == 0;
    return ended;
}

/* What a process is called with, or has done. */
struct process_calls {
    bool has_finalized, initializes_single;
};

static struct process_calls calls_of(const struct fm_trace *trace, const struct fm_process *process)
{
    struct process_calls found = {false, false};
    for (uint32_t t = 0; t < process->location_count; ++t) {
        const struct fm_location *location = &trace->locations[process->first_location + t];
        for (uint32_t a = 0; a < location->enter.count; ++a) {
            const struct fm_region *called = fm_trace_called(trace, location, a);
            if (called->call == FM_CALL_FINALIZE) {
                found.has_finalized |= !fm_trace_is_open(location, a);
            } else if (called->call == FM_CALL_INIT) {
                found.initializes_single |= strcasestr(called->name, "thread") == NULL;
            }
        }
    }
    return found;
}

static bool is_open_anywhere(const struct fm_trace *trace, const struct fm_process *process)
{
    for (uint32_t t = 0; t < process->location_count; ++t) {
        if (trace->locations[process->first_location + t].open.count != 0) {
            return true;
        }
    }
    return false;
}

/* The call path in which a location was last; FM_NONE: outside of all functions. */
static uint32_t last_callpath(const struct fm_location *location)
{
    return location->open.count == 0
               ? FM_NONE
               : location->profile.items[location->open.items[location->open.count - 1].visit]
                     .callpath;
}

/* How a process ended before the run. */
typedef enum { DID_NOT_END, ENDED_ITSELF, WAS_KILLED } process_end_t;

static struct fm_location_end end_of(const struct fm_analysis *analysis, uint32_t l,
                                     process_end_t process_end, bool is_main)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[l];
    const uint32_t activity = fm_trace_last_call(trace, l);
    struct fm_location_end end = {
        .location = l,
        .how = process_end == WAS_KILLED ? FM_END_ENDED : FM_END_FREE,
        .is_main = is_main,
        .callpath = last_callpath(location),
        .last_event = location->last_event,
        .end = location->end,
    };
    bool is_idle;
    const bool ended = has_ended(location, &is_idle);
    if (location->event_count == 0 || location->is_stream) {
        end.how = FM_END_NOTHING;
    } else if (process_end == ENDED_ITSELF) {
        end.how = FM_END_ENDED;
    } else if (location->open.count == 0 && (ended || (is_idle && location->thread != 0))) {
        end.how = ended ? FM_END_ENDED : FM_END_IDLE;
    } else if (activity != FM_NONE &&
               analysis->own_metrics[fm_trace_region(location, activity)] != FM_METRIC_COMP) {
        const struct fm_region *called = fm_trace_called(trace, location, activity);
        end.is_open = !never_waits(called);
        end.is_inside = fm_function_kind(called->paradigm, called->name).progresses;
        end.since = location->enter.items[activity];
    }
    return end;
}

/* What lasts to the end of the run, but for a tolerance, has not ended before. */
struct latest {
    uint64_t heartbeat; /* processes whose last one was before this time are dead */
    uint64_t event;     /* processes that ended by themselves did so before the run, if before this
                           time */
};

static struct latest find_latest(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    const uint64_t limit = DEAD_SECONDS * trace->ticks_per_second;
    uint32_t first, last;
    struct latest latest = {0, 0};
    fm_engine_own(analysis->engine, &first, &last);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const uint64_t lasts = trace->locations[l].lasts_to, end = trace->locations[l].end;
        latest.heartbeat =
            lasts != UINT64_MAX && lasts > latest.heartbeat ? lasts : latest.heartbeat;
        latest.event = end > latest.event ? end : latest.event;
    }
    latest.heartbeat = fm_team_largest(analysis->team, latest.heartbeat);
    latest.event = fm_team_largest(analysis->team, latest.event);
    latest.heartbeat = latest.heartbeat > limit ? latest.heartbeat - limit : 0;
    latest.event = latest.event > limit ? latest.event - limit : 0;
    return latest;
}

static uint64_t last_event_of(const struct fm_trace *trace, const struct fm_process *process)
{
    uint64_t last = 0;
    for (uint32_t t = 0; t < process->location_count; ++t) {
        const struct fm_location *location = &trace->locations[process->first_location + t];
        last =
            location->event_count != 0 && location->last_event > last ? location->last_event : last;
    }
    return last;
}

/* A process that ended by itself, but with the run, let others wait for as long as it lived: who
 * interrupts a launcher may see its processes exit. */
static void end_process(const struct fm_analysis *analysis, uint32_t p, struct latest latest,
                        fm_location_ends *ends)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_process *process = &trace->processes[p];
    const struct process_calls calls = calls_of(trace, process);
    const uint64_t lasts = trace->locations[process->first_location].lasts_to;
    const bool ended_itself =
        (process->has_ended && last_event_of(trace, process) < latest.event) ||
        (lasts == UINT64_MAX && calls.has_finalized && !is_open_anywhere(trace, process));
    const bool is_dead = lasts != UINT64_MAX && lasts < latest.heartbeat;
    const process_end_t process_end = ended_itself         ? ENDED_ITSELF
                                      : !is_dead           ? DID_NOT_END
                                      : process->has_ended ? ENDED_ITSELF
                                                           : WAS_KILLED;
    const bool is_funneled =
        process->thread_level != 0 ? process->thread_level <= 2 : calls.initializes_single;
    for (uint32_t t = 0; t < process->location_count; ++t) {
        fm_vector_push(ends, end_of(analysis, process->first_location + t, process_end,
                                    is_funneled && t == 0));
    }
}

void fm_location_ends_find(const struct fm_analysis *analysis, fm_location_ends *ends)
{
    const struct latest latest = find_latest(analysis);
    struct medians medians = {.analysis = analysis};
    uint32_t first, last;
    fm_engine_own(analysis->engine, &first, &last);
    for (uint32_t p = first; p < last; ++p) {
        end_process(analysis, p, latest, ends);
    }
    want_medians(&medians, ends);
    find_medians(&medians);
    for (size_t i = 0; i < ends->count; ++i) {
        struct fm_location_end *end = &ends->items[i];
        if (end->is_open && counts(&medians, end)) {
            end->how = FM_END_WAITS; /* a process that was killed in it waited until then */
        }
        end->is_open = end->is_open && end->how != FM_END_ENDED;
    }
    fm_free(medians.number_of);
    fm_free(medians.items);
}
