/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The kernels of each rank: their times and efficiencies, added up.
 */
#ifndef FERMATA_IMBALANCE_MODEL_RUN_KERNELS_H
#define FERMATA_IMBALANCE_MODEL_RUN_KERNELS_H

#include "imbalance/model/gpu_run.h"

/** Kernels of a rank. NAN: not known. */
struct fm_rank_kernels {
    uint32_t rank;
    uint64_t launches;
    double time;       /**< of all of them, seconds */
    double sm, warp;   /**< means weighted by time, or by launches if the time of one is unknown */
    double efficiency; /**< mean of SM x warp, weighted likewise */
    double unweighted; /**< the same, each launch counting once */
    double composite;  /**< weighted as above */
    double sm_imbalance; /**< formula 4.1 of the multiprocessors, weighted as above */
};

struct fm_run_kernels {
    struct fm_rank_kernels *ranks; /**< ascending */
    size_t count;
    uint64_t names; /**< different names of kernels */
};

/** Adds up the kernels that the request selects. A kernel of a rank may be in several files: its
 * time in one, its efficiencies in another; its name and rank bring them together.
 * @param kernels  out: to be freed with fm_run_kernels_free() in any case
 * @param run      gets warnings */
fm_status_t fm_run_kernels_make(const struct fm_gpu_sources *sources,
                                const struct fm_gpu_request *request,
                                struct fm_run_kernels *kernels, struct fm_gpu_run *run,
                                struct fm_error *error);

void fm_run_kernels_free(struct fm_run_kernels *kernels);

#endif
