/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutexes, read-write locks and spin locks. Every acquisition first tries to take the lock: if that
 * succeeds, its time and place are noted with the lock and, by default, nothing is recorded. The
 * release is recorded if the acquisition was, or if another thread waits for the lock; then it
 * carries the noted time and place. */
#include "record/threads/posix.h"

#include "record/threads/lock_owners.h"
#include "record/threads/lock_records.h"
#include "record/threads/objects.h"

#include <errno.h>

/* What a call does. */
struct call {
    uint32_t function;
    void *lock;
    clockid_t clock;
    const struct timespec *time;
    uint64_t caller; /* return address */
};

/* Results of the C library: EOWNERDEAD: the lock is taken, its last owner has died with it.
 * thrd_success is 0. */
static inline bool has_taken(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

/* ---- mutexes: recursive ones are taken once for the recorder ---- */

static inline bool is_nested(const pthread_mutex_t *mutex)
{
    enum { KIND = 3 };
    return (mutex->__data.__kind & KIND) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1;
}

FM_INLINE bool is_taken_again(uint32_t function, const void *lock)
{
    switch (function) {
    case FM_FUNCTION_pthread_mutex_lock:
    case FM_FUNCTION_pthread_mutex_trylock:
    case FM_FUNCTION_pthread_mutex_timedlock:
    case FM_FUNCTION_pthread_mutex_clocklock:
    case FM_FUNCTION_pthread_mutex_unlock:
    case FM_FUNCTION_mtx_lock:
    case FM_FUNCTION_mtx_trylock:
    case FM_FUNCTION_mtx_timedlock:
    case FM_FUNCTION_mtx_unlock:
        return is_nested(lock);
    default:
        return false;
    }
}

/* ---- locks that can be shared: each thread notes what it holds ---- */

static inline bool is_shared(uint32_t function)
{
    return function == FM_FUNCTION_pthread_rwlock_rdlock ||
           function == FM_FUNCTION_pthread_rwlock_tryrdlock ||
           function == FM_FUNCTION_pthread_rwlock_timedrdlock ||
           function == FM_FUNCTION_pthread_rwlock_clockrdlock;
}

static inline bool is_exclusive(uint32_t function)
{
    return function == FM_FUNCTION_pthread_rwlock_wrlock ||
           function == FM_FUNCTION_pthread_rwlock_trywrlock ||
           function == FM_FUNCTION_pthread_rwlock_timedwrlock ||
           function == FM_FUNCTION_pthread_rwlock_clockwrlock;
}

static struct fm_thread_held *held_by(struct fm_thread *thread, const void *lock)
{
    for (uint32_t i = thread->held_count; i-- > 0;) {
        if (thread->held[i].lock == lock) {
            return &thread->held[i];
        }
    }
    return NULL;
}

/* Notes an acquisition. @return it; an order of 0: it could not be noted */
static inline struct fm_acquisition note(struct fm_object *object, uint32_t function,
                                         const void *lock, uint64_t caller, uint64_t time,
                                         bool is_record)
{
    struct fm_acquisition made = {
        .time = time, .in = caller, .is_record = is_record, .is_shared = is_shared(function)};
    if (!made.is_shared) {
        made.order = object->orders + 1;
        __atomic_store_n(&object->orders, made.order, __ATOMIC_RELAXED);
        object->holder = made;
        if (is_exclusive(function)) {
            __atomic_store_n(&object->owner, (uint64_t)pthread_self(), __ATOMIC_RELAXED);
        }
        return made;
    }
    struct fm_thread *thread = fm_thread_self;
    uint64_t order = __atomic_add_fetch(&object->orders, 1, __ATOMIC_RELAXED);
    if (thread != NULL && thread->held_count < FM_HELD_MOST) {
        made.order = order;
        thread->held[thread->held_count++] =
            (struct fm_thread_held){lock, order, time, caller, is_record};
    }
    return made;
}

/* Takes the acquisition that ends out of the notes. */
static struct fm_acquisition take_note(struct fm_object *object, uint32_t function,
                                       const void *lock)
{
    struct fm_acquisition ends = object->holder;
    if (function != FM_FUNCTION_pthread_rwlock_unlock ||
        __atomic_load_n(&object->owner, __ATOMIC_RELAXED) == (uint64_t)pthread_self()) {
        object->owner = 0;
        object->holder.order = 0;
        object->holder.is_record = false;
        return ends;
    }
    struct fm_thread *thread = fm_thread_self;
    struct fm_thread_held *held = thread != NULL ? held_by(thread, lock) : NULL;
    if (held == NULL) {
        return (struct fm_acquisition){0};
    }
    ends = (struct fm_acquisition){held->order, held->time, held->in, held->is_record, true};
    *held = thread->held[--thread->held_count];
    return ends;
}

/* ---- acquisitions ---- */

/* Whether a function takes a lock only if it is free. */
static inline bool is_attempt(uint32_t function)
{
    switch (function) {
    case FM_FUNCTION_pthread_mutex_trylock:
    case FM_FUNCTION_mtx_trylock:
    case FM_FUNCTION_pthread_rwlock_tryrdlock:
    case FM_FUNCTION_pthread_rwlock_trywrlock:
    case FM_FUNCTION_pthread_spin_trylock:
        return true;
    default:
        return false;
    }
}

static enum fm_lock_kind kind_of(uint32_t function)
{
    const bool is_spin = function == FM_FUNCTION_pthread_spin_lock;
    return is_spin                                         ? FM_LOCK_SPIN
           : is_shared(function) || is_exclusive(function) ? FM_LOCK_SHARED
                                                           : FM_LOCK_MUTEX;
}

static int acquire(const struct call *call)
{
    switch (call->function) {
#define FM_WAITS(name, type, ...)                                                                  \
    case FM_FUNCTION_##name: {                                                                     \
        type *lock = call->lock;                                                                   \
        return FM_NEXT(name)(__VA_ARGS__);                                                         \
    }
        FM_WAITS(pthread_mutex_lock, pthread_mutex_t, lock)
        FM_WAITS(pthread_mutex_trylock, pthread_mutex_t, lock)
        FM_WAITS(pthread_mutex_timedlock, pthread_mutex_t, lock, call->time)
        FM_WAITS(pthread_mutex_clocklock, pthread_mutex_t, lock, call->clock, call->time)
        FM_WAITS(mtx_lock, mtx_t, lock)
        FM_WAITS(mtx_trylock, mtx_t, lock)
        FM_WAITS(mtx_timedlock, mtx_t, lock, call->time)
        FM_WAITS(pthread_rwlock_rdlock, pthread_rwlock_t, lock)
        FM_WAITS(pthread_rwlock_tryrdlock, pthread_rwlock_t, lock)
        FM_WAITS(pthread_rwlock_timedrdlock, pthread_rwlock_t, lock, call->time)
        FM_WAITS(pthread_rwlock_clockrdlock, pthread_rwlock_t, lock, call->clock, call->time)
        FM_WAITS(pthread_rwlock_wrlock, pthread_rwlock_t, lock)
        FM_WAITS(pthread_rwlock_trywrlock, pthread_rwlock_t, lock)
        FM_WAITS(pthread_rwlock_timedwrlock, pthread_rwlock_t, lock, call->time)
        FM_WAITS(pthread_rwlock_clockwrlock, pthread_rwlock_t, lock, call->clock, call->time)
        FM_WAITS(pthread_spin_lock, pthread_spinlock_t, lock)
        FM_WAITS(pthread_spin_trylock, pthread_spinlock_t, lock)
#undef FM_WAITS
    default:
        return EINVAL;
    }
}

static FM_COLD int acquire_slowly(const struct call *call)
{
    struct fm_object *object =
        fm_threads_choice != FM_THREADS_OFF ? fm_object_at(call->lock) : NULL;
    struct fm_thread *thread = object != NULL ? fm_posix_enter(call->function, call->caller) : NULL;
    if (thread == NULL) {
        uint64_t begin = fm_blocking_measure_begin();
        int result = acquire(call);
        fm_blocking_measure_end(begin);
        if (object != NULL && has_taken(result) && !is_taken_again(call->function, call->lock)) {
            note(object, call->function, call->lock, call->caller, fm_clock_now_ordered(), false);
        }
        return result;
    }
    fm_object_waits(object);
    if (!is_attempt(call->function)) {
        fm_open_lock(thread, object, call->lock, kind_of(call->function));
    }
    int result = acquire(call);
    fm_object_waited(object);
    uint64_t now = fm_clock_now_ordered();
    struct fm_acquisition made = {0};
    if (has_taken(result) && !is_taken_again(call->function, call->lock)) {
        made = note(object, call->function, call->lock, call->caller, now, true);
    }
    if (made.order != 0) {
        fm_put_acquired(fm_thread_leave_at(thread, now, FM_WORDS_ACQUIRE_LOCK), object, made.order);
    } else {
        fm_thread_leave_test_at(thread, now, is_attempt(call->function) && !has_taken(result));
    }
    fm_thread_done(thread);
    return result;
}

/* Begins and ends what is done at a lock that was free, for the meter. @return the thread, which
 * may be NULL */
FM_INLINE struct fm_thread *begin_work(void)
{
    struct fm_thread *thread = fm_thread_self;
    if (FM_LIKELY(thread != NULL)) {
        fm_meter_begin(&thread->meters, FM_METER_MUTEXES);
    }
    return thread;
}

FM_INLINE void end_work(struct fm_thread *thread)
{
    if (FM_LIKELY(thread != NULL)) {
        fm_meter_end(&thread->meters);
    }
}

/* Notes that a lock was taken at once. Its time may be some 0.1 us early (fm_clock_now_ordered):
 * the right one would double the cost of a lock. @return `result` */
FM_INLINE int take(uint32_t function, void *lock, int result, uint64_t caller)
{
    struct fm_thread *thread = begin_work();
    if (FM_LIKELY(has_taken(result) && !is_taken_again(function, lock))) {
        struct fm_object *object = fm_object_at(lock);
        if (FM_LIKELY(object != NULL)) {
            note(object, function, lock, caller, fm_clock_now(), false);
        }
    }
    end_work(thread);
    return result;
}

/* The body of a call that waits for a lock: `attempt` tries to take it, and returns `busy` if it is
 * not free. */
#define FM_ACQUIRE(name, attempt, busy, taken, clock, time)                                        \
    if (FM_LIKELY(fm_threads_choice == FM_THREADS_CONTENDED)) {                                    \
        int outcome = FM_NEXT(attempt)(taken);                                                     \
        if (FM_LIKELY(outcome != (busy))) {                                                        \
            return take(FM_FUNCTION_##name, (void *)(uintptr_t)taken, outcome, FM_CALLER);         \
        }                                                                                          \
    }                                                                                              \
    const struct call call = {FM_FUNCTION_##name, (void *)(uintptr_t)taken, clock, time,           \
                              FM_CALLER};                                                          \
    return acquire_slowly(&call)

/* The body of a call that only tries: by default a lock that is not free is no event. */
#define FM_TRY(name, taken)                                                                        \
    if (FM_LIKELY(fm_threads_choice == FM_THREADS_CONTENDED)) {                                    \
        return take(FM_FUNCTION_##name, (void *)(uintptr_t)taken, FM_NEXT(name)(taken),            \
                    FM_CALLER);                                                                    \
    }                                                                                              \
    const struct call call = {FM_FUNCTION_##name, (void *)(uintptr_t)taken, 0, NULL, FM_CALLER};   \
    return acquire_slowly(&call)

/* ---- releases ---- */

static int release(const struct call *call)
{
    switch (call->function) {
    case FM_FUNCTION_pthread_mutex_unlock:
        return FM_NEXT(pthread_mutex_unlock)(call->lock);
    case FM_FUNCTION_mtx_unlock:
        return FM_NEXT(mtx_unlock)(call->lock);
    case FM_FUNCTION_pthread_rwlock_unlock:
        return FM_NEXT(pthread_rwlock_unlock)(call->lock);
    default:
        return FM_NEXT(pthread_spin_unlock)(call->lock);
    }
}

static FM_COLD int release_slowly(const struct call *call)
{
    struct fm_object *object = fm_object_at(call->lock);
    struct fm_thread *thread = fm_posix_enter(call->function, call->caller);
    struct fm_acquisition ends = {0};
    if (object != NULL && !is_taken_again(call->function, call->lock)) {
        ends = take_note(object, call->function, call->lock);
    }
    int result = release(call);
    if (thread != NULL) {
        uint32_t site = fm_released_site(thread, &ends);
        uint64_t *place = fm_thread_leave(thread, result == 0 ? fm_released_words(&ends) : 0);
        if (result == 0) {
            fm_put_released(place, object, &ends, site);
        }
        fm_thread_done(thread);
    }
    return result;
}

/* Whether nothing is recorded at the release of a lock that cannot be shared. */
static inline bool is_quick(const struct fm_object *object)
{
    return (object->holder.is_record | __atomic_load_n(&object->waiters, __ATOMIC_RELAXED)) == 0;
}

/* The same of one that can be shared. If it is so, the acquisition is taken out of the notes. */
static inline bool is_quick_shared(struct fm_object *object, const void *lock)
{
    if (__atomic_load_n(&object->owner, __ATOMIC_RELAXED) == (uint64_t)pthread_self()) {
        bool quick = is_quick(object);
        if (quick) {
            __atomic_store_n(&object->owner, 0, __ATOMIC_RELAXED);
        }
        return quick;
    }
    struct fm_thread *thread = fm_thread_self;
    struct fm_thread_held *held = thread != NULL ? held_by(thread, lock) : NULL;
    if (held != NULL && (held->is_record || fm_object_is_awaited(object))) {
        return false;
    }
    if (held != NULL) {
        *held = thread->held[--thread->held_count];
    }
    return true;
}

/* The body of a call that releases a lock; `quick`: whether it is not recorded, in terms of the
 * lock's object. */
#define FM_RELEASE(name, taken, quick)                                                             \
    if (FM_LIKELY(fm_threads_choice == FM_THREADS_CONTENDED)) {                                    \
        struct fm_thread *worker = begin_work();                                                   \
        struct fm_object *object = fm_object_at((const void *)(uintptr_t)taken);                   \
        bool passes = object == NULL ||                                                            \
                      is_taken_again(FM_FUNCTION_##name, (const void *)(uintptr_t)taken) ||        \
                      (quick);                                                                     \
        end_work(worker);                                                                          \
        if (FM_LIKELY(passes)) {                                                                   \
            return FM_NEXT(name)(taken);                                                           \
        }                                                                                          \
    } else if (fm_threads_choice == FM_THREADS_OFF) {                                              \
        return FM_NEXT(name)(taken);                                                               \
    }                                                                                              \
    const struct call call = {FM_FUNCTION_##name, (void *)(uintptr_t)taken, 0, NULL, FM_CALLER};   \
    return release_slowly(&call)

/* ---- the functions ---- */

int fm_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    FM_ACQUIRE(pthread_mutex_lock, pthread_mutex_trylock, EBUSY, mutex, 0, NULL);
}

int fm_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    FM_TRY(pthread_mutex_trylock, mutex);
}

int fm_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
    FM_ACQUIRE(pthread_mutex_timedlock, pthread_mutex_trylock, EBUSY, mutex, 0, time);
}

int fm_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time)
{
    FM_ACQUIRE(pthread_mutex_clocklock, pthread_mutex_trylock, EBUSY, mutex, clock, time);
}

int fm_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    FM_RELEASE(pthread_mutex_unlock, mutex, is_quick(object));
}

int fm_mtx_lock(mtx_t *mutex)
{
    FM_ACQUIRE(mtx_lock, mtx_trylock, thrd_busy, mutex, 0, NULL);
}

int fm_mtx_trylock(mtx_t *mutex)
{
    FM_TRY(mtx_trylock, mutex);
}

int fm_mtx_timedlock(mtx_t *mutex, const struct timespec *time)
{
    FM_ACQUIRE(mtx_timedlock, mtx_trylock, thrd_busy, mutex, 0, time);
}

int fm_mtx_unlock(mtx_t *mutex)
{
    FM_RELEASE(mtx_unlock, mutex, is_quick(object));
}

int fm_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    FM_ACQUIRE(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, EBUSY, lock, 0, NULL);
}

int fm_pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    FM_TRY(pthread_rwlock_tryrdlock, lock);
}

int fm_pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time)
{
    FM_ACQUIRE(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, EBUSY, lock, 0, time);
}

int fm_pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                  const struct timespec *time)
{
    FM_ACQUIRE(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, EBUSY, lock, clock, time);
}

int fm_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    FM_ACQUIRE(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, EBUSY, lock, 0, NULL);
}

int fm_pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    FM_TRY(pthread_rwlock_trywrlock, lock);
}

int fm_pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time)
{
    FM_ACQUIRE(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, EBUSY, lock, 0, time);
}

int fm_pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                  const struct timespec *time)
{
    FM_ACQUIRE(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, EBUSY, lock, clock, time);
}

int fm_pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    FM_RELEASE(pthread_rwlock_unlock, lock, is_quick_shared(object, lock));
}

int fm_pthread_spin_lock(pthread_spinlock_t *lock)
{
    FM_ACQUIRE(pthread_spin_lock, pthread_spin_trylock, EBUSY, lock, 0, NULL);
}

int fm_pthread_spin_trylock(pthread_spinlock_t *lock)
{
    FM_TRY(pthread_spin_trylock, lock);
}

int fm_pthread_spin_unlock(pthread_spinlock_t *lock)
{
    FM_RELEASE(pthread_spin_unlock, lock, is_quick(object));
}
