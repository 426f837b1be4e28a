/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of profiles: their notation is that of the whole file. */
#include "base/text.h"
#include "imbalance/input/table_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fm_note_value(struct fm_reading *reading, size_t kernel, const struct fm_gpu_metric_name *name,
                   const char *text, const char *unit, unsigned long line)
{
    fm_vector_push(&reading->pending,
                   (struct fm_pending_value){
                       .kernel = kernel, .name = name, .text = text, .unit = unit, .line = line});
}

/* Finds the notation. It is that of English if nothing reveals another one. */
static fm_status_t find_notation(struct fm_reading *reading, enum fm_decimal_mark *decimal,
                                 struct fm_error *error)
{
    const struct fm_pending_value *first[3] = {NULL, NULL, NULL};
    const struct fm_pending_value *ambiguous = NULL;
    for (size_t i = 0; i < reading->pending.count; i++) {
        const struct fm_pending_value *value = &reading->pending.items[i];
        const enum fm_decimal_mark notation = fm_number_notation(value->text);
        first[notation] = first[notation] == NULL ? value : first[notation];
        if (ambiguous == NULL && fm_number_is_ambiguous(value->text)) {
            ambiguous = value;
        }
    }
    const struct fm_pending_value *point = first[FM_DECIMAL_POINT],
                                  *comma = first[FM_DECIMAL_COMMA];
    if (point != NULL && comma != NULL) {
        return fm_reading_fail(reading, comma->line, error,
                               "'%.40s' has a decimal comma, '%.40s' in line %lu a decimal point: "
                               "parts of different files",
                               comma->text, point->text, point->line);
    }
    *decimal = comma != NULL ? FM_DECIMAL_COMMA : FM_DECIMAL_POINT;
    if (ambiguous != NULL && point == NULL && comma == NULL) {
        fm_reading_warn(reading, ambiguous->line,
                        "'%.40s' is read with a decimal point; no number of the file shows whether "
                        "that is right (--decimal comma)",
                        ambiguous->text);
    }
    return FM_OK;
}

/* Converts a number in a unit to the unit of the metric. @return false: the unit is unknown */
static bool convert(const struct fm_gpu_metric_name *name, const char *unit,
                    const struct fm_number *number, double *value)
{
    double factor = 1;
    switch (fm_gpu_metric_info(name->metric)->kind) {
    case FM_GPU_FRACTION:
        factor = number->is_percent || strcmp(unit, "%") == 0 ? 1.0 / 100 : 1 / name->whole;
        break;
    case FM_GPU_SECONDS:
        factor = fm_unit_of_time(unit);
        break;
    case FM_GPU_CYCLES:
        factor = unit[0] == '\0' ? 1 : fm_unit_of(unit, "cycle");
        break;
    }
    *value = number->value * factor;
    return factor != 0;
}

static void take_instances(struct fm_kernel *kernel, const char *list, enum fm_decimal_mark decimal)
{
    FM_VECTOR(double) values = {0};
    double value;
    while (fm_number_next_instance(&list, decimal, &value)) {
        fm_vector_push(&values, value);
    }
    if (values.count > 1 && kernel->sm_cycles == NULL) {
        fm_vector_trim(&values);
        kernel->sm_cycles = values.items;
        kernel->sm_count = values.count;
    } else {
        fm_vector_free(&values);
    }
}

static fm_status_t convert_one(struct fm_reading *reading, const struct fm_pending_value *pending,
                               enum fm_decimal_mark decimal, struct fm_error *error)
{
    struct fm_kernel *kernel = &reading->file->table.kernels.items[pending->kernel];
    const struct fm_gpu_metric_name *name = pending->name;
    const struct fm_number number = fm_number_read(pending->text, decimal);
    double value;
    if (number.kind == FM_NUMBER_MISSING) {
        reading->file->table.missing++;
        fm_reading_warn(reading, pending->line, "%s of '%.60s' was not measured ('%.20s')",
                        fm_gpu_metric_info(name->metric)->name, kernel->name, pending->text);
        return FM_OK;
    }
    if (number.kind == FM_NUMBER_WRONG) {
        return fm_reading_fail(reading, pending->line, error, "'%.60s' is no number for %s",
                               pending->text, name->name);
    }
    if (!convert(name, pending->unit, &number, &value)) {
        return fm_reading_fail(reading, pending->line, error, "'%.20s' is no unit that %s can have",
                               pending->unit, name->name);
    }
    if (value < 0) {
        return fm_reading_fail(reading, pending->line, error, "%s is negative: '%.40s'", name->name,
                               pending->text);
    }
    kernel->values[name->metric] = value;
    if (name->metric == FM_GPU_SM_CYCLES && number.instances != NULL) {
        take_instances(kernel, number.instances, decimal);
    }
    return FM_OK;
}

/* Orders values by kernel and metric, worst name first, so that the best name is converted last. */
static int compare(const void *left, const void *right)
{
    const struct fm_pending_value *a = left, *b = right;
    if (a->kernel != b->kernel) {
        return a->kernel < b->kernel ? -1 : 1;
    }
    if (a->name->rank != b->name->rank) {
        return a->name->rank > b->name->rank ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

static fm_status_t refuse_twice(struct fm_reading *reading, struct fm_error *error)
{
    for (size_t i = 1; i < reading->pending.count; i++) {
        const struct fm_pending_value *a = &reading->pending.items[i - 1], *b = a + 1;
        if (a->kernel == b->kernel && a->name == b->name && strcmp(a->text, b->text) != 0) {
            return fm_reading_fail(reading, b->line, error,
                                   "%s has a second value for the same kernel; the first one is in "
                                   "line %lu",
                                   b->name->name, a->line);
        }
    }
    return FM_OK;
}

fm_status_t fm_convert_values(struct fm_reading *reading, enum fm_decimal_mark decimal,
                              struct fm_error *error)
{
    fm_status_t status = FM_OK;
    if (decimal == FM_DECIMAL_UNKNOWN) {
        status = find_notation(reading, &decimal, error);
    }
    if (status == FM_OK && reading->pending.count > 0) {
        qsort(reading->pending.items, reading->pending.count, sizeof *reading->pending.items,
              compare);
        status = refuse_twice(reading, error);
    }
    for (size_t i = 0; i < reading->pending.count && status == FM_OK; i++) {
        status = convert_one(reading, &reading->pending.items[i], decimal, error);
    }
    return status;
}
