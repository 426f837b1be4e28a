/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The cells of a cube as columns of a bundle, exact or rounded.
 *
 * A row consists of the cells of one metric at one call path. Columns: `row_metric`,
 * `row_callpath`, `row_count` (number of cells), `cell_location`, `cell_mantissa`, `cell_exponent`:
 * value = mantissa * 2^(exponent & 127), negative if bit 7 of the exponent is set; in ticks,
 * occurrences, bytes, or for costs in 2^-cost_shift ticks. If rounded, there is also `row_sum`, the
 * exact sum of each row's values, modulo 2^64.
 */
#ifndef FERMATA_VIEW_REPORT_SEVERITIES_H
#define FERMATA_VIEW_REPORT_SEVERITIES_H

#include "cube/model/cube.h"
#include "view/bundle.h"

/** Number of binary digits of a value that needs no rounding. */
#define FM_SEVERITIES_EXACT 64

/** Adds the columns.
 * @param cube  sealed
 * @param bits  number of binary digits of times; counts are always exact */
void fm_severities_add(struct fm_bundle *bundle, const struct fm_cube *cube, unsigned bits);

#endif
