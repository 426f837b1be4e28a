/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Recorded calls on an object that is no lock.
 */
#ifndef FERMATA_RECORD_THREADS_WAITS_H
#define FERMATA_RECORD_THREADS_WAITS_H

#include "record/threads/lock_owners.h"
#include "record/threads/objects.h"
#include "record/threads/posix.h"

/** A call that waits for the object. */
struct fm_object_wait {
    struct fm_thread *thread; /**< in whose recorded call; NULL: none */
    struct fm_object *object;
    uint64_t begin; /**< of a call that is not recorded */
    bool is_open;
};

/** Ends a recorded call on an object. errno is preserved. */
static inline void fm_object_leave(struct fm_thread *thread, struct fm_object *object)
{
    fm_put_object(fm_thread_leave(thread, FM_WORDS_SYNCHRONIZATION_OBJECT), object);
    fm_thread_done(thread);
}

/** Whether other processes may come to a barrier, too (glibc's layout). */
static inline bool fm_barrier_is_shared(const void *barrier)
{
    enum { SHARED = 3 }; /* behind two counts and the number of threads */
    return ((const int *)barrier)[SHARED] != 0;
}

/** Begins a call that waits. Inlined, as fm_call_enter. */
FM_INLINE struct fm_object_wait fm_object_wait_begin(uint32_t function, const void *object,
                                                     uint64_t caller)
{
    struct fm_object_wait wait = {.is_open = true};
    wait.object = fm_threads_choice != FM_THREADS_OFF ? fm_object_at(object) : NULL;
    wait.thread = wait.object != NULL ? fm_posix_enter(function, caller) : NULL;
    if (wait.thread != NULL) {
        fm_object_waits(wait.object);
        wait.thread->awaits = fm_object_id(wait.object);
        if (function != FM_FUNCTION_pthread_barrier_wait || !fm_barrier_is_shared(object)) {
            fm_open_object(wait.thread, wait.object);
        }
    } else {
        wait.begin = fm_blocking_measure_begin();
    }
    return wait;
}

/** Ends it, once; also called by a cancellation. errno is preserved. */
static inline void fm_object_wait_end(struct fm_object_wait *wait)
{
    if (!wait->is_open) {
        return;
    }
    wait->is_open = false;
    if (wait->thread != NULL) {
        fm_object_waited(wait->object);
        wait->thread->awaits = 0;
        fm_object_leave(wait->thread, wait->object);
    } else {
        fm_blocking_measure_end(wait->begin);
    }
}

/** Body of a call that waits for an object. */
#define FM_WAIT_FOR(name, waited_for, ...)                                                         \
    __attribute__((cleanup(fm_object_wait_end))) struct fm_object_wait wait =                      \
        fm_object_wait_begin(FM_FUNCTION_##name, (const void *)waited_for, FM_CALLER);             \
    int result = FM_NEXT(name)(__VA_ARGS__);                                                       \
    fm_object_wait_end(&wait);                                                                     \
    return result

/** Body of a call that awakens threads: by default it is recorded if one waits. */
#define FM_AWAKEN(name, awaited)                                                                   \
    struct fm_object *object = fm_threads_choice != FM_THREADS_OFF ? fm_object_at(awaited) : NULL; \
    struct fm_thread *thread = NULL;                                                               \
    if (object != NULL && (fm_threads_choice == FM_THREADS_ALL || fm_object_is_awaited(object))) { \
        thread = fm_posix_enter(FM_FUNCTION_##name, FM_CALLER);                                    \
    }                                                                                              \
    int result = FM_NEXT(name)(awaited);                                                           \
    if (thread != NULL) {                                                                          \
        fm_object_leave(thread, object);                                                           \
    }                                                                                              \
    return result

#endif
