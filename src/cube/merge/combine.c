/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/merge/combine.h"

#include <stdio.h>
#include <stdlib.h>

bool fm_convert(int64_t value, const struct fm_conversion *conversion, unsigned shift,
                int64_t *result)
{
    __int128 product = (__int128)value * conversion->numerator;
    __int128 divisor = (__int128)conversion->denominator << shift;
    __int128 half = divisor / 2;
    __int128 quotient = (product + (product < 0 ? -half : half)) / divisor;
    *result = (int64_t)quotient;
    return quotient == *result;
}

bool fm_convert_cell(const struct fm_cube_cell *cell, const struct fm_conversion *conversion,
                     int64_t *result)
{
    fm_unit_t unit = fm_metric_info((fm_metric_t)cell->metric)->unit;
    *result = cell->value;
    return !fm_unit_is_time(unit) ||
           fm_convert(cell->value, conversion, unit == FM_UNIT_COST ? conversion->cost_shift : 0,
                      result);
}

/** Sets the finest clock of all cubes for the frame, and so few binary digits for costs that sums
 * over all cubes fit into 64 bits. */
static fm_status_t set_scale(struct fm_cube *frame, const struct fm_cube *const *cubes,
                             size_t count, struct fm_conversion *conversions,
                             struct fm_error *error)
{
    struct fm_cube_experiment *experiment = &frame->experiment;
    experiment->cost_shift = FM_CUBE_LARGEST_COST_SHIFT;
    for (size_t c = 0; c < count; c++) {
        const struct fm_cube_experiment *other = &cubes[c]->experiment;
        if (other->ticks_per_second > experiment->ticks_per_second)
            experiment->ticks_per_second = other->ticks_per_second;
        if (other->cost_shift < experiment->cost_shift)
            experiment->cost_shift = other->cost_shift;
    }
    unsigned headroom = 0;
    for (size_t c = 0; c < count; c++) {
        uint64_t rate = cubes[c]->experiment.ticks_per_second;
        if (rate == 0)
            return fm_fail(error, FM_ERR_DATA,
                           "a report has no clock resolution: analyze its archive again");
        while ((unsigned __int128)rate * ((uint64_t)1 << headroom) <
               (unsigned __int128)experiment->ticks_per_second * count)
            headroom++;
    }
    experiment->cost_shift -= headroom < experiment->cost_shift ? headroom : experiment->cost_shift;
    for (size_t c = 0; c < count; c++) {
        conversions[c] = (struct fm_conversion){
            experiment->ticks_per_second, cubes[c]->experiment.ticks_per_second,
            cubes[c]->experiment.cost_shift - experiment->cost_shift};
    }
    return FM_OK;
}

static fm_status_t describe(struct fm_cube *result, const struct fm_cube *const *cubes,
                            const char *const *names, size_t count, struct fm_error *error)
{
    const struct fm_cube_experiment *first = &cubes[0]->experiment;
    struct fm_cube_experiment *experiment = &result->experiment;
    fm_status_t status = fm_cube_set_text(&experiment->title, first->title, error);
    if (status == FM_OK)
        status = fm_cube_set_text(&experiment->command, first->command, error);
    if (status == FM_OK)
        status = fm_cube_set_text(&experiment->creator, first->creator, error);
    if (status == FM_OK)
        status = fm_cube_set_text(&experiment->machine, first->machine, error);
    for (size_t c = 0; c < count && status == FM_OK; c++) {
        for (uint32_t w = 0; w < cubes[c]->warning_count && status == FM_OK; w++)
            status = fm_cube_warn(result, error, "%s: %s", names[c], cubes[c]->warnings[w]);
    }
    return status;
}

/** Findings are those of single runs. */
static fm_status_t add_findings(struct fm_cube *result, const struct fm_cube *cube,
                                const char *name, struct fm_error *error)
{
    for (uint32_t i = 0; i < cube->finding_count; i++) {
        struct fm_cube_finding finding = cube->findings[i];
        char *statement = NULL;
        if (asprintf(&statement, "%s: %s", name, finding.statement) < 0)
            return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the findings");
        finding.statement = statement;
        fm_cube_add_finding(result, &finding);
        free(statement);
    }
    return FM_OK;
}

fm_status_t fm_combination_begin(struct fm_combination *combination,
                                 const struct fm_cube *const *cubes, const char *const *names,
                                 size_t count, struct fm_error *error)
{
    *combination = (struct fm_combination){
        .cubes = cubes,
        .count = count,
        .conversions = calloc(count, sizeof *combination->conversions),
    };
    if (combination->conversions == NULL)
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the reports");
    fm_status_t status = fm_cube_unite(cubes, count, &combination->united, error);
    if (status == FM_OK)
        status =
            set_scale(combination->united.frame, cubes, count, combination->conversions, error);
    if (status == FM_OK)
        status = describe(combination->united.frame, cubes, names, count, error);
    for (size_t c = 0; status == FM_OK && c < count; c++) {
        for (uint32_t i = 0; i < cubes[c]->switched_off_count; i++)
            fm_cube_switch_off(combination->united.frame, cubes[c]->switched_off[i]);
        status = add_findings(combination->united.frame, cubes[c], names[c], error);
    }
    return status;
}

fm_status_t fm_combination_add(struct fm_combination *combination, size_t c, const bool *metrics,
                               struct fm_error *error)
{
    const struct fm_cube *cube = combination->cubes[c];
    const struct fm_cube_union *united = &combination->united;
    fm_status_t status = FM_OK;
    united->frame->is_profile |= cube->is_profile;
    for (size_t i = 0; i < cube->cell_count && status == FM_OK; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        int64_t value;
        if (metrics != NULL && !metrics[cell->metric])
            continue;
        if (!fm_convert_cell(cell, &combination->conversions[c], &value))
            return fm_fail(error, FM_ERR_DATA, "a value exceeds 64 bits");
        status = fm_cube_add(united->frame, (fm_metric_t)cell->metric,
                             united->callpaths[c][cell->callpath],
                             united->locations[c][cell->location], value, error);
    }
    if (status == FM_OK && united->frame->topology_count == 0)
        status = fm_cube_copy_topologies(united->frame, cube, united->locations[c], error);
    return status;
}

fm_status_t fm_combination_end(struct fm_combination *combination, fm_status_t status,
                               struct fm_cube **result)
{
    if (status == FM_OK) {
        *result = combination->united.frame;
        combination->united.frame = NULL;
    }
    fm_cube_union_release(&combination->united);
    free(combination->conversions);
    return status;
}
