/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common part of operations that compute one report from several: see unite.h.
 */
#ifndef FERMATA_CUBE_MERGE_COMBINE_H
#define FERMATA_CUBE_MERGE_COMBINE_H

#include "cube/merge/unite.h"

#include <stdbool.h>

/** The conversion of the numbers of one cube to the scale of the result. */
struct fm_conversion {
    uint64_t numerator, denominator; /**< ratio of the tick rates */
    unsigned cost_shift;             /**< number of low binary digits removed from costs */
};

/** @return ticks of one cube converted to ticks of the result, rounded down. */
static inline uint64_t fm_convert_ticks(uint64_t ticks, const struct fm_conversion *conversion)
{
    return (uint64_t)((unsigned __int128)ticks * conversion->numerator / conversion->denominator);
}

/** Computes value * numerator / (denominator * 2^shift), rounded to nearest.
 * @return false on overflow */
bool fm_convert(int64_t value, const struct fm_conversion *conversion, unsigned shift,
                int64_t *result);

/** Converts a value according to the unit of its metric. @return false on overflow */
bool fm_convert_cell(const struct fm_cube_cell *cell, const struct fm_conversion *conversion,
                     int64_t *result);

/** A combination of reports in progress. */
struct fm_combination {
    const struct fm_cube *const *cubes;
    size_t count;
    struct fm_cube_union united; /**< its frame becomes the result */
    struct fm_conversion *conversions;
};

/** Determines dimensions and scale and describes the result. fm_combination_end() must be called in
 * any case. Parameters as for fm_cube_mean(). */
fm_status_t fm_combination_begin(struct fm_combination *combination,
                                 const struct fm_cube *const *cubes, const char *const *names,
                                 size_t count, struct fm_error *error);

/** Adds the values of cube `c`, and its topologies if no earlier cube had any; if it has totals
 * only, so has the result. @param metrics  for each metric: whether to add it; NULL: all */
fm_status_t fm_combination_add(struct fm_combination *combination, size_t c, const bool *metrics,
                               struct fm_error *error);

/** Passes the result to the caller if `status` is FM_OK, and frees the rest. @return status */
fm_status_t fm_combination_end(struct fm_combination *combination, fm_status_t status,
                               struct fm_cube **result);

#endif
