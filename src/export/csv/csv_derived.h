/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Derived metrics and the values of parameters as CSV (RFC 4180). A write error is FM_ERR_SYSTEM.
 */
#ifndef FERMATA_EXPORT_CSV_CSV_DERIVED_H
#define FERMATA_EXPORT_CSV_CSV_DERIVED_H

#include "cube/derived/expression.h"
#include "cube/view/view.h"

#include <stdio.h>

/** Writes for each derived metric a line with its value in the selection, a line for each call path
 * (with all that it calls), and a line for each location; fields that do not apply are empty. */
fm_status_t fm_export_derived_csv(const struct fm_cube *cube, const struct fm_selection *selection,
                                  const struct fm_expression *const *definitions, unsigned count,
                                  FILE *stream, struct fm_error *error);

/** Writes a line for each value of a parameter: time and waiting in seconds, and the derived
 * metrics.
 * @return FM_ERR_USAGE: there is no such parameter */
fm_status_t fm_export_parameters_csv(const struct fm_cube *cube,
                                     const struct fm_selection *selection, const char *parameter,
                                     const struct fm_expression *const *definitions, unsigned count,
                                     FILE *stream, struct fm_error *error);

#endif
