/* SPDX-License-Identifier: BSD-3-Clause */
/* The locks of OpenMP's functions, for all runtimes. */
#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"

/* A lock was acquired, or (with nesting) acquired again. `thread` may be NULL. */
static void record_acquisition(struct fm_thread *thread, const void *lock, bool nests)
{
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    bool is_first = object != NULL && (!nests || object->nesting++ == 0);
    uint32_t order = is_first ? ++object->acquired : 0;
    if (is_first) {
        __atomic_store_n(&object->is_variable, true, __ATOMIC_RELAXED);
    }
    if (FM_UNLIKELY(thread == NULL)) {
        return;
    }
    uint64_t *r =
        fm_thread_leave_at(thread, fm_clock_now_ordered(), is_first ? FM_WORDS_ACQUIRE_LOCK : 0);
    if (is_first) {
        r[0] = fm_record_header(FM_RECORD_ACQUIRE_LOCK, OTF2_PARADIGM_OPENMP, object->id);
        r[1] = order;
    }
    fm_thread_done(thread);
}

/* A release: what its record needs, determined before the lock is released. */
struct release {
    uint32_t id, order; /* id 0: the thread keeps the lock */
};

static struct release begin_release(const void *lock, bool nests)
{
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    bool is_last = object != NULL && (!nests || object->nesting == 0 || --object->nesting == 0);
    return is_last ? (struct release){object->id, object->acquired} : (struct release){0, 0};
}

static void record_release(struct fm_thread *thread, struct release release)
{
    if (FM_UNLIKELY(thread == NULL)) {
        return;
    }
    uint64_t *r = fm_thread_leave(thread, release.id != 0 ? FM_WORDS_RELEASE_LOCK : 0);
    if (release.id != 0) {
        r[0] = fm_record_header(FM_RECORD_RELEASE_LOCK, OTF2_PARADIGM_OPENMP, release.id);
        r[1] = release.order;
    }
    fm_thread_done(thread);
}

#define FM_OMP_LOCK(kind, suffix, nests)                                                           \
    void fm_omp_set_##kind##suffix(void *lock)                                                     \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_omp_set_##kind##suffix);              \
        FM_OMP(omp_set_##kind##suffix)(lock);                                                      \
        record_acquisition(thread, lock, nests);                                                   \
    }                                                                                              \
    int fm_omp_test_##kind##suffix(void *lock)                                                     \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_omp_test_##kind##suffix);             \
        int result = FM_OMP(omp_test_##kind##suffix)(lock);                                        \
        if (result != 0) {                                                                         \
            record_acquisition(thread, lock, nests);                                               \
        } else {                                                                                   \
            fm_call_leave_test(thread, true);                                                      \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    void fm_omp_unset_##kind##suffix(void *lock)                                                   \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_FUNCTION_omp_unset_##kind##suffix);            \
        struct release release = begin_release(lock, nests);                                       \
        FM_OMP(omp_unset_##kind##suffix)(lock);                                                    \
        record_release(thread, release);                                                           \
    }

FM_OMP_LOCK(lock, , false)
FM_OMP_LOCK(lock, _, false)
FM_OMP_LOCK(nest_lock, , true)
FM_OMP_LOCK(nest_lock, _, true)
