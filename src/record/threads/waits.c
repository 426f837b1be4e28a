/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers, semaphores, and initializations that other threads execute. */
#include "record/threads/waits.h"

#include <errno.h>
#include <semaphore.h>

/* ---- barriers ---- */

int fm_pthread_barrier_wait(pthread_barrier_t *barrier)
{
    FM_WAIT_FOR(pthread_barrier_wait, barrier, barrier);
}

/* ---- semaphores ---- */

/* Whether a wait ends at once, in a call that need not be recorded. A wait is a cancellation point
 * even then. errno is preserved if it does not. */
static inline bool is_free(sem_t *semaphore)
{
    if (fm_threads_choice != FM_THREADS_CONTENDED) {
        return false;
    }
    int saved = errno;
    pthread_testcancel();
    if (FM_NEXT(sem_trywait)(semaphore) == 0) {
        return true;
    }
    errno = saved;
    return false;
}

int fm_sem_trywait(sem_t *semaphore)
{
    if (fm_threads_choice != FM_THREADS_ALL) {
        return FM_NEXT(sem_trywait)(semaphore);
    }
    FM_WAIT_FOR(sem_trywait, semaphore, semaphore);
}

int fm_sem_wait(sem_t *semaphore)
{
    if (is_free(semaphore)) {
        return 0;
    }
    FM_WAIT_FOR(sem_wait, semaphore, semaphore);
}

int fm_sem_timedwait(sem_t *semaphore, const struct timespec *time)
{
    if (is_free(semaphore)) {
        return 0;
    }
    FM_WAIT_FOR(sem_timedwait, semaphore, semaphore, time);
}

int fm_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time)
{
    if (is_free(semaphore)) {
        return 0;
    }
    FM_WAIT_FOR(sem_clockwait, semaphore, semaphore, clock, time);
}

int fm_sem_post(sem_t *semaphore)
{
    FM_AWAKEN(sem_post, semaphore);
}

/* ---- initializations ---- */

/* A call that executes the initialization itself is no wait, and what it calls is recorded. */
struct once {
    void (*routine)(void);
    struct once *around; /* the call that executes an initialization with this call in it */
    bool is_own;
};

static __thread struct once *innermost __attribute__((tls_model("initial-exec")));

static void execute(void)
{
    struct once *once = innermost;
    once->is_own = true;
    once->routine();
}

static struct once begin(void (*routine)(void))
{
    return (struct once){.routine = routine, .around = innermost};
}

/* Called at the end, also if an exception leaves the initialization. */
static void end(struct once *once)
{
    innermost = once->around;
}

/* Records a call that has waited for another thread since `begin`. */
FM_INLINE void record_once(uint32_t function, const void *control, uint64_t begin, uint64_t caller)
{
    struct fm_object *object = fm_object_at(control);
    struct fm_thread *thread = object != NULL ? fm_posix_enter(function, caller) : NULL;
    if (thread != NULL) {
        thread->enter = begin;
        fm_object_leave(thread, object);
    }
}

static inline bool is_done(const void *control)
{
    enum { DONE = 2 }; /* in the C library */
    return __atomic_load_n((const int *)control, __ATOMIC_ACQUIRE) == DONE;
}

int fm_pthread_once(pthread_once_t *control, void (*routine)(void))
{
    if (is_done(control) || fm_posix_thread() == NULL) {
        return FM_NEXT(pthread_once)(control, routine);
    }
    __attribute__((cleanup(end))) struct once once = begin(routine);
    uint64_t time = fm_clock_now();
    innermost = &once;
    int result = FM_NEXT(pthread_once)(control, execute);
    if (!once.is_own) {
        record_once(FM_FUNCTION_pthread_once, control, time, FM_CALLER);
    }
    return result;
}

void fm_call_once(once_flag *control, void (*routine)(void))
{
    if (is_done(control) || fm_posix_thread() == NULL) {
        FM_NEXT(call_once)(control, routine);
        return;
    }
    __attribute__((cleanup(end))) struct once once = begin(routine);
    uint64_t time = fm_clock_now();
    innermost = &once;
    FM_NEXT(call_once)(control, execute);
    if (!once.is_own) {
        record_once(FM_FUNCTION_call_once, control, time, FM_CALLER);
    }
}
