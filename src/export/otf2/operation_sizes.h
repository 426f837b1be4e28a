/** @file
 * How many bytes one-sided operations move: the tables of a trace do not keep that for single ones.
 */
#ifndef FERMATA_EXPORT_OTF2_OPERATION_SIZES_H
#define FERMATA_EXPORT_OTF2_OPERATION_SIZES_H

#include "base/error.h"
#include "trace/tables/trace.h"

/** Sizes of the operations of one location, in their order there. */
typedef FM_VECTOR(uint64_t) fm_operation_sizes;

/** Reads the sizes of all operations of an archive.
 * @param sizes  out: [location], to be freed with fm_operation_sizes_free(); set only on success */
fm_status_t fm_operation_sizes_read(const struct fm_trace *trace, fm_operation_sizes **sizes,
                                    struct fm_error *error);

/** Frees what fm_operation_sizes_read() made. */
void fm_operation_sizes_free(const struct fm_trace *trace, fm_operation_sizes *sizes);

#endif
