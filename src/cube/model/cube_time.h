/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Results over time: the iterations of the program's phases, and waiting time by time bins. Part of
 * the severity cube (cube.h). Times are ticks since the begin of the run.
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_TIME_H
#define FERMATA_CUBE_MODEL_CUBE_TIME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct fm_cube;

#define FM_CUBE_ITERATIONS 65536 /**< largest number of rows of a phase */
#define FM_CUBE_TIME_BINS  200   /**< largest number of time bins */
#define FM_CUBE_TIME_ROWS  1024  /**< largest number of rows of locations in the time bins */

/** A row: one iteration, the k-th visits ("instances") of a phase on all locations; or, if a phase
 * has more than FM_CUBE_ITERATIONS of them, several consecutive iterations, added up. */
struct fm_cube_iteration {
    uint64_t first;                /**< number of the first iteration of the row; 0, 1, ... */
    uint64_t count;                /**< number of iterations in the row, normally 1 */
    uint64_t begin, end;           /**< earliest begin and latest end of an instance */
    uint64_t duration;             /**< of the longest instance */
    uint64_t time;                 /**< sum over all instances */
    uint64_t capacity;             /**< number of instances times `duration` */
    uint64_t computation;          /**< sum over all instances */
    uint64_t longest_computation;  /**< of one instance */
    uint64_t computation_capacity; /**< number of instances times `longest_computation` */
    uint64_t waiting;              /**< sum over all instances and wait states */
    uint64_t error;                /**< ticks by which `waiting` may be wrong, if cube->errors are
                                        known; else 0 */
    uint32_t locations; /**< number of instances of an iteration: locations that took part; of
                             several iterations the largest number */
    uint32_t slowest;   /**< location with the longest computation; FM_CUBE_NONE: no location
                             computed, or the iterations of the row have different ones */
};

/** A phase of the program: a region whose visits are counted as iterations. */
struct fm_cube_phase {
    uint32_t region;
    uint64_t iteration_count;
    uint32_t row_count;
    struct fm_cube_iteration *rows; /**< ascending by `first` */
    uint32_t kind_count;
    uint32_t *kinds;   /**< metrics of the wait states that occur, each once */
    uint64_t *waiting; /**< [row][kind]: ticks */
    uint64_t *errors;  /**< [row][kind]: ticks by which `waiting` may be wrong; NULL: not known */
};

/** Waiting time of one wait state in one time bin, on one row of locations. */
struct fm_cube_bin {
    uint32_t metric; /**< wait state */
    uint32_t row;    /**< locations from row * locations_per_row up to the next row */
    uint32_t bin;    /**< number of the time bin */
    uint64_t ticks;
};

/** Waiting time by time bins, which are equal parts of the run. */
struct fm_cube_bins {
    uint32_t bin_count; /**< FM_CUBE_TIME_BINS; 0: not computed */
    uint32_t locations_per_row;
    size_t cell_count;
    struct fm_cube_bin *cells; /**< ascending by (metric, row, bin), without zeros */
};

/** Appends a phase (copied with its rows).
 * @return FM_ERR_FAILED: it is inconsistent, or uses definitions that the cube does not have */
fm_status_t fm_cube_add_phase(struct fm_cube *cube, const struct fm_cube_phase *phase,
                              struct fm_error *error);

/** Adds a row to the sum of the rows before it. Sums saturate at UINT64_MAX. */
void fm_cube_iteration_add(struct fm_cube_iteration *total, const struct fm_cube_iteration *row);

/** Adds up the rows of a phase. Sums saturate at UINT64_MAX.
 * @param waiting  out: ticks by kind of wait state; may be NULL
 * @param errors   out: by how many ticks these may be wrong, 0 if that is not known; may be NULL */
void fm_cube_phase_total(const struct fm_cube_phase *phase, struct fm_cube_iteration *total,
                         uint64_t *waiting, uint64_t *errors);

/** @return longest computation minus mean computation of the locations, in ticks. */
double fm_cube_iteration_imbalance(const struct fm_cube_iteration *iteration);

/** Sets the waiting time by time bins (copied).
 * @return FM_ERR_FAILED: it is inconsistent, or uses definitions that the cube does not have */
fm_status_t fm_cube_set_bins(struct fm_cube *cube, const struct fm_cube_bins *bins,
                             struct fm_error *error);

/** @return the begin of bin `bin` of `bin_count` equal bins of a run of `run_time` ticks. */
uint64_t fm_cube_bin_edge(uint64_t run_time, uint32_t bin_count, uint32_t bin);

/** Frees phases and bins; the cube has none afterwards. Called by fm_cube_free(). */
void fm_cube_free_time(struct fm_cube *cube);

#endif
