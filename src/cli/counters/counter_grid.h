/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A counter over the processes of a Cartesian grid, as a picture (SVG) or as numbers (CSV).
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_GRID_H
#define FERMATA_CLI_COUNTERS_COUNTER_GRID_H

#include "cli/counters/counter_output.h"

#include <stdbool.h>

/** A grid of up to three dimensions. Ranks are numbered as by MPI_Cart_create: the last dimension
 * varies fastest. */
struct fm_counter_grid {
    unsigned dimensions; /**< 0: none is asked for */
    unsigned sizes[3];   /**< 1 beyond `dimensions` */
};

/** Reads 4, 8x5 or 4x2x2. @return false: the text is no grid */
bool fm_counter_grid_read(const char *text, struct fm_counter_grid *grid);

/** White to dark red, by a share of the largest value, 0 to 1: #rrggbb in `text`. */
const char *fm_counter_colour(char text[8], double share);

/** Of a difference: dark blue to white to dark red, by its share of the largest one, -1 to 1. */
const char *fm_counter_difference_colour(char text[8], double share);

/** Prints the values of a counter at the end of the run, or now. The first dimension goes right,
 * the second one up; each value of the third one is a plane of its own.
 * @return FM_OK; FM_ERR_USAGE: the run does not have as many ranks, or not the counter */
fm_status_t fm_counters_grid(const struct fm_counter_request *request,
                             const struct fm_counter_grid *grid, const struct fm_counter_job *job,
                             const char *directory, const char *name, struct fm_error *error);

/** @return the counter called `name`, else `job->count` and an error that says why there is none */
size_t fm_counter_wanted(const struct fm_counter_job *job, const char *directory, const char *name,
                         fm_status_t *status, struct fm_error *error);

#endif
