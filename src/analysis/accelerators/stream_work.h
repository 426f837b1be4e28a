/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The work of the accelerators of a process: kernels and copies on streams, and the calls that have
 * launched them.
 *
 * A stream is a location whose work are its outermost regions. Between two of them it is in a call
 * of the trace's idle_region, which is entered when the first one ends. A record of a number in
 * both names the call that has launched a work (FM_THREAD_CORRELATION).
 */
#ifndef FERMATA_ANALYSIS_ACCELERATORS_STREAM_WORK_H
#define FERMATA_ANALYSIS_ACCELERATORS_STREAM_WORK_H

#include "analysis/model/run.h"

/** A kernel or copy whose launch is recorded. */
struct fm_stream_work {
    uint64_t id;            /**< of the correlation */
    uint32_t stream;        /**< location */
    uint32_t record;        /**< of the stream: row of its correlation */
    uint32_t idle_before;   /**< activity of the stream that the work ends; FM_NONE: none, the
                                 stream begins */
    uint32_t idle_after;    /**< ... that is entered when the work ends; FM_NONE: the trace ends
                                 earlier */
    uint32_t launch_record; /**< of the launching location: row */
    struct fm_call_ref launch;
};

typedef FM_VECTOR(struct fm_stream_work) fm_stream_work_vector;

/** The work of one stream in the list of its process. */
struct fm_accelerator_stream {
    uint32_t location;
    size_t first, end;
};

typedef FM_VECTOR(struct fm_accelerator_stream) fm_accelerator_stream_vector;

/** Lists the work of a process whose launch is recorded, ascending by stream and time. A number
 * that several launches have stands for the last one before the work. O(records log records)
 * @param work  out: its former content is discarded */
void fm_stream_work_list(const struct fm_trace *trace, uint32_t process,
                         fm_stream_work_vector *work);

/** Lists the streams of a process, ascending by location.
 * @param work     of the process
 * @param streams  out: their former content is discarded */
void fm_accelerator_streams_list(const struct fm_trace *trace, uint32_t process,
                                 const fm_stream_work_vector *work,
                                 fm_accelerator_stream_vector *streams);

/** @return the end of a work: the Enter of the idle call behind it; UINT64_MAX: unknown. */
uint64_t fm_stream_work_end(const struct fm_trace *trace, const struct fm_stream_work *work);

#endif
