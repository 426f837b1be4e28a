/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/progress_evidence.h"

#include "base/containers/map.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"

/* ---- kinds ---- */

/* Bits of a key: what (24), later (1), epoch (2), other node (1), size class (7), window (28). */
#define WINDOW_BITS 28

uint64_t fm_progress_key(const struct fm_needed *why, bool is_far)
{
    uint64_t key = why->what;
    key = key << 1 | why->is_later;
    key = key << 2 | why->epoch;
    key = key << 1 | is_far;
    key = key << 7 | why->size_class;
    return key << WINDOW_BITS | (why->window & ((1U << WINDOW_BITS) - 1));
}

static uint64_t key_of(const struct fm_progress *progress, uint32_t process,
                       const struct fm_needing_call *needing)
{
    const struct fm_process_needs *needs = &progress->of_process[process];
    const struct fm_needed *why = &needing->why;
    bool is_far = false;
    for (uint32_t i = 0; i < needing->partner_count; ++i) {
        const uint32_t partner = needs->partners.items[needing->first_partner + i].process;
        is_far |= progress->nodes[partner] != progress->nodes[process];
    }
    return fm_progress_key(why, is_far);
}

struct fm_needed fm_progress_kind_needs(const struct fm_progress_kind *kind)
{
    const uint64_t key = kind->key >> WINDOW_BITS;
    const uint32_t window = (uint32_t)(kind->key & ((1U << WINDOW_BITS) - 1));
    return (struct fm_needed){
        .what = (uint32_t)(key >> 11),
        .window = window == (1U << WINDOW_BITS) - 1 ? FM_NONE : window,
        .size_class = (uint8_t)(key & 0x7f),
        .epoch = (uint8_t)(key >> 8 & 3),
        .is_later = (key >> 10 & 1) != 0,
    };
}

bool fm_progress_kind_is_far(const struct fm_progress_kind *kind)
{
    return (kind->key >> (WINDOW_BITS + 7) & 1) != 0;
}

const struct fm_progress_kind *fm_evidence_kind_of(const struct fm_evidence *evidence, uint64_t key)
{
    const struct fm_progress_kind *kinds = evidence->kinds.items;
    return &kinds[fm_count_below(&kinds->key, evidence->kinds.count, sizeof *kinds, key)];
}

const struct fm_progress_kind *fm_evidence_kind(const struct fm_evidence *evidence,
                                                const struct fm_needing_call *needing)
{
    const uint32_t process =
        fm_trace_process(evidence->progress->analysis->trace, needing->call.location);
    return needing->partner_count == 0
               ? NULL
               : fm_evidence_kind_of(evidence, key_of(evidence->progress, process, needing));
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
            (evidence->kinds.items[i].key & ((1U << WINDOW_BITS) - 1)) == window) {
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
    const struct fm_partner *partners;
    const struct fm_partner_state *states;
    uint32_t count;
};

/* @return when the need of a partner begins */
static uint64_t begin_of(const struct judged *judged, uint32_t partner)
{
    return fm_need_begin(&judged->partners[partner], judged->trial, judged->enter);
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
        .is_open = activity >= location->truncated_at,
        .trial = trial,
        .partners = needs->partners.items + needing->first_partner,
        .states = needs->states.items + trial->first_state,
        .count = needing->partner_count,
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

static bool counts(const struct judged *judged, uint32_t partner, uint64_t usual)
{
    const struct fm_partner_state *state = &judged->states[partner];
    return state->call.activity == FM_NONE || state->enter - begin_of(judged, partner) > usual;
}

static bool has_passed(const struct judged *judged, uint32_t partner, uint64_t usual)
{
    if (!is_outside(judged, partner) || !counts(judged, partner, usual) ||
        contains(judged, partner) || judged->is_open) {
        return false;
    }
    const uint64_t begin = begin_of(judged, partner);
    return begin == judged->enter || judged->leave - begin > usual;
}

static bool is_held(const struct judged *judged, uint32_t partner, uint64_t usual)
{
    return is_outside(judged, partner) && counts(judged, partner, usual) &&
           (contains(judged, partner) ||
            (judged->is_open && judged->states[partner].call.activity == FM_NONE));
}

static uint32_t passed_pieces(const struct judged *judged, uint64_t usual)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < judged->count; ++i) {
        passed += has_passed(judged, i, usual);
    }
    return passed;
}

/* @return the time from the last call of the partners to the end of a call; UINT64_MAX: a partner's
 * next call is not contained, or none was outside */
static uint64_t time_with_progress(const struct judged *judged)
{
    uint64_t last = 0;
    bool any = false;
    for (uint32_t i = 0; i < judged->count; ++i) {
        if (!is_outside(judged, i)) {
            continue;
        }
        if (!contains(judged, i)) {
            return UINT64_MAX;
        }
        any = true;
        last = judged->states[i].enter > last ? judged->states[i].enter : last;
    }
    return !any || judged->is_open ? UINT64_MAX : judged->leave - last;
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
    const struct fm_progress_kind *kind = fm_evidence_kind(evidence, needing);
    struct judged judged;
    if (kind == NULL || !kind->waits || !describe(evidence->progress, process, trial, &judged)) {
        return false;
    }
    const uint64_t usual = evidence->is_stated ? 0 : kind->usual;
    if (!evidence->is_stated && passed_pieces(&judged, usual) != 0) {
        return false;
    }
    uint32_t last = FM_NONE;
    for (uint32_t i = 0; i < judged.count; ++i) {
        const struct fm_partner_state *state = &judged.states[i];
        if (is_held(&judged, i, usual) && contains(&judged, i) &&
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
    const uint64_t of_partner = judged.partners[last].event;
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

static void list_times(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct fm_weighing *weighing = context;
    fm_usual_times *times = &weighing->parts[worker].times;
    const struct fm_progress *progress = weighing->calls;
    struct fm_map known = {0};
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_process_needs *needs = &progress->of_process[process];
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            const struct fm_needing_call *needing = &needs->calls.items[i];
            if (needing->partner_count == 0) {
                continue;
            }
            struct judged judged;
            const uint64_t key = key_of(progress, process, needing);
            const uint64_t ticks = describe(progress, process, &needs->trials.items[i], &judged)
                                       ? time_with_progress(&judged)
                                       : UINT64_MAX;
            uint32_t *is_new = fm_map_at(&known, key, 1);
            if (ticks != UINT64_MAX || *is_new) {
                fm_vector_push(times, (struct fm_usual_time){key, ticks});
            }
            *is_new = 0;
        }
    }
    fm_map_free(&known);
}

static int compare_times(const void *a, const void *b)
{
    const struct fm_usual_time *left = a, *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return left->ticks < right->ticks ? -1 : left->ticks > right->ticks;
}

/* Adds the kinds with the medians of their times, which stand in the order of compare_times(). */
static void add_kinds(struct fm_evidence *evidence, const fm_usual_times *times)
{
    for (size_t begin = 0, end; begin < times->count; begin = end) {
        size_t known = 0;
        for (end = begin; end < times->count && times->items[end].key == times->items[begin].key;
             ++end) {
            known += times->items[end].ticks != UINT64_MAX;
        }
        fm_vector_push(&evidence->kinds,
                       (struct fm_progress_kind){
                           .key = times->items[begin].key,
                           .usual = known == 0 ? 0 : times->items[begin + (known - 1) / 2].ticks,
                           .waits = evidence->is_stated,
                       });
    }
}

static void count_pieces(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct fm_weighing *weighing = context;
    const struct fm_progress *progress = weighing->calls;
    const struct fm_evidence *evidence = weighing->evidence;
    const struct fm_evidence_part *own = &weighing->parts[worker];
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_process_needs *needs = &progress->of_process[process];
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            struct judged judged;
            const struct fm_progress_kind *kind =
                fm_evidence_kind(evidence, &needs->calls.items[i]);
            if (kind == NULL || !describe(progress, process, &needs->trials.items[i], &judged)) {
                continue;
            }
            const size_t number = (size_t)(kind - evidence->kinds.items);
            const uint32_t passed = passed_pieces(&judged, kind->usual);
            bool held = false;
            for (uint32_t p = 0; p < judged.count && passed == 0; ++p) {
                held |= is_held(&judged, p, kind->usual);
            }
            own->passed[number] += passed;
            own->held[number] += held;
        }
    }
}

/* Sets the kinds, with u, by the values that all workers and processes have found. */
static void set_kinds(const struct fm_weighing *weighing, struct fm_team *team, unsigned workers)
{
    fm_usual_times own = {0}, all = {0};
    for (unsigned w = 0; w < workers; ++w) {
        fm_usual_times *times = &weighing->parts[w].times;
        for (size_t i = 0; i < times->count; ++i) {
            fm_vector_push(&own, times->items[i]);
        }
        fm_vector_free(times);
    }
    fm_team_share_vector(team, &own, &all);
    fm_vector_free(&own);
    fm_sort(all.items, all.count, sizeof *all.items, compare_times);
    add_kinds(weighing->evidence, &all);
    fm_vector_free(&all);
}

/* Sets whether the kinds wait, by the pieces that all workers and processes have counted. */
static void set_pieces(const struct fm_weighing *weighing, struct fm_team *team, unsigned workers)
{
    const size_t count = weighing->evidence->kinds.count;
    uint64_t *sums = fm_allocate(2 * count, sizeof *sums);
    for (unsigned w = 0; w < workers; ++w) {
        for (size_t i = 0; i < count; ++i) {
            sums[2 * i] += weighing->parts[w].passed[i];
            sums[2 * i + 1] += weighing->parts[w].held[i];
        }
        fm_free(weighing->parts[w].passed);
        fm_free(weighing->parts[w].held);
    }
    fm_team_sum(team, sums, 2 * count);
    for (size_t i = 0; i < count; ++i) {
        struct fm_progress_kind *kind = &weighing->evidence->kinds.items[i];
        kind->passed = sums[2 * i];
        kind->held = sums[2 * i + 1];
        kind->waits |= kind->held > kind->passed;
    }
    fm_free(sums);
}

void fm_evidence_weigh_calls(struct fm_evidence *evidence, const struct fm_analysis *analysis,
                             fm_stage_t *times, fm_stage_t *pieces, const void *calls)
{
    const unsigned workers = fm_engine_workers(analysis->engine);
    struct fm_weighing weighing = {
        .calls = calls,
        .evidence = evidence,
        .parts = fm_allocate_apart(workers, sizeof *weighing.parts),
    };
    fm_engine_run(analysis->engine, times, &weighing);
    set_kinds(&weighing, analysis->team, workers);
    for (unsigned w = 0; w < workers; ++w) {
        weighing.parts[w].passed = fm_allocate(evidence->kinds.count, sizeof(uint64_t));
        weighing.parts[w].held = fm_allocate(evidence->kinds.count, sizeof(uint64_t));
    }
    fm_engine_run(analysis->engine, pieces, &weighing);
    set_pieces(&weighing, analysis->team, workers);
    fm_free(weighing.parts);
}

struct fm_evidence *fm_evidence_weigh(const struct fm_progress *progress, bool is_stated)
{
    struct fm_evidence *evidence = fm_allocate(1, sizeof *evidence);
    *evidence = (struct fm_evidence){.progress = progress, .is_stated = is_stated};
    fm_evidence_weigh_calls(evidence, progress->analysis, list_times, count_pieces, progress);
    return evidence;
}
