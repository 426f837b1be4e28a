/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls cannot end before the library on their targets has processed them, where the
 * evidence says so [H17 pattern 6, algorithm 1]. The need begins where the contention of the call
 * ends; the contention depends on when the owners before could pass on the lock, and so on their
 * waits for progress. A call waits for a lock until a time that does not depend on these (or it
 * does not wait): each call is tried with each of these times beforehand, so that the epochs of a
 * lock can be judged one after the other without asking the targets again. */
#include "analysis/one_sided/progress_waits.h"

#include "base/containers/sort.h"

/* By call, then time. */
static int compare_notes(const void *a, const void *b)
{
    const struct fm_contention_note *left = a, *right = b;
    const int order = fm_compare_calls(left->call, right->call);
    return order != 0 ? order : left->t < right->t ? -1 : left->t > right->t;
}

void fm_progress_waits_sort(struct fm_lock_epochs *locks)
{
    fm_sort(locks->contentions.items, locks->contentions.count, sizeof *locks->contentions.items,
            compare_notes);
}

/* @return the first of the sorted notes of a call, or where it would stand */
static size_t first_note(const struct fm_lock_epochs *locks, struct fm_call_ref call)
{
    const struct fm_contention_note *notes = locks->contentions.items;
    const size_t count = locks->contentions.count;
    return count == 0 ? 0 : fm_count_calls_before(&notes->call, count, sizeof *notes, call);
}

static bool is_note_of(const struct fm_lock_epochs *locks, size_t note, struct fm_call_ref call)
{
    return note < locks->contentions.count &&
           fm_same_call(locks->contentions.items[note].call, call);
}

/* @return until when a call waits for locks; 0: it does not. A fm_needed_since_t */
static uint64_t contended_until(const struct fm_analysis *analysis, uint32_t process,
                                struct fm_call_ref call)
{
    const struct fm_lock_epochs *locks = &analysis->epochs[process].locks;
    uint64_t until = 0;
    for (size_t i = first_note(locks, call); is_note_of(locks, i, call); ++i) {
        const struct fm_contention_note *note = &locks->contentions.items[i];
        until = note->is_chosen && note->t > until ? note->t : until;
    }
    return until;
}

/* @return the trial of a call that supposes a time: one of those of add_trials() */
static const struct fm_need_trial *find_trial(const struct fm_process_needs *needs, uint32_t call,
                                              uint64_t since)
{
    const struct fm_need_trial *trials = needs->trials.items;
    size_t low = 0, high = needs->trials.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (trials[middle].call < call ||
            (trials[middle].call == call && trials[middle].since < since)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &trials[low];
}

/* ---- trials ---- */

static void sort_contentions(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_analysis *analysis = context;
    for (uint32_t process = first; process < last; ++process) {
        fm_progress_waits_sort(&analysis->epochs[process].locks);
    }
}

/* Tries the calls of kinds that wait with each time until when they can wait for locks, and
 * without.
 */
static void add_trials(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_analysis *analysis = context;
    for (uint32_t process = first; process < last; ++process) {
        struct fm_process_needs *needs = &analysis->progress->of_process[process];
        const struct fm_lock_epochs *locks = &analysis->epochs[process].locks;
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            const struct fm_call_ref call = needs->calls.items[i].call;
            const struct fm_progress_kind *kind = fm_evidence_kind(analysis->evidence, process, i);
            if (kind == NULL || !kind->waits) {
                continue;
            }
            fm_progress_try(needs, i, 0);
            uint64_t tried = 0;
            for (size_t note = first_note(locks, call); is_note_of(locks, note, call); ++note) {
                if (locks->contentions.items[note].t != tried) {
                    tried = locks->contentions.items[note].t;
                    fm_progress_try(needs, i, tried);
                }
            }
        }
    }
}

/* ---- what the trials mean for lock epochs ---- */

static int compare_releases(const void *a, const void *b)
{
    const struct fm_release_progress *left = a, *right = b;
    return fm_compare_calls(left->call, right->call);
}

static int compare_contended(const void *a, const void *b)
{
    const struct fm_contended_progress *left = a, *right = b;
    return left->epoch != right->epoch ? (left->epoch < right->epoch ? -1 : 1)
                                       : fm_compare_calls(left->call, right->call);
}

static void judge_trials(const struct fm_analysis *analysis, uint32_t process, uint32_t needing,
                         struct fm_lock_epochs *locks)
{
    const struct fm_process_needs *needs = &analysis->progress->of_process[process];
    const struct fm_call_ref call = needs->calls.items[needing].call;
    struct fm_progress_wait wait;
    if (fm_evidence_judge(analysis->evidence, process, find_trial(needs, needing, 0), &wait)) {
        fm_vector_push(&locks->releases, (struct fm_release_progress){call, wait.until});
    }
    for (size_t i = first_note(locks, call); is_note_of(locks, i, call); ++i) {
        const struct fm_contention_note *note = &locks->contentions.items[i];
        if (fm_evidence_judge(analysis->evidence, process, find_trial(needs, needing, note->t),
                              &wait)) {
            const struct fm_contended_progress progress = {
                .call = call,
                .epoch = note->epoch,
                .cause_location = wait.cause.location,
                .until = wait.until,
            };
            fm_vector_push(&locks->contended, progress);
        }
    }
}

static void judge_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_analysis *analysis = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_process_needs *needs = &analysis->progress->of_process[process];
        struct fm_lock_epochs *locks = &analysis->epochs[process].locks;
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            const struct fm_progress_kind *kind = fm_evidence_kind(analysis->evidence, process, i);
            if (kind != NULL && kind->waits) {
                judge_trials(analysis, process, i, locks);
            }
        }
        fm_sort(locks->releases.items, locks->releases.count, sizeof *locks->releases.items,
                compare_releases);
        fm_sort(locks->contended.items, locks->contended.count, sizeof *locks->contended.items,
                compare_contended);
        locks->contentions.count = 0;
    }
}

static void forget_contentions(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_analysis *analysis = context;
    for (uint32_t process = first; process < last; ++process) {
        analysis->epochs[process].locks.contentions.count = 0;
    }
}

bool fm_progress_waits_weigh(struct fm_analysis *analysis)
{
    fm_engine_run(analysis->engine, sort_contentions, analysis);
    analysis->evidence =
        fm_evidence_weigh(analysis->progress, contended_until, analysis->progress_by_targets);
    if (!fm_evidence_any_waits(analysis->evidence)) {
        fm_engine_run(analysis->engine, forget_contentions, analysis);
        fm_progress_free(analysis->progress);
        analysis->progress = NULL;
        return false;
    }
    fm_engine_run(analysis->engine, add_trials, analysis);
    fm_progress_ask(analysis->progress);
    fm_engine_run(analysis->engine, judge_processes, analysis);
    return true;
}

/* ---- what is known in the end ---- */

const struct fm_need_trial *fm_progress_waits_trial(const struct fm_analysis *analysis,
                                                    uint32_t process, uint32_t needing)
{
    const struct fm_process_needs *needs = &analysis->progress->of_process[process];
    return find_trial(needs, needing,
                      contended_until(analysis, process, needs->calls.items[needing].call));
}
