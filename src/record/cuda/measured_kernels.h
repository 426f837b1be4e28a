/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Brings the values of measured kernels and their works together, whichever CUPTI returns first, by
 * the numbers of their launches. A table of fixed size: if one of both does not come, it is
 * forgotten in time. By one thread at a time.
 */
#ifndef FERMATA_RECORD_CUDA_MEASURED_KERNELS_H
#define FERMATA_RECORD_CUDA_MEASURED_KERNELS_H

#include <stdint.h>

struct fm_thread;

/** The work of a kernel was recorded on a stream: its values are, too, or will be.
 * @param number  of its launch, or of a call inside it */
void fm_measured_kernel_work(struct fm_thread *stream, uint32_t number);

/** The values of a kernel, which may all be unknown: they are recorded on the stream of its work,
 * or will be.
 * @param outer, inner  numbers, one of which its work has
 * @param values        [fm_kernel_activity_t] */
void fm_measured_kernel_values(uint32_t outer, uint32_t inner, const double *values);

/** @return how many values have come whose work has not. */
uint64_t fm_measured_kernels_without_work(void);

#endif
