/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/severities.h"

#include "base/memory.h"

#define NEGATIVE 128

/** Rounds a number to `bits` binary digits, to the nearest. @return the mantissa */
static uint64_t reduce(uint64_t value, unsigned bits, unsigned *exponent)
{
    unsigned length = value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
    *exponent = length > bits ? length - bits : 0;
    return *exponent == 0 ? value
                          : (value >> *exponent) + ((value >> (*exponent - 1)) & 1); /* half up */
}

static void add_cells(struct fm_bundle *bundle, const struct fm_cube *cube, unsigned bits)
{
    uint64_t *mantissa = fm_allocate(cube->cell_count, sizeof *mantissa);
    uint64_t *exponent = fm_allocate(cube->cell_count, sizeof *exponent);
    uint64_t *location = fm_allocate(cube->cell_count, sizeof *location);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        bool is_time = fm_unit_is_time(fm_metric_info((fm_metric_t)cell->metric)->unit);
        uint64_t size = cell->value < 0 ? -(uint64_t)cell->value : (uint64_t)cell->value;
        unsigned shift;
        mantissa[i] = reduce(size, is_time ? bits : FM_SEVERITIES_EXACT, &shift);
        exponent[i] = shift | (cell->value < 0 ? NEGATIVE : 0);
        location[i] = cell->location;
    }
    fm_bundle_add(bundle, "cell_location", location, cube->cell_count, true);
    fm_bundle_add(bundle, "cell_mantissa", mantissa, cube->cell_count, false);
    fm_bundle_add(bundle, "cell_exponent", exponent, cube->cell_count, false);
    fm_free(mantissa);
    fm_free(exponent);
    fm_free(location);
}

/** @return whether cell `i` begins a row. */
static bool begins_row(const struct fm_cube *cube, size_t i)
{
    return i == 0 || cube->cells[i].metric != cube->cells[i - 1].metric ||
           cube->cells[i].callpath != cube->cells[i - 1].callpath;
}

void fm_severities_add(struct fm_bundle *bundle, const struct fm_cube *cube, unsigned bits)
{
    size_t rows = 0;
    for (size_t i = 0; i < cube->cell_count; i++)
        rows += begins_row(cube, i);
    uint64_t *metric = fm_allocate(rows, sizeof *metric);
    uint64_t *callpath = fm_allocate(rows, sizeof *callpath);
    uint64_t *count = fm_allocate(rows, sizeof *count);
    uint64_t *sum = fm_allocate(rows, sizeof *sum);
    size_t row = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        row += begins_row(cube, i);
        metric[row - 1] = cube->cells[i].metric;
        callpath[row - 1] = cube->cells[i].callpath;
        count[row - 1]++;
        sum[row - 1] += (uint64_t)cube->cells[i].value;
    }
    fm_bundle_add(bundle, "row_metric", metric, rows, true);
    fm_bundle_add(bundle, "row_callpath", callpath, rows, true);
    fm_bundle_add(bundle, "row_count", count, rows, false);
    if (bits != FM_SEVERITIES_EXACT)
        fm_bundle_add(bundle, "row_sum", sum, rows, false);
    fm_free(metric);
    fm_free(callpath);
    fm_free(count);
    fm_free(sum);
    add_cells(bundle, cube, bits);
}
