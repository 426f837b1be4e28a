/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/partner_calls.h"

#include "analysis/model/own_metric.h"

/* The calls of a location that make progress in one library. */
struct progressing_calls {
    bool is_known;    /* the location has been examined */
    bool are_ordered; /* its calls end in the order in which they begin: none contains another */
    uint32_t recent;  /* if ordered: the first call that was not over at the last need, */
    uint32_t found;   /* and the first progressing call from there; number of calls: none */
    FM_VECTOR(uint32_t) activities;    /* if not ordered: the progressing calls, by Enter */
    FM_VECTOR(uint64_t) latest_leaves; /* latest Leave of these calls and those before */
};

struct fm_partner_calls {
    const struct fm_analysis *analysis;
    uint8_t *progresses;                   /* by region: paradigm; FM_PARADIGM_USER: it does not */
    uint32_t libraries;                    /* whose calls progress */
    uint32_t library_of[UINT8_MAX + 1];    /* by paradigm: number of the library */
    struct progressing_calls **of_process; /* by library and thread; NULL: not needed yet */
};

static bool makes_progress(const struct fm_partner_calls *calls, const struct fm_location *location,
                           uint32_t activity, uint8_t paradigm)
{
    return calls->progresses[fm_trace_region(location, activity)] == paradigm;
}

static bool are_ordered(const struct fm_location *location)
{
    for (size_t i = 1; i < location->leave.count; ++i) {
        if (location->leave.items[i] < location->leave.items[i - 1]) {
            return false;
        }
    }
    return true;
}

static void examine(const struct fm_partner_calls *calls, const struct fm_location *location,
                    struct progressing_calls *progressing, uint8_t paradigm)
{
    progressing->is_known = true;
    progressing->are_ordered = are_ordered(location);
    progressing->recent = UINT32_MAX;
    uint64_t latest = 0;
    for (uint32_t a = 0; !progressing->are_ordered && a < location->enter.count; ++a) {
        if (makes_progress(calls, location, a, paradigm)) {
            latest = location->leave.items[a] > latest ? location->leave.items[a] : latest;
            fm_vector_push(&progressing->activities, a);
            fm_vector_push(&progressing->latest_leaves, latest);
        }
    }
}

/* Number of calls that are compared without a branch for each. */
#define CALLS_AT_ONCE 8

/* @return the number of ascending times up to `time`. An exponential search begins at `recent`,
 * since the needs of a process arrive in the order of time. */
static size_t count_until(const uint64_t *times, size_t count, size_t recent, uint64_t time)
{
    size_t low = recent <= count && (recent == 0 || times[recent - 1] <= time) ? recent : 0;
    size_t step = CALLS_AT_ONCE;
    while (low + step <= count && times[low + step - 1] <= time) {
        low += step;
        step *= 2;
    }
    size_t high = low + step <= count ? low + step - 1 : count;
    while (high - low > CALLS_AT_ONCE) {
        size_t middle = low + (high - low) / 2;
        if (times[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t ended = low;
    for (size_t i = low; i < high; ++i) {
        ended += times[i] <= time;
    }
    return ended;
}

/* @return the first of ordered calls that is not over at `begin`, if it makes progress, else the
 * next one that does; FM_NONE: none does */
static uint32_t find_ordered(const struct fm_partner_calls *calls,
                             const struct fm_location *location,
                             struct progressing_calls *progressing, uint8_t paradigm,
                             uint64_t begin)
{
    const size_t count = location->enter.count;
    const uint32_t first =
        (uint32_t)count_until(location->leave.items, count, progressing->recent, begin);
    if (first < progressing->recent || first > progressing->found ||
        progressing->recent == UINT32_MAX) {
        progressing->found = first;
        while (progressing->found < count &&
               !makes_progress(calls, location, progressing->found, paradigm)) {
            ++progressing->found;
        }
    }
    progressing->recent = first;
    return progressing->found < count ? progressing->found : FM_NONE;
}

/* @return the first of the calls, some of which contain others, that is running at `begin`, or else
 * the first one that is entered later; FM_NONE: none is */
static uint32_t find_among(const struct progressing_calls *progressing, uint64_t begin)
{
    const size_t count = progressing->activities.count;
    const size_t ended = count_until(progressing->latest_leaves.items, count, 0, begin);
    if (ended == count) {
        return FM_NONE;
    }
    return progressing->activities.items[ended]; /* all calls before it are over at `begin` */
}

/* @return the progressing calls of a process in a library, by thread */
static struct progressing_calls *calls_of(struct fm_partner_calls *calls, uint32_t process,
                                          uint8_t paradigm)
{
    const uint32_t threads = calls->analysis->trace->processes[process].location_count;
    if (calls->of_process[process] == NULL) {
        calls->of_process[process] =
            fm_allocate((size_t)threads * calls->libraries, sizeof *calls->of_process[process]);
    }
    return calls->of_process[process] + (size_t)threads * calls->library_of[paradigm];
}

/* @return whether a part of [begin, end) was not recorded: progress in it is unknown. */
static bool was_paused(const struct fm_location *location, uint64_t begin, uint64_t end)
{
    size_t low = 0, high = location->pauses.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (location->pauses.items[middle].end <= begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < location->pauses.count && location->pauses.items[low].begin < end;
}

struct fm_partner_state fm_partner_calls_find(struct fm_partner_calls *calls, uint32_t process,
                                              uint8_t paradigm, uint64_t begin, uint64_t until)
{
    const struct fm_trace *trace = calls->analysis->trace;
    const struct fm_process *partner = &trace->processes[process];
    struct progressing_calls *of_threads = calls_of(calls, process, paradigm);
    struct fm_partner_state state = {.enter = UINT64_MAX, .call = {FM_NONE, FM_NONE}};
    for (uint32_t t = 0; t < partner->location_count; ++t) {
        const struct fm_location *location = &trace->locations[partner->first_location + t];
        struct progressing_calls *progressing = &of_threads[t];
        if (!progressing->is_known) {
            examine(calls, location, progressing, paradigm);
        }
        const uint32_t call = progressing->are_ordered
                                  ? find_ordered(calls, location, progressing, paradigm, begin)
                                  : find_among(progressing, begin);
        if (call != FM_NONE && location->enter.items[call] < state.enter) {
            state.enter = location->enter.items[call];
            state.leave = location->leave.items[call];
            state.call = (struct fm_call_ref){partner->first_location + t, call};
        }
    }
    const uint64_t end = state.enter < until ? state.enter : until;
    for (uint32_t t = 0; t < partner->location_count && !state.is_unknown; ++t) {
        state.is_unknown = was_paused(&trace->locations[partner->first_location + t], begin, end);
    }
    return state;
}

struct fm_partner_calls *fm_partner_calls_create(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_partner_calls *calls = fm_allocate(1, sizeof *calls);
    *calls = (struct fm_partner_calls){
        .analysis = analysis,
        .progresses = fm_allocate(trace->region_count, sizeof(uint8_t)),
        .of_process = fm_allocate(trace->process_count, sizeof *calls->of_process),
    };
    bool known[UINT8_MAX + 1] = {false};
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        const fm_paradigm_t paradigm = trace->regions[i].paradigm;
        const bool progresses = fm_makes_progress(&trace->regions[i]);
        calls->progresses[i] = (uint8_t)(progresses ? paradigm : FM_PARADIGM_USER);
        if (progresses && !known[paradigm]) {
            known[paradigm] = true;
            calls->library_of[paradigm] = calls->libraries++;
        }
    }
    return calls;
}

void fm_partner_calls_free(struct fm_partner_calls *calls)
{
    if (calls == NULL) {
        return;
    }
    const struct fm_trace *trace = calls->analysis->trace;
    for (uint32_t p = 0; p < trace->process_count; ++p) {
        const size_t count = (size_t)trace->processes[p].location_count * calls->libraries;
        for (size_t i = 0; calls->of_process[p] != NULL && i < count; ++i) {
            fm_vector_free(&calls->of_process[p][i].activities);
            fm_vector_free(&calls->of_process[p][i].latest_leaves);
        }
        fm_free(calls->of_process[p]);
    }
    fm_free(calls->of_process);
    fm_free(calls->progresses);
    fm_free(calls);
}
