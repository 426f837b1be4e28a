/* SPDX-License-Identifier: BSD-3-Clause */
/* Condition variables. A wait releases the mutex and acquires it again: both are recorded in the
 * call. A signal is recorded if a thread waits for the condition. */
#include "record/threads/lock_records.h"
#include "record/threads/posix.h"
#include "record/threads/waits.h"

/* A wait. */
struct wait {
    struct fm_thread *thread;            /* in whose recorded call; NULL: none */
    struct fm_object *condition, *mutex; /* NULL: nothing is known of it */
    struct fm_acquisition ends;          /* of the mutex */
    uint32_t site;                       /* where that was acquired */
    uint64_t caller;
    uint64_t begin; /* of a call that is not recorded */
    bool is_open;
};

static struct fm_acquisition take_note(struct fm_object *mutex)
{
    struct fm_acquisition ends = mutex->holder;
    mutex->holder.order = 0;
    mutex->holder.is_record = false;
    return ends;
}

/* Whether other processes may signal a condition, too (glibc's layout). */
static inline bool is_shared(const void *condition)
{
    return (__atomic_load_n(&((const pthread_cond_t *)condition)->__data.__wrefs,
                            __ATOMIC_RELAXED) &
            1) != 0;
}

FM_INLINE struct wait begin(uint32_t function, const void *condition, const void *mutex,
                            uint64_t caller)
{
    struct wait wait = {.caller = caller, .is_open = true};
    wait.mutex = fm_threads_choice != FM_THREADS_OFF ? fm_object_at(mutex) : NULL;
    wait.condition = wait.mutex != NULL ? fm_object_at(condition) : NULL;
    wait.thread = wait.condition != NULL ? fm_posix_enter(function, caller) : NULL;
    if (wait.mutex != NULL) {
        wait.ends = take_note(wait.mutex);
    }
    if (wait.thread != NULL) {
        fm_object_waits(wait.condition);
        wait.thread->awaits = fm_object_id(wait.condition);
        wait.site = fm_released_site(wait.thread, &wait.ends);
        uint64_t *place = fm_open_begin(wait.thread);
        place = is_shared(condition) ? place : fm_put_object(place, wait.condition);
        fm_open_end(wait.thread, fm_put_released(place, wait.mutex, &wait.ends, wait.site));
    } else {
        wait.begin = fm_blocking_measure_begin();
    }
    return wait;
}

/* Called when the thread has the mutex again, also by a cancellation. */
static void end(struct wait *wait)
{
    struct fm_thread *thread = wait->thread;
    if (!wait->is_open) {
        return;
    }
    wait->is_open = false;
    uint64_t now = fm_clock_now_ordered();
    struct fm_object *mutex = wait->mutex;
    if (mutex != NULL) {
        mutex->holder = (struct fm_acquisition){
            .order = ++mutex->orders, .time = now, .in = wait->caller, .is_record = thread != NULL};
    }
    if (thread == NULL) {
        fm_blocking_measure_end(wait->begin);
        return;
    }
    fm_object_waited(wait->condition);
    thread->awaits = 0;
    uint64_t *place = fm_thread_leave_at(
        thread, now,
        FM_WORDS_SYNCHRONIZATION_OBJECT + fm_released_words(&wait->ends) + FM_WORDS_ACQUIRE_LOCK);
    place = fm_put_object(place, wait->condition);
    place = fm_put_released(place, mutex, &wait->ends, wait->site);
    fm_put_acquired(place, mutex, mutex->orders);
    fm_thread_done(thread);
}

#define FM_WAIT(name, ...)                                                                         \
    __attribute__((cleanup(end))) struct wait wait =                                               \
        begin(FM_FUNCTION_##name, condition, mutex, FM_CALLER);                                    \
    int result = FM_NEXT(name)(__VA_ARGS__);                                                       \
    end(&wait);                                                                                    \
    return result

int fm_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    FM_WAIT(pthread_cond_wait, condition, mutex);
}

int fm_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                              const struct timespec *time)
{
    FM_WAIT(pthread_cond_timedwait, condition, mutex, time);
}

int fm_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                              const struct timespec *time)
{
    FM_WAIT(pthread_cond_clockwait, condition, mutex, clock, time);
}

int fm_cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    FM_WAIT(cnd_wait, condition, mutex);
}

int fm_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *time)
{
    FM_WAIT(cnd_timedwait, condition, mutex, time);
}

int fm_pthread_cond_signal(pthread_cond_t *condition)
{
    FM_AWAKEN(pthread_cond_signal, condition);
}

int fm_pthread_cond_broadcast(pthread_cond_t *condition)
{
    FM_AWAKEN(pthread_cond_broadcast, condition);
}

int fm_cnd_signal(cnd_t *condition)
{
    FM_AWAKEN(cnd_signal, condition);
}

int fm_cnd_broadcast(cnd_t *condition)
{
    FM_AWAKEN(cnd_broadcast, condition);
}
