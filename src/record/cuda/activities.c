/* SPDX-License-Identifier: BSD-3-Clause */
/* The work of the streams, from the buffers of CUPTI. A buffer is given out at a call of the
 * program that launches, and comes back full, or after a flush, mostly in a thread of CUPTI's own.
 */
#include "record/cuda/cuda.h"

#include "record/capture/lock.h"
#include "record/cuda/device_clock.h"
#include "record/cuda/measured_kernels.h"
#include "record/cuda/measuring.h"
#include "record/session/session_tell.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 20,
    BUFFERS_MOST = 64,
    FLUSH_PERIOD = 1000, /* milliseconds */
    DEVICES_MOST = 4096  /* a larger number is none: the record is not understood */
};

static struct {
    fm_lock_t lock; /* of all but `buffers` */
    struct fm_device_clock clock;
    uint64_t ticks_per_second;
    pid_t process;
    uint64_t dropped;        /* records for which CUPTI had no room */
    uint64_t unfinished;     /* works without a begin or an end */
    uint64_t not_understood; /* records of an unknown layout */
    uint64_t no_room;        /* works whose stream or region has no place */
} collected = {.lock = FM_LOCK_FREE};

static struct {
    fm_lock_t lock;
    struct buffer {
        struct buffer *next; /* in the free buffer itself */
    } * free;
    unsigned count;
} buffers = {.lock = FM_LOCK_FREE};

void fm_cuda_request_buffer(uint8_t **memory, size_t *size, size_t *most_records)
{
    fm_lock(&buffers.lock);
    struct buffer *buffer = buffers.free;
    if (buffer != NULL) {
        buffers.free = buffer->next;
    } else if (buffers.count < BUFFERS_MOST) {
        void *pages =
            mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        buffer = pages != MAP_FAILED ? pages : NULL;
        buffers.count += buffer != NULL;
    }
    fm_unlock(&buffers.lock);
    *memory = (uint8_t *)buffer;
    *size = buffer != NULL ? BUFFER_BYTES : 0;
    *most_records = 0; /* as many as there is room for */
}

static void give_back(uint8_t *memory)
{
    struct buffer *buffer = (struct buffer *)(void *)memory;
    fm_lock(&buffers.lock);
    buffer->next = buffers.free;
    buffers.free = buffer;
    fm_unlock(&buffers.lock);
}

/* ---- clocks ---- */

/* Reads both clocks: CUPTI's between two readings of the other one, as close as can be. */
static void read_clocks(void)
{
    enum { ATTEMPTS = 4 };
    struct fm_device_moment best = {0, 0};
    uint64_t width = UINT64_MAX;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t device = 0, before = fm_clock_now();
        int result = fm_cupti.get_timestamp(&device);
        uint64_t after = fm_clock_now();
        if (result == FM_CUPTI_SUCCESS && after - before < width) {
            width = after - before;
            best = (struct fm_device_moment){device, before + width / 2};
        }
    }
    if (width != UINT64_MAX) {
        fm_device_clock_add(&collected.clock, best);
    }
}

/* Ticks in a second, between the start of the process and now. */
static uint64_t rate(void)
{
    uint64_t nanoseconds = fm_clock_nanoseconds() - fm_clock.start_nanoseconds;
    uint64_t ticks = fm_clock_now() - fm_clock.start_ticks;
    return nanoseconds > 0 ? (uint64_t)((unsigned __int128)ticks * 1000000000u / nanoseconds)
                           : 1000000000u;
}

/* ---- records ---- */

/* A work, whatever its record is. */
struct work {
    uint64_t start, end;
    uint32_t device, context, stream, correlation;
};

/* @return the stream that the work was recorded on; NULL: none */
static struct fm_thread *add(const struct work *work, uint32_t region)
{
    if (work->device >= DEVICES_MOST || work->end < work->start) {
        collected.not_understood += work->end != 0;
        collected.unfinished += work->end == 0;
        return NULL;
    }
    if (work->start == 0 || work->end == 0) {
        collected.unfinished++;
        return NULL;
    }
    if (!fm_cuda_launch_is_recorded(work->correlation)) {
        return NULL;
    }
    struct fm_thread *stream = fm_cuda_stream(work->device, work->context, work->stream);
    if (stream == NULL || region == FM_DEFINE_NONE) {
        collected.no_room++;
        return NULL;
    }
    uint64_t rate = collected.ticks_per_second;
    fm_stream_put(stream, region, fm_device_clock_ticks(&collected.clock, work->start, rate),
                  fm_device_clock_ticks(&collected.clock, work->end, rate), work->correlation);
    return stream;
}

static const char *copy_name(unsigned kind)
{
    switch (kind) {
    case FM_CUPTI_COPY_TO_DEVICE:
    case FM_CUPTI_COPY_TO_ARRAY:
        return "cuda copy to device";
    case FM_CUPTI_COPY_TO_HOST:
    case FM_CUPTI_COPY_FROM_ARRAY:
        return "cuda copy to host";
    case FM_CUPTI_COPY_ON_HOST:
        return "cuda copy on host";
    case FM_CUPTI_COPY_BETWEEN_DEVICES:
        return "cuda copy between devices";
    default:
        return "cuda copy on device";
    }
}

#define WORK_OF(record)                                                                            \
    &(struct work)                                                                                 \
    {                                                                                              \
        (record)->start, (record)->end, (record)->device, (record)->context, (record)->stream,     \
            (record)->correlation                                                                  \
    }

static void take_record(const void *record)
{
    switch (((const struct fm_cupti_record *)record)->kind) {
    case FM_CUPTI_KERNEL:
    case FM_CUPTI_CONCURRENT_KERNEL: {
        const struct fm_cupti_kernel *kernel = record;
        struct fm_thread *stream = add(WORK_OF(kernel), fm_cuda_kernel_region(kernel->name));
        if (stream != NULL && fm_cuda_measures()) {
            fm_measured_kernel_work(stream, kernel->correlation);
        }
        return;
    }
    case FM_CUPTI_MEMCPY: {
        const struct fm_cupti_copy *copy = record;
        add(WORK_OF(copy), fm_cuda_region(copy_name(copy->copy_kind)));
        return;
    }
    case FM_CUPTI_MEMCPY2: {
        const struct fm_cupti_peer_copy *copy = record;
        add(WORK_OF(copy), fm_cuda_region(copy_name(copy->copy_kind)));
        return;
    }
    case FM_CUPTI_MEMSET: {
        const struct fm_cupti_set *set = record;
        add(WORK_OF(set), fm_cuda_region("cuda set"));
        return;
    }
    default: /* no kind that was selected: it is of no interest */
        return;
    }
}

void fm_cuda_complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                             size_t valid)
{
    void *record = NULL;
    size_t dropped = 0;
    (void)size;
    if (buffer == NULL) {
        return;
    }
    if (getpid() == collected.process) {
        fm_lock(&collected.lock);
        read_clocks();
        while (valid > 0 && fm_cupti.get_next_record(buffer, valid, &record) == FM_CUPTI_SUCCESS) {
            take_record(record);
        }
        if (fm_cupti.get_dropped(context, stream, &dropped) == FM_CUPTI_SUCCESS) {
            collected.dropped += dropped;
        }
        fm_cuda_streams_flush();
        fm_unlock(&collected.lock);
    }
    give_back(buffer);
}

void fm_cuda_note_values(uint32_t outer, uint32_t inner, const double *values)
{
    fm_lock(&collected.lock);
    fm_measured_kernel_values(outer, inner, values);
    fm_unlock(&collected.lock);
}

int fm_cuda_activities_enable(void)
{
    static const int kinds[] = {FM_CUPTI_CONCURRENT_KERNEL, FM_CUPTI_MEMCPY, FM_CUPTI_MEMCPY2,
                                FM_CUPTI_MEMSET};
    collected.process = getpid();
    collected.ticks_per_second = rate();
    read_clocks();
    int result = fm_cupti.register_callbacks(fm_cuda_request_buffer, fm_cuda_complete_buffer);
    for (size_t i = 0; result == FM_CUPTI_SUCCESS && i < sizeof kinds / sizeof kinds[0]; i++) {
        result = fm_cupti.activity_enable(kinds[i]);
    }
    if (result == FM_CUPTI_SUCCESS && fm_cupti.flush_period != NULL) {
        fm_cupti.flush_period(FLUSH_PERIOD); /* refused: buffers come when they are full */
    }
    return result;
}

static void report_missing(uint64_t count, const char *reason)
{
    if (count != 0) {
        fm_session_tell_each("%llu %s of accelerators %s missing: %s", (unsigned long long)count,
                             count == 1 ? "work" : "works", count == 1 ? "is" : "are", reason);
    }
}

void fm_cuda_activities_end(void)
{
    char layout[sizeof fm_cupti.path + 96];
    if (collected.process != getpid()) {
        return;
    }
    fm_cupti.flush_all(FM_CUPTI_FLUSH_FORCED);
    fm_lock(&collected.lock);
    snprintf(layout, sizeof layout, "the records of %s (version %u) are not understood",
             fm_cupti.path, fm_cupti.version);
    report_missing(collected.dropped, "CUDA had no room for their records");
    report_missing(collected.unfinished, "they had not ended at the end of the run, or CUDA states "
                                         "no time for them");
    report_missing(collected.not_understood, layout);
    report_missing(collected.no_room, "there is no room for more streams or kernels");
    report_missing(fm_measured_kernels_without_work(),
                   "CUPTI has measured them, but returned no record of their time; record without "
                   "--gpu=metrics");
    fm_unlock(&collected.lock);
}
