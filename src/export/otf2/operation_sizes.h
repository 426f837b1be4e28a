/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Bytes moved by each one-sided operation: the tables of a trace do not contain them.
 */
#ifndef FERMATA_EXPORT_OTF2_OPERATION_SIZES_H
#define FERMATA_EXPORT_OTF2_OPERATION_SIZES_H

#include "base/error.h"
#include "trace/tables/trace.h"

/** Sizes of the operations of one location, in trace order. */
typedef FM_VECTOR(uint64_t) fm_operation_sizes;

/** Reads the sizes of all operations of an archive.
 * @param sizes  out: [location], to be freed with fm_operation_sizes_free(); set only on success */
fm_status_t fm_operation_sizes_read(const struct fm_trace *trace, fm_operation_sizes **sizes,
                                    struct fm_error *error);

/** Frees the sizes of all locations. */
void fm_operation_sizes_free(const struct fm_trace *trace, fm_operation_sizes *sizes);

#endif
