/* Wait for Progress: a passive-target call cannot finish before software on its target has taken
 * notice of it [H17 pattern 6, algorithm 1].
 *
 * Each need travels to its target, which answers with its first call that makes progress while the
 * needing call runs. */
#include "analysis/one_sided.h"

#include "analysis/own_metric.h"

#include "base/sort.h"

#include <stdlib.h>

struct need_message {
    uint64_t enter; /* of the needing call */
    uint64_t leave;
    uint32_t origin; /* process */
    uint32_t need;   /* of the origin */
};

/* The target's first progressing call that overlaps the needing call. */
struct progress_message {
    uint64_t enter;
    uint64_t leave;
    uint32_t need;
    struct fm_call_ref call;
};

struct progress {
    struct fm_analysis *analysis;
    struct fm_epochs *epochs;
    bool *progresses; /* by region */
    struct fm_exchange *needs;
    struct fm_exchange *answers;
};

static void send_needs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct progress *progress = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_lock_epochs *locks = &progress->epochs[process].locks;
        for (uint32_t i = 0; i < locks->needs.count; ++i) {
            const struct fm_progress_need *need = &locks->needs.items[i];
            const struct fm_location *location =
                &progress->analysis->trace->locations[need->call.location];
            struct need_message *message = fm_exchange_post(progress->needs, worker, need->target);
            *message =
                (struct need_message){location->enter.items[need->call.activity],
                                      location->leave.items[need->call.activity], process, i};
        }
    }
}

typedef FM_VECTOR(uint32_t) activity_vector;

static void list_progressing(const struct progress *progress, const struct fm_location *location,
                             activity_vector *list)
{
    list->count = 0;
    for (uint32_t a = 0; a < location->enter.count; ++a) {
        uint32_t region = location->profile.items[location->visit.items[a]].region;
        if (progress->progresses[region]) {
            fm_vector_push(list, a);
        }
    }
}

/* @return the first of the calls that is running at `enter` or begins later, or FM_NONE */
static uint32_t first_overlapping(const struct fm_location *location, const activity_vector *calls,
                                  uint64_t enter)
{
    size_t low = 0, high = calls->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t call = calls->items[middle];
        if (location->leave.items[call] <= enter && location->enter.items[call] < enter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < calls->count ? calls->items[low] : FM_NONE;
}

static void answer(struct progress *progress, unsigned worker, uint32_t process,
                   const activity_vector *calls, const struct need_message *need)
{
    const struct fm_trace *trace = progress->analysis->trace;
    const struct fm_process *target = &trace->processes[process];
    struct progress_message found = {.enter = UINT64_MAX};
    for (uint32_t t = 0; t < target->location_count; ++t) {
        const struct fm_location *location = &trace->locations[target->first_location + t];
        uint32_t call = first_overlapping(location, &calls[t], need->enter);
        if (call != FM_NONE && location->enter.items[call] < found.enter) {
            found = (struct progress_message){location->enter.items[call],
                                              location->leave.items[call],
                                              need->need,
                                              {target->first_location + t, call}};
        }
    }
    if (found.enter <= need->leave) {
        struct progress_message *message =
            fm_exchange_post(progress->answers, worker, need->origin);
        *message = found;
    }
}

static void answer_needs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct progress *progress = context;
    const struct fm_trace *trace = progress->analysis->trace;
    for (uint32_t process = first; process < last; ++process) {
        size_t count;
        const struct need_message *needs = fm_exchange_inbox(progress->needs, process, &count);
        if (count == 0) {
            continue;
        }
        const struct fm_process *target = &trace->processes[process];
        activity_vector *calls = fm_allocate(target->location_count, sizeof *calls);
        for (uint32_t t = 0; t < target->location_count; ++t) {
            list_progressing(progress, &trace->locations[target->first_location + t], &calls[t]);
        }
        for (size_t i = 0; i < count; ++i) {
            answer(progress, worker, process, calls, &needs[i]);
        }
        for (uint32_t t = 0; t < target->location_count; ++t) {
            fm_vector_free(&calls[t]);
        }
        fm_free(calls);
    }
}

static int compare_answers(const void *a, const void *b)
{
    const struct progress_message *left = *(const struct progress_message *const *)a;
    const struct progress_message *right = *(const struct progress_message *const *)b;
    return left->enter < right->enter ? -1 : left->enter > right->enter;
}

/* @return the part of [begin, end) that none of the calls covers; they are sorted by Enter */
static uint64_t uncovered(const struct progress_message *const *calls, size_t count, uint64_t begin,
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

static fm_metric_t metric_of(const struct fm_trace *trace, struct fm_call_ref call)
{
    const struct fm_region *region =
        fm_trace_called(trace, &trace->locations[call.location], call.activity);
    return fm_own_metric(region) == FM_METRIC_MPI_RMA_SYNC_PASSIVE
               ? FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS
               : FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS;
}

/* Judges one call by the answers to its needs; `calls` has room for them. */
static void judge_call(struct progress *progress, struct fm_lock_epochs *locks,
                       struct fm_call_ref call, const struct progress_message *const *answers,
                       size_t count, const struct progress_message **calls)
{
    const struct fm_trace *trace = progress->analysis->trace;
    const struct fm_location *location = &trace->locations[call.location];
    uint64_t enter = location->enter.items[call.activity];
    const struct progress_message *last = NULL;
    size_t answered = 0;
    for (size_t i = 0; i < count; ++i) {
        if (answers[i] == NULL) {
            continue;
        }
        calls[answered++] = answers[i];
        if (answers[i]->enter > enter && (last == NULL || answers[i]->enter > last->enter ||
                                          (answers[i]->enter == last->enter &&
                                           answers[i]->call.location < last->call.location))) {
            last = answers[i];
        }
    }
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
                             .metric = (uint8_t)metric_of(trace, call),
                         })) {
        return;
    }
    fm_vector_push(&locks->progress, (struct fm_progress_wait){call, last->enter});
    fm_sort(calls, answered, sizeof *calls, compare_answers);
    fm_vector_push(&findings->parts,
                   (struct fm_part){uncovered(calls, answered, enter, last->enter), call.activity,
                                    FM_PART_PROGRESS_LOWER});
}

static void take_answers(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct progress *progress = context;
    FM_VECTOR(const struct progress_message *) answers = {0};
    FM_VECTOR(const struct progress_message *) calls = {0};
    for (uint32_t process = first; process < last; ++process) {
        struct fm_lock_epochs *locks = &progress->epochs[process].locks;
        size_t count;
        const struct progress_message *messages =
            fm_exchange_inbox(progress->answers, process, &count);
        answers.count = calls.count = 0;
        for (size_t i = 0; i < locks->needs.count; ++i) {
            fm_vector_push(&answers, NULL);
        }
        fm_vector_reserve(&calls, locks->needs.count);
        for (size_t i = 0; i < count; ++i) {
            answers.items[messages[i].need] = &messages[i];
        }
        for (size_t begin = 0; begin < locks->needs.count;) {
            struct fm_call_ref call = locks->needs.items[begin].call;
            size_t end = begin + 1;
            while (end < locks->needs.count &&
                   locks->needs.items[end].call.activity == call.activity &&
                   locks->needs.items[end].call.location == call.location) {
                ++end;
            }
            judge_call(progress, locks, call, &answers.items[begin], end - begin, calls.items);
            begin = end;
        }
    }
    fm_vector_free(&answers);
    fm_vector_free(&calls);
}

void fm_detect_wait_for_progress(struct fm_analysis *analysis, struct fm_epochs *epochs)
{
    const struct fm_trace *trace = analysis->trace;
    struct progress progress = {
        .analysis = analysis,
        .epochs = epochs,
        .progresses = fm_allocate(trace->region_count, sizeof(bool)),
        .needs = fm_exchange_create(analysis->engine, sizeof(struct need_message)),
        .answers = fm_exchange_create(analysis->engine, sizeof(struct progress_message)),
    };
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        progress.progresses[i] = fm_makes_progress(&trace->regions[i]);
    }
    fm_engine_run(analysis->engine, send_needs, &progress);
    fm_exchange_deliver(progress.needs);
    fm_engine_run(analysis->engine, answer_needs, &progress);
    fm_exchange_deliver(progress.answers);
    fm_engine_run(analysis->engine, take_answers, &progress);
    fm_exchange_free(progress.needs);
    fm_exchange_free(progress.answers);
    fm_free(progress.progresses);
}
