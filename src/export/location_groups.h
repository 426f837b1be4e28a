/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Groups of locations, for formats that show one thing for each location and become useless with
 * thousands of them.
 */
#ifndef FERMATA_EXPORT_LOCATION_GROUPS_H
#define FERMATA_EXPORT_LOCATION_GROUPS_H

#include "cube/model/cube.h"
#include "diagnosis/process_word.h"

#include <stdint.h>

/** Maximum number of locations that remain single. */
#define FM_SINGLE_LOCATIONS 1000U

/** Number of largest, and of smallest, values whose locations remain groups of their own. */
#define FM_EXTREME_LOCATIONS 8U

/** Number of groups of the locations between these. */
#define FM_LOCATION_BANDS 32U

struct fm_location_groups {
    uint32_t count;
    uint32_t *of;    /**< [location]: its group */
    uint32_t *sizes; /**< [group]: number of locations; a partition may have none */
    char **names;    /**< [group]: what the group consists of, in words */
};

/** @return "rank 3", or "rank 3 thread 1" for other threads than the first, to be freed with
 * free(); never NULL.
 * @param process  what the processes are called, fm_process_word() */
char *fm_location_label(struct fm_process_word process, const struct fm_cube_location *location);

/** Groups all locations of a report with more than FM_SINGLE_LOCATIONS of them:
 * * by the partitions that the user chose, one group each, and one for locations in none;
 * * without partitions by value: the locations with the FM_EXTREME_LOCATIONS largest and smallest
 * values are groups of their own, the others form FM_LOCATION_BANDS groups of equal size (but for
 * 1) of neighbours in the order of values. Equal values are ordered by location. Groups are in the
 * order of descending values.
 * @param values  [location]: the value of the property that is shown
 * @param unit    of the values, for names
 * @return to be freed with fm_location_groups_free() */
struct fm_location_groups fm_location_groups_make(const struct fm_cube *cube, const int64_t *values,
                                                  fm_unit_t unit);

void fm_location_groups_free(struct fm_location_groups *groups);

#endif
