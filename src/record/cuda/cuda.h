/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The collector of CUDA: the calls of the host, which CUPTI reports by callbacks, and the work of
 * the streams, which it reports in buffers, later. Private to src/record/cuda.
 */
#ifndef FERMATA_RECORD_CUDA_CUDA_H
#define FERMATA_RECORD_CUDA_CUDA_H

#include "record/cuda/cupti.h"
#include "record/paradigm/wrapper.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Numbers of the recorded functions, and what the collector does with a call (functions.def). */
enum fm_cuda_function {
#define FM_CUDA_FUNCTION(name, role, use) FM_CUDA_##name,
#include "record/cuda/functions.def"
#undef FM_CUDA_FUNCTION
    FM_CUDA_FUNCTIONS
};

enum fm_cuda_use {
    FM_CUDA_PLAIN,
    FM_CUDA_LAUNCH,
    FM_CUDA_KERNEL, /**< as LAUNCH: a call of the driver that launches one kernel */
    FM_CUDA_GRAPH,  /**< as LAUNCH: a call of the driver that launches several kernels */
    FM_CUDA_WAIT_STREAM,
    FM_CUDA_WAIT_EVENT,
    FM_CUDA_WAIT_ALL,
    FM_CUDA_RECORD_EVENT,
    FM_CUDA_AWAIT_EVENT,
    FM_CUDA_BEGIN_CAPTURE,
    FM_CUDA_END_CAPTURE
};

/** CUPTI, once it is loaded. Constant afterwards. */
extern FM_HIDDEN struct fm_cupti fm_cupti;

/** Whether this process reports what is the same on all processes of a machine: one does. */
bool fm_cuda_reports(void);

/* ---- calls (calls.c) ---- */

/** Selects the callbacks of the recorded functions.
 * @return result of the first call of CUPTI that failed; FM_CUPTI_SUCCESS */
int fm_cuda_calls_enable(void *subscriber);

/** Receives the callbacks. */
fm_cupti_callback_t fm_cuda_call;

/** Whether the launch with a number was recorded: recording was not paused then. Thread-safe. */
bool fm_cuda_launch_is_recorded(uint32_t correlation);

/* ---- streams (streams.c) ---- */

/** Location of a stream, which is made if it is new. Thread-safe.
 * @param device  its number; UINT32_MAX: not known
 * @return NULL: it is not recorded */
struct fm_thread *fm_cuda_stream(uint32_t device, uint32_t context, uint32_t stream);

/** Writes the records of all streams to the journal that are due. */
void fm_cuda_streams_flush(void);

/* ---- events (events.c) ---- */

/** Where an event stands. */
struct fm_cuda_event {
    struct fm_thread *stream; /**< behind its work so far; NULL: not known */
    uint32_t number;          /**< of its record, in the process; 0: there is none */
};

/** Notes that an event stands behind the work of a stream so far. Thread-safe.
 * @param stream  NULL: not known
 * @return its number; 0: the stream is not known, or captured: the event is never executed */
uint32_t fm_cuda_event_record(const void *event, struct fm_thread *stream);

/** @return where an event was recorded last. Thread-safe. */
struct fm_cuda_event fm_cuda_event(const void *event);

/** Notes that a stream waits for an event. Thread-safe.
 * @return the number of the event's record; 0: there is none, or the wait is captured */
uint32_t fm_cuda_event_await(const void *event, struct fm_thread *stream);

/** Notes that what follows on a stream becomes part of a graph instead of being executed, also on
 * streams that wait for an event of it. Thread-safe. */
void fm_cuda_capture_begin(struct fm_thread *stream);

/** Notes that the capture ends on all streams that take part in it. Thread-safe. */
void fm_cuda_capture_end(const struct fm_thread *stream);

/* ---- work (activities.c) ---- */

/** Receive buffers of activity records. */
fm_cupti_request_t fm_cuda_request_buffer;
fm_cupti_complete_t fm_cuda_complete_buffer;

/** Selects the kinds of records. @return as fm_cuda_calls_enable */
int fm_cuda_activities_enable(void);

/** Takes over all records, and reports which are missing. */
void fm_cuda_activities_end(void);

/** The values of a measured kernel. Thread-safe.
 * @param outer, inner  numbers of the calls that have launched it
 * @param values        [fm_kernel_activity_t]; NAN: not known */
void fm_cuda_note_values(uint32_t outer, uint32_t inner, const double *values);

/* ---- names (regions.c) ---- */

/** Finds what names are made with; before the first region, in no thread of CUPTI, which must not
 * wait for the loader of libraries. */
void fm_cuda_regions_begin(void);

/** Region of a kernel. By one thread at a time.
 * @param symbol  linkage name; may be NULL
 * @return FM_DEFINE_NONE: there is no room for it */
uint32_t fm_cuda_kernel_region(const char *symbol);

/** Region of other work. By one thread at a time. */
uint32_t fm_cuda_region(const char *name);

/** Region of a stream that waits for an event before its first work. Thread-safe. */
uint32_t fm_cuda_wait_region(void);

#endif
