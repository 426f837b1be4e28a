/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Databases of Nsight Systems (`nsys export --type sqlite`, or what `nsys stats` leaves): the
 * launches of kernels in CUPTI_ACTIVITY_KIND_KERNEL.
 */
#ifndef FERMATA_IMBALANCE_INPUT_NSYS_DATABASE_H
#define FERMATA_IMBALANCE_INPUT_NSYS_DATABASE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/** @return whether a file begins like a database of SQLite. */
bool fm_is_database(const char *begin, size_t length);

/** Reads the launches, as the text that `nsys stats` makes of them (report cuda_gpu_trace, CSV), in
 * front of those of each process its number as nvprof writes it.
 * @param text    out: of `length` bytes, to be freed; set only on success
 * @return FM_ERR_DATA: it is none of Nsight Systems, it is damaged, or it has no kernels */
fm_status_t fm_nsys_database_read(const char *path, char **text, size_t *length,
                                  struct fm_error *error);

#endif
