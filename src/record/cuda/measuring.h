/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Measuring what is active inside of accelerators while kernels run: which kernels, in which
 * contexts, and to which works the values belong. Private to src/record/cuda. Thread-safe.
 */
#ifndef FERMATA_RECORD_CUDA_MEASURING_H
#define FERMATA_RECORD_CUDA_MEASURING_H

#include "record/cuda/cuda.h"

/** Begins. Where kernels cannot be measured, a process reports why, at most once, one of each
 * machine if that is the same for all; nothing else changes. */
void fm_cuda_measure_begin(void);

/** Whether kernels have been measured, or will be. */
bool fm_cuda_measures(void);

/** A call of the driver that launches kernels begins: prepares its context, and decodes what was
 * measured before. The thread is in a recorded call, or is not recorded.
 * @param is_one_kernel  it launches one kernel, which is recorded; else it is not measured
 * @return mark for fm_cuda_measure_launch_ends(), of 63 bits */
uint64_t fm_cuda_measure_launch_begins(const struct fm_cupti_call *call, bool is_one_kernel);

/** The call ends.
 * @param outer  number of the program's call, which may be this one */
void fm_cuda_measure_launch_ends(const struct fm_cupti_call *call, uint64_t mark, uint32_t outer);

/** The capture of a stream is about to begin: until it ends, no kernel is measured, because CUPTI
 * waits for the context when a batch ends, which would end the capture. The thread is in a recorded
 * call. */
void fm_cuda_measure_capture_begins(void);

/** A capture has ended, or has not begun. */
void fm_cuda_measure_capture_ends(void);

/** A context is about to be destroyed. */
void fm_cuda_measure_context_ends(void *handle);

/** Ends, and reports what it has cost and what is missing. */
void fm_cuda_measure_end(void);

#endif
