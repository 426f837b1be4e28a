/* SPDX-License-Identifier: BSD-3-Clause */
/* The begin and the end of threads: of those whose creation is recorded, and of all that record. */
#include "record/capture/threads.h"
#include "record/selection/selected.h"
#include "record/selection/size_limit.h"
#include "record/stack/stack.h"

static void note_life(struct fm_thread *thread, enum fm_record_kind kind)
{
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_THREAD_BEGIN);
    record[0] = fm_record_header(kind, thread->life.paradigm, 0);
    record[1] = fm_clock_now();
    record[2] = thread->life.number;
    fm_thread_publish(thread);
}

/* Shows a single function on the call stack: the outermost one that is shown, `kept` = 1, or
 * `site`. */
static void show_alone(struct fm_thread *thread, uint32_t kept, uint32_t site)
{
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_STACK);
    record[0] = fm_record_header(FM_RECORD_STACK, kept, site);
    fm_stack_forget(thread->stack);
}

/* At the end of a thread: the time since the last event is that of its outermost function. That is
 * the thread's function, unless samples have shown what runs behind it: destructors, for example.
 */
static void show_outermost(struct fm_thread *thread)
{
    if (thread->life.site == FM_SITE_UNKNOWN || thread->stack == NULL) {
        return;
    }
    if (thread->stack->shown_count > 0) {
        show_alone(thread, 1, FM_STACK_NO_SITE);
    } else {
        show_alone(thread, 0, thread->life.site);
    }
}

struct fm_thread *fm_thread_begin(uint32_t paradigm, uint64_t number, uint64_t routine,
                                  struct fm_thread *provided)
{
    struct fm_thread *thread = fm_thread_self;
    if (thread != NULL) {
        fm_thread_give_back(provided);
    } else {
        thread = provided != NULL ? fm_thread_take_provided(provided) : fm_thread_attach();
    }
    if (thread == NULL || fm_thread_is_quiet(thread)) {
        return NULL;
    }
    thread->depth = 1; /* no samples */
    fm_signal_fence();
    if (fm_pause_is_due(thread)) {
        fm_thread_flush(thread);
    }
    if (!thread->pause.paused) {
        thread->life = (struct fm_thread_life){.number = number, .paradigm = paradigm};
        thread->life.site = fm_thread_site_of(thread, routine | FM_PLACE_EXACT);
        if (thread->life.site != FM_SITE_UNKNOWN && thread->stack != NULL) {
            show_alone(thread, 0, thread->life.site);
        }
        note_life(thread, FM_RECORD_THREAD_BEGIN);
    }
    fm_signal_fence();
    thread->depth = 0;
    return thread;
}

static void end_life(struct fm_thread *thread)
{
    if (thread->life.number != 0 && !thread->pause.paused) {
        show_outermost(thread);
        note_life(thread, FM_RECORD_THREAD_END);
    }
    thread->life.number = 0;
}

/* Regions of user code end with the thread that began them. The Leave of the outermost region also
 * leaves the regions inside it. */
static void leave_regions(struct fm_thread *thread)
{
    fm_merged_visits_tell(thread, NULL);
    for (size_t i = 0; i < thread->open.count && !thread->pause.paused; i++) {
        uint64_t region = thread->open.regions[i];
        if ((region & FM_OPEN_UNRECORDED) == 0) {
            uint64_t *record = fm_thread_reserve(thread, FM_WORDS_REGION_LEAVE);
            record[0] = fm_record_header(FM_RECORD_REGION_LEAVE, 0, fm_open_region(region)->number);
            record[1] = fm_clock_now();
            fm_thread_publish(thread);
            break;
        }
    }
    for (size_t i = 0; i < thread->open.count; i++) {
        uint64_t region = thread->open.regions[i];
        if ((region & FM_OPEN_SELECTED) != 0) {
            fm_selected_visit_ends();
        }
        if (fm_open_region(region)->visits != NULL) {
            fm_size_limit_visit_ends(fm_open_region(region)->visits, thread, region);
        }
    }
    thread->open.count = 0;
}

/* Writes the records of a thread that ends, because a later thread may never get its location. Many
 * short threads in a row write theirs together. */
static void flush_at_end(struct fm_thread *thread)
{
    enum { PART = 20 }; /* of the interval */
    uint64_t interval = atomic_load_explicit(&fm_threads.interval, memory_order_relaxed);
    uint64_t now = fm_clock_now();
    if (__atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED) != UINT64_MAX &&
        now - thread->flushed_at_end >= interval / PART) {
        thread->flushed_at_end = now;
        fm_thread_flush(thread);
    }
}

void fm_thread_retire(void *ending)
{
    struct fm_thread *thread = ending;
    fm_lock(&fm_threads.lock);
    bool is_own = fm_thread_is_own(thread), awaits = thread->member.instance != 0;
    if (is_own) {
        fm_samples_detach(thread);
    }
    fm_unlock(&fm_threads.lock);
    if (!is_own || awaits) { /* the next thread with this part takes the location over */
        fm_thread_self = NULL;
        return;
    }
    fm_thread_self = NULL;
    fm_signal_fence();
    thread->own_stack.is_known = false;
    if ((thread->depth == 1 || thread->depth == FM_DEPTH_REPORTED) &&
        !atomic_load_explicit(&fm_threads.over, memory_order_acquire)) {
        fm_thread_leave(thread, 0);
        fm_thread_done(thread);
    }
    thread->depth = 0;
    thread->held_count = 0;
    thread->is_marking = 0;
    if (!atomic_load_explicit(&fm_threads.over, memory_order_acquire)) {
        fm_functions_end(thread);
        leave_regions(thread);
        end_life(thread);
        flush_at_end(thread);
    }
    if (thread->index == 0) {
        return; /* the first thread's functions are open to the end of the run */
    }
    fm_thread_make_idle(thread);
}

bool fm_thread_end_left_call(struct fm_thread *thread, struct fm_here here)
{
    if (thread->depth == 0 || thread->depth == FM_DEPTH_RUNTIME ||
        thread->depth == FM_DEPTH_REPORTED ||
        __atomic_load_n(&thread->over, __ATOMIC_RELAXED) != 0) {
        return false;
    }
    uint64_t now = fm_here_caller(here).sp;
    uint64_t then = (uint64_t)(uintptr_t)thread->call.frame;
    fm_own_stack_find(&thread->own_stack);
    if (!fm_own_stack_has(&thread->own_stack, now) || !fm_own_stack_has(&thread->own_stack, then)) {
        return false;
    }
    if (now <= then && fm_here_caller(thread->call).pc == thread->returns_to) {
        return false;
    }
    thread->awaits = 0;
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    return true;
}
