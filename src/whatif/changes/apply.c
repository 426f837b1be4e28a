/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies changes. A change sees the computation of a location in groups: the iterations of the
 * program's phases (without phases, and for `cap`, the visits of the selected call path; if only
 * samples tell of these, or some locations have more of them than others, the parts of the run
 * between calls that all locations share). It gives
 * each group a new total. The pieces of a group share it in proportion to their lengths, rounded so
 * that their sum is the total. */
#include "whatif/changes/apply.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "whatif/changes/barriers.h"
#include "whatif/changes/call_changes.h"
#include "whatif/changes/callpath_selection.h"
#include "whatif/changes/deferral.h"
#include "whatif/changes/lock_split.h"
#include "whatif/changes/network_model.h"
#include "whatif/changes/phase_walk.h"
#include "whatif/changes/pieces.h"
#include "whatif/changes/shared_calls.h"

#include <string.h>

/* The computation of one location in one group. */
struct share {
    struct fm_phase_number iteration;
    uint32_t location;
    uint64_t before, after; /* ticks */
    uint64_t seen;          /* ticks of the pieces handled so far, before the change */
};

typedef FM_VECTOR(struct share) share_vector;

struct application {
    const struct fm_run_change *change;
    const struct fm_trace *trace;
    struct fm_edits *edits;
    struct fm_call_selection selection;
    bool by_visits;              /* groups are visits of the call path, not iterations */
    bool by_parts;               /* groups are parts of the run, not visits */
    bool is_estimated;           /* only samples tell of visits of the call path */
    bool passes_phases;          /* iterations are no groups: some locations have more of them */
    enum fm_shared_calls shared; /* that divide the run into these parts */
    bool *takes_part;            /* [location]: of parts: its time is compared, also if it is 0 */
    share_vector *shares;        /* [location] */
};

/* ---- the pieces of a location ---- */

/* A walk over the pieces that a change is about, with their groups and current lengths. */
struct walk {
    struct fm_pieces pieces;
    struct fm_phase_walk iterations;
    struct fm_shared_walk parts;
    struct fm_map share_of; /* (iteration) -> position */
    uint8_t *wanted;        /* [node of the location's call tree] */
    size_t edit;
};

static bool concerns(const struct application *application, uint32_t l)
{
    return fm_change_concerns(application->change, application->trace, l);
}

static void walk_begin(struct walk *walk, const struct application *application, uint32_t l)
{
    const struct fm_trace *trace = application->trace;
    const struct fm_location *location = &trace->locations[l];
    *walk = (struct walk){.wanted = fm_allocate(location->profile.count, 1)};
    for (size_t v = 0; v < location->profile.count; v++) {
        const struct fm_visit_profile *node = &location->profile.items[v];
        const unsigned selected =
            node->callpath == FM_NONE ? 0 : application->selection.callpaths[node->callpath];
        const bool is_within = (selected & FM_SELECTED_WITHIN) != 0 &&
                               trace->regions[node->region].call == FM_CALL_USER;
        const bool is_passed =
            (selected & FM_SELECTED_ALONE) != 0 && (selected & FM_SELECTED_ITSELF) == 0;
        walk->wanted[v] = (uint8_t)(!is_within  ? FM_PIECE_APART
                                    : is_passed ? FM_PIECE_PASSED
                                                : FM_PIECE_WANTED);
    }
    fm_pieces_begin(&walk->pieces, trace, l, walk->wanted);
    fm_phase_walk_begin(&walk->iterations, trace, l);
    fm_shared_walk_begin(&walk->parts, trace, l, application->shared);
}

static void walk_end(struct walk *walk)
{
    fm_phase_walk_free(&walk->iterations);
    fm_shared_walk_free(&walk->parts);
    fm_map_free(&walk->share_of);
    fm_free(walk->wanted);
}

/* Finds the next piece of a selected iteration. @return whether there is one */
static bool walk_next(struct walk *walk, const struct application *application,
                      struct fm_piece *piece, struct fm_phase_number *group)
{
    const fm_number_ranges *wanted = &application->change->iterations;
    while (fm_pieces_next(&walk->pieces, piece)) {
        const struct fm_phase_number iteration = fm_phase_walk_at(&walk->iterations, piece->begin);
        const struct fm_phase_number visit = {FM_NONE, piece->run};
        const bool has_phases = walk->iterations.owner != NULL;
        const bool pairs_phases = has_phases && !application->passes_phases;
        const struct fm_phase_number part = {FM_NONE,
                                             fm_shared_walk_at(&walk->parts, piece->begin)};
        *group = application->by_visits  ? visit
                 : pairs_phases          ? iteration
                 : application->by_parts ? part
                                         : visit;
        if (fm_ranges_have(wanted, has_phases ? iteration.number : visit.number)) {
            return true;
        }
    }
    return false;
}

/* @return the length of a piece after earlier changes */
static uint64_t current_length(const struct fm_edits *edits, size_t *next,
                               const struct fm_piece *piece)
{
    while (*next < edits->stretches.count && edits->stretches.items[*next].begin < piece->begin) {
        (*next)++;
    }
    return *next < edits->stretches.count && edits->stretches.items[*next].begin == piece->begin
               ? edits->stretches.items[*next].length
               : piece->end - piece->begin;
}

static struct share *share_of(struct walk *walk, share_vector *shares, uint32_t l,
                              struct fm_phase_number group)
{
    if (shares->count != 0) {
        struct share *recent = &shares->items[shares->count - 1];
        if (recent->iteration.number == group.number && recent->iteration.region == group.region) {
            return recent;
        }
    }
    const uint64_t key = (uint64_t)group.region << 40 ^ group.number;
    const uint32_t next = (uint32_t)shares->count;
    const uint32_t position = *fm_map_at(&walk->share_of, key, next);
    if (position == next) {
        fm_vector_push(shares, (struct share){.iteration = group, .location = l});
    }
    return &shares->items[position];
}

/* Adds up the computation of a location in each group. */
static void add_up(struct application *application, uint32_t l)
{
    struct walk walk;
    struct fm_piece piece;
    struct fm_phase_number group;
    walk_begin(&walk, application, l);
    while (walk_next(&walk, application, &piece, &group)) {
        const uint64_t length = current_length(&application->edits[l], &walk.edit, &piece);
        share_of(&walk, &application->shares[l], l, group)->before += length;
    }
    walk_end(&walk);
}

/* ---- new totals ---- */

static int compare_shares(const void *a, const void *b)
{
    const struct share *left = *(struct share *const *)a, *right = *(struct share *const *)b;
    if (left->iteration.region != right->iteration.region) {
        return left->iteration.region < right->iteration.region ? -1 : 1;
    }
    if (left->iteration.number != right->iteration.number) {
        return left->iteration.number < right->iteration.number ? -1 : 1;
    }
    if (left->before != right->before) {
        return left->before < right->before ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

/* Locations that are compared, but have no share: samples have not found the function there. */
struct absent {
    size_t concerned, others;
};

static struct absent find_absent(const struct application *application, struct share **shares,
                                 size_t count)
{
    struct absent absent = {0, 0};
    for (uint32_t l = 0; application->is_estimated && l < application->trace->location_count; l++) {
        absent.concerned += application->takes_part[l] && concerns(application, l);
        absent.others += application->takes_part[l] && !concerns(application, l);
    }
    for (size_t i = 0; application->is_estimated && i < count; i++) {
        const uint32_t l = shares[i]->location;
        *(concerns(application, l) ? &absent.concerned : &absent.others) -=
            application->takes_part[l];
    }
    return absent;
}

/* @return the median of the shares of the ranks that the change is not about; of all if it is about
 * all that compute here. Shares of absent locations are 0. */
static uint64_t median_of_others(const struct application *application, struct share **shares,
                                 size_t count)
{
    const struct absent absent = find_absent(application, shares, count);
    size_t others = absent.others;
    for (size_t i = 0; i < count; i++) {
        others += !concerns(application, shares[i]->location);
    }
    const bool is_of_all = others == 0;
    const size_t of = is_of_all ? count + absent.concerned : others;
    size_t seen = is_of_all ? absent.concerned : absent.others;
    uint64_t lower = 0;
    for (size_t i = 0; i < count && seen <= of / 2; i++) {
        if (!is_of_all && concerns(application, shares[i]->location)) {
            continue;
        }
        lower = seen == (of - 1) / 2 ? shares[i]->before : lower;
        if (seen++ == of / 2) {
            return lower + (shares[i]->before - lower) / 2;
        }
    }
    return lower;
}

/* One iteration: the shares of all locations that compute in it, ascending. What is recorded tells
 * where nothing is computed: there is nothing that could become longer. */
static void level_iteration(const struct application *application, struct share **shares,
                            size_t count)
{
    const bool is_even = application->change->kind == FM_CHANGE_BALANCE;
    const uint64_t median = is_even ? 0 : median_of_others(application, shares, count);
    const struct absent absent = find_absent(application, shares, count);
    unsigned __int128 sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += shares[i]->before;
    }
    for (size_t i = 0; i < count; i++) {
        shares[i]->after = is_even ? (uint64_t)(sum / (count + absent.concerned + absent.others))
                           : shares[i]->before > median ? median
                                                        : shares[i]->before;
    }
}

static void level_iterations(struct application *application)
{
    FM_VECTOR(struct share *) all = {0};
    for (uint32_t l = 0; l < application->trace->location_count; l++) {
        for (size_t s = 0; s < application->shares[l].count; s++) {
            struct share *share = &application->shares[l].items[s];
            if (share->before != 0) {
                fm_vector_push(&all, share);
            }
        }
    }
    fm_sort(all.items, all.count, sizeof *all.items, compare_shares);
    for (size_t begin = 0; begin < all.count;) {
        size_t end = begin + 1;
        while (end < all.count &&
               all.items[end]->iteration.region == all.items[begin]->iteration.region &&
               all.items[end]->iteration.number == all.items[begin]->iteration.number) {
            end++;
        }
        level_iteration(application, &all.items[begin], end - begin);
        begin = end;
    }
    fm_vector_free(&all);
}

static void scale_or_cap(struct application *application)
{
    const struct fm_run_change *change = application->change;
    const uint64_t cap =
        fm_scaled(application->trace->ticks_per_second, change->numerator, change->denominator);
    for (uint32_t l = 0; l < application->trace->location_count; l++) {
        for (size_t s = 0; s < application->shares[l].count; s++) {
            struct share *share = &application->shares[l].items[s];
            share->after = change->kind == FM_CHANGE_SCALE
                               ? fm_scaled(share->before, change->numerator, change->denominator)
                           : share->before > cap ? cap
                                                 : share->before;
        }
    }
}

/* ---- edits ---- */

/* Merges the pieces with their new lengths into the edits of a location. */
static void edit_location(struct application *application, uint32_t l)
{
    struct walk walk;
    struct fm_piece piece;
    struct fm_phase_number group;
    struct fm_edits *edits = &application->edits[l];
    struct fm_edits merged = {0};
    size_t kept = 0;
    walk_begin(&walk, application, l);
    for (uint32_t s = 0; s < application->shares[l].count; s++) {
        const struct fm_phase_number *of = &application->shares[l].items[s].iteration;
        fm_map_at(&walk.share_of, (uint64_t)of->region << 40 ^ of->number, s);
    }
    while (walk_next(&walk, application, &piece, &group)) {
        const uint64_t length = current_length(edits, &walk.edit, &piece);
        struct share *share = share_of(&walk, &application->shares[l], l, group);
        const uint64_t divisor = share->before == 0 ? 1 : share->before;
        const uint64_t until_here = fm_scaled(share->seen, share->after, divisor);
        share->seen += length;
        while (kept < edits->stretches.count && edits->stretches.items[kept].begin < piece.begin) {
            fm_vector_push(&merged.stretches, edits->stretches.items[kept++]);
        }
        kept += kept < edits->stretches.count && edits->stretches.items[kept].begin == piece.begin;
        fm_vector_push(
            &merged.stretches,
            (struct fm_stretch_edit){piece.begin, piece.end,
                                     fm_scaled(share->seen, share->after, divisor) - until_here});
    }
    while (kept < edits->stretches.count) {
        fm_vector_push(&merged.stretches, edits->stretches.items[kept++]);
    }
    fm_vector_free(&edits->stretches);
    edits->stretches = merged.stretches;
    walk_end(&walk);
}

/* ---- remaining time of calls ---- */

static struct fm_remaining_edit combined(const struct fm_remaining_edit *earlier,
                                         const struct fm_run_change *change)
{
    unsigned __int128 numerator = (unsigned __int128)earlier->numerator * change->numerator;
    unsigned __int128 denominator = (unsigned __int128)earlier->denominator * change->denominator;
    while (numerator > INT64_MAX || denominator > INT64_MAX) {
        numerator /= 10;
        denominator /= 10;
    }
    return (struct fm_remaining_edit){earlier->activity, (uint64_t)numerator,
                                      denominator == 0 ? 1 : (uint64_t)denominator};
}

/* Scales the remaining time of the calls that the change names themselves. @return their number */
static uint64_t scale_calls(struct application *application, uint32_t l)
{
    const struct fm_location *location = &application->trace->locations[l];
    struct fm_edits *edits = &application->edits[l];
    struct fm_edits merged = {0};
    struct fm_phase_walk iterations = {0};
    uint64_t calls = 0, ordinal = 0;
    size_t kept = 0;
    fm_phase_walk_begin(&iterations, application->trace, l);
    for (uint32_t a = 0; a < location->enter.count; a++) {
        const struct fm_visit_profile *node = &location->profile.items[location->visit.items[a]];
        if (node->callpath == FM_NONE ||
            (application->selection.callpaths[node->callpath] & FM_SELECTED_ITSELF) == 0) {
            continue;
        }
        const uint64_t number =
            iterations.owner == NULL
                ? ordinal++
                : fm_phase_walk_at(&iterations, location->enter.items[a]).number;
        if (!fm_ranges_have(&application->change->iterations, number)) {
            continue;
        }
        calls++;
        while (kept < edits->remaining.count && edits->remaining.items[kept].activity < a) {
            fm_vector_push(&merged.remaining, edits->remaining.items[kept++]);
        }
        struct fm_remaining_edit edit = {a, 1, 1};
        if (kept < edits->remaining.count && edits->remaining.items[kept].activity == a) {
            edit = edits->remaining.items[kept++];
        }
        fm_vector_push(&merged.remaining, combined(&edit, application->change));
    }
    while (kept < edits->remaining.count) {
        fm_vector_push(&merged.remaining, edits->remaining.items[kept++]);
    }
    fm_vector_free(&edits->remaining);
    edits->remaining = merged.remaining;
    fm_phase_walk_free(&iterations);
    return calls;
}

/* ---- a change ---- */

/* Finds out whether only samples tell of the selected call paths.
 * @return [call path]: whether it calls one of which only samples tell */
static bool *find_callers(struct application *application)
{
    const struct fm_trace *trace = application->trace;
    bool *is_caller = fm_allocate(trace->callpaths.count, sizeof *is_caller);
    for (uint32_t c = 0; c < trace->callpaths.count; c++) {
        const struct fm_callpath *node = &trace->callpaths.items[c];
        if ((application->selection.callpaths[c] & FM_SELECTED_ITSELF) != 0 &&
            node->kind == FM_CALLPATH_REGION && trace->regions[node->region].is_estimated) {
            application->is_estimated = true;
            if (node->parent != FM_NONE) {
                is_caller[node->parent] = true;
            }
        }
    }
    return is_caller;
}

/* Counts the iterations of a location by phase. @param counts  [region] */
static void count_iterations(const struct fm_trace *trace, uint32_t l, uint64_t *counts)
{
    const struct fm_location *location = &trace->locations[l];
    memset(counts, 0, trace->region_count * sizeof *counts);
    for (size_t i = 0; i < location->phases.count; i++) {
        counts[location->profile.items[location->phases.items[i].visit].region]++;
    }
}

/* @return whether some of the locations that are compared have more iterations than others: then
 * the k-th ones have nothing to do with each other */
static bool differ_in_iterations(const struct application *application)
{
    const struct fm_trace *trace = application->trace;
    uint64_t *first = fm_allocate(trace->region_count, sizeof *first);
    uint64_t *counts = fm_allocate(trace->region_count, sizeof *counts);
    bool is_first = true, differ = false;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        if (!application->takes_part[l] || trace->locations[l].phases.count == 0) {
            continue;
        }
        count_iterations(trace, l, is_first ? first : counts);
        differ |= !is_first && memcmp(first, counts, trace->region_count * sizeof *counts) != 0;
        is_first = false;
    }
    fm_free(first);
    fm_free(counts);
    return differ;
}

/* Chooses the groups: visits if they are recorded, and equally many on all locations that have
 * some; else parts of the run. Finds out which locations are compared, and which calls these share.
 */
static void choose_groups(struct application *application)
{
    const struct fm_trace *trace = application->trace;
    bool *is_caller = find_callers(application);
    uint64_t visits = 0; /* of each location before that has some */
    application->takes_part = fm_allocate(trace->location_count, sizeof *application->takes_part);
    application->by_parts = application->is_estimated;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        uint64_t own = 0;
        for (size_t v = 0; v < location->profile.count; v++) {
            const struct fm_visit_profile *node = &location->profile.items[v];
            const bool is_known = node->callpath != FM_NONE;
            const bool is_selected = is_known && (application->selection.callpaths[node->callpath] &
                                                  FM_SELECTED_ITSELF) != 0;
            own += is_selected ? node->visits : 0;
            application->takes_part[l] |= is_selected || (is_known && is_caller[node->callpath]);
        }
        application->by_parts |= own != 0 && visits != 0 && own != visits;
        visits = own != 0 ? own : visits;
    }
    application->passes_phases = differ_in_iterations(application);
    application->by_parts |= application->passes_phases;
    application->by_visits = application->change->kind == FM_CHANGE_CAP;
    application->shared = application->by_parts && !application->by_visits
                              ? fm_shared_calls_choose(trace, application->takes_part)
                              : FM_SHARED_BY_NONE;
    fm_free(is_caller);
}

static void change_computation(struct application *application, struct fm_change_effect *effect)
{
    const uint32_t locations = application->trace->location_count;
    choose_groups(application);
    application->shares = fm_allocate(locations, sizeof *application->shares);
    /* Ranks that are to take as long as the others are compared with these. */
    const bool compares = application->change->kind == FM_CHANGE_LEVEL;
    for (uint32_t l = 0; l < locations; l++) {
        if (compares || concerns(application, l)) {
            add_up(application, l);
        }
    }
    if (application->change->kind == FM_CHANGE_LEVEL ||
        application->change->kind == FM_CHANGE_BALANCE) {
        level_iterations(application);
    } else {
        scale_or_cap(application);
    }
    for (uint32_t l = 0; l < locations; l++) {
        uint64_t calls = 0;
        if (!concerns(application, l)) {
            fm_vector_free(&application->shares[l]);
            continue;
        }
        edit_location(application, l);
        calls = application->change->kind == FM_CHANGE_SCALE ? scale_calls(application, l) : 0;
        for (size_t s = 0; s < application->shares[l].count; s++) {
            effect->before += application->shares[l].items[s].before;
            effect->after += application->shares[l].items[s].after;
        }
        effect->calls += calls;
        effect->locations += application->shares[l].count != 0 || calls != 0;
        fm_vector_free(&application->shares[l]);
    }
    effect->is_of_totals =
        application->by_parts && !application->by_visits &&
        application->shared == FM_SHARED_BY_NONE &&
        (application->passes_phases || !fm_trace_has_phases(application->trace)) &&
        (application->change->kind == FM_CHANGE_LEVEL ||
         application->change->kind == FM_CHANGE_BALANCE);
    fm_free(application->takes_part);
    fm_free(application->shares);
}

/* A change of computation, of barriers or of locks: of what is called or computed in call paths. */
static fm_status_t apply_in_callpaths(struct application *application,
                                      const struct fm_detail *detail,
                                      struct fm_change_effect *effect, struct fm_error *error)
{
    const struct fm_run_change *change = application->change;
    struct fm_call_selection *selection = &application->selection;
    const bool is_of_locks =
        change->kind == FM_CHANGE_NO_LOCK || change->kind == FM_CHANGE_SPLIT_LOCK;
    if (fm_callpaths_select(detail->trace, change->where, &selection->callpaths) == 0 &&
        (!is_of_locks || fm_locks_select(detail->trace, change->where, selection) == 0)) {
        return fm_fail(error, FM_ERR_USAGE, "%.200s: the run has no function%s of this name",
                       change->text,
                       is_of_locks ? ", no call path and no lock" : " and no call path");
    }
    if (change->kind == FM_CHANGE_REMOVE) {
        fm_barriers_remove(change, detail->trace, selection->callpaths, application->edits, effect);
        return effect->calls != 0
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE, "%.200s: no barrier that blocks is called there",
                             change->text);
    }
    if (change->kind == FM_CHANGE_NO_WAIT) {
        return fm_calls_defer(change, detail, selection->callpaths, application->edits, effect,
                              error);
    }
    if (change->kind == FM_CHANGE_SPLIT_LOCK) {
        fm_locks_split(change, detail, selection, application->edits, effect);
        fm_calls_free_of_idle_progress(detail, application->edits);
        return effect->calls != 0
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE,
                             "%.200s: no lock of a window is acquired there behind another owner",
                             change->text);
    }
    if (change->kind == FM_CHANGE_NO_LOCK || change->kind == FM_CHANGE_NARROW) {
        fm_calls_free(change, detail, selection, application->edits, effect);
        if (is_of_locks) {
            fm_calls_free_of_idle_progress(detail, application->edits);
        }
        return effect->calls != 0
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE,
                             change->kind == FM_CHANGE_NARROW
                                 ? "%.200s: no fence that synchronized is called there"
                                 : "%.200s: no lock is acquired there behind another owner",
                             change->text);
    }
    change_computation(application, effect);
    return effect->locations != 0
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE,
                         change->kind == FM_CHANGE_SCALE
                             ? "%.200s: nothing is computed there, and no call is made"
                             : "%.200s: nothing is computed there",
                         change->text);
}

fm_status_t fm_change_apply(const struct fm_run_change *change, const struct fm_detail *detail,
                            struct fm_edits *edits, struct fm_change_effect *effect,
                            struct fm_error *error)
{
    struct application application = {.change = change, .trace = detail->trace, .edits = edits};
    fm_status_t status = FM_OK;
    *effect = (struct fm_change_effect){0};
    switch (change->kind) {
    case FM_CHANGE_NO_PROGRESS:
        fm_calls_free(change, detail, NULL, edits, effect);
        fm_calls_overlap(detail, edits);
        break;
    case FM_CHANGE_LATENCY:
    case FM_CHANGE_BANDWIDTH:
        status = fm_network_change(change, detail, edits, effect, error);
        break;
    case FM_CHANGE_NETWORK:
    case FM_CHANGE_INIT:
        fm_calls_shorten(change, detail, edits, effect);
        break;
    default:
        status = apply_in_callpaths(&application, detail, effect, error);
        fm_call_selection_free(&application.selection, detail->trace);
        break;
    }
    return status;
}
