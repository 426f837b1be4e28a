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
    FM_CUDA_WAIT_STREAM,
    FM_CUDA_WAIT_EVENT,
    FM_CUDA_WAIT_ALL,
    FM_CUDA_RECORD_EVENT
};

/** CUPTI, once it is loaded. Constant afterwards. */
extern FM_HIDDEN struct fm_cupti fm_cupti;

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

/** Notes that an event stands behind the work of a stream so far. Thread-safe. */
void fm_cuda_event_record(const void *event, struct fm_thread *stream);

/** @return the stream whose work an event stands behind; NULL: not known. Thread-safe. */
struct fm_thread *fm_cuda_event_stream(const void *event);

/* ---- work (activities.c) ---- */

/** Receive buffers of activity records. */
fm_cupti_request_t fm_cuda_request_buffer;
fm_cupti_complete_t fm_cuda_complete_buffer;

/** Selects the kinds of records. @return as fm_cuda_calls_enable */
int fm_cuda_activities_enable(void);

/** Takes over all records, and reports which are missing. */
void fm_cuda_activities_end(void);

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

#endif
