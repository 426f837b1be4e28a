/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/guard.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static const int signals[] = {SIGXFSZ, SIGPIPE};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

void fm_guard_begin(struct fm_guard *guard)
{
    sigset_t ours, pending;
    guard->error = errno;
    feholdexcept(&guard->environment);
    sigemptyset(&ours);
    sigemptyset(&pending);
    sigpending(&pending);
    for (int i = 0; i < SIGNALS; i++) {
        sigaddset(&ours, signals[i]);
        guard->pending[i] = sigismember(&pending, signals[i]) == 1;
    }
    pthread_sigmask(SIG_BLOCK, &ours, &guard->blocked);
    guard->rights = fm_file_rights_begin();
}

void fm_guard_hold_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        sigdelset(&held, faults[i]);
    }
    pthread_sigmask(SIG_BLOCK, &held, NULL);
}

void fm_guard_end(const struct fm_guard *guard)
{
    const struct timespec now = {0, 0};
    fm_file_rights_restore(&guard->rights);
    for (int i = 0; i < SIGNALS; i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, signals[i]);
        if (!guard->pending[i]) {
            while (sigtimedwait(&one, NULL, &now) > 0) {
            }
        }
    }
    pthread_sigmask(SIG_SETMASK, &guard->blocked, NULL);
    fesetenv(&guard->environment);
    errno = guard->error;
}
