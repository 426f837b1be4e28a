/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of CUDA, which stand behind the work of streams, in a table of fixed size. A call that
 * puts an event on a stream gives it a number, which the calls that wait for the event record, too.
 *
 * While a stream is captured, its calls are not executed, but become nodes of a graph. A stream
 * that waits for an event of a captured stream is captured with it, until the first stream ends
 * that. */
#include "record/cuda/cuda.h"

#include "record/capture/lock.h"

enum {
    EVENTS = 8192, /* places; a power of two */
    PROBES = 32,
    CAPTURED_MOST = 64 /* streams that are captured at once; of further ones, waits are recorded
                          that are none */
};

static struct {
    fm_lock_t lock;
    struct event {
        const void *event; /* NULL: the place is free */
        struct fm_thread *stream;
        uint32_t number;  /* 0: it is not executed */
        uint32_t capture; /* that it is part of; 0: none */
    } events[EVENTS];
    struct captured {
        const struct fm_thread *stream;
        uint32_t capture;
    } captured[CAPTURED_MOST];
    size_t captured_count;
    uint32_t last_number, last_capture;
} known = {.lock = FM_LOCK_FREE};

static struct event *place_of(const void *event)
{
    uint64_t first = (uint64_t)(uintptr_t)event * 0x9e3779b97f4a7c15u;
    first ^= first >> 32;
    for (unsigned i = 0; i < PROBES; i++) {
        struct event *place = &known.events[(first + i) % EVENTS];
        if (place->event == NULL || place->event == event) {
            return place;
        }
    }
    return &known.events[first % EVENTS]; /* an event that may be forgotten */
}

/* @return the capture that a stream takes part in; 0: none */
static uint32_t capture_of(const struct fm_thread *stream)
{
    for (size_t i = 0; i < known.captured_count; i++) {
        if (known.captured[i].stream == stream) {
            return known.captured[i].capture;
        }
    }
    return 0;
}

static void add_captured(const struct fm_thread *stream, uint32_t capture)
{
    if (known.captured_count < CAPTURED_MOST) {
        known.captured[known.captured_count++] = (struct captured){stream, capture};
    }
}

uint32_t fm_cuda_event_record(const void *event, struct fm_thread *stream)
{
    fm_lock(&known.lock);
    const uint32_t capture = capture_of(stream);
    const uint32_t number = stream == NULL || capture != 0 ? 0 : ++known.last_number;
    *place_of(event) = (struct event){event, stream, number, capture};
    fm_unlock(&known.lock);
    return number;
}

struct fm_cuda_event fm_cuda_event(const void *event)
{
    struct fm_cuda_event found = {NULL, 0};
    fm_lock(&known.lock);
    const struct event *place = place_of(event);
    if (place->event == event) {
        found = (struct fm_cuda_event){place->stream, place->number};
    }
    fm_unlock(&known.lock);
    return found;
}

uint32_t fm_cuda_event_await(const void *event, struct fm_thread *stream)
{
    uint32_t number = 0;
    fm_lock(&known.lock);
    const struct event *place = place_of(event);
    if (place->event == event && stream != NULL) {
        const uint32_t own = capture_of(stream);
        if (place->capture != 0 && own == 0) {
            add_captured(stream, place->capture);
        } else if (own == 0) {
            number = place->number;
        }
    }
    fm_unlock(&known.lock);
    return number;
}

void fm_cuda_capture_begin(struct fm_thread *stream)
{
    fm_lock(&known.lock);
    if (stream != NULL && capture_of(stream) == 0) {
        add_captured(stream, ++known.last_capture);
    }
    fm_unlock(&known.lock);
}

void fm_cuda_capture_end(const struct fm_thread *stream)
{
    size_t kept = 0;
    fm_lock(&known.lock);
    const uint32_t capture = capture_of(stream);
    for (size_t i = 0; i < known.captured_count && capture != 0; i++) {
        if (known.captured[i].capture != capture) {
            known.captured[kept++] = known.captured[i];
        }
    }
    known.captured_count = capture != 0 ? kept : known.captured_count;
    fm_unlock(&known.lock);
}
