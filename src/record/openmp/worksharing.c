/* SPDX-License-Identifier: BSD-3-Clause */
/* Worksharing constructs: loops whose schedule needs the runtime, sections, single. Requests for
 * the next part of a loop are not recorded: they do not wait. */
#include "record/openmp/doacross.h"
#include "record/openmp/openmp.h"

/* ---- begin ---- */

/* Enters a construct; the thread computes in it. */
static inline __attribute__((always_inline)) void enter(struct fm_here here,
                                                        enum fm_construct construct)
{
    struct fm_thread *thread = fm_omp_thread(here);
    if (FM_LIKELY(thread != NULL)) {
        const struct fm_construct_region *region =
            fm_construct_near(thread, construct, fm_omp_pc(here));
        uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, here, true);
        fm_construct_enter(thread, region, now);
        thread->left = now;
        fm_construct_done(thread);
    }
}

#define FM_OMP_LOOP(schedule)                                                                      \
    bool fm_GOMP_loop_##schedule##_start(long begin, long end, long step, long chunk, long *first, \
                                         long *last)                                               \
    {                                                                                              \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_##schedule##_start)(begin, end, step, chunk, first, last);         \
    }                                                                                              \
    bool fm_GOMP_loop_ull_##schedule##_start(bool up, fm_omp_ull_t begin, fm_omp_ull_t end,        \
                                             fm_omp_ull_t step, fm_omp_ull_t chunk,                \
                                             fm_omp_ull_t *first, fm_omp_ull_t *last)              \
    {                                                                                              \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_ull_##schedule##_start)(up, begin, end, step, chunk, first, last); \
    }

FM_OMP_LOOP(static)
FM_OMP_LOOP(dynamic)
FM_OMP_LOOP(guided)
FM_OMP_LOOP(nonmonotonic_dynamic)
FM_OMP_LOOP(nonmonotonic_guided)
FM_OMP_LOOP(ordered_static)
FM_OMP_LOOP(ordered_dynamic)
FM_OMP_LOOP(ordered_guided)

#define FM_OMP_LOOP_RUNTIME(schedule)                                                              \
    bool fm_GOMP_loop_##schedule##_start(long begin, long end, long step, long *first, long *last) \
    {                                                                                              \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_##schedule##_start)(begin, end, step, first, last);                \
    }                                                                                              \
    bool fm_GOMP_loop_ull_##schedule##_start(bool up, fm_omp_ull_t begin, fm_omp_ull_t end,        \
                                             fm_omp_ull_t step, fm_omp_ull_t *first,               \
                                             fm_omp_ull_t *last)                                   \
    {                                                                                              \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_ull_##schedule##_start)(up, begin, end, step, first, last);        \
    }

FM_OMP_LOOP_RUNTIME(runtime)
FM_OMP_LOOP_RUNTIME(nonmonotonic_runtime)
FM_OMP_LOOP_RUNTIME(maybe_nonmonotonic_runtime)
FM_OMP_LOOP_RUNTIME(ordered_runtime)

#define FM_OMP_DOACROSS(schedule)                                                                  \
    bool fm_GOMP_loop_doacross_##schedule##_start(unsigned depth, long *counts, long chunk,        \
                                                  long *first, long *last)                         \
    {                                                                                              \
        fm_doacross_depth = depth;                                                                 \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_doacross_##schedule##_start)(depth, counts, chunk, first, last);   \
    }                                                                                              \
    bool fm_GOMP_loop_ull_doacross_##schedule##_start(unsigned depth, fm_omp_ull_t *counts,        \
                                                      fm_omp_ull_t chunk, fm_omp_ull_t *first,     \
                                                      fm_omp_ull_t *last)                          \
    {                                                                                              \
        fm_doacross_depth = depth;                                                                 \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_ull_doacross_##schedule##_start)(depth, counts, chunk, first,      \
                                                                 last);                            \
    }

FM_OMP_DOACROSS(static)
FM_OMP_DOACROSS(dynamic)
FM_OMP_DOACROSS(guided)

bool fm_GOMP_loop_doacross_runtime_start(unsigned depth, long *counts, long *first, long *last)
{
    fm_doacross_depth = depth;
    enter(FM_HERE, FM_CONSTRUCT_LOOP);
    return FM_OMP(GOMP_loop_doacross_runtime_start)(depth, counts, first, last);
}

bool fm_GOMP_loop_ull_doacross_runtime_start(unsigned depth, fm_omp_ull_t *counts,
                                             fm_omp_ull_t *first, fm_omp_ull_t *last)
{
    fm_doacross_depth = depth;
    enter(FM_HERE, FM_CONSTRUCT_LOOP);
    return FM_OMP(GOMP_loop_ull_doacross_runtime_start)(depth, counts, first, last);
}

/* Loops with reductions over tasks. */
#define FM_OMP_LOOP_REDUCING(name)                                                                 \
    bool fm_GOMP_loop_##name(long begin, long end, long step, long schedule, long chunk,           \
                             long *first, long *last, uintptr_t *reductions, void **memory)        \
    {                                                                                              \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_##name)(begin, end, step, schedule, chunk, first, last,            \
                                        reductions, memory);                                       \
    }                                                                                              \
    bool fm_GOMP_loop_ull_##name(bool up, fm_omp_ull_t begin, fm_omp_ull_t end, fm_omp_ull_t step, \
                                 long schedule, fm_omp_ull_t chunk, fm_omp_ull_t *first,           \
                                 fm_omp_ull_t *last, uintptr_t *reductions, void **memory)         \
    {                                                                                              \
        enter(FM_HERE, FM_CONSTRUCT_LOOP);                                                         \
        return FM_OMP(GOMP_loop_ull_##name)(up, begin, end, step, schedule, chunk, first, last,    \
                                            reductions, memory);                                   \
    }

FM_OMP_LOOP_REDUCING(start)
FM_OMP_LOOP_REDUCING(ordered_start)

bool fm_GOMP_loop_doacross_start(unsigned depth, long *counts, long schedule, long chunk,
                                 long *first, long *last, uintptr_t *reductions, void **memory)
{
    fm_doacross_depth = depth;
    enter(FM_HERE, FM_CONSTRUCT_LOOP);
    return FM_OMP(GOMP_loop_doacross_start)(depth, counts, schedule, chunk, first, last, reductions,
                                            memory);
}

bool fm_GOMP_loop_ull_doacross_start(unsigned depth, fm_omp_ull_t *counts, long schedule,
                                     fm_omp_ull_t chunk, fm_omp_ull_t *first, fm_omp_ull_t *last,
                                     uintptr_t *reductions, void **memory)
{
    fm_doacross_depth = depth;
    enter(FM_HERE, FM_CONSTRUCT_LOOP);
    return FM_OMP(GOMP_loop_ull_doacross_start)(depth, counts, schedule, chunk, first, last,
                                                reductions, memory);
}

unsigned fm_GOMP_sections_start(unsigned count)
{
    enter(FM_HERE, FM_CONSTRUCT_SECTIONS);
    return FM_OMP(GOMP_sections_start)(count);
}

unsigned fm_GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
    enter(FM_HERE, FM_CONSTRUCT_SECTIONS);
    return FM_OMP(GOMP_sections2_start)(count, reductions, memory);
}

/* ---- end ---- */

/* Enters the barrier at the end of a construct that is open.
 * @return what fm_omp_wait_end ends: the construct with its barrier */
static inline __attribute__((always_inline)) struct fm_omp_wait
wait_for_end(struct fm_here here, enum fm_construct construct)
{
    struct fm_omp_wait wait = {.thread = fm_omp_thread(here), .kind = FM_METER_CONSTRUCTS};
    if (FM_LIKELY(wait.thread != NULL)) {
        wait.item = fm_construct_find(wait.thread, construct);
        const struct fm_construct_region *barrier =
            wait.item < wait.thread->open.count
                ? fm_construct_barrier(fm_construct_open(wait.thread, wait.item))
                : fm_construct_at(FM_CONSTRUCT_IMPLICIT_BARRIER, fm_omp_pc(here));
        uint64_t now = fm_construct_time(wait.thread, FM_METER_CONSTRUCTS, here, true);
        fm_construct_enter(wait.thread, barrier, now);
        fm_omp_hold(wait.thread);
        fm_construct_done(wait.thread);
    }
    return wait;
}

/* Leaves a construct without a barrier. */
static inline __attribute__((always_inline)) void leave(struct fm_here here,
                                                        enum fm_construct construct)
{
    struct fm_thread *thread = fm_omp_thread(here);
    if (FM_LIKELY(thread != NULL)) {
        uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, here, true);
        fm_construct_leave(thread, fm_construct_find(thread, construct), now);
        thread->left = now;
        fm_construct_done(thread);
    }
}

void fm_GOMP_loop_end(void)
{
    struct fm_omp_wait wait = wait_for_end(FM_HERE, FM_CONSTRUCT_LOOP);
    FM_OMP(GOMP_loop_end)();
    fm_omp_wait_end(wait);
}

bool fm_GOMP_loop_end_cancel(void)
{
    struct fm_omp_wait wait = wait_for_end(FM_HERE, FM_CONSTRUCT_LOOP);
    bool cancelled = FM_OMP(GOMP_loop_end_cancel)();
    fm_omp_wait_end(wait);
    return cancelled;
}

void fm_GOMP_loop_end_nowait(void)
{
    FM_OMP(GOMP_loop_end_nowait)();
    leave(FM_HERE, FM_CONSTRUCT_LOOP);
}

void fm_GOMP_sections_end(void)
{
    struct fm_omp_wait wait = wait_for_end(FM_HERE, FM_CONSTRUCT_SECTIONS);
    FM_OMP(GOMP_sections_end)();
    fm_omp_wait_end(wait);
}

bool fm_GOMP_sections_end_cancel(void)
{
    struct fm_omp_wait wait = wait_for_end(FM_HERE, FM_CONSTRUCT_SECTIONS);
    bool cancelled = FM_OMP(GOMP_sections_end_cancel)();
    fm_omp_wait_end(wait);
    return cancelled;
}

void fm_GOMP_sections_end_nowait(void)
{
    FM_OMP(GOMP_sections_end_nowait)();
    leave(FM_HERE, FM_CONSTRUCT_SECTIONS);
}

/* ---- single ---- */

/* The runtime is not called at the end: the block counts as code around the construct. */
bool fm_GOMP_single_start(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_SINGLE);
    bool executes = FM_OMP(GOMP_single_start)();
    fm_omp_wait_end(wait);
    return executes;
}

/* With copyprivate, the thread that executes the block calls the runtime at its end; the other ones
 * wait for it in the call at the begin. */
void *fm_GOMP_single_copy_start(void)
{
    struct fm_omp_wait wait = fm_omp_wait_begin(FM_HERE, FM_CONSTRUCT_SINGLE);
    void *data = FM_OMP(GOMP_single_copy_start)();
    if (data != NULL || wait.thread == NULL) {
        fm_omp_wait_end(wait);
        return data;
    }
    const struct fm_construct_region *block =
        fm_construct_at(FM_CONSTRUCT_SINGLE_SBLOCK, fm_omp_pc(FM_HERE));
    uint64_t now = fm_omp_release(wait.thread, FM_METER_CONSTRUCTS);
    fm_construct_enter(wait.thread, block, now);
    fm_construct_computes(wait.thread, now);
    fm_construct_done(wait.thread);
    return data;
}

void fm_GOMP_single_copy_end(void *data)
{
    struct fm_thread *thread = fm_omp_thread(FM_HERE);
    struct fm_omp_wait wait = {.thread = thread, .kind = FM_METER_CONSTRUCTS};
    if (thread != NULL) {
        wait.item = fm_construct_find(thread, FM_CONSTRUCT_SINGLE);
        bool is_open = wait.item < thread->open.count;
        uint64_t pc = is_open ? fm_construct_open(thread, wait.item)->pc : fm_omp_pc(FM_HERE);
        const struct fm_construct_region *barrier =
            fm_construct_at(FM_CONSTRUCT_IMPLICIT_BARRIER, pc);
        uint64_t now = fm_construct_time(thread, FM_METER_CONSTRUCTS, FM_HERE, true);
        fm_construct_leave(thread, fm_construct_find(thread, FM_CONSTRUCT_SINGLE_SBLOCK), now);
        fm_construct_enter(thread, barrier, now);
        fm_omp_hold(thread);
        fm_construct_done(thread);
    }
    FM_OMP(GOMP_single_copy_end)(data);
    fm_omp_wait_end(wait);
}
