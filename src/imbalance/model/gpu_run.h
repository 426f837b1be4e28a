/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The load of each rank of a run, measured in several ways, and how unevenly it is spread: D.
 * Eberius, Low-level metrics for MPI and GPUs (2020), chapter 4. docs/gpu-imbalance.md explains all
 * values.
 */
#ifndef FERMATA_IMBALANCE_MODEL_GPU_RUN_H
#define FERMATA_IMBALANCE_MODEL_GPU_RUN_H

#include "cube/model/cube.h"
#include "diagnosis/efficiency/load_imbalance.h"
#include "imbalance/input/input_file.h"

#include <regex.h>

/** The loads, FM_LOAD(SYMBOL, "id", "name", meaning). */
#define FM_LOADS(FM_LOAD)                                                                          \
    FM_LOAD(WORK, "work", "Work", "units of work: what the other loads should follow")             \
    FM_LOAD(COMPUTATION, "computation", "Computation", "total time - time in MPI (4.2)")           \
    FM_LOAD(MEASURED, "measured", "Measured time", "time of the kernels, or of the computation")   \
    FM_LOAD(ADJUSTED, "adjusted", "Adjusted time", "measured time x efficiency inside (4.4)")      \
    FM_LOAD(COMPOSITE, "composite", "Composite",                                                   \
            "measured time x efficiency with shared resources")                                    \
    FM_LOAD(HYBRID, "hybrid", "Hybrid", "work of the host + adjusted time")

typedef enum {
#define FM_LOAD(symbol, id, name, meaning) FM_LOAD_##symbol,
    FM_LOADS(FM_LOAD)
#undef FM_LOAD
        FM_LOAD_COUNT
} fm_load_t;

/** @return id, name and meaning of a load. */
const char *fm_load_id(fm_load_t load);
const char *fm_load_name(fm_load_t load);
const char *fm_load_meaning(fm_load_t load);

/** A rank. NAN: not known. */
struct fm_gpu_rank {
    uint32_t rank;
    uint64_t launches;   /**< of kernels */
    double sm, warp;     /**< efficiencies 0..1, means weighted by time; of the kernels of an
                              experiment that of the warps by the active time */
    double efficiency;   /**< formula 4.3, time-weighted mean over the kernels; without
                              kernels that of the threads of an experiment
                              (load_levels.h) */
    double unweighted;   /**< the same, each launch counting once */
    double composite;    /**< composite.h, time-weighted mean */
    double sm_imbalance; /**< formula 4.1 of the active cycles of the multiprocessors */
    double loads[FM_LOAD_COUNT];      /**< seconds; FM_LOAD_WORK: units of work */
    double difference[FM_LOAD_COUNT]; /**< load / largest load - work / largest work */
};

struct fm_gpu_run {
    char *label;                         /**< of the run: its folder */
    char *set;                           /**< runs that belong together; "": all do */
    FM_VECTOR(struct fm_gpu_rank) ranks; /**< ascending */
    struct fm_load_imbalance loads[FM_LOAD_COUNT];
    double correlation[FM_LOAD_COUNT]; /**< with the work; NAN: not known */
    FM_VECTOR(char *) warnings;        /**< sentences */
    FM_VECTOR(double) threads;         /**< work of each thread of a kernel; empty: not known */
    uint64_t kernels;                  /**< different names of kernels that were taken */
    bool is_modelled;                  /**< the efficiencies are of a model, not of a device */
};

/** What a run is made of. */
struct fm_gpu_sources {
    FM_VECTOR(struct fm_input_file *) files; /**< owned */
    FM_VECTOR(struct fm_cube *) experiments; /**< owned; at most one */
};

struct fm_gpu_request {
    const regex_t *kernels;   /**< which kernels; NULL: all */
    const char *rank_pattern; /**< file names with %r where the rank stands; NULL: none
                                   (fm_rank_in_name) */
    const char *callpath; /**< of the experiment: the measured time is that of this call path and
                               what it calls; NULL: all computation */
};

/** Computes all loads of a run.
 * @param run  out: to be freed with fm_gpu_run_free(); set only on success
 * @return FM_ERR_DATA: the sources contradict each other or do not tell whose rank a file is;
 * FM_ERR_USAGE: the experiment has no such call path */
fm_status_t fm_gpu_run_make(const struct fm_gpu_sources *sources,
                            const struct fm_gpu_request *request, const char *label,
                            const char *set, struct fm_gpu_run *run, struct fm_error *error);

/** Frees what the run owns. */
void fm_gpu_run_free(struct fm_gpu_run *run);

/** Frees what the sources own. */
void fm_gpu_sources_free(struct fm_gpu_sources *sources);

/** @return the loads of all ranks as a series of run->ranks.count values; to be freed with
 * fm_free(). */
double *fm_gpu_run_series(const struct fm_gpu_run *run, fm_load_t load);

/** @return the relative gain of the correlation by an adjustment, (r - r_measured) / r_measured;
 * NAN: one of them is not known or r_measured is 0. */
double fm_gpu_improvement(double measured, double adjusted);

/** Adds a warning, a sentence. */
void fm_gpu_run_warn(struct fm_gpu_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
