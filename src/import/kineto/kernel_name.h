/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of kernels.
 */
#ifndef FERMATA_IMPORT_KINETO_KERNEL_NAME_H
#define FERMATA_IMPORT_KINETO_KERNEL_NAME_H

#include <stdbool.h>

/** @return the region of a kernel, to be freed with fm_free(): "kernel NAME", where NAME is
 * demangled already and loses its result type, its parameters and its template arguments; kernels
 * of NCCL and RCCL keep their names:
 *     `void at::native::reduce_kernel<512, 1>(float*)` -> `kernel at::native::reduce_kernel`
 *     `ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)` ->
 *     `ncclDevKernel_AllReduce_Sum_f32_RING_LL` */
char *fm_kernel_region(const char *name);

/** @return whether a kernel is one of NCCL or RCCL: it communicates. */
bool fm_kernel_communicates(const char *name);

#endif
