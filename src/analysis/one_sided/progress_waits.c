/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the passive-target calls that waited for progress: they cannot finish before the MPI
 * library on their targets has processed them [H17 pattern 6, algorithm 1]. */
#include "analysis/one_sided/progress_waits.h"

#include "analysis/dependencies/dependencies.h"
#include "base/containers/keyed_sort.h"
#include "base/containers/sort.h"

#include <stdlib.h>

struct waiting {
    struct fm_analysis *analysis;
    struct fm_progress *progress;
    struct fm_epochs *epochs;
};

static int compare_answers(const void *a, const void *b)
{
    const struct fm_progressing_call *left = *(const struct fm_progressing_call *const *)a;
    const struct fm_progressing_call *right = *(const struct fm_progressing_call *const *)b;
    return left->enter < right->enter ? -1 : left->enter > right->enter;
}

/* @return the part of [begin, end) that none of the calls covers; they are sorted by Enter */
static uint64_t uncovered(const struct fm_progressing_call *const *calls, size_t count,
                          uint64_t begin, uint64_t end)
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

/* @return the progressing call that ended the wait of a call entered at `enter`: the one that began
 * last; of simultaneous ones that of the lowest location. NULL: none began after `enter` */
static const struct fm_progressing_call *awaited(const struct fm_progressing_call *const *calls,
                                                 size_t count, uint64_t enter)
{
    const struct fm_progressing_call *last = NULL;
    for (size_t i = 0; i < count; ++i) {
        const struct fm_progressing_call *call = calls[i];
        if (call->enter > enter &&
            (last == NULL || call->enter > last->enter ||
             (call->enter == last->enter && call->call.location < last->call.location))) {
            last = call;
        }
    }
    return last;
}

/* Judges one call by the answers to its needs, which this function sorts. */
static void judge_call(const struct waiting *waiting, unsigned worker, struct fm_lock_epochs *locks,
                       struct fm_call_ref call, const struct fm_progressing_call **answers,
                       size_t count)
{
    const struct fm_trace *trace = waiting->analysis->trace;
    const struct fm_location *location = &trace->locations[call.location];
    uint64_t enter = location->enter.items[call.activity];
    for (size_t i = 0; waiting->analysis->dependencies != NULL && i < count; ++i) {
        fm_depend(waiting->analysis, worker, call, fm_awaited_enter(answers[i]->call),
                  FM_DEPENDS_ON_PROGRESS);
    }
    const struct fm_progressing_call *last = awaited(answers, count, enter);
    if (last == NULL) {
        return;
    }
    if (!fm_location_waits(location, call.activity, last->enter)) {
        return;
    }
    struct fm_progress_wait wait = {.call = call, .until = last->enter, .cause = last->call};
    fm_sort(answers, count, sizeof *answers, compare_answers);
    wait.uncovered = uncovered(answers, count, enter, last->enter);
    fm_vector_push(&locks->progress, wait);
}

/* Scratch memory of a worker, reused for each process. */
struct judging {
    FM_VECTOR(struct fm_keyed) order; /* answers by need */
    FM_VECTOR(struct fm_keyed) spare;
    FM_VECTOR(const struct fm_progressing_call *) of_call; /* answers to the needs of one call */
};

static void sort_answers(struct judging *judging, const fm_progress_answer_vector *answers)
{
    const size_t count = answers->count;
    judging->order.count = judging->spare.count = 0;
    fm_vector_reserve(&judging->order, count);
    fm_vector_reserve(&judging->spare, count);
    for (size_t i = 0; i < count; ++i) {
        judging->order.items[i] = (struct fm_keyed){answers->items[i].need, (uint32_t)i};
    }
    judging->order.count = count;
    fm_keyed_sort(judging->order.items, count, judging->spare.items);
}

static void judge_process(const struct waiting *waiting, unsigned worker, struct judging *judging,
                          uint32_t process)
{
    fm_progress_answer_vector *answers = fm_progress_answers(waiting->progress, process);
    struct fm_lock_epochs *locks = &waiting->epochs[process].locks;
    sort_answers(judging, answers);
    for (size_t begin = 0, end; begin < judging->order.count; begin = end) {
        const struct fm_call_ref call = answers->items[judging->order.items[begin].value].needing;
        judging->of_call.count = 0;
        for (end = begin; end < judging->order.count; ++end) {
            const struct fm_progress_answer *answer =
                &answers->items[judging->order.items[end].value];
            if (!fm_same_call(answer->needing, call)) {
                break;
            }
            fm_vector_push(&judging->of_call, &answer->found);
        }
        judge_call(waiting, worker, locks, call, judging->of_call.items, judging->of_call.count);
    }
    fm_vector_free(answers);
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct waiting *waiting = context;
    struct judging judging = {0};
    for (uint32_t process = first; process < last; ++process) {
        judge_process(waiting, worker, &judging, process);
    }
    fm_vector_free(&judging.order);
    fm_vector_free(&judging.spare);
    fm_vector_free(&judging.of_call);
}

void fm_progress_waits_find(struct fm_analysis *analysis, struct fm_progress *progress,
                            struct fm_epochs *epochs)
{
    fm_engine_run(analysis->engine, judge, &(struct waiting){analysis, progress, epochs});
}
