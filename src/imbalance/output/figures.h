/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The figures of runs and sweeps, in the form of Eberius 2020, figures 4.3 and 4.5 to 4.10.
 */
#ifndef FERMATA_IMBALANCE_OUTPUT_FIGURES_H
#define FERMATA_IMBALANCE_OUTPUT_FIGURES_H

#include "imbalance/model/sweep.h"

#include <stdio.h>

/** What is shown. */
struct fm_imbalance_result {
    const struct fm_gpu_run *runs;
    size_t run_count;
    const struct fm_sweep *sweep; /**< NULL: a single run, without comparison */
};

/** A figure. */
struct fm_figure {
    char *name;    /**< of its file, without ending: "loads-small" */
    char *content; /**< SVG */
    size_t size;
};
typedef FM_VECTOR(struct fm_figure) fm_figure_list;

/** Draws all figures that there are values for: of each set of runs the one whose imbalance of work
 * is nearest to 60 %, and the sweep. */
void fm_figures_draw(const struct fm_imbalance_result *result, fm_figure_list *figures);

void fm_figures_free(fm_figure_list *figures);

/** Writes each figure to DIRECTORY/NAME.svg; makes the directory. Existing files are replaced. */
fm_status_t fm_figures_write(const fm_figure_list *figures, const char *directory,
                             struct fm_error *error);

#endif
