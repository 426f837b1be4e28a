/* Wait for Progress: a passive-target call cannot finish before software on its target has taken
 * notice of it [H17 pattern 6, algorithm 1].
 *
 * Each need travels to its target, which answers at once with its first call that makes progress
 * while the needing call runs. */
#include "analysis/one_sided.h"

#include "analysis/own_metric.h"

#include "base/keyed_sort.h"
#include "base/sort.h"
#include "engine/dispatch.h"

#include <stdlib.h>

struct need_message {
    uint64_t enter; /* of the needing call */
    uint64_t leave;
    uint32_t origin;   /* process */
    uint32_t need;     /* of the origin */
    uint32_t is_alone; /* the call has no other need */
};

/* The target's first progressing call that overlaps the needing call. */
struct progressing_call {
    uint64_t enter; /* NEVER: there is none */
    uint64_t leave;
    struct fm_call_ref call;
};

#define NEVER UINT64_MAX

/* An answer on its way to the origin. */
struct answer_message {
    struct progressing_call found;
    uint32_t need; /* of the origin */
};

/* The calls of a location that make progress. */
struct progressing_calls {
    bool is_known;    /* the location has been looked at */
    bool are_ordered; /* its calls end in the order in which they begin: none contains another */
    uint32_t recent;  /* ordered: the first call that was not over when the last need came, */
    uint32_t found;   /* and the first from there that makes progress; FM_NONE: none */
    FM_VECTOR(uint32_t) activities; /* not ordered: those that make progress */
};

/* Of one process. */
struct participant {
    struct progressing_calls *calls;          /* by thread; NULL: no need has come yet */
    FM_VECTOR(struct answer_message) answers; /* to its own needs, as they came */
};

struct progress {
    struct fm_analysis *analysis;
    struct fm_epochs *epochs;
    bool *progresses;                 /* by region */
    struct participant *participants; /* by process */
    struct fm_dispatch *needs;
    struct fm_dispatch *answers;
};

static bool same_call(const struct fm_progress_need *a, const struct fm_progress_need *b)
{
    return a->call.activity == b->call.activity && a->call.location == b->call.location;
}

static void send_needs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct progress *progress = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_progress_need *needs = progress->epochs[process].locks.needs.items;
        const uint32_t count = (uint32_t)progress->epochs[process].locks.needs.count;
        bool as_before = false;
        for (uint32_t i = 0; i < count; ++i) {
            const struct fm_progress_need *need = &needs[i];
            const struct fm_location *location =
                &progress->analysis->trace->locations[need->call.location];
            bool as_behind = i + 1 < count && same_call(need, need + 1);
            struct need_message message = {
                .enter = location->enter.items[need->call.activity],
                .leave = location->leave.items[need->call.activity],
                .origin = process,
                .need = i,
                .is_alone = !as_before && !as_behind,
            };
            as_before = as_behind;
            fm_dispatch_send(progress->needs, worker, need->target, &message);
        }
    }
}

static bool makes_progress(const struct progress *progress, const struct fm_location *location,
                           uint32_t call)
{
    return progress->progresses[fm_trace_region(location, call)];
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

static void list_progressing(const struct progress *progress, const struct fm_location *location,
                             struct progressing_calls *calls)
{
    for (uint32_t a = 0; a < location->enter.count; ++a) {
        if (makes_progress(progress, location, a)) {
            fm_vector_push(&calls->activities, a);
        }
    }
}

static void look_at(const struct progress *progress, const struct fm_location *location,
                    struct progressing_calls *calls)
{
    calls->is_known = true;
    calls->are_ordered = are_ordered(location);
    calls->recent = UINT32_MAX;
    if (!calls->are_ordered) {
        list_progressing(progress, location, calls);
    }
}

/* So many calls are looked at without a branch for each. */
#define CALLS_AT_ONCE 8

/* @return the first of ordered calls that is not over at `enter`, looked for from `recent` on: an
 * origin's needs come in the order of time */
static size_t search_near(const struct fm_location *location, size_t recent, uint64_t enter)
{
    const uint64_t *leave = location->leave.items;
    const size_t count = location->leave.count;
    size_t low = recent <= count && (recent == 0 || leave[recent - 1] <= enter) ? recent : 0;
    size_t high = count, step = CALLS_AT_ONCE;
    while (low + step <= count && leave[low + step - 1] <= enter) {
        low += step;
        step *= 2;
    }
    high = low + step <= count ? low + step - 1 : count;
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
    /* What begins and ends at this tick is not over. */
    while (ended > 0 && location->enter.items[ended - 1] == enter) {
        --ended;
    }
    return ended;
}

static uint32_t find_ordered(const struct progress *progress, const struct fm_location *location,
                             struct progressing_calls *calls, uint64_t enter)
{
    uint32_t first = (uint32_t)search_near(location, calls->recent, enter);
    if (first < calls->recent || first > calls->found || calls->recent == UINT32_MAX) {
        calls->found = first;
        while (calls->found < location->enter.count &&
               !makes_progress(progress, location, calls->found)) {
            ++calls->found;
        }
    }
    calls->recent = first;
    return calls->found < location->enter.count ? calls->found : FM_NONE;
}

/* As a search finds it that takes the calls for ordered. */
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
static uint32_t first_overlapping(const struct progress *progress,
                                  const struct fm_location *location,
                                  struct progressing_calls *calls, uint64_t enter)
{
    if (!calls->is_known) {
        look_at(progress, location, calls);
    }
    return calls->are_ordered ? find_ordered(progress, location, calls, enter)
                              : find_among(location, calls, enter);
}

/* @return the progressing calls of a process, by thread */
static struct progressing_calls *calls_of(struct progress *progress, uint32_t process)
{
    struct participant *participant = &progress->participants[process];
    if (participant->calls == NULL) {
        const struct fm_process *owner = &progress->analysis->trace->processes[process];
        participant->calls = fm_allocate(owner->location_count, sizeof *participant->calls);
    }
    return participant->calls;
}

/* @return whether a part of [begin, end) was not recorded: who knows what happened then? */
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

/* Answers a need; handles what `needs` brings. */
static void answer_need(void *context, unsigned worker, uint32_t process, const void *record)
{
    struct progress *progress = context;
    const struct need_message *need = record;
    const struct fm_trace *trace = progress->analysis->trace;
    const struct fm_process *target = &trace->processes[process];
    struct progressing_calls *calls = calls_of(progress, process);
    struct answer_message answer = {.found.enter = NEVER, .need = need->need};
    bool is_known = true;
    for (uint32_t t = 0; t < target->location_count; ++t) {
        const struct fm_location *location = &trace->locations[target->first_location + t];
        uint32_t call = first_overlapping(progress, location, &calls[t], need->enter);
        if (call != FM_NONE && location->enter.items[call] < answer.found.enter) {
            answer.found = (struct progressing_call){location->enter.items[call],
                                                     location->leave.items[call],
                                                     {target->first_location + t, call}};
        }
    }
    if (answer.found.enter > need->leave || answer.found.enter == NEVER) {
        return;
    }
    /* Progress from the begin on matters only beside other needs. */
    if (need->is_alone && answer.found.enter <= need->enter) {
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

/* Keeps an answer; handles what `answers` brings. */
static void take_answer(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct progress *progress = context;
    fm_vector_push(&progress->participants[process].answers,
                   *(const struct answer_message *)record);
}

static int compare_answers(const void *a, const void *b)
{
    const struct progressing_call *left = *(const struct progressing_call *const *)a;
    const struct progressing_call *right = *(const struct progressing_call *const *)b;
    return left->enter < right->enter ? -1 : left->enter > right->enter;
}

/* @return the part of [begin, end) that none of the calls covers; they are sorted by Enter */
static uint64_t uncovered(const struct progressing_call *const *calls, size_t count, uint64_t begin,
                          uint64_t end)
{
    uint64_t free_time = 0, covered_until = begin;
    for (size_t i = 0; i < count; ++i) {
        uint64_t from = calls[i]->enter < end ? calls[i]->enter : end;
        if (from > covered_until) {
            free_time += from - covered_until;
        }
        covered_until = calls[i]->leave > covered_until ? calls[i]->leave : covered_until;
    }
    return free_time + (end > covered_until ? end - covered_until : 0);
}

static fm_metric_t metric_of(const struct fm_analysis *analysis, struct fm_call_ref call)
{
    uint32_t region = fm_trace_region(&analysis->trace->locations[call.location], call.activity);
    return analysis->own_metrics[region] == FM_METRIC_MPI_RMA_SYNC_PASSIVE
               ? FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS
               : FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS;
}

/* @return the answer that the call waited for, or NULL: the latest call that began after it; of
 * simultaneous ones that of the lowest location */
static const struct progressing_call *awaited(const struct progressing_call *const *calls,
                                              size_t count, uint64_t enter)
{
    const struct progressing_call *last = NULL;
    for (size_t i = 0; i < count; ++i) {
        const struct progressing_call *call = calls[i];
        if (call->enter > enter &&
            (last == NULL || call->enter > last->enter ||
             (call->enter == last->enter && call->call.location < last->call.location))) {
            last = call;
        }
    }
    return last;
}

/* Judges one call by the answers to its needs, which are sorted here. */
static void judge_call(struct progress *progress, struct fm_lock_epochs *locks,
                       struct fm_call_ref call, const struct progressing_call **answers,
                       size_t count)
{
    const struct fm_trace *trace = progress->analysis->trace;
    const struct fm_location *location = &trace->locations[call.location];
    uint64_t enter = location->enter.items[call.activity];
    const struct progressing_call *last = awaited(answers, count, enter);
    if (last == NULL) {
        return;
    }
    struct fm_findings *findings = &progress->analysis->findings[call.location];
    if (!fm_findings_add(findings, location,
                         &(struct fm_candidate){
                             .t = last->enter,
                             .activity = call.activity,
                             .cause_location = last->call.location,
                             .cause_activity = last->call.activity,
                             .rule = FM_RULE_WAIT_FOR_PROGRESS,
                             .metric = (uint8_t)metric_of(progress->analysis, call),
                         })) {
        return;
    }
    fm_vector_push(&locks->progress, (struct fm_progress_wait){call, last->enter});
    fm_sort(answers, count, sizeof *answers, compare_answers);
    fm_vector_push(&findings->parts, (struct fm_part){uncovered(answers, count, enter, last->enter),
                                                      call.activity, FM_PART_PROGRESS_LOWER});
}

/* What a worker needs to judge one process after the other. */
struct judging {
    FM_VECTOR(struct fm_keyed) order; /* answers by need */
    FM_VECTOR(struct fm_keyed) spare;
    FM_VECTOR(const struct progressing_call *) of_call; /* answers to the needs of one call */
};

static void sort_answers(struct judging *judging, const struct participant *participant)
{
    const size_t count = participant->answers.count;
    judging->order.count = judging->spare.count = 0;
    fm_vector_reserve(&judging->order, count);
    fm_vector_reserve(&judging->spare, count);
    for (size_t i = 0; i < count; ++i) {
        judging->order.items[i] =
            (struct fm_keyed){participant->answers.items[i].need, (uint32_t)i};
    }
    judging->order.count = count;
    fm_keyed_sort(judging->order.items, count, judging->spare.items);
}

static void judge_process(struct progress *progress, struct judging *judging, uint32_t process)
{
    const struct participant *participant = &progress->participants[process];
    struct fm_lock_epochs *locks = &progress->epochs[process].locks;
    const struct fm_progress_need *needs = locks->needs.items;
    sort_answers(judging, participant);
    for (size_t begin = 0, end; begin < judging->order.count; begin = end) {
        const struct fm_progress_need *need = &needs[judging->order.items[begin].key];
        judging->of_call.count = 0;
        for (end = begin;
             end < judging->order.count && same_call(&needs[judging->order.items[end].key], need);
             ++end) {
            fm_vector_push(&judging->of_call,
                           &participant->answers.items[judging->order.items[end].value].found);
        }
        judge_call(progress, locks, need->call, judging->of_call.items, judging->of_call.count);
    }
}

static void close_participant(struct progress *progress, uint32_t process)
{
    struct participant *participant = &progress->participants[process];
    uint32_t threads = progress->analysis->trace->processes[process].location_count;
    for (uint32_t t = 0; participant->calls != NULL && t < threads; ++t) {
        fm_vector_free(&participant->calls[t].activities);
    }
    fm_free(participant->calls);
    fm_vector_free(&participant->answers);
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct progress *progress = context;
    struct judging judging = {0};
    for (uint32_t process = first; process < last; ++process) {
        judge_process(progress, &judging, process);
        close_participant(progress, process);
    }
    fm_vector_free(&judging.order);
    fm_vector_free(&judging.spare);
    fm_vector_free(&judging.of_call);
}

void fm_detect_wait_for_progress(struct fm_analysis *analysis, struct fm_epochs *epochs)
{
    const struct fm_trace *trace = analysis->trace;
    struct progress progress = {
        .analysis = analysis,
        .epochs = epochs,
        .progresses = fm_allocate(trace->region_count, sizeof(bool)),
        .participants = fm_allocate(trace->process_count, sizeof *progress.participants),
    };
    progress.needs =
        fm_dispatch_create(analysis->engine, sizeof(struct need_message), answer_need, &progress);
    progress.answers =
        fm_dispatch_create(analysis->engine, sizeof(struct answer_message), take_answer, &progress);
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        progress.progresses[i] = fm_makes_progress(&trace->regions[i]);
    }
    fm_dispatch_run(progress.needs, send_needs, &progress);
    fm_dispatch_deliver(progress.answers);
    fm_engine_run(analysis->engine, judge, &progress);
    fm_dispatch_free(progress.needs);
    fm_dispatch_free(progress.answers);
    fm_free(progress.participants);
    fm_free(progress.progresses);
}
