/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Measures what is active inside of an accelerator during the kernels of one context, with CUPTI's
 * range profiler (cupti_profiler.h) in the mode in which each kernel is a range of its own: CUPTI
 * waits for each kernel before its launch returns, so that kernels are executed one at a time.
 * Metrics are chosen so that one execution of a kernel suffices: none is repeated, and its time is
 * that of this execution. Not thread-safe.
 */
#ifndef FERMATA_RECORD_CUDA_KERNEL_PROFILER_H
#define FERMATA_RECORD_CUDA_KERNEL_PROFILER_H

#include "base/kernel_activity.h"
#include "record/cuda/cupti_profiler.h"

/** Kernels between start and stop that have room. */
enum { FM_PROFILER_RANGES = 512 };

/** A context. Zeroed: it is not open. */
struct fm_kernel_profiler {
    void *context; /**< CUcontext */
    void *host;    /**< of the host interface */
    void *object;  /**< of the range profiler */
    uint8_t *config;
    size_t config_size;
    uint8_t *image; /**< values of the kernels since the start */
    size_t image_size;
    const char *names[FM_KERNEL_ACTIVITY_COUNT]; /**< of the measured metrics, in the order of
                                                      fm_kernel_activity_t; the last ones may be
                                                      missing */
    size_t count;
};

/** Why kernels cannot be measured. */
struct fm_refusal {
    char reason[512];   /**< without a full stop */
    bool is_of_process; /**< those of other processes of the machine may be */
};

/** Prepares the measurement of a context's kernels.
 * @param refusal  zeroed; out: why they cannot be measured
 * @return whether they can; if not, nothing is to be closed. */
bool fm_kernel_profiler_open(struct fm_kernel_profiler *profiler,
                             const struct fm_cupti_profiler *cupti, void *context, uint32_t device,
                             struct fm_refusal *refusal);

/** The kernels that are launched from now on are measured. @return as above */
bool fm_kernel_profiler_start(struct fm_kernel_profiler *profiler,
                              const struct fm_cupti_profiler *cupti, struct fm_refusal *refusal);

/** Ends that. No launch may be in progress.
 * @param ranges   out: kernels that have values, in the order of their launches
 * @param dropped  out: later ones, for which there was no room
 * @return as above */
bool fm_kernel_profiler_stop(struct fm_kernel_profiler *profiler,
                             const struct fm_cupti_profiler *cupti, size_t *ranges, size_t *dropped,
                             struct fm_refusal *refusal);

/** @param values  out: [fm_kernel_activity_t]; NAN: not known */
void fm_kernel_profiler_values(const struct fm_kernel_profiler *profiler,
                               const struct fm_cupti_profiler *cupti, size_t range, double *values);

/** Ends the measurement of a context, which is not started. */
void fm_kernel_profiler_close(struct fm_kernel_profiler *profiler,
                              const struct fm_cupti_profiler *cupti);

#endif
