/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The dimensions of a report as the anchor.xml of a Cube 4 file.
 */
#ifndef FERMATA_EXPORT_CUBEX_CUBEX_ANCHOR_H
#define FERMATA_EXPORT_CUBEX_CUBEX_ANCHOR_H

#include "export/cubex/call_tree.h"

#include <stdbool.h>
#include <stdio.h>

/** @return whether the values of the metric are written as unsigned integers, not doubles: for
 * counts, if the report has no negative ones. */
bool fm_cubex_is_integer(const struct fm_cube *cube, fm_metric_t metric);

/** Writes the document. Its layout is fixed, because Cube's readers parse it with their own
 * grammar. The ids of metrics, call paths and locations are those of the report; all metrics are
 * exclusive along the call tree and inclusive along the metric tree. Errors stay in the stream. */
fm_status_t fm_cubex_write_anchor(const struct fm_cube *cube, const struct fm_call_tree *tree,
                                  FILE *stream, struct fm_error *error);

#endif
