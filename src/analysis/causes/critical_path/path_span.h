/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of each location that the critical path may cover, if it is restricted. */
#ifndef FERMATA_ANALYSIS_CAUSES_CRITICAL_PATH_PATH_SPAN_H
#define FERMATA_ANALYSIS_CAUSES_CRITICAL_PATH_PATH_SPAN_H

#include "analysis/pattern.h"

/** A part of a location's time, ticks of the trace clock. */
struct fm_path_span {
    uint64_t begin, end;
};

/** @return [location], set for those that are owned here: from the first Enter of MPI_Init in its
 * process to the last Leave of MPI_Finalize, if these calls exist; to be freed with fm_free(). */
struct fm_path_span *fm_path_spans(const struct fm_analysis *analysis);

/** @return the location's last call of this class, FM_NONE: there is none. */
uint32_t fm_last_call(const struct fm_trace *trace, const struct fm_location *location,
                      fm_call_t call);

#endif
