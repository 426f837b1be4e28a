/* Barriers, critical and ordered regions, atomic operations that need the runtime, and locks. A
 * thread holds a lock from the record behind its acquisition to the record before its release. */
#include "record/openmp/lock_table.h"
#include "record/openmp/openmp.h"

void fm_GOMP_barrier(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_BARRIER);
    FM_OMP(GOMP_barrier)();
    fm_omp_wait_end(wait);
}

bool fm_GOMP_barrier_cancel(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_BARRIER);
    bool cancelled = FM_OMP(GOMP_barrier_cancel)();
    fm_omp_wait_end(wait);
    return cancelled;
}

/* ---- regions that one thread at a time is in ---- */

/* The thread has the lock: it enters the block of the construct. `wait` is that of the construct.
 */
static inline void enter_block(struct fm_omp_wait wait, enum fm_construct block, uint64_t pc,
                               const void *lock)
{
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    uint32_t order = object != NULL ? ++object->acquired : 0;
    if (FM_UNLIKELY(wait.thread == NULL)) {
        return;
    }
    const struct fm_construct_region *region = fm_construct_at(block, pc);
    uint64_t now = fm_omp_release(wait.thread);
    if (FM_LIKELY(object != NULL)) {
        fm_construct_note(wait.thread, FM_RECORD_LOCK_TAKEN, OTF2_PARADIGM_OPENMP, object->id, now,
                          order);
    }
    fm_construct_enter(wait.thread, region, now);
    fm_construct_computes(wait.thread, now);
    fm_construct_done(wait.thread);
}

/* Leaves the block, before the lock is released. @return what is left when it has been */
static inline __attribute__((always_inline)) struct fm_omp_wait
leave_block(struct fm_here here, enum fm_construct construct, enum fm_construct block,
            const void *lock)
{
    struct fm_omp_wait wait = {.thread = fm_omp_thread(here)};
    if (FM_LIKELY(wait.thread != NULL)) {
        const struct fm_omp_lock *object = fm_omp_lock_at(lock);
        uint64_t now = fm_construct_time(wait.thread, here, true);
        fm_construct_leave(wait.thread, fm_construct_find(wait.thread, block), now);
        if (FM_LIKELY(object != NULL)) {
            fm_construct_note(wait.thread, FM_RECORD_LOCK_GIVEN, OTF2_PARADIGM_OPENMP, object->id,
                              now, object->acquired);
        }
        wait.item = fm_construct_find(wait.thread, construct);
        fm_omp_hold(wait.thread);
        fm_construct_done(wait.thread);
    }
    return wait;
}

/* The lock of all critical regions without a name. */
static const char unnamed;

void fm_GOMP_critical_start(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_CRITICAL);
    FM_OMP(GOMP_critical_start)();
    enter_block(wait, FM_CONSTRUCT_CRITICAL_SBLOCK, fm_omp_pc(FM_HERE), &unnamed);
}

void fm_GOMP_critical_end(void)
{
    struct fm_omp_wait wait =
        leave_block(FM_HERE, FM_CONSTRUCT_CRITICAL, FM_CONSTRUCT_CRITICAL_SBLOCK, &unnamed);
    FM_OMP(GOMP_critical_end)();
    fm_omp_wait_end(wait);
}

void fm_GOMP_critical_name_start(void **lock)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_CRITICAL);
    FM_OMP(GOMP_critical_name_start)(lock);
    enter_block(wait, FM_CONSTRUCT_CRITICAL_SBLOCK, fm_omp_pc(FM_HERE), lock);
}

void fm_GOMP_critical_name_end(void **lock)
{
    struct fm_omp_wait wait =
        leave_block(FM_HERE, FM_CONSTRUCT_CRITICAL, FM_CONSTRUCT_CRITICAL_SBLOCK, lock);
    FM_OMP(GOMP_critical_name_end)(lock);
    fm_omp_wait_end(wait);
}

/* What stands for the order of a loop: its team. */
static const void *order_of_loop(void)
{
    const struct fm_thread *thread = fm_thread_self;
    const struct fm_omp_team *team = thread != NULL ? thread->member.team : NULL;
    return team != NULL ? team->ordered : (const void *)thread;
}

void fm_GOMP_ordered_start(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_ORDERED);
    FM_OMP(GOMP_ordered_start)();
    if (fm_thread_self != NULL) {
        enter_block(wait, FM_CONSTRUCT_ORDERED_SBLOCK, fm_omp_pc(FM_HERE), order_of_loop());
    }
}

void fm_GOMP_ordered_end(void)
{
    struct fm_omp_wait wait =
        leave_block(FM_HERE, FM_CONSTRUCT_ORDERED, FM_CONSTRUCT_ORDERED_SBLOCK, order_of_loop());
    FM_OMP(GOMP_ordered_end)();
    fm_omp_wait_end(wait);
}

/* ---- atomic operations ---- */

void fm_GOMP_atomic_start(void)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        const struct fm_construct_region *region =
            fm_construct_at(FM_CONSTRUCT_ATOMIC, fm_omp_pc(FM_HERE));
        uint64_t now = fm_construct_time(thread, FM_HERE, true);
        fm_construct_enter(thread, region, now);
        fm_construct_done(thread);
    }
    FM_OMP(GOMP_atomic_start)();
}

void fm_GOMP_atomic_end(void)
{
    FM_OMP(GOMP_atomic_end)();
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    if (thread != NULL) {
        uint64_t now = fm_construct_time(thread, FM_HERE, true);
        fm_construct_leave(thread, fm_construct_find(thread, FM_CONSTRUCT_ATOMIC), now);
        thread->left = now;
        fm_construct_done(thread);
    }
}

/* ---- locks ---- */

/* A lock was acquired, or (with nesting) acquired again. `thread` may be NULL. */
static void record_acquisition(struct fm_thread *thread, const void *lock, bool nests)
{
    struct fm_omp_lock *object = fm_omp_lock_at(lock);
    bool is_first = object != NULL && (!nests || object->nesting++ == 0);
    uint32_t order = is_first ? ++object->acquired : 0;
    if (FM_UNLIKELY(thread == NULL)) {
        return;
    }
    uint64_t *r = fm_thread_leave(thread, is_first ? FM_WORDS_ACQUIRE_LOCK : 0);
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
            fm_call_leave(thread);                                                                 \
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
