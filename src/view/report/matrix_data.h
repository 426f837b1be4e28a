/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The matrices of a report as columns of a bundle: messages, one-sided operations, delays.
 *
 * Columns: `link_matrix` (enum fm_cube_matrix_kind), `link_from`, `link_to` (locations),
 * `link_metric`, `link_count`, `link_amount` (bytes; of waiting ticks), `link_error` (of these;
 * 0: not known). Member of the JSON "matrices": for each matrix "omitted" with "links", "count",
 * "amount": the sums of the links left out, which are those with the smallest amounts.
 */
#ifndef FERMATA_VIEW_REPORT_MATRIX_DATA_H
#define FERMATA_VIEW_REPORT_MATRIX_DATA_H

#include "cube/model/cube.h"
#include "view/bundle.h"

/** Adds the columns and the member.
 * @param most  maximum number of links of a matrix */
void fm_matrix_data_add(struct fm_bundle *bundle, const struct fm_cube *cube, size_t most);

#endif
