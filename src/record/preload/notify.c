/* SPDX-License-Identifier: BSD-3-Clause */
/* Interposes functions of which the recorder is notified: those that unload libraries or set signal
 * handlers. They call the original functions. */
#include "record/preload/notify.h"

#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>

typedef void fm_signal_handler_t(int number);

/* NULL until the recorder is loaded. */
static int (*mask)(int how, const sigset_t *set, sigset_t *before, fm_mask_function_t *next);
static void (*unloaded)(void);
static void (*signal_set)(int number);

void fm_preload_notify(const struct fm_recorder *recorder)
{
    __atomic_store_n(&signal_set, recorder->signal_set, __ATOMIC_RELEASE);
    __atomic_store_n(&mask, recorder->signal_mask, __ATOMIC_RELEASE);
    __atomic_store_n(&unloaded, recorder->unloaded, __ATOMIC_RELEASE);
}

/* Notifies the recorder that a library may be unloaded: another one may be loaded at its addresses.
 */
__attribute__((visibility("default"))) int dlclose(void *handle)
{
    static int (*real)(void *);
    int (*function)(void *) = __atomic_load_n(&real, __ATOMIC_RELAXED);
    void (*tell)(void) = __atomic_load_n(&unloaded, __ATOMIC_ACQUIRE);
    if (function == NULL) {
        *(void **)&function = fm_preload_next("dlclose");
        __atomic_store_n(&real, function, __ATOMIC_RELAXED);
    }
    int result = function != NULL ? function(handle) : -1;
    if (tell != NULL && result == 0) {
        int saved = errno;
        tell();
        errno = saved;
    }
    return result;
}

/* Notifies the recorder that the program sets a handler for a real-time signal: if samples use this
 * signal, sampling ends. */
static void tell_signal(int number)
{
    void (*tell)(int) = __atomic_load_n(&signal_set, __ATOMIC_ACQUIRE);
    if (tell != NULL && number >= SIGRTMIN) {
        tell(number);
    }
}

/* The next function of that name after this library. The look-up is cached, because dlsym is unsafe
 * in signal handlers. */
static void *next_function(void **known, const char *name)
{
    void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (function == NULL) {
        function = fm_preload_next(name);
        __atomic_store_n(known, function, __ATOMIC_RELAXED);
    }
    return function;
}

static void *real_sigaction, *real_signal, *real_sigmask, *real_sigprocmask;

__attribute__((constructor)) static void find_signal_functions(void)
{
    next_function(&real_sigaction, "sigaction");
    next_function(&real_signal, "signal");
    next_function(&real_sigmask, "pthread_sigmask");
    next_function(&real_sigprocmask, "sigprocmask");
}

__attribute__((visibility("default"))) int
sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict before)
{
    int (*function)(int, const struct sigaction *, struct sigaction *);
    *(void **)&function = next_function(&real_sigaction, "sigaction");
    if (action != NULL) {
        tell_signal(number);
    }
    return function(number, action, before);
}

__attribute__((visibility("default"))) fm_signal_handler_t *signal(int number,
                                                                   fm_signal_handler_t *handler)
{
    fm_signal_handler_t *(*function)(int, fm_signal_handler_t *);
    *(void **)&function = next_function(&real_signal, "signal");
    tell_signal(number);
    return function(number, handler);
}

int fm_preload_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    fm_mask_function_t *function;
    *(void **)&function = next_function(&real_sigmask, "pthread_sigmask");
    return function(how, set, before);
}

static int set_mask(void **known, const char *name, int how, const sigset_t *set, sigset_t *before)
{
    fm_mask_function_t *function;
    *(void **)&function = next_function(known, name);
    int (*masks)(int, const sigset_t *, sigset_t *, fm_mask_function_t *) =
        __atomic_load_n(&mask, __ATOMIC_ACQUIRE);
    return masks != NULL ? masks(how, set, before, function) : function(how, set, before);
}

__attribute__((visibility("default"))) int pthread_sigmask(int how, const sigset_t *set,
                                                           sigset_t *before)
{
    return set_mask(&real_sigmask, "pthread_sigmask", how, set, before);
}

__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t *set,
                                                       sigset_t *before)
{
    return set_mask(&real_sigprocmask, "sigprocmask", how, set, before);
}
