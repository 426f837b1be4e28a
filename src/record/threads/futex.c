/* SPDX-License-Identifier: BSD-3-Clause */
/* Futexes, by which C++ implements std::latch, std::counting_semaphore and std::atomic::wait: calls
 * of syscall(SYS_futex, ...) that wait, and those that awaken a thread. They have regions of their
 * own, futex_wait and futex_wake. */
#include "record/threads/futex.h"

#include "record/threads/waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

enum { FUTEX_WAIT_CALL, FUTEX_WAKE_CALL, FUTEX_CALLS };

static const struct fm_function functions[FUTEX_CALLS] = {
    [FUTEX_WAIT_CALL] = {"futex_wait", OTF2_REGION_ROLE_FUNCTION},
    [FUTEX_WAKE_CALL] = {"futex_wake", OTF2_REGION_ROLE_FUNCTION}};

static uint32_t first;
static bool is_known;

static void note_known(void)
{
    is_known = true;
}

static struct fm_paradigm futexes = {
    .count = FUTEX_CALLS, .functions = functions, .first = &first, .attach = note_known};

void fm_futexes_attach(const struct fm_paradigm_description *description)
{
    futexes.description = description;
    fm_session_attach(&futexes);
}

/* The number that fm_posix_enter takes. */
static uint32_t number_of(int call)
{
    return first - fm_first_function + (uint32_t)call;
}

FM_INLINE long wait_for(const long *a, uint64_t caller)
{
    __attribute__((cleanup(fm_object_wait_end))) struct fm_object_wait wait =
        fm_object_wait_begin(number_of(FUTEX_WAIT_CALL), (const void *)(uintptr_t)a[0], caller);
    long result = FM_NEXT(syscall)(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    fm_object_wait_end(&wait);
    return result;
}

FM_INLINE long awaken(const long *a, uint64_t caller)
{
    struct fm_object *object = fm_object_at((const void *)(uintptr_t)a[0]);
    struct fm_thread *thread = NULL;
    if (object != NULL && (fm_threads_choice == FM_THREADS_ALL || fm_object_is_awaited(object))) {
        thread = fm_posix_enter(number_of(FUTEX_WAKE_CALL), caller);
    }
    long result = FM_NEXT(syscall)(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (thread != NULL) {
        fm_object_leave(thread, object);
    }
    return result;
}

long fm_syscall(long number, ...)
{
    va_list arguments;
    long a[6];
    va_start(arguments, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(arguments, long);
    }
    va_end(arguments);
    if (FM_LIKELY(number != SYS_futex) || !is_known || fm_threads_choice == FM_THREADS_OFF) {
        return FM_NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    switch ((int)a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return wait_for(a, FM_CALLER);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return awaken(a, FM_CALLER);
    default:
        return FM_NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}
