/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/one_sided/progress.h"

#include "analysis/model/own_metric.h"

#include "engine/dispatch/dispatch.h"

struct need_message {
    uint64_t enter; /* of the needing call */
    uint64_t leave;
    struct fm_call_ref call;
    uint32_t origin;  /* process */
    uint32_t need;    /* of the origin */
    bool is_alone;    /* the call has no other need */
    uint8_t paradigm; /* of the call: only calls of the same library serve it */
};

#define NEVER UINT64_MAX

/* The calls of a location that make progress. */
struct progressing_calls {
    bool is_known;    /* the location has been examined */
    bool are_ordered; /* its calls end in the order in which they begin: none contains another */
    uint32_t recent;  /* if ordered: the first call that was not over at the last need, */
    uint32_t found;   /* and the first progressing call from there; number of calls: none */
    FM_VECTOR(uint32_t) activities; /* if not ordered: the progressing calls */
};

/* Of one process. */
struct participant {
    struct progressing_calls *calls;   /* by library and thread; NULL: no need has come yet */
    fm_progress_answer_vector answers; /* to its own needs, in the order of arrival */
};

/* The last need of a worker, kept back until it is known whether its call has a further need. */
struct pending {
    struct need_message need;
    uint32_t target;
    uint32_t told;  /* number of needs of the process so far; 0: no need is kept back */
    bool as_before; /* its call is that of the need before it */
    unsigned char apart[FM_APART];
};

struct fm_progress {
    struct fm_analysis *analysis;
    uint8_t *progresses;                /* by region: paradigm; FM_PARADIGM_USER: it does not */
    uint32_t libraries;                 /* whose calls progress */
    uint32_t library_of[UINT8_MAX + 1]; /* by paradigm: number of the library */
    struct participant *participants;   /* by process */
    struct pending *pending;            /* by worker */
    struct fm_dispatch *needs;
    struct fm_dispatch *answers;
};

/* ---- answers ---- */

static bool makes_progress(const struct fm_progress *progress, const struct fm_location *location,
                           uint32_t call, uint8_t paradigm)
{
    return progress->progresses[fm_trace_region(location, call)] == paradigm;
}

/* @return whether a call is over at `enter` */
static bool is_over(const struct fm_location *location, uint32_t call, uint64_t enter)
{
    return location->leave.items[call] <= enter && location->enter.items[call] < enter;
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

static void list_progressing(const struct fm_progress *progress, const struct fm_location *location,
                             struct progressing_calls *calls, uint8_t paradigm)
{
    for (uint32_t a = 0; a < location->enter.count; ++a) {
        if (makes_progress(progress, location, a, paradigm)) {
            fm_vector_push(&calls->activities, a);
        }
    }
}

static void look_at(const struct fm_progress *progress, const struct fm_location *location,
                    struct progressing_calls *calls, uint8_t paradigm)
{
    calls->is_known = true;
    calls->are_ordered = are_ordered(location);
    calls->recent = UINT32_MAX;
    if (!calls->are_ordered) {
        list_progressing(progress, location, calls, paradigm);
    }
}

/* Number of calls that are compared without a branch for each. */
#define CALLS_AT_ONCE 8

/* @return the first of ordered calls that is not over at `enter`. An exponential search begins at
 * `recent`, since the needs of an origin arrive in the order of time. */
static size_t search_near(const struct fm_location *location, size_t recent, uint64_t enter)
{
    const uint64_t *leave = location->leave.items;
    const size_t count = location->leave.count;
    size_t low = recent <= count && (recent == 0 || leave[recent - 1] <= enter) ? recent : 0;
    size_t step = CALLS_AT_ONCE;
    while (low + step <= count && leave[low + step - 1] <= enter) {
        low += step;
        step *= 2;
    }
    size_t high = low + step <= count ? low + step - 1 : count;
    while (high - low > CALLS_AT_ONCE) {
        size_t middle = low + (high - low) / 2;
        if (leave[middle] <= enter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t ended = low;
    for (size_t i = low; i < high; ++i) {
        ended += leave[i] <= enter;
    }
    /* A call that begins and ends at this tick is not over. */
    while (ended > 0 && location->enter.items[ended - 1] == enter) {
        --ended;
    }
    return ended;
}

static uint32_t find_ordered(const struct fm_progress *progress, const struct fm_location *location,
                             struct progressing_calls *calls, uint8_t paradigm, uint64_t enter)
{
    uint32_t first = (uint32_t)search_near(location, calls->recent, enter);
    if (first < calls->recent || first > calls->found || calls->recent == UINT32_MAX) {
        calls->found = first;
        while (calls->found < location->enter.count &&
               !makes_progress(progress, location, calls->found, paradigm)) {
            ++calls->found;
        }
    }
    calls->recent = first;
    return calls->found < location->enter.count ? calls->found : FM_NONE;
}

/* @return the result of a binary search, which assumes that the calls end in the order in which
 * they begin, although these do not */
static uint32_t find_among(const struct fm_location *location,
                           const struct progressing_calls *calls, uint64_t enter)
{
    size_t low = 0, high = calls->activities.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_over(location, calls->activities.items[middle], enter)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < calls->activities.count ? calls->activities.items[low] : FM_NONE;
}

/* @return the first progressing call that is running at `enter` or begins later, or FM_NONE */
static uint32_t first_overlapping(const struct fm_progress *progress,
                                  const struct fm_location *location,
                                  struct progressing_calls *calls, uint8_t paradigm, uint64_t enter)
{
    if (!calls->is_known) {
        look_at(progress, location, calls, paradigm);
    }
    return calls->are_ordered ? find_ordered(progress, location, calls, paradigm, enter)
                              : find_among(location, calls, enter);
}

/* @return the progressing calls of a process in a library, by thread */
static struct progressing_calls *calls_of(struct fm_progress *progress, uint32_t process,
                                          uint8_t paradigm)
{
    struct participant *participant = &progress->participants[process];
    const uint32_t threads = progress->analysis->trace->processes[process].location_count;
    if (participant->calls == NULL) {
        participant->calls =
            fm_allocate((size_t)threads * progress->libraries, sizeof *participant->calls);
    }
    return participant->calls + (size_t)threads * progress->library_of[paradigm];
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

/* Answers a need; handler of `needs`. */
static void answer_need(void *context, unsigned worker, uint32_t process, const void *record)
{
    struct fm_progress *progress = context;
    const struct need_message *need = record;
    const struct fm_trace *trace = progress->analysis->trace;
    const struct fm_process *target = &trace->processes[process];
    struct progressing_calls *calls = calls_of(progress, process, need->paradigm);
    struct fm_progress_answer answer = {
        .found.enter = NEVER, .needing = need->call, .need = need->need};
    bool is_known = true;
    for (uint32_t t = 0; t < target->location_count; ++t) {
        const struct fm_location *location = &trace->locations[target->first_location + t];
        uint32_t call =
            first_overlapping(progress, location, &calls[t], need->paradigm, need->enter);
        if (call != FM_NONE && location->enter.items[call] < answer.found.enter) {
            answer.found = (struct fm_progressing_call){location->enter.items[call],
                                                        location->leave.items[call],
                                                        {target->first_location + t, call}};
        }
    }
    if (answer.found.enter > need->leave || answer.found.enter == NEVER) {
        return;
    }
    /* A target that makes progress from the begin of the call matters only beside other needs. */
    if (need->is_alone && answer.found.enter <= need->enter &&
        progress->analysis->dependencies == NULL) {
        return;
    }
    for (uint32_t t = 0; t < target->location_count && is_known; ++t) {
        is_known = !was_paused(&trace->locations[target->first_location + t], need->enter,
                               answer.found.enter);
    }
    if (!is_known) {
        ++progress->analysis->omissions.unknown_progress;
    } else {
        fm_dispatch_send(progress->answers, worker, need->origin, &answer);
    }
}

/* Keeps an answer; handler of `answers`. */
static void take_answer(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_progress *progress = context;
    fm_vector_push(&progress->participants[process].answers,
                   *(const struct fm_progress_answer *)record);
}

/* ---- needs ---- */

static void send_pending(struct fm_progress *progress, unsigned worker, bool as_behind)
{
    struct pending *pending = &progress->pending[worker];
    if (pending->told != 0) {
        pending->need.is_alone = !pending->as_before && !as_behind;
        fm_dispatch_send(progress->needs, worker, pending->target, &pending->need);
    }
}

void fm_progress_need(struct fm_progress *progress, unsigned worker, uint32_t process,
                      struct fm_call_ref call, uint32_t target)
{
    struct pending *pending = &progress->pending[worker];
    bool as_before = pending->told != 0 && fm_same_call(pending->need.call, call);
    send_pending(progress, worker, as_before);
    const struct fm_location *location = &progress->analysis->trace->locations[call.location];
    pending->need = (struct need_message){
        .enter = location->enter.items[call.activity],
        .leave = location->leave.items[call.activity],
        .call = call,
        .origin = process,
        .need = pending->told++,
        .paradigm =
            (uint8_t)fm_trace_called(progress->analysis->trace, location, call.activity)->paradigm,
    };
    pending->target = target;
    pending->as_before = as_before;
}

void fm_progress_end(struct fm_progress *progress, unsigned worker)
{
    send_pending(progress, worker, false);
    progress->pending[worker].told = 0;
}

void fm_progress_run(struct fm_progress *progress, fm_stage_t *phase, void *context)
{
    fm_dispatch_run(progress->needs, phase, context);
    fm_dispatch_deliver(progress->answers);
}

fm_progress_answer_vector *fm_progress_answers(struct fm_progress *progress, uint32_t process)
{
    return &progress->participants[process].answers;
}

struct fm_progress *fm_progress_create(struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_progress *progress = fm_allocate(1, sizeof *progress);
    *progress = (struct fm_progress){
        .analysis = analysis,
        .progresses = fm_allocate(trace->region_count, sizeof(uint8_t)),
        .participants = fm_allocate(trace->process_count, sizeof *progress->participants),
        .pending =
            fm_allocate_apart(fm_engine_workers(analysis->engine), sizeof *progress->pending),
        .needs = fm_dispatch_create(analysis->engine, sizeof(struct need_message), answer_need,
                                    progress),
        .answers = fm_dispatch_create(analysis->engine, sizeof(struct fm_progress_answer),
                                      take_answer, progress),
    };
    bool known[UINT8_MAX + 1] = {false};
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        const fm_paradigm_t paradigm = trace->regions[i].paradigm;
        if (fm_makes_progress(&trace->regions[i])) {
            progress->progresses[i] = (uint8_t)paradigm;
            if (!known[paradigm]) {
                known[paradigm] = true;
                progress->library_of[paradigm] = progress->libraries++;
            }
        }
    }
    return progress;
}

/* @param lists  number of threads times that of libraries */
static void free_participant(struct participant *participant, size_t lists)
{
    for (size_t i = 0; participant->calls != NULL && i < lists; ++i) {
        fm_vector_free(&participant->calls[i].activities);
    }
    fm_free(participant->calls);
    fm_vector_free(&participant->answers);
}

void fm_progress_free(struct fm_progress *progress)
{
    if (progress == NULL) {
        return;
    }
    const struct fm_trace *trace = progress->analysis->trace;
    for (uint32_t process = 0; process < trace->process_count; ++process) {
        free_participant(&progress->participants[process],
                         (size_t)trace->processes[process].location_count * progress->libraries);
    }
    fm_dispatch_free(progress->needs);
    fm_dispatch_free(progress->answers);
    fm_free(progress->pending);
    fm_free(progress->participants);
    fm_free(progress->progresses);
    fm_free(progress);
}
