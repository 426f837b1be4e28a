/** @file
 * What happened when: the iterations of the program's phases, and waiting by parts of the run.
 * Belongs to the severity cube (cube.h). Times are ticks since the begin of the run.
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_TIME_H
#define FERMATA_CUBE_MODEL_CUBE_TIME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct fm_cube;

#define FM_CUBE_ITERATIONS 65536 /**< rows of a phase at most */
#define FM_CUBE_TIME_BINS  200
#define FM_CUBE_TIME_ROWS  1024

/** An iteration: the k-th instances of a phase on all locations. If a phase has more iterations
 * than FM_CUBE_ITERATIONS, a row stands for several consecutive ones, whose values are added up. */
struct fm_cube_iteration {
    uint64_t first;                /**< number of the (first) iteration, from 0 on */
    uint64_t count;                /**< how many there are in this row, normally 1 */
    uint64_t begin, end;           /**< earliest begin and latest end of an instance */
    uint64_t duration;             /**< of the longest instance */
    uint64_t time;                 /**< of all instances together */
    uint64_t capacity;             /**< number of instances times `duration` */
    uint64_t computation;          /**< of all instances together */
    uint64_t longest_computation;  /**< of one instance */
    uint64_t computation_capacity; /**< number of instances times `longest_computation` */
    uint64_t waiting;              /**< of all instances and kinds together */
    uint32_t locations;            /**< number of instances: of locations that took part */
    uint32_t slowest; /**< location that computed longest; FM_CUBE_NONE: no location computed, or
                         not the same one in all iterations of the row */
};

/** A phase of the program: a region whose instances are iterations or steps. */
struct fm_cube_phase {
    uint32_t region;
    uint64_t iteration_count;
    uint32_t row_count;
    struct fm_cube_iteration *rows; /**< ascending by `first` */
    uint32_t kind_count;
    uint32_t *kinds;   /**< wait states that occur (metrics), each once */
    uint64_t *waiting; /**< [row][kind]: ticks */
};

/** Waiting of one kind in a part of the run, on some locations. */
struct fm_cube_bin {
    uint32_t metric; /**< wait state */
    uint32_t row;    /**< its locations: row * locations_per_row and those behind */
    uint32_t bin;    /**< part of the run */
    uint64_t ticks;
};

/** Waiting by equal parts of the run. */
struct fm_cube_bins {
    uint32_t bin_count; /**< FM_CUBE_TIME_BINS; 0: not computed */
    uint32_t locations_per_row;
    size_t cell_count;
    struct fm_cube_bin *cells; /**< ascending by (metric, row, bin), none is 0 */
};

/** Appends a phase (copied with its rows).
 * @return FM_ERR_FAILED: it contradicts itself or the cube's definitions */
fm_status_t fm_cube_add_phase(struct fm_cube *cube, const struct fm_cube_phase *phase,
                              struct fm_error *error);

/** Adds an iteration, or several, to those before it. Sums that exceed 64 bits stay at the largest
 * number. */
void fm_cube_iteration_add(struct fm_cube_iteration *total, const struct fm_cube_iteration *row);

/** Adds up the rows of a phase.
 * @param waiting  out: for each kind; may be NULL */
void fm_cube_phase_total(const struct fm_cube_phase *phase, struct fm_cube_iteration *total,
                         uint64_t *waiting);

/** @return how much longer the longest computation took than the mean one, in ticks. */
double fm_cube_iteration_imbalance(const struct fm_cube_iteration *iteration);

/** Sets the waiting by parts of the run (copied).
 * @return FM_ERR_FAILED: it contradicts itself or the cube's definitions */
fm_status_t fm_cube_set_bins(struct fm_cube *cube, const struct fm_cube_bins *bins,
                             struct fm_error *error);

/** @return where part `bin` of `bin_count` parts of a run begins, which takes `run_time` ticks. */
uint64_t fm_cube_bin_edge(uint64_t run_time, uint32_t bin_count, uint32_t bin);

/** Frees phases and bins; the cube has none afterwards. fm_cube_free() does so, too. */
void fm_cube_free_time(struct fm_cube *cube);

#endif
