/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/sweep.h"

#include "imbalance/model/composite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    fm_sweep_column_t column;
    const char *name;
} loads[] = {
    [FM_SWEEP_LOAD_COMPUTATION] = {FM_SWEEP_COMPUTATION, "Computation"},
    [FM_SWEEP_LOAD_MEASURED] = {FM_SWEEP_MEASURED, "Measured time"},
    [FM_SWEEP_LOAD_ADJUSTED] = {FM_SWEEP_ADJUSTED, "Adjusted time"},
    [FM_SWEEP_LOAD_COMPOSITE] = {FM_SWEEP_COMPOSITE, "Composite"},
};

fm_sweep_column_t fm_sweep_column_of(enum fm_sweep_load load)
{
    return loads[load].column;
}

const char *fm_sweep_load_name(enum fm_sweep_load load)
{
    return loads[load].name;
}

double fm_sweep_difference(const struct fm_sweep_row *row, enum fm_sweep_load load)
{
    return row->values[loads[load].column] - row->values[FM_SWEEP_WORK];
}

bool fm_sweep_is_nearer(const struct fm_sweep_row *row, enum fm_sweep_load left,
                        enum fm_sweep_load right)
{
    return fabs(fm_sweep_difference(row, left)) < fabs(fm_sweep_difference(row, right));
}

/* The number at the end of a name: the parameter that the runs differ in. */
static double number_at_end(const char *name)
{
    size_t length = strlen(name), begin = length;
    while (begin > 0 && strchr("0123456789.", name[begin - 1]) != NULL) {
        begin--;
    }
    char *end;
    const double number = strtod(name + begin, &end);
    return begin < length && *end == '\0' && isfinite(number) ? number : NAN;
}

static struct fm_sweep_row empty_row(const char *set, const char *problem)
{
    struct fm_sweep_row row = {.set = fm_copy_string(set), .problem = fm_copy_string(problem)};
    for (size_t i = 0; i < FM_SWEEP_COLUMN_COUNT; i++) {
        row.values[i] = NAN;
    }
    return row;
}

/* What the run shows itself. */
static void take_run(struct fm_sweep_row *row, const struct fm_gpu_run *run)
{
    static const struct {
        fm_load_t load;
        fm_sweep_column_t imbalance, correlation;
    } columns[] = {
        {FM_LOAD_WORK, FM_SWEEP_WORK, FM_SWEEP_COLUMN_COUNT},
        {FM_LOAD_COMPUTATION, FM_SWEEP_COMPUTATION, FM_SWEEP_COLUMN_COUNT},
        {FM_LOAD_MEASURED, FM_SWEEP_MEASURED, FM_SWEEP_R_MEASURED},
        {FM_LOAD_ADJUSTED, FM_SWEEP_ADJUSTED, FM_SWEEP_R_ADJUSTED},
        {FM_LOAD_COMPOSITE, FM_SWEEP_COMPOSITE, FM_SWEEP_R_COMPOSITE},
    };
    row->values[FM_SWEEP_PARAMETER] = number_at_end(run->label);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        row->values[columns[i].imbalance] = 100 * run->loads[columns[i].load].imbalance;
        if (columns[i].correlation != FM_SWEEP_COLUMN_COUNT) {
            row->values[columns[i].correlation] = run->correlation[columns[i].load];
        }
    }
    const struct fm_load_imbalance *work = &run->loads[FM_LOAD_WORK];
    row->values[FM_SWEEP_WORK_UNITS] = work->average * (double)work->count;
}

/* What a table in the run's folder says about its problem. */
static void take_description(struct fm_sweep_row *row, const struct fm_gpu_sources *sources)
{
    for (size_t f = 0; f < sources->files.count; f++) {
        const struct fm_input_file *file = sources->files.items[f];
        for (size_t i = 0; i < FM_SWEEP_COLUMN_COUNT && file->sweep.count == 1; i++) {
            const double value = file->sweep.items[0].values[i];
            const bool describes = i == FM_SWEEP_PARAMETER || isnan(row->values[i]);
            row->values[i] = describes && !isnan(value) ? value : row->values[i];
        }
    }
}

static void take_tables(struct fm_sweep *sweep, const struct fm_gpu_sources *sources)
{
    for (size_t f = 0; f < sources->files.count; f++) {
        const struct fm_input_file *file = sources->files.items[f];
        for (size_t i = 0; i < file->sweep.count; i++) {
            struct fm_sweep_row row =
                empty_row(file->sweep.items[i].set, file->sweep.items[i].problem);
            memcpy(row.values, file->sweep.items[i].values, sizeof row.values);
            fm_vector_push(&sweep->rows, row);
        }
    }
}

/* Orders by the first row of the set, else as they were: a few rows. */
static void gather_sets(struct fm_sweep *sweep)
{
    struct fm_sweep_row *rows = sweep->rows.items;
    for (size_t i = 1; i < sweep->rows.count; i++) {
        size_t place = i;
        for (size_t j = i; j-- > 0;) {
            if (strcmp(rows[j].set, rows[i].set) == 0) {
                place = j + 1;
                break;
            }
        }
        const struct fm_sweep_row moved = rows[i];
        memmove(&rows[place + 1], &rows[place], (i - place) * sizeof *rows);
        rows[place] = moved;
    }
}

static void estimate_composites(struct fm_sweep *sweep)
{
    for (size_t i = 0; i < sweep->rows.count; i++) {
        double *values = sweep->rows.items[i].values;
        if (isnan(values[FM_SWEEP_COMPOSITE]) && !isnan(values[FM_SWEEP_MEASURED]) &&
            !isnan(values[FM_SWEEP_ADJUSTED])) {
            values[FM_SWEEP_COMPOSITE] =
                100 * fm_composite_imbalance(values[FM_SWEEP_MEASURED] / 100,
                                             values[FM_SWEEP_ADJUSTED] / 100,
                                             FM_COMPOSITE_EXPONENT);
            sweep->is_composite_estimated = true;
        }
    }
}

static struct fm_sweep_set set_of(const struct fm_sweep *sweep, size_t begin)
{
    const struct fm_sweep_row *rows = sweep->rows.items;
    struct fm_sweep_set set = {.name = rows[begin].set, .begin = begin, .focus = begin};
    for (set.end = begin; set.end < sweep->rows.count && strcmp(rows[set.end].set, set.name) == 0;
         set.end++) {
        const double distance = fabs(rows[set.end].values[FM_SWEEP_WORK] - 60);
        const double best = fabs(rows[set.focus].values[FM_SWEEP_WORK] - 60);
        set.focus = distance < best || isnan(best) ? set.end : set.focus;
    }
    for (int l = 0; l < FM_SWEEP_LOADS; l++) {
        double sum = 0;
        size_t count = 0;
        set.worst[l] = NAN;
        for (size_t i = begin; i < set.end; i++) {
            const double difference = fm_sweep_difference(&rows[i], (enum fm_sweep_load)l);
            if (!isnan(difference)) {
                sum += fabs(difference);
                count++;
                set.worst[l] = isnan(set.worst[l]) || fabs(difference) > fabs(set.worst[l])
                                   ? difference
                                   : set.worst[l];
            }
        }
        set.error[l] = count > 0 ? sum / (double)count : NAN;
    }
    return set;
}

void fm_sweep_make(const struct fm_gpu_run *runs, size_t run_count,
                   const struct fm_gpu_sources *const *sources, size_t source_count,
                   struct fm_sweep *sweep)
{
    *sweep = (struct fm_sweep){.is_composite_estimated = false};
    for (size_t i = 0; i < run_count; i++) {
        struct fm_sweep_row row = empty_row(runs[i].set, runs[i].label);
        take_run(&row, &runs[i]);
        take_description(&row, sources[i]);
        fm_vector_push(&sweep->rows, row);
    }
    for (size_t i = run_count; i < source_count; i++) {
        take_tables(sweep, sources[i]);
    }
    gather_sets(sweep);
    estimate_composites(sweep);
    for (size_t begin = 0; begin < sweep->rows.count;) {
        const struct fm_sweep_set set = set_of(sweep, begin);
        fm_vector_push(&sweep->sets, set);
        begin = set.end;
    }
}

void fm_sweep_free(struct fm_sweep *sweep)
{
    for (size_t i = 0; i < sweep->rows.count; i++) {
        fm_free(sweep->rows.items[i].set);
        fm_free(sweep->rows.items[i].problem);
    }
    fm_vector_free(&sweep->rows);
    fm_vector_free(&sweep->sets);
}
