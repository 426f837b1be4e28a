/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernels are measured, and which values belong to which of them. CUPTI numbers the kernels
 * of a context in the order of their launches; so do the callbacks of the launches. Kernels are
 * measured in batches: between two batches, when no launch is in progress, the values are decoded.
 * Launches of several kernels (graphs), launches that are not recorded, and those while a stream is
 * captured are not measured: they end a batch.
 *
 * The values of a batch are dropped if CUPTI has measured another number of kernels than were
 * launched, and those of launches that overlap, whose order is not known. */
#include "record/cuda/measuring.h"
#include "record/cuda/kernel_profiler.h"

#include "record/capture/lock.h"
#include "record/session/session_tell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CONTEXTS = 64,
    BATCH = FM_PROFILER_RANGES / 2 /* as soon as no launch is in progress, it is decoded */
};

/* A launch of the current batch. */
struct launch {
    uint32_t outer, inner; /* numbers of the call of the program, and of the driver's inside it */
    bool has_failed;       /* no kernel was launched */
    bool overlaps;         /* another one was in progress */
};

static struct {
    fm_lock_t lock;
    uint32_t captures; /* of streams, in progress */
    bool is_wanted;    /* kernels are measured; until the end of the run */
    bool has_begun;
    struct fm_cupti_profiler cupti;
    struct context {
        struct fm_kernel_profiler profiler;
        void *handle; /* CUcontext; NULL: the place is free */
        bool is_refused;
        bool is_started;
        uint32_t in_progress; /* launches */
        uint32_t first_open;  /* launch since which one has been in progress all the time */
        uint32_t count;
        uint32_t beyond; /* launches of the batch for which there was no room */
        struct launch launches[FM_PROFILER_RANGES];
    } contexts[CONTEXTS];
    uint64_t launched; /* kernels, one at a time */
    uint64_t unknown;  /* kernels without values */
    bool is_told;      /* why a context is not measured */
} state = {.lock = FM_LOCK_FREE};

/* What CUPTI does inside of its calls is nothing to be measured. */
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

static bool is_wanted(void)
{
    return __atomic_load_n(&state.is_wanted, __ATOMIC_RELAXED);
}

static void refuse(const struct fm_refusal *refusal)
{
    if (!state.is_told && (refusal->is_of_process || fm_cuda_reports())) {
        fm_session_tell_each("what is active inside of accelerators is not measured: %s",
                             refusal->reason);
    }
    state.is_told = true;
}

void fm_cuda_measure_begin(void)
{
    struct fm_refusal refusal = {.is_of_process = false};
    if (fm_cupti_profiler_load(&fm_cupti, &state.cupti, refusal.reason, sizeof refusal.reason)) {
        __atomic_store_n(&state.has_begun, true, __ATOMIC_RELAXED);
        __atomic_store_n(&state.is_wanted, true, __ATOMIC_RELAXED);
    } else {
        refuse(&refusal);
    }
}

bool fm_cuda_measures(void)
{
    return __atomic_load_n(&state.has_begun, __ATOMIC_RELAXED);
}

/* ---- batches ---- */

/* A kernel without values is noted, too: it was executed like one that is measured. */
static void take_values(struct context *context, size_t ranges)
{
    size_t range = 0;
    for (uint32_t i = 0; i < context->count; i++) {
        const struct launch *launch = &context->launches[i];
        double values[FM_KERNEL_ACTIVITY_COUNT] = {NAN, NAN, NAN};
        if (launch->has_failed) {
            continue;
        }
        if (launch->overlaps || range >= ranges) {
            state.unknown++;
        } else {
            fm_kernel_profiler_values(&context->profiler, &state.cupti, range, values);
        }
        fm_cuda_note_values(launch->outer, launch->inner, values);
        state.launched++;
        range++;
    }
    state.unknown += context->beyond;
    context->count = context->beyond = context->first_open = 0;
}

/* Ends the batch of a context in which no launch is in progress. */
static void end_batch(struct context *context)
{
    struct fm_refusal refusal = {.is_of_process = false};
    size_t ranges = 0, dropped = 0, launched = context->beyond;
    for (uint32_t i = 0; i < context->count; i++) {
        launched += !context->launches[i].has_failed;
    }
    if (!fm_kernel_profiler_stop(&context->profiler, &state.cupti, &ranges, &dropped, &refusal)) {
        context->is_refused = true;
        refuse(&refusal);
        ranges = 0;
    }
    if (ranges + dropped != launched) {
        ranges = 0; /* none can be told apart */
    }
    take_values(context, ranges);
    context->is_started = false;
}

static void begin_batch(struct context *context)
{
    struct fm_refusal refusal = {.is_of_process = false};
    context->is_started = fm_kernel_profiler_start(&context->profiler, &state.cupti, &refusal);
    if (!context->is_started) {
        context->is_refused = true;
        refuse(&refusal);
    }
}

/* ---- contexts ---- */

static struct context *find(const void *handle)
{
    for (size_t i = 0; i < CONTEXTS; i++) {
        if (state.contexts[i].handle == handle) {
            return &state.contexts[i];
        }
    }
    return NULL;
}

/* @return the context, which is opened if it is new; NULL: there are too many */
static struct context *open_context(void *handle)
{
    struct fm_refusal refusal = {.reason = "CUPTI does not state the device of the context"};
    uint32_t device = 0;
    struct context *context = find(handle);
    if (context != NULL) {
        return context;
    }
    context = find(NULL);
    if (context == NULL) {
        return NULL;
    }
    memset(context, 0, sizeof *context);
    context->handle = handle;
    if (fm_cupti.get_device_id(handle, &device) != FM_CUPTI_SUCCESS ||
        !fm_kernel_profiler_open(&context->profiler, &state.cupti, handle, device, &refusal)) {
        context->is_refused = true;
        refuse(&refusal);
    }
    return context;
}

static void close_context(struct context *context)
{
    if (context->is_started && context->in_progress == 0) {
        end_batch(context);
    } else {
        take_values(context, 0);
    }
    fm_kernel_profiler_close(&context->profiler, &state.cupti);
    context->handle = NULL;
}

void fm_cuda_measure_context_ends(void *handle)
{
    if (!is_wanted() || is_inside || handle == NULL) {
        return;
    }
    is_inside = true;
    fm_lock(&state.lock);
    struct context *context = find(handle);
    if (context != NULL) {
        close_context(context);
    }
    fm_unlock(&state.lock);
    is_inside = false;
}

/* ---- captures ---- */

void fm_cuda_measure_capture_begins(void)
{
    if (!is_wanted() || is_inside) {
        return;
    }
    is_inside = true;
    fm_lock(&state.lock);
    state.captures++;
    for (size_t i = 0; i < CONTEXTS; i++) {
        if (state.contexts[i].is_started && state.contexts[i].in_progress == 0) {
            end_batch(&state.contexts[i]);
        }
    }
    fm_unlock(&state.lock);
    is_inside = false;
}

void fm_cuda_measure_capture_ends(void)
{
    fm_lock(&state.lock);
    state.captures -= state.captures > 0;
    fm_unlock(&state.lock);
}

/* ---- launches ---- */

/* Adds a launch to the batch. @return its number from 1 on; 0: there is no room for it */
static uint32_t add_launch(struct context *context, uint32_t number)
{
    const bool overlaps = context->in_progress > 0, has_room = context->count < FM_PROFILER_RANGES;
    if (!overlaps) {
        context->first_open = context->count;
    }
    if (has_room) {
        context->launches[context->count++] = (struct launch){.outer = number, .inner = number};
    } else {
        context->beyond++;
    }
    for (uint32_t i = context->first_open; overlaps && i < context->count; i++) {
        context->launches[i].overlaps = true;
    }
    context->in_progress++;
    return has_room ? context->count : 0;
}

uint64_t fm_cuda_measure_launch_begins(const struct fm_cupti_call *call, bool is_one_kernel)
{
    uint64_t mark = 0;
    if (!is_wanted() || is_inside || call->context == NULL) {
        return 0;
    }
    is_inside = true;
    fm_lock(&state.lock);
    struct context *context = is_wanted() ? open_context(call->context) : NULL;
    if (context != NULL && context->in_progress == 0 && state.captures == 0) {
        if (context->is_started && (!is_one_kernel || context->count >= BATCH)) {
            end_batch(context);
        }
        if (!context->is_started && is_one_kernel && !context->is_refused) {
            begin_batch(context);
        }
    }
    if (context != NULL && context->is_started) {
        mark = (uint64_t)add_launch(context, call->correlation) << 1 | 1;
    }
    fm_unlock(&state.lock);
    is_inside = false;
    return mark;
}

void fm_cuda_measure_launch_ends(const struct fm_cupti_call *call, uint64_t mark, uint32_t outer)
{
    const uint32_t number = (uint32_t)(mark >> 1);
    if (mark == 0) {
        return;
    }
    fm_lock(&state.lock);
    struct context *context = find(call->context);
    if (context != NULL && context->in_progress > 0) {
        context->in_progress--;
        if (number > 0) {
            struct launch *launch = &context->launches[number - 1];
            launch->outer = outer;
            launch->has_failed = call->result != NULL && *(const int *)call->result != 0;
        }
    }
    fm_unlock(&state.lock);
}

void fm_cuda_measure_end(void)
{
    if (!is_wanted() || is_inside) {
        return;
    }
    is_inside = true;
    fm_lock(&state.lock);
    for (size_t i = 0; i < CONTEXTS; i++) {
        if (state.contexts[i].handle != NULL) {
            close_context(&state.contexts[i]);
        }
    }
    __atomic_store_n(&state.is_wanted, false, __ATOMIC_RELAXED);
    fm_unlock(&state.lock);
    is_inside = false;
    if (state.launched > 0 && fm_cuda_reports()) {
        fm_session_tell_each(
            "kernels of accelerators were executed one at a time, to be measured: their launches "
            "lasted as long as they did, and waiting is not that of a run without --gpu=metrics");
    }
    if (state.unknown > 0) {
        fm_session_tell_each(
            "of %llu %s it is not known what was active inside of accelerators: CUPTI has no "
            "values for them, or they cannot be assigned (launches of several threads at the same "
            "time)",
            (unsigned long long)state.unknown, state.unknown == 1 ? "kernel" : "kernels");
    }
}
