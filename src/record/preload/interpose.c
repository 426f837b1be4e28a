/* SPDX-License-Identifier: BSD-3-Clause */
/* Interposes the functions of the C library in which threads sleep or wait. Each calls the original
 * function; the recorder decides afterwards whether the call is recorded (computation/blocking.h).
 */
#undef _FORTIFY_SOURCE
#include "record/preload/interpose.h"

#include "record/capture/hot.h"
#include "record/preload/notify.h"
#include "record/preload/system_library.h"
#include "record/stack/registers.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct fm_recorder *recorder; /* NULL until it is loaded */

static const char *const names[] = {
#define FM_BLOCKING(signals, type, name, parameters, arguments) #name,
#include "record/computation/blocking.def"
#undef FM_BLOCKING
};
static void *originals[FM_BLOCKING_COUNT];

static FM_COLD void *find_late(enum fm_blocking function)
{
    void *found = fm_preload_next(names[function]);
    __atomic_store_n(&originals[function], found, __ATOMIC_RELAXED);
    return found;
}

/* At the start, because dlsym is unsafe in signal handlers. */
void fm_preload_find_blocking(void)
{
    for (int i = 0; i < FM_BLOCKING_COUNT; i++) {
        find_late((enum fm_blocking)i);
    }
}

void fm_preload_record_blocking(const struct fm_recorder *loaded)
{
    __atomic_store_n(&recorder, loaded, __ATOMIC_RELEASE);
}

static inline void *original(enum fm_blocking function)
{
    void *found = __atomic_load_n(&originals[function], __ATOMIC_RELAXED);
    return FM_LIKELY(found != NULL) ? found : find_late(function);
}

/* ---- the signal of samples, which must not change what the program gets from a call ---- */

/* Blocks a signal. @return whether it was not blocked */
static bool hold(int signal)
{
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, signal);
    return fm_preload_sigmask(SIG_BLOCK, &one, &before) == 0 && sigismember(&before, signal) == 0;
}

static void release(int signal)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    fm_preload_sigmask(SIG_UNBLOCK, &one, NULL);
}

/* @return the set with the signal, or without it; `copy` keeps it */
static const sigset_t *changed(const sigset_t *set, bool with, int signal, sigset_t *copy)
{
    if (set == NULL || sigismember(set, signal) == with) {
        return set;
    }
    *copy = *set;
    if (with) {
        sigaddset(copy, signal);
    } else {
        sigdelset(copy, signal);
    }
    return copy;
}

/* Whether the signal is blocked during a call. */
enum {
    FM_HOLD_RESTARTED = false,
    FM_HOLD_INTERRUPTED = true,
    FM_HOLD_MASKED = true,
    FM_HOLD_WAITED_FOR = true
};

#define FM_CHANGE_RESTARTED
#define FM_CHANGE_INTERRUPTED
#define FM_CHANGE_MASKED                                                                           \
    sigset_t fm_copy;                                                                              \
    mask = fm_call.signal != 0 ? changed(mask, true, fm_call.signal, &fm_copy) : mask;
#define FM_CHANGE_WAITED_FOR                                                                       \
    sigset_t fm_copy;                                                                              \
    set = fm_call.signal != 0 ? changed(set, false, fm_call.signal, &fm_copy) : set;

/* ---- the functions ---- */

/* The recorder reads the stack from the frame of the interposed function on. */
#define FM_BLOCKING(signals, type, name, parameters, arguments)                                    \
    __attribute__((visibility("default"))) type name parameters                                    \
    {                                                                                              \
        type(*function) parameters;                                                                \
        *(void **)&function = original(FM_BLOCKING_##name);                                        \
        const struct fm_recorder *loaded = __atomic_load_n(&recorder, __ATOMIC_ACQUIRE);           \
        struct fm_blocking_call fm_call = {0};                                                     \
        if (loaded != NULL) {                                                                      \
            fm_call = loaded->blocking_begin();                                                    \
        }                                                                                          \
        FM_CHANGE_##signals bool is_held =                                                         \
            FM_HOLD_##signals && fm_call.signal != 0 && hold(fm_call.signal);                      \
        type fm_result = function arguments;                                                       \
        if (fm_call.begin != 0) {                                                                  \
            loaded->blocking_end(FM_BLOCKING_##name, fm_call, FM_HERE);                            \
        }                                                                                          \
        if (is_held) {                                                                             \
            release(fm_call.signal);                                                               \
        }                                                                                          \
        return fm_result;                                                                          \
    }
#include "record/computation/blocking.def"
