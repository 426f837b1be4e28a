/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/sampling/signal_mask.h"

#include "record/capture/thread.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- the recorder's own changes of masks ---- */

/* The system call itself: that of the C library is interposed, too. @return 0, or -error */
static long change_mask(int how, const sigset_t *set, sigset_t *before)
{
    enum { SET_BYTES = 8 }; /* as the kernel has them */
#if defined(__x86_64__)
    long result = SYS_rt_sigprocmask;
    register long size __asm__("r10") = SET_BYTES;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"((long)how), "S"(set), "d"(before), "r"(size)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_rt_sigprocmask;
    register long first __asm__("x0") = how;
    register const sigset_t *second __asm__("x1") = set;
    register sigset_t *third __asm__("x2") = before;
    register long size __asm__("x3") = SET_BYTES;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(number), "r"(second), "r"(third), "r"(size)
                     : "memory");
    return first;
#endif
}

/* The function of this name that the recorder itself calls, in all of its files: that of the
 * process is the program's (fm_signal_mask_set), which lets the signal of samples through. */
FM_HIDDEN int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    if (before != NULL) {
        memset(before, 0, sizeof *before);
    }
    return (int)-change_mask(how, set, before);
}

/* ---- the program's ---- */

int fm_signal_mask_set(int how, const sigset_t *set, sigset_t *before, fm_mask_function_t *next)
{
    struct fm_thread *thread = fm_thread_self;
    const int number = fm_samples_signal();
    if (thread == NULL || number == 0 ||
        !__atomic_load_n(&thread->samples.is_sampled, __ATOMIC_RELAXED)) {
        return next(how, set, before);
    }
    const bool was_blocked = thread->samples.is_blocked;
    const bool has = set != NULL && sigismember(set, number) == 1;
    sigset_t without;
    const sigset_t *given = set;
    if (has && how != SIG_UNBLOCK) {
        without = *set;
        sigdelset(&without, number);
        given = &without;
    }
    const int result = next(how, given, before);
    if (result == 0 && set != NULL) {
        thread->samples.is_blocked = how == SIG_SETMASK ? has
                                     : how == SIG_BLOCK ? was_blocked || has
                                                        : was_blocked && !has;
    }
    if (result == 0 && before != NULL && was_blocked) {
        sigaddset(before, number);
    }
    return result;
}

static sigset_t only(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    return one;
}

void fm_signal_mask_open(struct fm_thread *thread, int number)
{
    const sigset_t one = only(number);
    sigset_t before;
    pthread_sigmask(SIG_UNBLOCK, &one, &before);
    thread->samples.is_blocked = sigismember(&before, number) == 1;
}

void fm_signal_mask_close(struct fm_thread *thread, int number)
{
    const sigset_t one = only(number);
    if (thread->samples.is_blocked) {
        pthread_sigmask(SIG_BLOCK, &one, NULL);
        thread->samples.is_blocked = false;
    }
}
