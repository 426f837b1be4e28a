/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Events of accelerators: a call of the host puts an event behind the work of a stream so far
 * (cudaEventRecord), others wait for it, or let a stream wait (cudaStreamWaitEvent). Each record of
 * an event has a number (FM_THREAD_EVENT), which the calls that wait for it have, too.
 */
#ifndef FERMATA_ANALYSIS_ACCELERATORS_ACCELERATOR_EVENTS_H
#define FERMATA_ANALYSIS_ACCELERATORS_ACCELERATOR_EVENTS_H

#include "analysis/accelerators/stream_work.h"

/** A call that puts an event behind the work of a stream. */
struct fm_event_record {
    uint64_t number;
    uint64_t time; /**< Enter of the call */
    struct fm_call_ref call;
    uint32_t stream; /**< location; FM_NONE: the call names none */
};

/** A call that lets a stream wait for an event. */
struct fm_event_wait {
    uint64_t number;
    struct fm_call_ref call;
    uint32_t stream; /**< location */
};

/** The events of a process. {0}: none. */
struct fm_accelerator_events {
    FM_VECTOR(struct fm_event_record) records; /**< ascending by number, time and location */
    FM_VECTOR(struct fm_event_wait) waits;
};

/** A work of a stream waits for one of another stream: a call that was made between the launch of
 * the work and that of the one before it has let its stream wait for an event behind the other one.
 */
struct fm_awaited_work {
    uint32_t work;    /**< in the list of the process's work */
    uint32_t awaited; /**< likewise; its end is known */
};

typedef FM_VECTOR(struct fm_awaited_work) fm_awaited_work_vector;

/** Lists the events of a process. O(records log records + calls * streams)
 * @param events  out: their former content is discarded */
void fm_accelerator_events_list(const struct fm_trace *trace, uint32_t process,
                                struct fm_accelerator_events *events);

void fm_accelerator_events_free(struct fm_accelerator_events *events);

/** @return the record of the event that a call of the host waits for; NULL: the call names none. Of
 * several records of a number, the last one whose Enter is not behind that of the call counts.
 * @param first_record  row of the call's location: not behind the records of the call */
const struct fm_event_record *fm_accelerator_event_of(const struct fm_trace *trace,
                                                      const struct fm_accelerator_events *events,
                                                      struct fm_call_ref call,
                                                      uint32_t first_record);

/** Lists which works wait for which, ascending by the work that waits, from the calls that let
 * streams wait. A stream does not wait for itself. O((works + waits) log works)
 * @param streams  of the process
 * @param found    out: its former content is discarded */
void fm_awaited_work_list(const struct fm_trace *trace, const struct fm_accelerator_events *events,
                          const fm_stream_work_vector *work,
                          const fm_accelerator_stream_vector *streams,
                          fm_awaited_work_vector *found);

#endif
