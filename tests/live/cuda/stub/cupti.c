/* SPDX-License-Identifier: BSD-3-Clause */
/* A stub of libcupti.so: the entry points that the collector uses, and buffers of activity records
 * that are written here. Records are longer than the collector's declarations, as those of later
 * versions are. By variables of the environment:
 *   STUB_VERSION=N    the version of the interface
 *   STUB_SUBSCRIBE=N  result of cuptiSubscribe
 *   STUB_DROP=N       the first N works are dropped, as if there were no room
 *   STUB_STRANGE=1    between the works stand records of unknown kinds, and one that makes no sense
 *   STUB_REVERSE=1    the records of a buffer have the opposite order
 *   STUB_THREAD=1     a thread returns buffers from time to time
 * Kernels are measured by profiler.c. */
#include "stub.h"

#include "record/cuda/cupti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD_BYTES = 256, WORKS_MOST = 4096 };

static const struct {
    int domain;
    uint32_t id;
    const char *name;
} names[] = {
    {1, 1, "cuInit"},
    {1, 17, "cuCtxSynchronize"},
    {1, 307, "cuLaunchKernel"},
    {1, 308, "cuOccupancyMaxPotentialBlockSize"},
    {1, 514, "cuGraphLaunch"},
    {2, 1, "cudaDriverGetVersion_v3020"},
    {2, 16, "cudaSetDevice_v3020"},
    {2, 31, "cudaMemcpy_v3020"},
    {2, 41, "cudaMemcpyAsync_v3020"},
    {2, 51, "cudaMemsetAsync_v3020"},
    {2, 129, "cudaStreamCreate_v3020"},
    {2, 131, "cudaStreamSynchronize_v3020"},
    {2, 135, "cudaEventRecord_v3020"},
    {2, 137, "cudaEventSynchronize_v3020"},
    {2, 147, "cudaStreamWaitEvent_v3020"},
    {2, 165, "cudaDeviceSynchronize_v3020"},
    {2, 168, "cudaMemcpyPeerAsync_v4000"},
    {2, 211, "cudaLaunchKernel_v7000"},
    {2, 240, "cudaStreamSynchronize_ptsz_v7000"},
    {2, 311, "cudaGraphLaunch_v10000"},
    {2, 315, "cudaStreamBeginCapture_v10000"},
    {2, 319, "cudaStreamEndCapture_v10000"},
};
enum { NAMES = sizeof names / sizeof names[0] };

static struct {
    fm_cupti_callback_t *callback;
    void *user;
    int enabled[NAMES];
    int context_ends_enabled;
    fm_cupti_request_t *request;
    fm_cupti_complete_t *complete;
    int kinds[64];
    struct stub_work works[WORKS_MOST];
    int count;
    size_t dropped;
    int to_drop;
} state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

static void context_ends(void *context)
{
    struct fm_cupti_resource resource = {.context = context};
    if (state.context_ends_enabled) {
        state.callback(state.user, FM_CUPTI_RESOURCES, FM_CUPTI_CONTEXT_ENDS, &resource);
    }
}

static void call(int domain, const char *name, int site, const void *arguments, uint64_t *own,
                 uint32_t correlation, void *context, uint32_t context_id, int *result)
{
    struct fm_cupti_call data = {.site = site,
                                 .function = name,
                                 .arguments = arguments,
                                 .result = result,
                                 .context = context,
                                 .context_id = context_id,
                                 .own = own,
                                 .correlation = correlation};
    for (int i = 0; i < NAMES; i++) {
        if (names[i].domain == domain && strcmp(names[i].name, name) == 0 && state.enabled[i]) {
            state.callback(state.user, domain, names[i].id, &data);
        }
    }
}

static void work(const struct stub_work *work)
{
    pthread_mutex_lock(&lock);
    if (state.to_drop > 0 || state.count == WORKS_MOST) {
        state.to_drop--;
        state.dropped++;
    } else if (state.kinds[work->kind]) {
        state.works[state.count++] = *work;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- the records ---- */

static void write_kernel(void *place, const struct stub_work *work)
{
    struct fm_cupti_kernel *kernel = place;
    kernel->start = work->begin;
    kernel->end = work->end;
    kernel->device = work->device;
    kernel->context = work->context;
    kernel->stream = work->stream;
    kernel->correlation = work->correlation;
    kernel->name = work->symbol;
}

static void write_copy(void *place, const struct stub_work *work)
{
    struct fm_cupti_copy *copy = place;
    copy->copy_kind = (uint8_t)work->copy_kind;
    copy->start = work->begin;
    copy->end = work->end;
    copy->device = work->device;
    copy->context = work->context;
    copy->stream = work->stream;
    copy->correlation = work->correlation;
}

static void write_peer_copy(void *place, const struct stub_work *work)
{
    struct fm_cupti_peer_copy *copy = place;
    copy->copy_kind = (uint8_t)work->copy_kind;
    copy->start = work->begin;
    copy->end = work->end;
    copy->device = work->device;
    copy->context = work->context;
    copy->stream = work->stream;
    copy->correlation = work->correlation;
    copy->from_device = copy->to_device = 0xdead;
}

static void write_set(void *place, const struct stub_work *work)
{
    struct fm_cupti_set *set = place;
    set->start = work->begin;
    set->end = work->end;
    set->device = work->device;
    set->context = work->context;
    set->stream = work->stream;
    set->correlation = work->correlation;
}

static void write_record(void *place, const struct stub_work *work)
{
    memset(place, 0xee, RECORD_BYTES); /* what newer versions add */
    *(uint32_t *)place = (uint32_t)work->kind;
    switch (work->kind) {
    case FM_CUPTI_CONCURRENT_KERNEL:
        write_kernel(place, work);
        return;
    case FM_CUPTI_MEMCPY:
        write_copy(place, work);
        return;
    case FM_CUPTI_MEMCPY2:
        write_peer_copy(place, work);
        return;
    case FM_CUPTI_MEMSET:
        write_set(place, work);
        return;
    default:
        return;
    }
}

/* Takes the works that are over, or, if it is forced, all: the rest have no end.
 * @return their number */
static int take(struct stub_work *works, int forced)
{
    int taken = 0, kept = 0;
    uint64_t now = stub_now();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < state.count; i++) {
        struct stub_work work = state.works[i];
        if (work.end > now && !forced) {
            state.works[kept++] = work;
            continue;
        }
        work.end = work.end > now ? 0 : work.end;
        works[taken++] = work;
    }
    state.count = kept;
    pthread_mutex_unlock(&lock);
    return taken;
}

static void flush(int forced)
{
    static struct stub_work works[WORKS_MOST];
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static const struct stub_work strange[] = {
        {.kind = 17}, {.kind = 99}, {.kind = 10, .begin = 5, .end = 6, .device = 0x12345678}};
    if (state.complete == NULL) {
        return;
    }
    pthread_mutex_lock(&one);
    int count = take(works, forced), done = 0, odd = setting("STUB_STRANGE", 0) ? 3 : 0;
    while (done < count) {
        uint8_t *buffer;
        size_t size = 0, most, used = 0;
        state.request(&buffer, &size, &most);
        if (buffer == NULL) {
            state.dropped += (size_t)(count - done);
            break;
        }
        for (; odd > 0; odd--, used += RECORD_BYTES) {
            write_record(buffer + used, &strange[3 - odd]);
        }
        for (; done < count && used + RECORD_BYTES <= size; used += RECORD_BYTES) {
            write_record(buffer + used,
                         setting("STUB_REVERSE", 0) ? &works[count - ++done] : &works[done++]);
        }
        state.complete(NULL, 0, buffer, size, used);
    }
    pthread_mutex_unlock(&one);
}

static void *run(void *nothing)
{
    for (;;) {
        usleep(20000);
        flush(0);
    }
    return nothing;
}

/* ---- the entry points ---- */

int cuptiGetVersion(uint32_t *version)
{
    *version = (uint32_t)setting("STUB_VERSION", 130001);
    return 0;
}

int cuptiGetResultString(int result, const char **text)
{
    *text = result == 39   ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
            : result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
            : result == 17 ? "CUPTI_ERROR_INVALID_METRIC_NAME"
                           : "CUPTI_ERROR_UNKNOWN";
    return 0;
}

int cuptiSubscribe(void **subscriber, fm_cupti_callback_t *callback, void *user)
{
    int result = setting("STUB_SUBSCRIBE", 0);
    if (result == 0) {
        state.callback = callback;
        state.user = user;
        state.to_drop = setting("STUB_DROP", 0);
        *subscriber = &state;
        stub_tool.call = call;
        stub_tool.work = work;
        stub_tool.context_ends = context_ends;
    }
    return result;
}

int cuptiUnsubscribe(void *subscriber)
{
    (void)subscriber;
    stub_tool.call = NULL;
    stub_tool.work = NULL;
    stub_tool.context_ends = NULL;
    return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id)
{
    (void)subscriber;
    if (domain == FM_CUPTI_RESOURCES && id == FM_CUPTI_CONTEXT_ENDS) {
        state.context_ends_enabled = (int)enable;
    }
    for (int i = 0; i < NAMES; i++) {
        if (names[i].domain == domain && names[i].id == id) {
            state.enabled[i] = (int)enable;
        }
    }
    return 0;
}

int cuptiGetCallbackName(int domain, uint32_t id, const char **name)
{
    for (int i = 0; i < NAMES; i++) {
        if (names[i].domain == domain && names[i].id == id) {
            *name = names[i].name;
            return 0;
        }
    }
    return 1;
}

int cuptiActivityRegisterCallbacks(fm_cupti_request_t *request, fm_cupti_complete_t *complete)
{
    state.request = request;
    state.complete = complete;
    return 0;
}

int cuptiActivityEnable(int kind)
{
    state.kinds[kind] = 1;
    return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *next = *record != NULL ? (uint8_t *)*record + RECORD_BYTES : buffer;
    if (next >= buffer + valid) {
        return FM_CUPTI_MAX_LIMIT_REACHED;
    }
    *record = next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    *dropped = state.dropped;
    state.dropped = 0;
    return 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    flush(flag == FM_CUPTI_FLUSH_FORCED);
    return 0;
}

int cuptiActivityFlushPeriod(uint32_t milliseconds)
{
    pthread_t thread;
    (void)milliseconds;
    return setting("STUB_THREAD", 0) ? pthread_create(&thread, NULL, run, NULL) : 0;
}

int cuptiGetTimestamp(uint64_t *timestamp)
{
    *timestamp = stub_now();
    return 0;
}

int cuptiGetStreamIdEx(void *context, void *stream, uint8_t of_thread, uint32_t *id)
{
    const struct stub_stream *real = stream != NULL ? stream : context;
    (void)of_thread;
    *id = real->id;
    return 0;
}

int cuptiGetDeviceId(void *context, uint32_t *device)
{
    *device = ((const struct stub_stream *)context)->device;
    return 0;
}
