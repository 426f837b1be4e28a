/** @file
 * Common part of reports that are made of several others: see unite.h.
 */
#ifndef FERMATA_CUBE_MERGE_COMBINE_H
#define FERMATA_CUBE_MERGE_COMBINE_H

#include "cube/merge/unite.h"

#include <stdbool.h>

/** How the numbers of one cube become those of the result. */
struct fm_conversion {
    uint64_t numerator, denominator; /**< of the tick rates */
    unsigned cost_shift;             /**< binary digits that costs lose */
};

/** @return ticks of one cube as ticks of the result, rounded down. */
static inline uint64_t fm_convert_ticks(uint64_t ticks, const struct fm_conversion *conversion)
{
    return (uint64_t)((unsigned __int128)ticks * conversion->numerator / conversion->denominator);
}

/** Computes value * numerator / (denominator * 2^shift), rounded to nearest.
 * @return whether it fits */
bool fm_convert(int64_t value, const struct fm_conversion *conversion, unsigned shift,
                int64_t *result);

/** Converts a value as its metric's unit demands. @return whether it fits */
bool fm_convert_cell(const struct fm_cube_cell *cell, const struct fm_conversion *conversion,
                     int64_t *result);

/** A combination under way. */
struct fm_combination {
    const struct fm_cube *const *cubes;
    size_t count;
    struct fm_cube_union united; /**< its frame becomes the result */
    struct fm_conversion *conversions;
};

/** Finds dimensions and scale and describes the result. To be ended by fm_combination_end() in any
 * case. Parameters as for fm_cube_mean(). */
fm_status_t fm_combination_begin(struct fm_combination *combination,
                                 const struct fm_cube *const *cubes, const char *const *names,
                                 size_t count, struct fm_error *error);

/** Adds the values of cube `c`, and its topologies if there are none yet. @param metrics  for each
 * metric: is wanted; NULL: all */
fm_status_t fm_combination_add(struct fm_combination *combination, size_t c, const bool *metrics,
                               struct fm_error *error);

/** Hands out the result if `status` is FM_OK and frees the rest. @return status */
fm_status_t fm_combination_end(struct fm_combination *combination, fm_status_t status,
                               struct fm_cube **result);

#endif
