/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/evidence_parts.h"

#include "base/containers/search.h"
#include "base/containers/sort.h"

/* ---- kinds ---- */

const struct fm_progress_kind *fm_evidence_kind_of(const struct fm_evidence *evidence, uint64_t key)
{
    const struct fm_progress_kind *kinds = evidence->kinds.items;
    return &kinds[fm_count_below(&kinds->key, evidence->kinds.count, sizeof *kinds, key)];
}

const struct fm_progress_kind *fm_evidence_kind(const struct fm_evidence *evidence,
                                                uint32_t process, uint32_t call)
{
    const struct fm_process_needs *needs = &evidence->progress->of_process[process];
    const uint32_t kind = needs->calls.items[call].kind;
    return fm_partner_count(needs, call) == 0
               ? NULL
               : &evidence->kinds.items[needs->kinds.items[kind].number];
}

bool fm_evidence_any_waits(const struct fm_evidence *evidence)
{
    for (size_t i = 0; i < evidence->kinds.count; ++i) {
        if (evidence->kinds.items[i].waits) {
            return true;
        }
    }
    return false;
}

bool fm_evidence_window_waits(const struct fm_evidence *evidence, uint32_t window)
{
    for (size_t i = 0; evidence != NULL && i < evidence->kinds.count; ++i) {
        if (evidence->kinds.items[i].waits &&
            fm_need_key_window(evidence->kinds.items[i].key) == window) {
            return true;
        }
    }
    return false;
}

void fm_evidence_free(struct fm_evidence *evidence)
{
    if (evidence != NULL) {
        fm_vector_free(&evidence->kinds);
        fm_free(evidence);
    }
}

/* ---- one call ---- */

/* A call with what its partners do when the need begins. */
struct judged {
    uint64_t enter, leave;
    bool is_open; /* the call was never left */
    const struct fm_need_trial *trial;
    const struct fm_process_needs *needs;
    const struct fm_partner *partners;
    const struct fm_partner_state *states;
    uint32_t count;
};

/* @return when the need of a partner begins */
static uint64_t begin_of(const struct judged *judged, uint32_t partner)
{
    return fm_need_begin(judged->needs, &judged->partners[partner], judged->trial, judged->enter);
}

/* @return whether a call is an activity that can be judged: it contains no other call */
static bool describe(const struct fm_progress *progress, uint32_t process,
                     const struct fm_need_trial *trial, struct judged *judged)
{
    const struct fm_process_needs *needs = &progress->of_process[process];
    const struct fm_needing_call *needing = &needs->calls.items[trial->call];
    const uint32_t activity = needing->call.activity;
    const struct fm_location *location =
        &progress->analysis->trace->locations[needing->call.location];
    *judged = (struct judged){
        .enter = fm_trace_begin(location, activity),
        .leave = location->leave.items[activity],
        .is_open = fm_trace_is_open(location, activity),
        .trial = trial,
        .needs = needs,
        .partners = needs->partners.items + needing->first_partner,
        .states = needs->states.items + trial->first_state,
        .count = fm_partner_count(needs, trial->call),
    };
    return location->nested.count == 0 || fm_location_own_time(location, activity) ==
                                              judged->leave - location->enter.items[activity];
}

/* @return whether a partner is outside of all progressing calls when the need begins */
static bool is_outside(const struct judged *judged, uint32_t partner)
{
    const struct fm_partner_state *state = &judged->states[partner];
    return !state->is_unknown && fm_partner_is_outside(state, begin_of(judged, partner));
}

/* @return whether a call contains the call of a state */
static bool contains(const struct judged *judged, uint32_t partner)
{
    return judged->states[partner].enter <= judged->leave;
}

/* @return 0: a partner is no piece; else it is one that counts if u is below. A call that was never
 * left is held by a partner without a next call. */
static uint64_t counts_below(const struct judged *judged, uint32_t partner)
{
    const struct fm_partner_state *state = &judged->states[partner];
    if (!is_outside(judged, partner)) {
        return 0;
    }
    return state->call.activity == FM_NONE ? UINT64_MAX : state->enter - begin_of(judged, partner);
}

/* @return u below which a partner is a piece that has passed; 0: it has not, whatever u is */
static uint64_t passes_below(const struct judged *judged, uint32_t partner)
{
    const uint64_t below = counts_below(judged, partner);
    if (below == 0 || contains(judged, partner) || judged->is_open) {
        return 0;
    }
    const uint64_t begin = begin_of(judged, partner);
    const uint64_t lasts = judged->leave - begin;
    return begin == judged->enter || lasts > below ? below : lasts;
}

/* @return u below which a partner is a piece that was held; 0: it was not, whatever u is */
static uint64_t held_below(const struct judged *judged, uint32_t partner)
{
    const bool may_hold = contains(judged, partner) ||
                          (judged->is_open && judged->states[partner].call.activity == FM_NONE);
    return may_hold ? counts_below(judged, partner) : 0;
}

/* @return whether some partner of a call passes */
static bool has_passed(const struct judged *judged, uint64_t usual)
{
    for (uint32_t i = 0; i < judged->count; ++i) {
        if (usual < passes_below(judged, i)) {
            return true;
        }
    }
    return false;
}

/* @return whether the calls of a kind are sends or receives that no earlier call has begun: those
 * whose partner is inside a call are no needs (analysis/p2p/message_needs.c) */
static bool are_plain_messages(uint64_t key)
{
    const struct fm_needed why = fm_need_of_key(key);
    return !why.is_later && (why.what == FM_NEEDS_FOR_SEND || why.what == FM_NEEDS_FOR_RECEIVE);
}

/* @return the time for which a call lasts while all of its partners make progress: from the last of
 * their next calls, or of the begins of the needs of those that are inside calls then; UINT64_MAX:
 * a partner's next call is not contained, or none counts */
static uint64_t time_with_progress(const struct judged *judged, uint64_t key)
{
    uint64_t last = 0;
    bool any_outside = false, any_inside = false;
    for (uint32_t i = 0; i < judged->count; ++i) {
        const struct fm_partner_state *state = &judged->states[i];
        if (state->is_unknown) {
            continue;
        }
        const bool outside = is_outside(judged, i);
        if (outside && !contains(judged, i)) {
            return UINT64_MAX;
        }
        const uint64_t since = outside ? state->enter : begin_of(judged, i);
        last = since > last ? since : last;
        any_outside |= outside;
        any_inside |= !outside;
    }
    const bool is_known = any_outside || (any_inside && !are_plain_messages(key));
    return is_known && !judged->is_open ? judged->leave - last : UINT64_MAX;
}

static int compare_enters(const void *a, const void *b)
{
    const struct fm_partner_state *left = a, *right = b;
    return left->enter < right->enter ? -1 : left->enter > right->enter;
}

/* @return the part of [begin, end) that none of the first calls of the partners covers */
static uint64_t uncovered(const struct judged *judged, uint64_t begin, uint64_t end)
{
    FM_VECTOR(struct fm_partner_state) first = {0};
    for (uint32_t i = 0; i < judged->count; ++i) {
        if (!judged->states[i].is_unknown && contains(judged, i)) {
            fm_vector_push(&first, judged->states[i]);
        }
    }
    fm_sort(first.items, first.count, sizeof *first.items, compare_enters);
    uint64_t free_time = 0, covered_until = begin;
    for (size_t i = 0; i < first.count; ++i) {
        const uint64_t from = first.items[i].enter < end ? first.items[i].enter : end;
        free_time += from > covered_until ? from - covered_until : 0;
        covered_until = first.items[i].leave > covered_until ? first.items[i].leave : covered_until;
    }
    fm_vector_free(&first);
    return free_time + (end > covered_until ? end - covered_until : 0);
}

static bool is_before(struct fm_call_ref a, struct fm_call_ref b)
{
    return a.location != b.location ? a.location < b.location : a.activity < b.activity;
}

bool fm_evidence_judge(const struct fm_evidence *evidence, uint32_t process,
                       const struct fm_need_trial *trial, struct fm_progress_wait *wait)
{
    const struct fm_process_needs *needs = &evidence->progress->of_process[process];
    const struct fm_needing_call *needing = &needs->calls.items[trial->call];
    const struct fm_progress_kind *kind = fm_evidence_kind(evidence, process, trial->call);
    struct judged judged;
    if (kind == NULL || !kind->waits || !describe(evidence->progress, process, trial, &judged)) {
        return false;
    }
    const uint64_t usual = evidence->is_stated ? 0 : kind->usual;
    if (!evidence->is_stated && has_passed(&judged, usual)) {
        return false;
    }
    uint32_t last = FM_NONE;
    for (uint32_t i = 0; i < judged.count; ++i) {
        const struct fm_partner_state *state = &judged.states[i];
        if (usual < held_below(&judged, i) && contains(&judged, i) &&
            (last == FM_NONE || state->enter > judged.states[last].enter ||
             (state->enter == judged.states[last].enter &&
              is_before(state->call, judged.states[last].call)))) {
            last = i;
        }
    }
    if (last == FM_NONE) {
        return false;
    }
    const uint64_t until = judged.states[last].enter;
    const uint64_t of_partner = fm_need_event(needs, &judged.partners[last]);
    const uint64_t event = of_partner > trial->since ? of_partner : trial->since;
    if (event > judged.enter && until - event < event - judged.enter) {
        return false; /* the other event decides */
    }
    const uint64_t begin = begin_of(&judged, last);
    *wait = (struct fm_progress_wait){
        .call = needing->call,
        .cause = judged.states[last].call,
        .until = until,
        .begin = begin,
        .uncovered = uncovered(&judged, begin, until),
    };
    return true;
}

/* ---- the evidence ---- */

/* The calls are weighed in so many parts. */
#define SLICES 16

struct need_weighing {
    struct fm_progress *progress;
    fm_needed_since_t *since;
    struct fm_evidence *evidence;
    struct fm_evidence_part *parts; /* by worker */
    uint32_t slice;
};

/* Adds the pieces of a call: those of all partners that have passed, or else one that was held. */
static void add_pieces(struct fm_kind_part *kind, const struct judged *judged)
{
    struct fm_evidence_piece held = {0, 0};
    for (uint32_t i = 0; i < judged->count; ++i) {
        const uint64_t passed = passes_below(judged, i), below = held_below(judged, i);
        if (passed != 0) {
            fm_vector_push(&kind->passed, (struct fm_evidence_piece){0, passed});
        }
        held.from = passed > held.from ? passed : held.from;
        held.below = below > held.below ? below : held.below;
    }
    if (held.from < held.below) {
        fm_vector_push(&kind->held, held);
    }
}

static void weigh_trial(const struct fm_progress *progress, uint32_t process,
                        const struct fm_need_trial *trial, struct fm_evidence_part *part)
{
    const struct fm_process_needs *needs = &progress->of_process[process];
    struct fm_need_kind *of_call = &needs->kinds.items[needs->calls.items[trial->call].kind];
    struct judged judged;
    if (of_call->number == FM_NONE) {
        of_call->number = fm_evidence_part_kind(part, of_call->key);
    }
    if (!describe(progress, process, trial, &judged)) {
        return;
    }
    struct fm_kind_part *kind = &part->kinds.items[of_call->number];
    const uint64_t ticks = time_with_progress(&judged, kind->key);
    if (ticks != UINT64_MAX) {
        fm_vector_push(&kind->times, ticks);
    }
    add_pieces(kind, &judged);
}

/* Weighs the trials of a process, whose partners have answered, and adds those of the next slice of
 * its calls. */
static void next_slice(const struct need_weighing *weighing, unsigned worker, uint32_t process)
{
    const struct fm_progress *progress = weighing->progress;
    struct fm_process_needs *needs = &progress->of_process[process];
    for (size_t i = 0; i < needs->trials.count; ++i) {
        weigh_trial(progress, process, &needs->trials.items[i], &weighing->parts[worker]);
    }
    fm_progress_forget_trials(needs);
    if (weighing->slice == SLICES) {
        fm_vector_free(&needs->trials);
        fm_vector_free(&needs->states);
        return;
    }
    const uint64_t calls = needs->calls.count;
    const uint32_t end = (uint32_t)(calls * (weighing->slice + 1) / SLICES);
    for (uint32_t i = (uint32_t)(calls * weighing->slice / SLICES); i < end; ++i) {
        if (fm_partner_count(needs, i) != 0) {
            const struct fm_call_ref call = needs->calls.items[i].call;
            fm_progress_try(
                needs, i,
                weighing->since == NULL ? 0 : weighing->since(progress->analysis, process, call));
        }
    }
}

static void next_slices(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    for (uint32_t process = first; process < last; ++process) {
        next_slice(context, worker, process);
    }
}

/* Replaces the numbers of kinds by those of the evidence. */
static void number_kinds(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct need_weighing *weighing = context;
    for (uint32_t process = first; process < last; ++process) {
        struct fm_process_needs *needs = &weighing->progress->of_process[process];
        for (size_t k = 0; k < needs->kinds.count; ++k) {
            struct fm_need_kind *kind = &needs->kinds.items[k];
            if (kind->number != FM_NONE) {
                kind->number = (uint32_t)(fm_evidence_kind_of(weighing->evidence, kind->key) -
                                          weighing->evidence->kinds.items);
            }
        }
    }
}

struct fm_evidence *fm_evidence_weigh(struct fm_progress *progress, fm_needed_since_t *since,
                                      bool is_stated)
{
    const struct fm_analysis *analysis = progress->analysis;
    struct fm_evidence *evidence = fm_allocate(1, sizeof *evidence);
    *evidence = (struct fm_evidence){.progress = progress, .is_stated = is_stated};
    struct need_weighing weighing = {
        .progress = progress,
        .since = since,
        .evidence = evidence,
        .parts = fm_evidence_parts_create(analysis->engine),
    };
    progress->reports_unknown = true;
    for (weighing.slice = 0; weighing.slice < SLICES; ++weighing.slice) {
        fm_engine_run(analysis->engine, next_slices, &weighing);
        fm_progress_ask(progress);
    }
    fm_engine_run(analysis->engine, next_slices, &weighing);
    progress->reports_unknown = false;
    fm_evidence_sum_up(evidence, analysis, weighing.parts);
    fm_engine_run(analysis->engine, number_kinds, &weighing);
    return evidence;
}
