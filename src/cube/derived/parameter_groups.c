/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/derived/parameter_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS "(others)"

/** @return the value in a region's name if the region is a value of the parameter; else NULL. */
static const char *value_of(const struct fm_cube_region *region, const char *name)
{
    size_t length = strlen(name);
    return strcmp(region->paradigm, FM_CUBE_PARAMETER) == 0 &&
                   strncmp(region->name, name, length) == 0 && region->name[length] == '='
               ? region->name + length + 1
               : NULL;
}

static bool is_number(const char *text)
{
    text += *text == '-';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/** Orders numbers of any length by their digits. */
static int compare_numbers(const char *a, const char *b)
{
    bool negative = *a == '-';
    if (negative != (*b == '-'))
        return negative ? -1 : 1;
    size_t left = strlen(a), right = strlen(b);
    int order = left != right ? (left < right ? -1 : 1) : strcmp(a, b);
    return negative ? -order : order;
}

static int rank_of(const char *value)
{
    return is_number(value) ? 0 : strcmp(value, OTHERS) == 0 ? 2 : 1;
}

static int compare_values(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    int order = rank_of(a) - rank_of(b);
    if (order != 0)
        return order;
    return rank_of(a) == 0 ? compare_numbers(a, b) : strcmp(a, b);
}

static uint32_t find_value(const struct fm_parameter_groups *groups, const char *value)
{
    uint32_t i = 0;
    while (i < groups->count && strcmp(groups->values[i], value) != 0)
        i++;
    return i;
}

/** Collects the different values, sorted. @return false without memory */
static bool collect(const struct fm_cube *cube, const char *name,
                    struct fm_parameter_groups *groups)
{
    for (uint32_t i = 0; i < cube->region_count; i++) {
        const char *value = value_of(&cube->regions[i], name);
        if (value == NULL || find_value(groups, value) < groups->count)
            continue;
        groups->values[groups->count] = strdup(value);
        if (groups->values[groups->count++] == NULL)
            return false;
    }
    qsort(groups->values, groups->count, sizeof *groups->values, compare_values);
    return true;
}

static void assign(const struct fm_cube *cube, const char *name, struct fm_parameter_groups *groups)
{
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        uint32_t parent = cube->callpaths[i].parent;
        const char *value = value_of(&cube->regions[cube->callpaths[i].region], name);
        groups->of[i] = value != NULL            ? find_value(groups, value)
                        : parent == FM_CUBE_NONE ? groups->count
                                                 : groups->of[parent];
    }
}

/** Names the parameters of the report, in the order of their first values. */
static fm_status_t refuse(const struct fm_cube *cube, const char *name, struct fm_error *error)
{
    char list[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < cube->region_count; i++) {
        const struct fm_cube_region *region = &cube->regions[i];
        int length = (int)strcspn(region->name, "=");
        bool is_new = strcmp(region->paradigm, FM_CUBE_PARAMETER) == 0 && length < 100;
        for (uint32_t j = 0; j < i && is_new; j++) {
            is_new = strcmp(cube->regions[j].paradigm, FM_CUBE_PARAMETER) != 0 ||
                     strncmp(cube->regions[j].name, region->name, (size_t)length + 1) != 0;
        }
        if (is_new && used + (size_t)length + 3 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s",
                                     used == 0 ? "" : ", ", length, region->name);
    }
    return used == 0 ? fm_fail(error, FM_ERR_USAGE,
                               "there is no parameter '%s': the program sets none that is in the "
                               "report (FERMATA_PARAMETER_INT and others)",
                               name)
                     : fm_fail(error, FM_ERR_USAGE, "there is no parameter '%s'; there are: %s",
                               name, list);
}

fm_status_t fm_parameter_groups_make(const struct fm_cube *cube, const char *name,
                                     struct fm_parameter_groups *groups, struct fm_error *error)
{
    struct fm_parameter_groups made = {0, calloc(cube->region_count + (size_t)1, sizeof(char *)),
                                       calloc(cube->callpath_count + (size_t)1, sizeof(uint32_t))};
    bool enough = made.values != NULL && made.of != NULL && collect(cube, name, &made);
    fm_status_t status = !enough ? fm_fail(error, FM_ERR_SYSTEM, "out of memory for parameters")
                         : made.count == 0 ? refuse(cube, name, error)
                                           : FM_OK;
    if (status == FM_OK) {
        assign(cube, name, &made);
        *groups = made;
    } else {
        fm_parameter_groups_free(&made);
    }
    return status;
}

void fm_parameter_groups_free(struct fm_parameter_groups *groups)
{
    for (uint32_t i = 0; groups->values != NULL && i < groups->count; i++)
        free(groups->values[i]);
    free(groups->values);
    free(groups->of);
    *groups = (struct fm_parameter_groups){0};
}

void fm_parameter_groups_sum(const struct fm_parameter_groups *groups, const struct fm_view *view,
                             int64_t *sums)
{
    const struct fm_cube *cube = view->cube;
    bool waiting = view->selection.metric == FM_METRIC_NONE;
    memset(sums, 0, (groups->count + (size_t)1) * sizeof *sums);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        fm_metric_t metric = (fm_metric_t)cell->metric;
        if (!fm_view_contains(view, cell) ||
            (waiting && !(fm_metric_info(metric)->is_wait_state &&
                          fm_metric_is_within(metric, FM_METRIC_TIME))))
            continue;
        int64_t *sum = &sums[groups->of[cell->callpath]];
        if (__builtin_add_overflow(*sum, cell->value, sum))
            *sum = INT64_MAX; /* of an invalid file */
    }
}
