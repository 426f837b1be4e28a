/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Runs and sweeps as text, JSON, CSV and page. Errors of writing are left in the streams.
 */
#ifndef FERMATA_IMBALANCE_OUTPUT_OUTPUT_H
#define FERMATA_IMBALANCE_OUTPUT_OUTPUT_H

#include "imbalance/output/figures.h"
#include "report/terminal.h"

/** Writes tables for reading.
 * @param top  most ranks that are listed of a run */
void fm_imbalance_write_text(const struct fm_imbalance_result *result, size_t top,
                             const struct fm_terminal *terminal);

/** Writes everything; docs/gpu-imbalance.md lists the fields. */
void fm_imbalance_write_json(const struct fm_imbalance_result *result, FILE *stream);

/** Writes a table: of the sweep if there is one, which `fermata gpu-imbalance` reads again; else of
 * the ranks. */
void fm_imbalance_write_csv(const struct fm_imbalance_result *result, FILE *stream);

/** Writes a page for the browser with tables and figures, one file without references to others. */
void fm_imbalance_write_page(const struct fm_imbalance_result *result, FILE *stream);

#endif
