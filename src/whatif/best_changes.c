/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/best_changes.h"

#include "analysis/dependencies/dependencies.h"
#include "base/containers/sort.h"
#include "whatif/changes/callpath_selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Call paths with less of the costs or of the critical path are not tried. */
#define LEAST_SHARE 0.02

/* Numbers of call paths that are tried at most: each costs a replay. */
#define MOST_COMPUTING 12
#define MOST_BARRIERS  8
#define MOST_LOCKS     4
#define MOST_FENCES    4

/* Of the best changes, pairs are tried. */
#define PAIRED 5

/* A call path that may be changed. */
struct candidate {
    uint32_t callpath;
    double share;
};

struct search {
    const struct fm_cube *cube;
    const struct fm_detail *detail;
    struct fm_decisions *decisions;
    unsigned workers;
    struct fm_advice *advice;
};

/* ---- trying ---- */

static uint64_t measured_run_time(const struct fm_cube *cube)
{
    return cube->experiment.end - cube->experiment.begin;
}

/* @return whether the changes make sense in this run; then *run_time is predicted */
static bool try(struct search *search, const fm_changes *changes, uint64_t *run_time)
{
    struct fm_prediction prediction;
    struct fm_error error;
    if (fm_prediction_make(search->detail, search->decisions, changes, search->workers, &prediction,
                           &error) != FM_OK) {
        return false;
    }
    *run_time = prediction.replay->end - prediction.replay->begin;
    fm_prediction_free(&prediction);
    return true;
}

/* @return whether a change has been tried: call paths of several call sites have one text */
static bool is_tried(const struct fm_advice *advice, const char *text)
{
    for (size_t i = 0; i < advice->singles.count; i++) {
        if (strcmp(advice->singles.items[i].changes.items[0].text, text) == 0) {
            return true;
        }
    }
    return false;
}

static void try_single(struct search *search, const char *text)
{
    if (is_tried(search->advice, text)) {
        return;
    }
    struct fm_tried_change tried = {.run_time = 0};
    struct fm_error error;
    if (fm_changes_add(&tried.changes, text, &error) == FM_OK &&
        try(search, &tried.changes, &tried.run_time)) {
        fm_vector_push(&search->advice->singles, tried);
    } else {
        fm_changes_free(&tried.changes);
    }
}

/* @param behind  what follows the call path in the change */
static void try_with(struct search *search, const char *kind, uint32_t callpath, const char *behind)
{
    char *where = fm_callpath_where(search->detail->trace, callpath);
    char *text = NULL;
    if (asprintf(&text, "%s=%s%s", kind, where, behind) < 0) {
        fm_memory_exhausted();
    }
    try_single(search, text);
    free(text);
    fm_free(where);
}

static void try_at(struct search *search, const char *kind, uint32_t callpath)
{
    try_with(search, kind, callpath, "");
}

/* Keeps one of two changes that are tried at `first` and behind it and save the same. */
static void forget_if_equal(struct fm_advice *advice, size_t first)
{
    if (advice->singles.count == first + 2 &&
        advice->singles.items[first].run_time == advice->singles.items[first + 1].run_time) {
        fm_changes_free(&advice->singles.items[first + 1].changes);
        advice->singles.count--;
    }
}

/* ---- candidates ---- */

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    if (left->share != right->share) {
        return left->share > right->share ? -1 : 1;
    }
    return left->callpath < right->callpath ? -1 : left->callpath > right->callpath;
}

/* Adds the share of each function of the program in the sum of a tree of metrics, where it is
 * larger. */
static void add_shares(const struct fm_cube *cube, const char *root, double *shares)
{
    double *sums = fm_allocate(cube->callpath_count, sizeof *sums);
    double all = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        const fm_metric_t of = fm_metric_root((fm_metric_t)cell->metric);
        if (strcmp(fm_metric_info(of)->id, root) == 0) {
            sums[fm_cube_function_of(cube, cell->callpath)] += (double)cell->value;
            all += (double)cell->value;
        }
    }
    for (uint32_t c = 0; all > 0 && c < cube->callpath_count; c++) {
        const double share = sums[c] / all;
        shares[c] = share > shares[c] ? share : shares[c];
    }
    fm_free(sums);
}

static bool is_candidate(const struct fm_trace *trace, const double *shares, uint32_t callpath)
{
    return shares[callpath] >= LEAST_SHARE &&
           trace->regions[trace->callpaths.items[callpath].region].call == FM_CALL_USER;
}

/* @return whether at most half of the locations execute a call path: others cannot show what it may
 * take */
static bool is_of_few(const struct fm_trace *trace, uint32_t callpath)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        bool executes = false;
        for (size_t v = 0; v < location->profile.count && !executes; v++) {
            executes = location->profile.items[v].callpath == callpath;
        }
        count += executes;
    }
    return 2 * (uint64_t)count <= trace->location_count;
}

/* A change in a call path concerns those below it, too: of a call path above a candidate only the
 * computation of its own is changed. */
static void try_computation(struct search *search)
{
    const struct fm_trace *trace = search->detail->trace;
    bool *is_above = fm_allocate(search->cube->callpath_count, sizeof *is_above);
    FM_VECTOR(struct candidate) candidates = {0};
    double *shares = fm_allocate(search->cube->callpath_count, sizeof *shares);
    add_shares(search->cube, "delay", shares);
    add_shares(search->cube, "interval_delay", shares);
    add_shares(search->cube, "critical_path", shares);
    for (uint32_t c = search->cube->callpath_count; c-- > 0;) { /* parents precede children */
        const uint32_t parent = trace->callpaths.items[c].parent;
        if (parent != FM_NONE && (is_above[c] || is_candidate(trace, shares, c))) {
            is_above[parent] = true;
        }
    }
    for (uint32_t c = 0; c < search->cube->callpath_count; c++) {
        if (is_candidate(trace, shares, c)) {
            fm_vector_push(&candidates, (struct candidate){c, shares[c]});
        }
    }
    fm_sort(candidates.items, candidates.count, sizeof *candidates.items, compare_candidates);
    for (size_t i = 0; i < candidates.count && i < MOST_COMPUTING; i++) {
        const size_t before = search->advice->singles.count;
        const uint32_t callpath = candidates.items[i].callpath;
        const bool alone = is_above[callpath];
        if (is_of_few(trace, callpath)) {
            try_with(search, "scale", callpath, alone ? "/.:0" : ":0");
        }
        try_with(search, "level", callpath, alone ? "/." : "");
        try_with(search, "balance", callpath, alone ? "/." : "");
        forget_if_equal(search->advice, search->advice->singles.count >= before + 2
                                            ? search->advice->singles.count - 2
                                            : before);
    }
    fm_vector_free(&candidates);
    fm_free(shares);
    fm_free(is_above);
}

static void try_barriers(struct search *search)
{
    const struct fm_trace *trace = search->detail->trace;
    unsigned tried = 0;
    for (uint32_t c = 0; c < trace->callpaths.count && tried < MOST_BARRIERS; c++) {
        if (trace->regions[trace->callpaths.items[c].region].call == FM_CALL_BARRIER) {
            try_at(search, "remove", c);
            tried++;
        }
    }
}

/* Fences that wait for partners only: in each call path, and all together. */
static void try_fences(struct search *search)
{
    const struct fm_trace *trace = search->detail->trace;
    unsigned tried = 0;
    const char *name = NULL;
    for (uint32_t c = 0; c < trace->callpaths.count; c++) {
        const struct fm_region *region = &trace->regions[trace->callpaths.items[c].region];
        if (region->call == FM_CALL_FENCE) {
            name = region->name;
            if (tried++ < MOST_FENCES) {
                try_at(search, "narrow", c);
            }
        }
    }
    if (tried > 1) {
        char *text = NULL;
        if (asprintf(&text, "narrow=%s", name) < 0) {
            fm_memory_exhausted();
        }
        try_single(search, text);
        free(text);
    }
}

/* Call paths whose calls acquire locks behind other owners; and whether calls need progress. */
static void try_locks_and_progress(struct search *search)
{
    const struct fm_trace *trace = search->detail->trace;
    FM_VECTOR(struct candidate) candidates = {0};
    double *counts = fm_allocate(trace->callpaths.count, sizeof *counts);
    bool needs_progress = false;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        const fm_dependency_vector *dependencies = &search->detail->dependencies->of_location[l];
        for (size_t d = 0; d < dependencies->count; d++) {
            const struct fm_dependency *dependency = &dependencies->items[d];
            const uint32_t callpath =
                location->profile.items[location->visit.items[dependency->activity]].callpath;
            const bool waited = dependency->t > fm_trace_begin(location, dependency->activity);
            needs_progress |= waited && dependency->rule == FM_DEPENDS_ON_PROGRESS;
            if (waited && callpath != FM_NONE &&
                (dependency->rule == FM_DEPENDS_ON_LOCK ||
                 dependency->rule == FM_DEPENDS_ON_THREAD_LOCK)) {
                counts[callpath] +=
                    (double)(dependency->t - fm_trace_begin(location, dependency->activity));
            }
        }
    }
    for (uint32_t c = 0; c < trace->callpaths.count; c++) {
        if (counts[c] > 0) {
            fm_vector_push(&candidates, (struct candidate){c, counts[c]});
        }
    }
    fm_sort(candidates.items, candidates.count, sizeof *candidates.items, compare_candidates);
    for (size_t i = 0; i < candidates.count && i < MOST_LOCKS; i++) {
        try_at(search, "nolock", candidates.items[i].callpath);
    }
    if (needs_progress) {
        try_single(search, "noprogress-wait");
    }
    fm_vector_free(&candidates);
    fm_free(counts);
}

/* ---- order and pairs ---- */

static int compare_tried(const void *a, const void *b)
{
    const struct fm_tried_change *left = a, *right = b;
    if (left->run_time != right->run_time) {
        return left->run_time < right->run_time ? -1 : 1;
    }
    if (left->changes.count != right->changes.count) {
        return left->changes.count < right->changes.count ? -1 : 1;
    }
    for (size_t i = 0; i < left->changes.count; i++) {
        const int order = strcmp(left->changes.items[i].text, right->changes.items[i].text);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static void try_pairs(struct search *search)
{
    const struct fm_advice *advice = search->advice;
    size_t best[PAIRED], count = 0;
    for (size_t i = 0; i < advice->singles.count && count < PAIRED; i++) {
        const struct fm_tried_change *single = &advice->singles.items[i];
        if (single->run_time < advice->measured &&
            single->changes.items[0].kind != FM_CHANGE_NETWORK) {
            best[count++] = i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            const struct fm_run_change *one = advice->singles.items[best[i]].changes.items;
            const struct fm_run_change *other = advice->singles.items[best[j]].changes.items;
            struct fm_tried_change tried = {.run_time = 0};
            struct fm_error error;
            if (strcmp(one->where, other->where) == 0) {
                continue; /* two answers to one question */
            }
            fm_changes_add(&tried.changes, one->text, &error);
            fm_changes_add(&tried.changes, other->text, &error);
            if (try(search, &tried.changes, &tried.run_time)) {
                fm_vector_push(&search->advice->pairs, tried);
            } else {
                fm_changes_free(&tried.changes);
            }
        }
    }
}

struct fm_advice fm_advice_find(const struct fm_cube *cube, const struct fm_detail *detail,
                                unsigned workers)
{
    struct fm_advice advice = {.measured = measured_run_time(cube)};
    struct search search = {cube, detail, fm_decisions_create(detail), workers, &advice};
    try_computation(&search);
    try_barriers(&search);
    try_fences(&search);
    try_locks_and_progress(&search);
    try_single(&search, "network=ideal");
    fm_sort(advice.singles.items, advice.singles.count, sizeof *advice.singles.items,
            compare_tried);
    try_pairs(&search);
    fm_sort(advice.pairs.items, advice.pairs.count, sizeof *advice.pairs.items, compare_tried);
    fm_decisions_free(search.decisions);
    return advice;
}

void fm_advice_free(struct fm_advice *advice)
{
    for (size_t i = 0; i < advice->singles.count; i++) {
        fm_changes_free(&advice->singles.items[i].changes);
    }
    for (size_t i = 0; i < advice->pairs.count; i++) {
        fm_changes_free(&advice->pairs.items[i].changes);
    }
    fm_vector_free(&advice->singles);
    fm_vector_free(&advice->pairs);
}
