/* SPDX-License-Identifier: BSD-3-Clause */
/* The locks of OpenMP's functions, for all runtimes. */
#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"
#include "record/paradigm/open_call.h"

void fm_omp_lock_tell_variable(struct fm_omp_lock *lock)
{
    lock->is_reported = fm_session_note_object(lock->id, lock->address);
    __atomic_store_n(&lock->is_variable, true, __ATOMIC_RELAXED);
}

/* States that the open call waits for a lock, and which thread has it if that has no record. The
 * lock may change hands meanwhile. */
static FM_UNSYNCHRONIZED void open_lock(struct fm_thread *thread, const struct fm_omp_lock *object,
                                        bool is_held)
{
    uint64_t *place = fm_open_begin(thread);
    *place++ = fm_record_header(FM_RECORD_SYNCHRONIZATION_OBJECT, 0, object->id);
    const uint64_t time = is_held ? object->taken_at : 0;
    if (FM_UNLIKELY(time != 0)) {
        place = fm_put_awaited_owner(place, object->taken_by, time,
                                     fm_thread_site_of(thread, object->taken_in));
    }
    fm_open_end(thread, place);
}

/* ---- acquisitions ---- */

/* A call that takes a lock. */
struct attempt {
    struct fm_thread *thread;    /* NULL: the call is not recorded by itself */
    struct fm_thread *merging;   /* NULL: it is not merged with others */
    struct fm_omp_lock *awaited; /* NULL: the lock was free */
};

/* Whether calls of the thread may be merged now with others. */
FM_INLINE bool merges(const struct fm_thread *thread)
{
    return thread != NULL && !fm_thread_is_quiet(thread) &&
           fm_thread_merges(thread, FM_METER_LOCKS);
}

/* Begins a call that is merged. @return whether it is */
static bool begin_merged(struct fm_thread *thread, uint32_t function, struct fm_here here)
{
    fm_construct_time_as(thread, FM_METER_LOCKS, here, false, true);
    const bool is_merged = fm_visit_enter(
        thread, fm_visit_key(FM_VISITED_CALL, fm_first_function + function), thread->enter, here);
    if (is_merged) {
        fm_omp_hold(thread);
    }
    fm_construct_done(thread);
    return is_merged;
}

/* Begins the section of the meter in which it ends; NULL: it is not merged. */
FM_INLINE void begin_end(struct fm_thread *merging)
{
    if (merging != NULL) {
        fm_meter_begin(&merging->meters, FM_METER_LOCKS);
    }
}

/* Ends it. A section of the meter has begun. */
static void end_merged(struct fm_thread *thread, uint64_t now)
{
    fm_omp_release_in(thread, FM_METER_LOCKS, now);
    fm_visit_leave(thread, now);
    fm_construct_computes(thread, now);
    fm_construct_done(thread);
}

FM_INLINE struct fm_thread *enter(uint32_t function)
{
    return fm_thread_enter_as(fm_first_function + function, FM_METER_LOCKS);
}

/* Begins a call that takes a lock: if others have it, as a call of its own. */
FM_INLINE struct attempt begin_attempt(uint32_t function, const void *lock, bool waits,
                                       struct fm_here here)
{
    struct attempt attempt = {NULL, NULL, NULL};
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    const bool is_held = fm_omp_lock_is_held(object);
    if (!is_held && merges(fm_thread_self) && begin_merged(fm_thread_self, function, here)) {
        attempt.merging = fm_thread_self;
        return attempt;
    }
    attempt.thread = enter(function);
    if (waits && object != NULL && attempt.thread != NULL) {
        open_lock(attempt.thread, object, is_held);
    }
    if (is_held && waits) {
        attempt.awaited = object;
        fm_omp_lock_waits(object);
    }
    return attempt;
}

/* A lock was acquired, or (with nesting) acquired again. */
FM_INLINE void record_acquisition(struct attempt attempt, const void *lock, bool nests,
                                  struct fm_here here)
{
    begin_end(attempt.merging);
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    const bool is_first = object != NULL && (!nests || object->nesting++ == 0);
    const uint64_t now = fm_clock_now_ordered();
    fm_omp_lock_waited(attempt.awaited);
    if (is_first) {
        object->acquired++;
        object->taken_at = attempt.merging != NULL ? now : 0;
        object->taken_in = fm_omp_pc(here);
        object->taken_by = attempt.merging != NULL ? attempt.merging->index : 0;
        __atomic_store_n(&object->is_held, 1, __ATOMIC_RELAXED);
    }
    if (is_first) {
        fm_omp_lock_note_variable(object);
    }
    if (attempt.merging != NULL) {
        end_merged(attempt.merging, now);
        return;
    }
    if (FM_UNLIKELY(attempt.thread == NULL)) {
        return;
    }
    uint64_t *r = fm_thread_leave_at(attempt.thread, now, is_first ? FM_WORDS_ACQUIRE_LOCK : 0);
    if (is_first) {
        r[0] = fm_record_header(FM_RECORD_ACQUIRE_LOCK, OTF2_PARADIGM_OPENMP, object->id);
        r[1] = object->acquired;
    }
    fm_thread_done_as(attempt.thread, FM_METER_LOCKS);
}

/* The lock was not free. */
FM_INLINE void record_failure(struct attempt attempt)
{
    if (attempt.merging != NULL) {
        begin_end(attempt.merging);
        end_merged(attempt.merging, fm_clock_now());
    } else {
        fm_call_leave_test(attempt.thread, true);
    }
}

/* ---- releases ---- */

/* A release: what its record needs, determined before the lock is released. */
struct release {
    struct fm_thread *thread;  /* NULL: the call is not recorded by itself */
    struct fm_thread *merging; /* NULL: it is not merged with others */
    uint32_t id, order;        /* id 0: the thread keeps the lock */
    uint64_t taken_at;         /* 0: the acquisition has a record */
    uint32_t taken_in;         /* call site */
};

/* Begins a call that releases a lock: if a thread waits for it, or the acquisition has a record, as
 * a call of its own. */
FM_INLINE struct release begin_release(uint32_t function, const void *lock, bool nests,
                                       struct fm_here here)
{
    struct release release = {NULL, NULL, 0, 0, 0, FM_SITE_UNKNOWN};
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    const bool is_noted = object != NULL && object->taken_at != 0;
    if (is_noted && !fm_omp_lock_is_awaited(object) && merges(fm_thread_self) &&
        begin_merged(fm_thread_self, function, here)) {
        release.merging = fm_thread_self;
    } else {
        release.thread = enter(function);
    }
    if (object != NULL && (!nests || object->nesting == 0 || --object->nesting == 0)) {
        release.id = object->id;
        release.order = object->acquired;
        release.taken_at = object->taken_at;
        if (is_noted && release.thread != NULL) {
            release.taken_in = fm_thread_site_of(release.thread, object->taken_in);
        }
        object->taken_at = 0;
        __atomic_store_n(&object->is_held, 0, __ATOMIC_RELAXED);
    }
    return release;
}

static void record_release(struct release release)
{
    if (release.merging != NULL) {
        begin_end(release.merging);
        end_merged(release.merging, fm_clock_now());
        return;
    }
    if (FM_UNLIKELY(release.thread == NULL)) {
        return;
    }
    uint64_t *r =
        fm_thread_leave(release.thread, release.id == 0         ? 0
                                        : release.taken_at != 0 ? FM_WORDS_RELEASE_NOTED_LOCK
                                                                : FM_WORDS_RELEASE_LOCK);
    if (release.id != 0) {
        r[0] = fm_record_header(release.taken_at != 0 ? FM_RECORD_RELEASE_NOTED_LOCK
                                                      : FM_RECORD_RELEASE_LOCK,
                                OTF2_PARADIGM_OPENMP, release.id);
        r[1] = release.order;
        if (release.taken_at != 0) {
            r[2] = release.taken_at;
            r[3] = release.taken_in;
        }
    }
    fm_thread_done_as(release.thread, FM_METER_LOCKS);
}

/* ---- the functions ---- */

#define FM_OMP_LOCK(kind, suffix, nests)                                                           \
    void fm_omp_set_##kind##suffix(void *lock)                                                     \
    {                                                                                              \
        struct attempt attempt =                                                                   \
            begin_attempt(FM_FUNCTION_omp_set_##kind##suffix, lock, true, FM_HERE);                \
        FM_OMP(omp_set_##kind##suffix)(lock);                                                      \
        record_acquisition(attempt, lock, nests, FM_HERE);                                         \
    }                                                                                              \
    int fm_omp_test_##kind##suffix(void *lock)                                                     \
    {                                                                                              \
        struct attempt attempt =                                                                   \
            begin_attempt(FM_FUNCTION_omp_test_##kind##suffix, lock, false, FM_HERE);              \
        int result = FM_OMP(omp_test_##kind##suffix)(lock);                                        \
        if (result != 0) {                                                                         \
            record_acquisition(attempt, lock, nests, FM_HERE);                                     \
        } else {                                                                                   \
            record_failure(attempt);                                                               \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    void fm_omp_unset_##kind##suffix(void *lock)                                                   \
    {                                                                                              \
        struct release release =                                                                   \
            begin_release(FM_FUNCTION_omp_unset_##kind##suffix, lock, nests, FM_HERE);             \
        FM_OMP(omp_unset_##kind##suffix)(lock);                                                    \
        record_release(release);                                                                   \
    }

FM_OMP_LOCK(lock, , false)
FM_OMP_LOCK(lock, _, false)
FM_OMP_LOCK(nest_lock, , true)
FM_OMP_LOCK(nest_lock, _, true)
