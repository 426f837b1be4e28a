/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/computation/blocking.h"

#include "functions/paradigm_names.h"
#include "record/capture/thread.h"
#include "record/paradigm/paradigm.h"
#include "record/sampling/sample.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <otf2/otf2.h>
#include <signal.h>

static const struct fm_paradigm_description description = {.otf2 = OTF2_PARADIGM_USER,
                                                           .name = FM_C_LIBRARY_FILE};

static const struct fm_function functions[FM_BLOCKING_COUNT] = {
#define FM_BLOCKING(signals, type, name, parameters, arguments)                                    \
    [FM_BLOCKING_##name] = {#name, OTF2_REGION_ROLE_FUNCTION},
#include "record/computation/blocking.def"
#undef FM_BLOCKING
};

static uint32_t first_function;
static uint64_t shortest; /* ticks of a recorded call; 0: they are not recorded (yet) */

static void find_shortest(void)
{
    __atomic_store_n(&shortest, fm_clock_resolution() / 50000, __ATOMIC_RELEASE); /* 20 us */
}

const struct fm_paradigm fm_blocking_functions = {.description = &description,
                                                  .count = FM_BLOCKING_COUNT,
                                                  .functions = functions,
                                                  .first = &first_function,
                                                  .attach = find_shortest};

/* Whether the thread is between its recorded calls. */
static bool is_computing(const struct fm_thread *thread)
{
    return thread != NULL && !fm_thread_is_quiet(thread);
}

static bool is_sampled(const struct fm_thread *thread)
{
    return __atomic_load_n(&thread->samples.is_sampled, __ATOMIC_RELAXED);
}

static bool is_recorded(const struct fm_thread *thread)
{
    return !thread->is_marking && thread->stack != NULL && !fm_pause_is_due(thread);
}

uint64_t fm_blocking_measure_begin(void)
{
    return is_computing(fm_thread_self) ? fm_clock_now() : 0;
}

void fm_blocking_measure_end(uint64_t begin)
{
    if (begin != 0 && is_computing(fm_thread_self)) {
        fm_thread_self->processor.blocked += fm_clock_now() - begin;
    }
}

struct fm_blocking_call fm_blocking_begin(void)
{
    struct fm_thread *thread = fm_thread_self;
    struct fm_blocking_call call = {0};
    if (!is_computing(thread)) {
        return call;
    }
    bool sampled = is_sampled(thread);
    call.signal = sampled ? fm_samples_signal() : 0;
    if (__atomic_load_n(&shortest, __ATOMIC_ACQUIRE) != 0 && (!sampled || is_recorded(thread))) {
        if (sampled) {
            fm_samples_hold(thread);
        }
        call.begin = fm_clock_now();
    }
    return call;
}

static uint64_t *put_call(uint64_t *place, uint32_t function, uint64_t begin, uint64_t end)
{
    if ((end - begin) >> FM_CALL_DURATION_BITS == 0) {
        place[0] = fm_record_call(function, end - begin);
        place[1] = begin;
        return place + FM_WORDS_CALL;
    }
    place[0] = fm_record_header(FM_RECORD_CALL_LONG, function, 0);
    place[1] = begin;
    place[2] = end;
    return place + FM_WORDS_CALL_LONG;
}

void fm_blocking_end(enum fm_blocking function, struct fm_blocking_call call, struct fm_here here)
{
    struct fm_thread *thread = fm_thread_self;
    uint64_t end = fm_clock_now();
    bool is_long = end - call.begin >= shortest && !fm_samples_are_off();
    if (!is_computing(thread)) {
        return;
    }
    thread->processor.blocked += end - call.begin;
    if (!is_sampled(thread) || !is_recorded(thread)) {
        return;
    }
    if (!is_long && !thread->samples.held_back) {
        fm_samples_resume(thread, NULL);
        return;
    }
    int saved = errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (is_long) {
        fm_merged_visits_tell(thread, &here);
    }
    uint64_t *place =
        is_long ? fm_samples_put_stack(thread, fm_here_caller(here), false, FM_WORDS_CALL_LONG)
                : NULL;
    if (place != NULL) {
        thread->cursor = put_call(place, first_function + (uint32_t)function, call.begin, end);
        fm_thread_publish(thread);
    }
    fm_samples_resume(thread, is_long ? NULL : &here);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
}
