/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait for Progress of collectives: a call that completes non-blocking collectives waits until the
 * processes whose data it needs, which have started them, call MPI again.
 *
 * A call that contains next calls of its partners was held by the latest of them if it ended at
 * most 4 u behind; one that contains none passed. In a kind that waits, calls wait up to the latest
 * call that they contain. */
#include "analysis/collective/progress/collective_needs.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/locks/lock_holders.h"
#include "analysis/pattern.h"
#include "analysis/progress/evidence_parts.h"
#include "analysis/progress/found.h"

/* A call was held if it ended at most so many times u behind the call of its partner. */
#define SERVED_WITHIN 4

/* ---- the evidence ---- */

/* @return 0: a call contains no next call of its partners; else it does if u is below */
static uint64_t contains_below(const struct fm_collective_call *call)
{
    return call->latest == 0 ? 0 : call->latest - call->begin;
}

/* @return for which u a call was held */
static struct fm_evidence_piece held_piece(const struct fm_collective_call *call)
{
    if (call->is_open) {
        return (struct fm_evidence_piece){0, call->farthest == UINT64_MAX ? UINT64_MAX : 0};
    }
    const uint64_t behind = call->leave - call->latest;
    return (struct fm_evidence_piece){behind / SERVED_WITHIN + (behind % SERVED_WITHIN != 0),
                                      contains_below(call)};
}

/* @return for which u a call passed */
static struct fm_evidence_piece passed_piece(const struct fm_collective_call *call)
{
    if (call->is_open || call->farthest == 0) {
        return (struct fm_evidence_piece){0, 0};
    }
    const uint64_t below = call->farthest - call->begin, lasts = call->leave - call->begin;
    return (struct fm_evidence_piece){contains_below(call),
                                      call->begin == call->enter || lasts > below ? below : lasts};
}

static void add_call(struct fm_kind_part *kind, const struct fm_collective_call *call)
{
    if (call->latest != 0 && !call->is_open) {
        fm_vector_push(&kind->times, call->leave - call->latest);
    }
    if (call->begin != UINT64_MAX) {
        const struct fm_evidence_piece held = held_piece(call), passed = passed_piece(call);
        if (held.from < held.below) {
            fm_vector_push(&kind->held, held);
        }
        if (passed.from < passed.below) {
            fm_vector_push(&kind->passed, passed);
        }
    }
}

static void weigh(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct fm_weighing *weighing = context;
    struct fm_evidence_part *part = &weighing->parts[worker];
    for (uint32_t process = first; process < last; ++process) {
        const fm_collective_calls *calls = fm_collective_needs_calls(weighing->calls, process);
        for (size_t i = 0; i < calls->count; ++i) {
            const struct fm_collective_call *call = &calls->items[i];
            if (call->is_judged) {
                const uint32_t kind = fm_evidence_part_kind(part, call->key);
                add_call(&part->kinds.items[kind], call);
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
        contains_below(call) <= fm_evidence_kind_of(evidence, call->key)->usual) {
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
    struct fm_weighing weighing = {finding.needs, fm_evidence_parts_create(analysis->engine)};
    fm_engine_run(analysis->engine, weigh, &weighing);
    fm_evidence_sum_up(analysis->collective_evidence, analysis, weighing.parts);
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
