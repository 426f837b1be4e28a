/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of the process, by the numbers that CUPTI gives them: a table of fixed size, so that a
 * call of the program allocates nothing for them. */
#include "record/cuda/cuda.h"

#include "record/capture/lock.h"

#include <stdio.h>

enum {
    STREAMS = 4096, /* places; a power of two */
    PROBES = 32
};

static struct {
    fm_lock_t lock; /* guards the table; not held while a location is made */
    struct stream {
        uint32_t context, number;
        struct fm_thread *location; /* NULL: the place is free */
    } streams[STREAMS];
    struct fm_thread *all[STREAMS]; /* in order of appearance */
    size_t count;
} known = {.lock = FM_LOCK_FREE};

static uint64_t hash(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 32;
}

/* @return the place of a stream, or the free one that it is to have; NULL: the table is full */
static struct stream *place_of(uint32_t context, uint32_t number)
{
    uint64_t first = hash((uint64_t)context << 32 | number);
    for (unsigned i = 0; i < PROBES; i++) {
        struct stream *place = &known.streams[(first + i) % STREAMS];
        if (place->location == NULL || (place->context == context && place->number == number)) {
            return place;
        }
    }
    return NULL;
}

/* Makes the location of a new stream. */
static void add(struct stream *place, uint32_t device, uint32_t context, uint32_t number)
{
    char name[96];
    int length = device != UINT32_MAX ? snprintf(name, sizeof name, "CUDA device %u ", device)
                                      : snprintf(name, sizeof name, "CUDA ");
    snprintf(name + length, sizeof name - (size_t)length, "context %u stream %u", context, number);
    uint32_t string = fm_session_string(name);
    struct fm_thread *location =
        string != FM_DEFINE_NONE ? fm_thread_add_stream(string, context) : NULL;
    if (location != NULL) {
        *place = (struct stream){context, number, location};
        known.all[known.count++] = location;
    }
}

struct fm_thread *fm_cuda_stream(uint32_t device, uint32_t context, uint32_t number)
{
    fm_lock(&known.lock);
    struct stream *place = place_of(context, number);
    if (place != NULL && place->location == NULL && known.count < STREAMS) {
        add(place, device, context, number);
    }
    struct fm_thread *location = place != NULL ? place->location : NULL;
    fm_unlock(&known.lock);
    return location;
}

void fm_cuda_streams_flush(void)
{
    fm_lock(&known.lock);
    size_t count = known.count;
    fm_unlock(&known.lock);
    for (size_t i = 0; i < count; i++) {
        fm_stream_flush(known.all[i]);
    }
}
