/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait for Progress of collectives: a call that completes non-blocking collectives waits until the
 * processes whose data it needs, which have started them, call MPI again.
 *
 * A call that contains next calls of its partners was held by the latest of them if it ended at
 * most 4 u behind; one that contains none passed. In a kind that waits, calls wait up to the latest
 * call that they contain. */
#include "analysis/collective/collective_needs.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/locks/lock_holders.h"
#include "analysis/pattern.h"
#include "analysis/progress/found.h"

/* A call was held if it ended at most so many times u behind the call of its partner. */
#define SERVED_WITHIN 4

/* ---- the evidence ---- */

static void list_times(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct fm_weighing *weighing = context;
    for (uint32_t process = first; process < last; ++process) {
        const fm_collective_calls *calls = fm_collective_needs_calls(weighing->calls, process);
        for (size_t i = 0; i < calls->count; ++i) {
            const struct fm_collective_call *call = &calls->items[i];
            if (call->is_judged) {
                const bool is_known = call->latest != 0 && !call->is_open;
                fm_vector_push(&weighing->parts[worker].times,
                               (struct fm_usual_time){
                                   call->key, is_known ? call->leave - call->latest : UINT64_MAX});
            }
        }
    }
}

static bool contains_next_call(const struct fm_collective_call *call, uint64_t usual)
{
    return call->latest != 0 && call->latest - call->begin > usual;
}

static bool is_held(const struct fm_collective_call *call, uint64_t usual)
{
    if (call->is_open) {
        return call->farthest == UINT64_MAX;
    }
    return contains_next_call(call, usual) && call->leave - call->latest <= SERVED_WITHIN * usual;
}

static bool has_passed(const struct fm_collective_call *call, uint64_t usual)
{
    return !call->is_open && !contains_next_call(call, usual) && call->farthest != 0 &&
           call->farthest - call->begin > usual &&
           (call->begin == call->enter || call->leave - call->begin > usual);
}

static void count_pieces(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct fm_weighing *weighing = context;
    const struct fm_evidence *evidence = weighing->evidence;
    const struct fm_evidence_part *own = &weighing->parts[worker];
    for (uint32_t process = first; process < last; ++process) {
        const fm_collective_calls *calls = fm_collective_needs_calls(weighing->calls, process);
        for (size_t i = 0; i < calls->count; ++i) {
            const struct fm_collective_call *call = &calls->items[i];
            if (call->is_judged && call->begin != UINT64_MAX) {
                const struct fm_progress_kind *kind = fm_evidence_kind_of(evidence, call->key);
                own->passed[kind - evidence->kinds.items] += has_passed(call, kind->usual);
                own->held[kind - evidence->kinds.items] += is_held(call, kind->usual);
            }
        }
    }
}

/* ---- the waits ---- */

struct finding {
    const struct fm_finder *finder;
    struct fm_collective_needs *needs;
};

static bool is_of_waiting_kind(const struct fm_evidence *evidence,
                               const struct fm_collective_call *call)
{
    return call->is_judged && call->begin != UINT64_MAX &&
           fm_evidence_kind_of(evidence, call->key)->waits;
}

static bool waits(const struct fm_evidence *evidence, const struct fm_collective_call *call)
{
    if (!is_of_waiting_kind(evidence, call) ||
        !contains_next_call(call, fm_evidence_kind_of(evidence, call->key)->usual)) {
        return false;
    }
    return call->event <= call->enter || call->latest - call->event >= call->event - call->enter;
}

static void ask(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct finding *finding = context;
    const struct fm_analysis *analysis = finding->finder->analysis;
    const struct fm_evidence *evidence = analysis->collective_evidence;
    for (uint32_t process = first; process < last; ++process) {
        const fm_collective_calls *calls = fm_collective_needs_calls(finding->needs, process);
        for (uint32_t i = 0; i < calls->count; ++i) {
            const struct fm_collective_call *call = &calls->items[i];
            if (waits(evidence, call)) {
                fm_collective_needs_ask(finding->needs, worker, process, i, call->latest);
            }
            if (analysis->dependencies != NULL && is_of_waiting_kind(evidence, call)) {
                fm_collective_needs_ask_partners(finding->needs, worker, process, i);
            }
        }
    }
}

static void find(const struct finding *finding, const struct fm_finder *finder, uint32_t process,
                 uint32_t number)
{
    struct fm_analysis *analysis = finder->analysis;
    const struct fm_collective_call *call =
        &fm_collective_needs_calls(finding->needs, process)->items[number];
    const struct fm_progress_wait wait = {
        .call = call->call,
        .cause = call->serving,
        .until = call->latest,
        .begin = call->begin,
        .uncovered = fm_collective_needs_uncovered(finding->needs, process, number),
    };
    fm_found_progress(finder, &wait, FM_METRIC_MPI_COLL_WAIT_FOR_PROGRESS,
                      FM_METRIC_MPI_COLL_WAIT_FOR_PROGRESS_LOWER);
    if (call->event > call->enter && call->late.location != call->serving.location) {
        fm_lock_holders_divide(analysis->lock_holders, finder->worker,
                               &(struct fm_divided_wait){
                                   .enter = call->enter,
                                   .at = call->event,
                                   .until = call->latest,
                                   .waiter = call->call.location,
                                   .first = call->late.location,
                                   .cause = call->serving.location,
                               });
    }
}

static void find_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct finding *finding = context;
    struct fm_finder finder = *finding->finder;
    const struct fm_analysis *analysis = finder.analysis;
    finder.worker = worker;
    for (uint32_t process = first; process < last; ++process) {
        const fm_collective_calls *calls = fm_collective_needs_calls(finding->needs, process);
        for (uint32_t i = 0; i < calls->count; ++i) {
            const struct fm_call_ref *partners;
            const size_t count =
                fm_collective_needs_partners(finding->needs, process, i, &partners);
            for (size_t p = 0; p < count; ++p) {
                fm_depend(analysis, worker, calls->items[i].call, fm_awaited_enter(partners[p]),
                          FM_DEPENDS_ON_PROGRESS);
            }
            if (waits(analysis->collective_evidence, &calls->items[i])) {
                find(finding, &finder, process, i);
            }
        }
    }
}

static void detect(const struct fm_finder *finder)
{
    struct fm_analysis *analysis = finder->analysis;
    if (analysis->collective_needs == NULL) {
        return;
    }
    struct finding finding = {finder, analysis->collective_needs};
    analysis->collective_evidence = fm_allocate(1, sizeof *analysis->collective_evidence);
    fm_evidence_weigh_calls(analysis->collective_evidence, analysis, list_times, count_pieces,
                            finding.needs);
    if (fm_evidence_any_waits(analysis->collective_evidence)) {
        if (analysis->lock_holders == NULL) {
            analysis->lock_holders = fm_lock_holders_create(analysis);
        }
        fm_collective_needs_run(finding.needs, ask, &finding);
        fm_engine_run(analysis->engine, find_all, &finding);
    }
    fm_collective_needs_free(analysis->collective_needs);
    analysis->collective_needs = NULL;
}

const struct fm_pattern fm_pattern_collective_progress = {
    .name = "Wait for Progress, collectives",
    .detect = detect,
};
