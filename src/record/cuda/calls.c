/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of the host. CUPTI calls back at the begin and at the end of each; between the two the
 * call is open without a frame of the recorder (FM_DEPTH_REPORTED). A function of the runtime
 * library calls functions of the driver, whose calls are not recorded, but whose numbers the work
 * may have. */
#include "record/cuda/cuda.h"

#include "record/capture/lock.h"
#include "record/cuda/measuring.h"

#include <stdio.h>
#include <string.h>

enum {
    CALLS_MOST = 2048,   /* of a domain */
    NUMBERS_MOST = 8,    /* of the calls inside a call */
    INTERVALS_MOST = 256 /* in which recording was paused */
};

static const struct {
    const char *name;
    enum fm_cuda_use use;
} functions[] = {
#define FM_CUDA_FUNCTION(name, role, use) {#name, FM_CUDA_##use},
#include "record/cuda/functions.def"
#undef FM_CUDA_FUNCTION
};

/* What a callback number is: a function of the table + 1; 0: it is not recorded. */
static struct callback {
    uint16_t function;
    bool of_thread; /* the default stream is that of the thread */
} callbacks[FM_CUPTI_DOMAINS][CALLS_MOST];

/* The open call of the thread: the numbers of the calls, it and those inside it. */
static __thread struct {
    uint32_t numbers[NUMBERS_MOST];
    uint32_t count;
} open __attribute__((tls_model("initial-exec")));

/* ---- pauses ---- */

/* Numbers of calls grow. Those in which recording was paused, begin included, end not. */
static struct {
    fm_lock_t lock;
    struct {
        uint32_t begin, end; /* 0: the pause goes on */
    } items[INTERVALS_MOST];
    size_t count;
    bool paused;
} pauses = {.lock = FM_LOCK_FREE};

static void note_pause(bool paused, uint32_t number)
{
    if (__atomic_load_n(&pauses.paused, __ATOMIC_RELAXED) == paused) {
        return;
    }
    fm_lock(&pauses.lock);
    if (pauses.paused != paused) {
        if (!paused) {
            pauses.items[pauses.count - 1].end = number;
        } else if (pauses.count < INTERVALS_MOST) {
            pauses.items[pauses.count].begin = number;
            pauses.items[pauses.count++].end = 0;
        } else { /* the last one goes on */
            pauses.items[pauses.count - 1].end = 0;
        }
        __atomic_store_n(&pauses.paused, paused, __ATOMIC_RELAXED);
    }
    fm_unlock(&pauses.lock);
}

bool fm_cuda_launch_is_recorded(uint32_t number)
{
    bool recorded = true;
    fm_lock(&pauses.lock);
    for (size_t i = 0; i < pauses.count && recorded; i++) {
        recorded = number < pauses.items[i].begin ||
                   (pauses.items[i].end != 0 && number >= pauses.items[i].end);
    }
    fm_unlock(&pauses.lock);
    return recorded;
}

/* ---- which callbacks ---- */

/* Cuts the ending of a version off: `_v7000`, `_v2`, `_ptsz` and `_ptds` in any order.
 * @return whether the default stream is that of the thread */
static bool cut_version(char *name)
{
    bool of_thread = false;
    for (char *end; (end = strrchr(name, '_')) != NULL;) {
        bool is_version =
            end[1] == 'v' && end[2] != '\0' && strspn(end + 2, "0123456789") == strlen(end + 2);
        bool is_of_thread = strcmp(end, "_ptsz") == 0 || strcmp(end, "_ptds") == 0;
        if (!is_version && !is_of_thread) {
            break;
        }
        of_thread = of_thread || is_of_thread;
        *end = '\0';
    }
    return of_thread;
}

static uint16_t find_function(const char *name)
{
    uint16_t number = 0;
    while (number < FM_CUDA_FUNCTIONS && strcmp(functions[number].name, name) != 0) {
        number++;
    }
    return number;
}

static int enable(void *subscriber, int domain, uint32_t id)
{
    char name[128];
    const char *whole = NULL;
    if (fm_cupti.get_callback_name(domain, id, &whole) != FM_CUPTI_SUCCESS || whole == NULL) {
        return FM_CUPTI_SUCCESS;
    }
    snprintf(name, sizeof name, "%s", whole);
    bool of_thread = cut_version(name);
    uint16_t function = find_function(name);
    if (function == FM_CUDA_FUNCTIONS) {
        return FM_CUPTI_SUCCESS;
    }
    int result = fm_cupti.enable_callback(1, subscriber, domain, id);
    if (result == FM_CUPTI_SUCCESS) {
        callbacks[domain][id] = (struct callback){(uint16_t)(function + 1), of_thread};
    }
    return result;
}

int fm_cuda_calls_enable(void *subscriber)
{
    int result = FM_CUPTI_SUCCESS;
    for (int domain = FM_CUPTI_DRIVER_API; domain <= FM_CUPTI_RUNTIME_API; domain++) {
        for (uint32_t id = 1; id < CALLS_MOST && result == FM_CUPTI_SUCCESS; id++) {
            result = enable(subscriber, domain, id);
        }
    }
    return result == FM_CUPTI_SUCCESS && fm_cuda_measures()
               ? fm_cupti.enable_callback(1, subscriber, FM_CUPTI_RESOURCES, FM_CUPTI_CONTEXT_ENDS)
               : result;
}

/* ---- calls ---- */

static const void *argument(const struct fm_cupti_call *call, size_t number)
{
    return call->arguments != NULL ? ((const void *const *)call->arguments)[number] : NULL;
}

static struct fm_thread *stream_of(const struct fm_cupti_call *call, const void *handle,
                                   bool of_thread)
{
    uint32_t device = UINT32_MAX, number;
    if (call->context == NULL || fm_cupti.get_stream_id(call->context, (void *)(uintptr_t)handle,
                                                        of_thread, &number) != FM_CUPTI_SUCCESS) {
        return NULL;
    }
    if (fm_cupti.get_device_id(call->context, &device) != FM_CUPTI_SUCCESS) {
        device = UINT32_MAX;
    }
    return fm_cuda_stream(device, call->context_id, number);
}

/* What a call states besides its begin and end: a record, but of a launch one for each of the open
 * call's numbers. */
struct statement {
    enum fm_record_kind kind;
    uint32_t words; /* of the record; 0: none */
    uint32_t ref, number, region;
};

/* The stream that a call waits for. A call that names no stream waits for all: it names its own
 * location if the stream is not known. */
static struct statement awaits(const struct fm_thread *stream, const struct fm_thread *caller)
{
    return (struct statement){FM_RECORD_STREAM_AWAITED, FM_WORDS_STREAM_AWAITED,
                              stream != NULL ? stream->index : caller->index, 0, 0};
}

/* An event on a stream. @param number  0: it is none that is executed */
static struct statement names_event(const struct fm_thread *stream, uint32_t number)
{
    return number != 0 ? (struct statement){FM_RECORD_STREAM_EVENT, FM_WORDS_STREAM_EVENT,
                                            stream->index, number, 0}
                       : (struct statement){0};
}

/* A stream that waits for an event. */
static struct statement lets_wait(const struct fm_thread *stream, uint32_t number)
{
    return number != 0 ? (struct statement){FM_RECORD_STREAM_WAITS, FM_WORDS_STREAM_WAITS,
                                            stream->index, number, fm_cuda_wait_region()}
                       : (struct statement){0};
}

/* Whether a call has done what it is for. */
static bool has_succeeded(const struct fm_cupti_call *call)
{
    return call->result == NULL || *(const int *)call->result == 0;
}

/* @return what a call states, which has ended. @param thread  its caller */
static struct statement statement_of(const struct fm_thread *thread,
                                     const struct fm_cupti_call *call,
                                     const struct callback *callback)
{
    const bool of_thread = callback->of_thread;
    const void *const first = argument(call, 0);
    struct fm_thread *stream = NULL;
    struct fm_cuda_event event;
    switch (functions[callback->function - 1].use) {
    case FM_CUDA_LAUNCH:
    case FM_CUDA_KERNEL:
    case FM_CUDA_GRAPH:
        return (struct statement){FM_RECORD_CORRELATION, FM_WORDS_CORRELATION, 0, 0, 0};
    case FM_CUDA_WAIT_ALL:
        return (struct statement){FM_RECORD_CONTEXT_AWAITED, FM_WORDS_CONTEXT_AWAITED,
                                  call->context_id, 0, 0};
    case FM_CUDA_WAIT_STREAM:
        return awaits(stream_of(call, first, of_thread), thread);
    case FM_CUDA_WAIT_EVENT:
        event = fm_cuda_event(first);
        return event.number != 0 ? names_event(event.stream, event.number)
                                 : awaits(event.stream, thread);
    case FM_CUDA_END_CAPTURE: /* one that fails ends the capture, too */
        fm_cuda_capture_end(stream_of(call, first, of_thread));
        return (struct statement){0};
    default:
        break;
    }
    if (!has_succeeded(call)) {
        return (struct statement){0};
    }
    switch (functions[callback->function - 1].use) {
    case FM_CUDA_RECORD_EVENT:
        stream = stream_of(call, argument(call, 1), of_thread);
        return names_event(stream, fm_cuda_event_record(first, stream));
    case FM_CUDA_AWAIT_EVENT:
        stream = stream_of(call, first, of_thread);
        return lets_wait(stream, fm_cuda_event_await(argument(call, 1), stream));
    case FM_CUDA_BEGIN_CAPTURE:
        fm_cuda_capture_begin(stream_of(call, first, of_thread));
        return (struct statement){0};
    default:
        return (struct statement){0};
    }
}

static void end_call(struct fm_thread *thread, const struct fm_cupti_call *call,
                     const struct callback *callback)
{
    const uint64_t left = fm_clock_now();
    const struct statement statement = statement_of(thread, call, callback);
    const bool launches = statement.kind == FM_RECORD_CORRELATION;
    const uint32_t count = launches ? open.count : 1;
    uint64_t *place = fm_thread_leave_at(thread, left, count * statement.words);
    for (uint32_t i = 0; i < count && statement.words > 0; i++, place += statement.words) {
        const uint64_t parts[] = {fm_record_header(statement.kind, 0, statement.ref),
                                  launches ? open.numbers[i] : statement.number, statement.region};
        memcpy(place, parts, statement.words * sizeof *parts);
    }
    fm_thread_done(thread);
}

/* A call inside a recorded one: its number may be that of the work. */
static void note_inner(const struct fm_thread *thread, uint32_t number)
{
    if (thread->depth == FM_DEPTH_REPORTED && open.count < NUMBERS_MOST &&
        open.numbers[open.count - 1] != number && open.numbers[0] != number) {
        open.numbers[open.count++] = number;
    }
}

/* What the two callbacks of a call share (fm_cupti_call.own): whether it is recorded, and the mark
 * of a launch that may be measured. */
enum { RECORDED_BIT = 1, MARK_SHIFT = 1 };

static inline __attribute__((always_inline)) void begin_call(const struct fm_cupti_call *call,
                                                             const struct callback *callback)
{
    const enum fm_cuda_use use = functions[callback->function - 1].use;
    struct fm_thread *thread = fm_thread_self;
    *call->own = 0;
    if (thread != NULL && fm_thread_is_quiet(thread)) {
        note_inner(thread, call->correlation);
    } else {
        thread = fm_call_enter((uint32_t)callback->function - 1);
        if (thread != NULL) {
            open.numbers[0] = call->correlation;
            open.count = 1;
            *call->own = RECORDED_BIT;
            note_pause(thread->pause.paused, call->correlation);
            fm_thread_suspend(thread);
            if (use == FM_CUDA_BEGIN_CAPTURE) {
                fm_cuda_measure_capture_begins();
            }
        }
    }
    if (use == FM_CUDA_KERNEL || use == FM_CUDA_GRAPH) {
        const bool is_recorded = !__atomic_load_n(&pauses.paused, __ATOMIC_RELAXED);
        *call->own |= fm_cuda_measure_launch_begins(call, use == FM_CUDA_KERNEL && is_recorded)
                      << MARK_SHIFT;
    }
}

void fm_cuda_call(void *user, int domain, uint32_t id, const void *data)
{
    const struct fm_cupti_call *call = data;
    (void)user;
    if (domain == FM_CUPTI_RESOURCES && id == FM_CUPTI_CONTEXT_ENDS) {
        fm_cuda_measure_context_ends(((const struct fm_cupti_resource *)data)->context);
        return;
    }
    if ((domain != FM_CUPTI_DRIVER_API && domain != FM_CUPTI_RUNTIME_API) || id >= CALLS_MOST ||
        callbacks[domain][id].function == 0) {
        return;
    }
    const struct callback *callback = &callbacks[domain][id];
    if (call->site == FM_CUPTI_API_ENTER) {
        begin_call(call, callback);
    } else if (call->site == FM_CUPTI_API_EXIT) {
        const struct fm_thread *outer = fm_thread_self;
        const bool is_inside = outer != NULL && outer->depth == FM_DEPTH_REPORTED;
        fm_cuda_measure_launch_ends(call, *call->own >> MARK_SHIFT,
                                    is_inside ? open.numbers[0] : call->correlation);
        struct fm_thread *thread = (*call->own & RECORDED_BIT) != 0 ? fm_thread_resume() : NULL;
        if (thread != NULL) {
            const enum fm_cuda_use use = functions[callback->function - 1].use;
            if (use == FM_CUDA_END_CAPTURE ||
                (use == FM_CUDA_BEGIN_CAPTURE && !has_succeeded(call))) {
                fm_cuda_measure_capture_ends();
            }
            end_call(thread, call, callback);
        }
    }
}
