/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Computes the matrices of messages, one-sided operations, delays and blame
 * (cube/model/cube_matrix.h). */
#ifndef FERMATA_ANALYSIS_RESULTS_MATRICES_H
#define FERMATA_ANALYSIS_RESULTS_MATRICES_H

#include "analysis/causes/formation.h"
#include "cube/model/cube.h"

/** Computes the matrices after the arbitration, that of the blame from `formation->blame_pairs`.
 * Runs a stage; collective.
 * @param limit     largest number of links of a matrix: those with the largest amounts are kept
 * @param matrices  out: filled for process 0, empty for all other processes; links to be freed with
 * fm_free()
 */
void fm_matrices_compute(const struct fm_formation *formation, size_t limit,
                         struct fm_cube_matrix matrices[FM_MATRIX_COUNT]);

#endif
