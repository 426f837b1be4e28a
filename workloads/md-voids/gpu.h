/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces by the kernels of force.cu. */
#ifndef MD_VOIDS_GPU_H
#define MD_VOIDS_GPU_H

#include "force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As force_compute(), on the accelerator that is current.
 * packed: the kernel with a thread for each atom, else that with a block for each box
 * seconds: out, of the kernel alone
 * Returns NULL, or what the CUDA runtime reports. */
const char *gpu_force_compute(const struct boxes *b, bool packed, struct forces *result,
                              double *seconds);

#ifdef __cplusplus
}
#endif

#endif
