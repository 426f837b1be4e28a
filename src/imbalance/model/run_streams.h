/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The kernels of each rank of an experiment: those of its streams of accelerators.
 */
#ifndef FERMATA_IMBALANCE_MODEL_RUN_STREAMS_H
#define FERMATA_IMBALANCE_MODEL_RUN_STREAMS_H

#include "cube/model/cube.h"
#include "imbalance/model/run_kernels.h"

#include <regex.h>

/** Adds up the kernels on the streams of each rank. Efficiencies are those of the measured kernels
 * (base/kernel_activity.h), means weighted by time, that of the warps by the active time, so that
 * efficiency = sm x warp; NAN: none was measured. `unweighted` and `sm_imbalance` are not known.
 * @param kernels  which, by their names without "kernel "; NULL: all
 * @param streams  out: ranks that have streams, ascending; to be freed with fm_run_kernels_free()
 * @return share of the measured kernels in the time of all; NAN: there are none */
double fm_run_streams_make(const struct fm_cube *cube, const regex_t *kernels,
                           struct fm_run_kernels *streams);

#endif
