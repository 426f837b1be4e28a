/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/comparison/comparison.h"

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "base/memory.h"
#include "cube/model/metric_id.h"
#include "cube/view/view.h"
#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/hang/hang_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Metrics of time have a row if they have 1/SMALLEST_SHARE of the time, other trees if they occur
 * at all. */
#define SMALLEST_SHARE 1000

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/** Computes the efficiencies of a variant. */
static void fill_efficiencies(struct fm_comparison *comparison, size_t variant,
                              const struct fm_cube *cube)
{
    struct fm_hybrid_efficiency hybrid = {0};
    const bool has_hybrid = cube->hang.open_ends == 0 && fm_hybrid_efficiency(cube, &hybrid);
    comparison->efficiencies[variant] = fm_efficiency_of_cube(cube, NULL).parallel;
    comparison->has_hybrids |= has_hybrid;
    fm_hybrid_rows(&hybrid, comparison->hybrids[variant]);
    for (unsigned i = 0; i < FM_HYBRID_ROWS && !has_hybrid; i++)
        comparison->hybrids[variant][i].value = NAN;
}

/** States how a run ended that ended inside of calls. */
static fm_status_t fill_end(struct fm_comparison *comparison, size_t variant,
                            const struct fm_cube *cube, struct fm_error *error)
{
    const struct fm_diagnosis_options wording = {.width = 80};
    struct fm_diagnosis diagnosis;
    struct fm_sentences sentences = {0};
    if (cube->hang.open_ends == 0) {
        return FM_OK;
    }
    const fm_status_t status = fm_diagnosis_make(&diagnosis, cube, &wording, error);
    if (status == FM_OK) {
        fm_hang_text(&diagnosis, NULL, &sentences);
        comparison->ends[variant] = fm_copy_string(sentences.items[0].text);
        fm_sentences_free(&sentences);
    }
    return status;
}

/** Computes the totals of the metrics of a variant. */
static fm_status_t fill_totals(struct fm_comparison *comparison, size_t variant,
                               struct fm_error *error)
{
    const struct fm_cube *cube = comparison->combination.cubes[variant];
    const struct fm_conversion *conversion = &comparison->combination.conversions[variant];
    struct fm_selection all = fm_selection_all();
    struct fm_view view;
    int64_t sums[FM_METRIC_COUNT];
    fm_status_t status = fm_view_prepare(&view, cube, &all, error);
    if (status != FM_OK)
        return status;
    fm_view_metrics(&view, NULL, sums);
    fm_view_release(&view);
    for (unsigned m = 0; m < fm_metric_end() && status == FM_OK; m++) {
        const struct fm_cube_cell cell = {.metric = m, .value = sums[m]};
        if (!fm_convert_cell(&cell, conversion, &comparison->totals[variant * FM_METRIC_COUNT + m]))
            status = fm_fail(error, FM_ERR_DATA, "%s: a value exceeds 64 bits",
                             comparison->names[variant]);
    }
    comparison->lengths[variant] =
        (int64_t)fm_convert_ticks(cube->experiment.end - cube->experiment.begin, conversion);
    fill_efficiencies(comparison, variant, cube);
    return status == FM_OK ? fill_end(comparison, variant, cube, error) : status;
}

/** @return the key for the property and call path of a change */
static uint64_t change_key(uint32_t metric, uint32_t callpath)
{
    return (uint64_t)callpath << 32 | metric;
}

/** Adds up the time of each call path in each property of the time tree. */
static void collect_changes(struct fm_comparison *comparison)
{
    FM_VECTOR(struct fm_change) changes = {0};
    struct fm_map index = {0};
    const struct fm_combination *combination = &comparison->combination;
    for (size_t c = 0; c < comparison->count; c++) {
        const struct fm_cube *cube = combination->cubes[c];
        for (size_t i = 0; i < cube->cell_count; i++) {
            const struct fm_cube_cell *cell = &cube->cells[i];
            fm_metric_t metric = (fm_metric_t)cell->metric;
            int64_t value;
            if (fm_metric_root(metric) != FM_METRIC_TIME ||
                !fm_convert_cell(cell, &combination->conversions[c], &value))
                continue;
            uint32_t callpath = combination->united.callpaths[c][cell->callpath];
            uint32_t at =
                *fm_map_at(&index, change_key(cell->metric, callpath), (uint32_t)changes.count);
            if (at == changes.count) {
                struct fm_change change = {.metric = metric, .callpath = callpath};
                change.values = fm_allocate(comparison->count, sizeof *change.values);
                fm_vector_push(&changes, change);
            }
            changes.items[at].values[c] += value;
        }
    }
    fm_map_free(&index);
    comparison->changes = changes.items;
    comparison->change_count = changes.count;
}

static int compare_changes(const void *left, const void *right)
{
    const struct fm_change *a = left, *b = right;
    int64_t x = magnitude(a->difference), y = magnitude(b->difference);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->callpath != b->callpath)
        return a->callpath < b->callpath ? -1 : 1;
    return (a->metric > b->metric) - (a->metric < b->metric);
}

static void sort_changes(struct fm_comparison *comparison)
{
    for (size_t i = 0; i < comparison->change_count; i++) {
        struct fm_change *change = &comparison->changes[i];
        for (size_t c = 1; c < comparison->count; c++) {
            int64_t difference = change->values[c] - change->values[0];
            if (fm_comparison_compares(comparison, c) &&
                magnitude(difference) > magnitude(change->difference))
                change->difference = difference;
        }
    }
    if (comparison->change_count > 1)
        qsort(comparison->changes, comparison->change_count, sizeof *comparison->changes,
              compare_changes);
}

/** Finds the location at which a variant deviates most from the base in this call path and
 * property. */
static void locate_change(const struct fm_comparison *comparison, struct fm_change *change,
                          int64_t *sums)
{
    const struct fm_combination *combination = &comparison->combination;
    uint32_t locations = combination->united.frame->location_count;
    int64_t others = 0;
    for (size_t c = 1; c < comparison->count; c++)
        others += fm_comparison_compares(comparison, c);
    memset(sums, 0, locations * sizeof *sums);
    for (size_t c = 0; c < comparison->count; c++) {
        const struct fm_cube *cube = combination->cubes[c];
        size_t count;
        const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, change->metric, &count);
        for (size_t i = 0; i < count; i++) {
            int64_t value;
            if (combination->united.callpaths[c][cells[i].callpath] != change->callpath ||
                !fm_comparison_compares(comparison, c) ||
                !fm_convert_cell(&cells[i], &combination->conversions[c], &value))
                continue;
            /* With several variants, the base is subtracted once for each of them. */
            sums[combination->united.locations[c][cells[i].location]] +=
                c == 0 ? -value * others : value;
        }
    }
    change->location = 0;
    for (uint32_t i = 1; i < locations; i++) {
        int64_t sign = change->difference < 0 ? -1 : 1;
        if (sums[i] * sign > sums[change->location] * sign)
            change->location = i;
    }
}

/** Number of the largest changes for which a location is determined; no output shows more. */
#define LOCATED 64

static void locate_changes(struct fm_comparison *comparison)
{
    uint32_t locations = comparison->combination.united.frame->location_count;
    int64_t *sums = fm_allocate(locations + (size_t)1, sizeof *sums);
    for (size_t i = 0; i < comparison->change_count; i++) {
        if (i < LOCATED)
            locate_change(comparison, &comparison->changes[i], sums);
        else
            comparison->changes[i].location = FM_CUBE_NONE;
    }
    fm_free(sums);
}

fm_status_t fm_comparison_make(struct fm_comparison *comparison, const struct fm_cube *const *cubes,
                               const char *const *names, size_t count, struct fm_error *error)
{
    struct fm_comparison made = {
        .names = names,
        .count = count,
        .ends = fm_allocate(count, sizeof *made.ends),
        .lengths = fm_allocate(count, sizeof *made.lengths),
        .efficiencies = fm_allocate(count, sizeof *made.efficiencies),
        .hybrids = fm_allocate(count, sizeof *made.hybrids),
        .totals = fm_allocate(count * FM_METRIC_COUNT, sizeof *made.totals),
    };
    fm_status_t status = fm_combination_begin(&made.combination, cubes, names, count, error);
    for (size_t c = 0; c < count && status == FM_OK; c++)
        status = fill_totals(&made, c, error);
    if (status != FM_OK) {
        fm_comparison_release(&made);
        return status;
    }
    collect_changes(&made);
    sort_changes(&made);
    locate_changes(&made);
    *comparison = made;
    return FM_OK;
}

void fm_comparison_release(struct fm_comparison *comparison)
{
    struct fm_cube *frame = NULL;
    if (fm_combination_end(&comparison->combination, FM_ERR_FAILED, &frame) == FM_OK)
        fm_cube_free(frame);
    for (size_t i = 0; i < comparison->change_count; i++)
        fm_free(comparison->changes[i].values);
    fm_free(comparison->changes);
    for (size_t c = 0; c < comparison->count; c++)
        fm_free(comparison->ends[c]);
    fm_free(comparison->ends);
    fm_free(comparison->lengths);
    fm_free(comparison->efficiencies);
    fm_free(comparison->hybrids);
    fm_free(comparison->totals);
    *comparison = (struct fm_comparison){0};
}

double fm_comparison_scaled(const struct fm_comparison *comparison, fm_metric_t metric,
                            int64_t value)
{
    return fm_cube_scaled(comparison->combination.united.frame, metric, value);
}

/* Whether a count is shown with the count that it is a part of. */
static bool is_shown_part(fm_metric_t metric)
{
    return metric == FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT;
}

bool fm_diff_shows(const struct fm_comparison *comparison, const struct fm_diff_options *options,
                   fm_metric_t metric)
{
    bool is_time = fm_metric_root(metric) == FM_METRIC_TIME;
    if (options->pattern != NULL && !fm_metric_matches(metric, options->pattern))
        return false;
    if (options->pattern == NULL && !is_time &&
        ((fm_metric_info(metric)->parent != FM_METRIC_NONE && !is_shown_part(metric)) ||
         fm_unit_is_time(fm_metric_info(metric)->unit)))
        return false;
    for (size_t c = 0; c < comparison->count; c++) {
        int64_t value = magnitude(fm_comparison_total(comparison, c, metric));
        int64_t whole = fm_comparison_total(comparison, c, FM_METRIC_TIME);
        if (value != 0 && (!is_time || options->pattern != NULL || value >= whole / SMALLEST_SHARE))
            return true;
    }
    return false;
}
