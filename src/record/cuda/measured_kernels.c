/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cuda/measured_kernels.h"

#include "base/kernel_activity.h"
#include "record/capture/thread.h"

#include <string.h>

enum { PLACES = 1 << 16, PROBES = 32 };

/* What has come first. Numbers grow: the lowest one is the oldest. */
static struct place {
    uint32_t number;          /* 0: the place is free */
    uint32_t twin;            /* of values: the other number, where they are, too */
    struct fm_thread *stream; /* of a work; NULL: it is values */
    double values[FM_KERNEL_ACTIVITY_COUNT];
} places[PLACES];

static uint64_t without_work;

static struct place *place_at(uint32_t number, unsigned probe)
{
    const uint32_t hash = number * 0x9e3779b1u;
    return &places[((hash >> 8) + probe) % PLACES];
}

/* @return the place of a number; NULL: it has none */
static struct place *find(uint32_t number)
{
    for (unsigned i = 0; i < PROBES; i++) {
        if (place_at(number, i)->number == number) {
            return place_at(number, i);
        }
    }
    return NULL;
}

static void put(const struct place *what)
{
    struct place *oldest = place_at(what->number, 0);
    for (unsigned i = 1; i < PROBES && oldest->number != 0 && oldest->number != what->number; i++) {
        struct place *place = place_at(what->number, i);
        if (place->number < oldest->number || place->number == what->number) {
            oldest = place;
        }
    }
    *oldest = *what;
}

static void forget(uint32_t number)
{
    struct place *place = find(number);
    if (place != NULL) {
        place->number = 0;
    }
}

void fm_measured_kernel_work(struct fm_thread *stream, uint32_t number)
{
    struct place *place = find(number);
    if (place != NULL && place->stream == NULL) {
        fm_stream_put_activity(stream, number, place->values);
        without_work--;
        forget(place->twin);
        place->number = 0;
    } else {
        put(&(struct place){.number = number, .stream = stream});
    }
}

void fm_measured_kernel_values(uint32_t outer, uint32_t inner, const double *values)
{
    const uint32_t numbers[] = {outer, inner};
    for (size_t i = 0; i < 2; i++) {
        struct place *place = find(numbers[i]);
        if (place != NULL && place->stream != NULL) {
            fm_stream_put_activity(place->stream, numbers[i], values);
            place->number = 0;
            return;
        }
    }
    without_work++;
    for (size_t i = 0; i < 2; i++) {
        struct place place = {.number = numbers[i], .twin = numbers[1 - i]};
        memcpy(place.values, values, sizeof place.values);
        put(&place);
    }
}

uint64_t fm_measured_kernels_without_work(void)
{
    return without_work;
}
