/* SPDX-License-Identifier: BSD-3-Clause */
/* libcuda.so.1 and the runtime library in one. STUB_NUMBERS=driver: work has the number of the
 * driver's call, else that of the runtime's. The kernel `broken` cannot be launched; launches of
 * the kernel `both` return when two of them are in progress. */
#include "stub.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct stub_event {
    uint64_t end;
    int is_captured;
};

struct stub_tool stub_tool;

enum { CAPTURED_EVENT = 907 }; /* cudaErrorCapturedEvent */
enum { DRIVER = 1, RUNTIME = 2, ENTER = 0, EXIT = 1, STREAMS = 64, CONTEXTS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stub_stream streams[STREAMS];
static int count;
static __thread int device;
static struct stub_stream defaults[CONTEXTS];
static uint32_t numbers;
static int is_capturing;

uint64_t stub_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A call in progress. */
struct call {
    int domain;
    const char *name;
    const void *arguments;
    uint64_t own;
    uint32_t number;
    int result;
};

int stub_is_capturing(void)
{
    return is_capturing;
}

static void *context(void)
{
    return &defaults[device];
}

static void begin(struct call *call, int domain, const char *name, const void *arguments)
{
    *call = (struct call){
        domain, name, arguments, 0, __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED), 0};
    if (stub_tool.call != NULL) {
        stub_tool.call(domain, name, ENTER, arguments, &call->own, call->number, context(),
                       (uint32_t)device + 1, NULL);
    }
}

static int end_with(struct call *call, int result)
{
    if (stub_tool.call != NULL) {
        stub_tool.call(call->domain, call->name, EXIT, call->arguments, &call->own, call->number,
                       context(), (uint32_t)device + 1, &result);
    }
    return result;
}

static int end(struct call *call)
{
    return end_with(call, call->result);
}

static pthread_barrier_t meeting;

static void make_meeting(void)
{
    pthread_barrier_init(&meeting, NULL, 2);
}

static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*initialize)(void) = NULL;
    if (library != NULL) {
        *(void **)&initialize = dlsym(library, "InitializeInjection");
    }
    if (initialize != NULL) {
        initialize();
    }
    for (int i = 0; i < CONTEXTS; i++) {
        defaults[i] =
            (struct stub_stream){.id = 7, .context = (uint32_t)i + 1, .device = (uint32_t)i};
    }
}

int cuInit(unsigned flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)flags;
    pthread_once(&once, inject);
    return 0;
}

static struct stub_stream *real(cudaStream_t stream)
{
    return stream != NULL ? stream : &defaults[device];
}

static void wait_until(uint64_t time)
{
    uint64_t now;
    while ((now = stub_now()) < time) {
        struct timespec rest = {(time_t)((time - now) / 1000000000u),
                                (long)((time - now) % 1000000000u)};
        nanosleep(&rest, NULL);
    }
}

/* Whether a kernel is measured, and those that are measured are not reported (STUB_EXCLUSIVE). */
static int is_exclusive(const struct stub_work *work)
{
    return getenv("STUB_EXCLUSIVE") != NULL && work->kind == 10 && stub_tool.measures != NULL &&
           stub_tool.measures(context());
}

/* Executes a work after those before it on its stream. @return when it ends; 0: the stream is
 * captured */
static uint64_t work(struct stub_work work, double milliseconds, cudaStream_t stream, uint64_t from)
{
    struct stub_stream *on = real(stream);
    if (on->is_captured) {
        return 0;
    }
    pthread_mutex_lock(&lock);
    uint64_t now = stub_now() + 5000;
    work.begin = from != 0 ? from : on->end > now ? on->end : now;
    work.end = work.begin + (uint64_t)(milliseconds * 1e6);
    on->end = work.end > on->end ? work.end : on->end;
    work.device = on->device;
    work.context = on->context;
    work.stream = on->id;
    if (stub_tool.work != NULL && !is_exclusive(&work)) {
        stub_tool.work(&work);
    }
    if (stub_tool.kernel != NULL && work.kind == 10) {
        stub_tool.kernel(context(), &work);
    }
    pthread_mutex_unlock(&lock);
    return work.end;
}

/* Launches a kernel in a call of the driver. @return its result */
static int launch(const char *symbol, uint32_t number, double milliseconds, cudaStream_t stream)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strcmp(symbol, "broken") == 0) {
        return 98;
    }
    int is_measured = stub_tool.measures != NULL && stub_tool.measures(context());
    uint64_t end = work((struct stub_work){.kind = 10, .symbol = symbol, .correlation = number},
                        milliseconds, stream, 0);
    if (strcmp(symbol, "both") == 0) {
        pthread_once(&once, make_meeting);
        pthread_barrier_wait(&meeting);
    }
    if (is_measured) {
        wait_until(end);
    }
    return 0;
}

static uint32_t number_of(const struct call *outer, const struct call *inner)
{
    const char *which = getenv("STUB_NUMBERS");
    return which != NULL && strcmp(which, "driver") == 0 ? inner->number : outer->number;
}

int cudaSetDevice(int number)
{
    struct call call;
    cuInit(0);
    begin(&call, RUNTIME, "cudaSetDevice_v3020", &number);
    device = number;
    return end(&call);
}

int cudaStreamCreate(cudaStream_t *stream)
{
    struct call call;
    cuInit(0);
    begin(&call, RUNTIME, "cudaStreamCreate_v3020", &stream);
    pthread_mutex_lock(&lock);
    streams[count] = (struct stub_stream){
        .id = 13 + (uint32_t)count, .context = (uint32_t)device + 1, .device = (uint32_t)device};
    *stream = &streams[count++];
    pthread_mutex_unlock(&lock);
    return end(&call);
}

int cuLaunchKernel(const char *symbol, double milliseconds, cudaStream_t stream)
{
    struct call call;
    cuInit(0);
    begin(&call, DRIVER, "cuLaunchKernel", &symbol);
    call.result = launch(symbol, call.number, milliseconds, stream);
    return end(&call);
}

int cudaLaunchKernel(const char *symbol, double milliseconds, cudaStream_t stream)
{
    struct call call, inner;
    cuInit(0);
    begin(&call, RUNTIME, "cudaLaunchKernel_v7000", &symbol);
    begin(&inner, DRIVER, "cuLaunchKernel", &symbol);
    inner.result = launch(symbol, number_of(&call, &inner), milliseconds, stream);
    call.result = end(&inner);
    return end(&call);
}

int cudaGraphLaunch(const char *symbol, double milliseconds, int kernels, cudaStream_t stream)
{
    struct call call, inner;
    cuInit(0);
    begin(&call, RUNTIME, "cudaGraphLaunch_v10000", &symbol);
    begin(&inner, DRIVER, "cuGraphLaunch", &symbol);
    uint64_t now = stub_now() + 5000, from = real(stream)->end > now ? real(stream)->end : now;
    for (int i = 0; i < kernels; i++) { /* each begins one after the other and lasts equally long */
        work((struct stub_work){.kind = 10, .symbol = symbol, .correlation = call.number},
             milliseconds, stream, from + (uint64_t)i * 1000000u);
    }
    end(&inner);
    return end(&call);
}

static int copy(const char *name, int kind, cudaStream_t stream, int waits)
{
    struct call call;
    const void *arguments[] = {NULL, NULL};
    cuInit(0);
    begin(&call, RUNTIME, name, arguments);
    work((struct stub_work){.kind = kind == 10 ? 22 : 1,
                            .copy_kind = kind,
                            .correlation = call.number},
         1, stream, 0);
    if (waits) {
        wait_until(real(stream)->end);
    }
    return end(&call);
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    (void)to, (void)from, (void)bytes;
    /* A copy without stream waits for all other work of its context first. */
    for (int i = 0; i < count; i++) {
        if (streams[i].context == (uint32_t)device + 1 && streams[i].end > defaults[device].end) {
            defaults[device].end = streams[i].end;
        }
    }
    return copy("cudaMemcpy_v3020", kind, NULL, 1);
}

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    (void)to, (void)from, (void)bytes;
    return copy("cudaMemcpyAsync_v3020", kind, stream, 0);
}

int cudaMemcpyPeerAsync(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    (void)to, (void)from, (void)bytes;
    return copy("cudaMemcpyPeerAsync_v4000", 10, stream, 0);
}

int cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    struct call call;
    (void)to, (void)value, (void)bytes;
    cuInit(0);
    begin(&call, RUNTIME, "cudaMemsetAsync_v3020", &stream);
    work((struct stub_work){.kind = 2, .correlation = call.number}, 1, stream, 0);
    return end(&call);
}

int cudaStreamSynchronize(cudaStream_t stream)
{
    struct call call;
    begin(&call, RUNTIME, "cudaStreamSynchronize_v3020", &stream);
    wait_until(real(stream)->end);
    return end(&call);
}

static void wait_for_all(void)
{
    for (int i = 0; i < count; i++) {
        if (streams[i].context == (uint32_t)device + 1) {
            wait_until(streams[i].end);
        }
    }
    wait_until(defaults[device].end);
}

int cudaDeviceSynchronize(void)
{
    struct call call;
    begin(&call, RUNTIME, "cudaDeviceSynchronize_v3020", NULL);
    wait_for_all();
    return end(&call);
}

int cuCtxSynchronize(void)
{
    struct call call;
    begin(&call, DRIVER, "cuCtxSynchronize", NULL);
    wait_for_all();
    return end(&call);
}

int cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return 0;
}

int cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct call call;
    const void *arguments[] = {event, stream};
    begin(&call, RUNTIME, "cudaEventRecord_v3020", arguments);
    event->is_captured = real(stream)->is_captured;
    event->end = real(stream)->end;
    return end(&call);
}

int cudaEventSynchronize(cudaEvent_t event)
{
    struct call call;
    begin(&call, RUNTIME, "cudaEventSynchronize_v3020", &event);
    wait_until(event->end);
    return end(&call);
}

int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    struct call call;
    const void *arguments[] = {stream, event};
    (void)flags;
    begin(&call, RUNTIME, "cudaStreamWaitEvent_v3020", arguments);
    if (event->is_captured && !is_capturing) {
        return end_with(&call, CAPTURED_EVENT);
    }
    real(stream)->is_captured |= event->is_captured;
    if (!real(stream)->is_captured) {
        real(stream)->end = event->end > real(stream)->end ? event->end : real(stream)->end;
    }
    return end(&call);
}

int cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    struct call call;
    (void)mode;
    begin(&call, RUNTIME, "cudaStreamBeginCapture_v10000", &stream);
    real(stream)->is_captured = is_capturing = 1;
    return end(&call);
}

int cudaStreamEndCapture(cudaStream_t stream, void **graph)
{
    struct call call;
    (void)graph;
    begin(&call, RUNTIME, "cudaStreamEndCapture_v10000", &stream);
    for (int i = 0; i < count; i++) {
        streams[i].is_captured = 0;
    }
    is_capturing = 0;
    return end(&call);
}

int cudaDeviceReset(void)
{
    cuInit(0);
    wait_for_all();
    if (stub_tool.context_ends != NULL) {
        stub_tool.context_ends(context());
    }
    return 0;
}
