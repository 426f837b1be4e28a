/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Several runs side by side: how the imbalances of the loads follow that of the work (table 4.1 of
 * Eberius 2020).
 */
#ifndef FERMATA_IMBALANCE_MODEL_SWEEP_H
#define FERMATA_IMBALANCE_MODEL_SWEEP_H

#include "imbalance/model/gpu_run.h"

/** The columns of a sweep that are compared with the imbalance of the work. */
enum fm_sweep_load {
    FM_SWEEP_LOAD_COMPUTATION,
    FM_SWEEP_LOAD_MEASURED,
    FM_SWEEP_LOAD_ADJUSTED,
    FM_SWEEP_LOAD_COMPOSITE,
    FM_SWEEP_LOADS
};

/** @return the column of a load, and its name. */
fm_sweep_column_t fm_sweep_column_of(enum fm_sweep_load load);
const char *fm_sweep_load_name(enum fm_sweep_load load);

/** The problems of a set. */
struct fm_sweep_set {
    const char *name;             /**< "": the only one */
    size_t begin, end;            /**< its rows */
    double error[FM_SWEEP_LOADS]; /**< mean |imbalance - that of the work|, percentage points; NAN:
                                     no problem has both */
    double worst[FM_SWEEP_LOADS]; /**< the difference with the largest magnitude */
    size_t focus;                 /**< row whose imbalance of the work is nearest to 60 % */
};

struct fm_sweep {
    FM_VECTOR(struct fm_sweep_row) rows; /**< those of a set are consecutive */
    FM_VECTOR(struct fm_sweep_set) sets;
    bool is_composite_estimated; /**< composites follow from the imbalances of measured and adjusted
                                      loads, not from loads of ranks */
};

/** Makes a sweep of tables and runs.
 * @param runs  each becomes a row; may be NULL if there are none
 * @param sweep  out: to be freed with fm_sweep_free() */
void fm_sweep_make(const struct fm_gpu_run *runs, size_t run_count,
                   const struct fm_gpu_sources *const *sources, size_t source_count,
                   struct fm_sweep *sweep);

void fm_sweep_free(struct fm_sweep *sweep);

/** @return the distance of an imbalance to that of the work, percentage points, with its sign; NAN:
 * not known. */
double fm_sweep_difference(const struct fm_sweep_row *row, enum fm_sweep_load load);

/** @return whether in a problem load `left` is nearer to the work than load `right`; false if one
 * is not known. */
bool fm_sweep_is_nearer(const struct fm_sweep_row *row, enum fm_sweep_load left,
                        enum fm_sweep_load right);

#endif
