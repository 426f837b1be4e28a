/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/thread.h"

#include "record/capture/threads.h"
#include "record/selection/size_limit.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

__thread struct fm_thread *fm_thread_self;

struct fm_threads fm_threads = {.lock = FM_LOCK_FREE, .interval = UINT64_MAX};

void fm_threads_begin(size_t bytes, bool (*flush)(struct fm_thread *thread, bool full))
{
    fm_threads.chunks_left = fm_threads.chunks_wanted = (long)(bytes / FM_CHUNK_BYTES);
    fm_threads.flush = flush;
    fm_threads.has_key = pthread_key_create(&fm_threads.key, fm_thread_retire) == 0;
}

void fm_threads_limit(size_t bytes)
{
    const long wanted = (long)(bytes / FM_CHUNK_BYTES), before = fm_threads.chunks_wanted;
    if (wanted < before) {
        fm_threads.chunks_wanted = wanted;
        atomic_fetch_sub(&fm_threads.chunks_left, before - wanted);
    }
}

void fm_threads_keep_last(const char *(*function_name)(uint32_t function))
{
    fm_threads.function_name = function_name;
}

void fm_thread_plan_flush(struct fm_thread *thread)
{
    uint64_t interval = atomic_load_explicit(&fm_threads.interval, memory_order_relaxed);
    uint64_t due = interval == UINT64_MAX ? UINT64_MAX : fm_clock_now() + interval;
    due = due < fm_pause_next() ? due : fm_pause_next();
    __atomic_store_n(&thread->flush_due, due, __ATOMIC_SEQ_CST);
    if (fm_pause_is_due(thread)) { /* switched since the first store, which overwrote the request */
        __atomic_store_n(&thread->flush_due, 0, __ATOMIC_SEQ_CST);
    }
}

void fm_threads_interval(uint64_t ticks)
{
    atomic_store_explicit(&fm_threads.interval, ticks, memory_order_relaxed);
    if (fm_thread_self != NULL) {
        fm_thread_plan_flush(fm_thread_self);
    }
}

/* ---- call stacks ---- */

void fm_threads_with_stacks(uint32_t deepest, void (*met)(void))
{
    fm_threads.met = met;
    atomic_store_explicit(&fm_threads.stack_depth, deepest, memory_order_release);
}

void fm_threads_without_stacks(void)
{
    atomic_store_explicit(&fm_threads.stack_depth, 0, memory_order_relaxed);
    if (fm_thread_self != NULL) {
        fm_thread_self->stack = NULL;
        fm_thread_self->pause.stack = NULL;
    }
}

/* Call sites are defined before the records that refer to them can be saved. */
uint32_t fm_thread_tell_sites(void)
{
    uint32_t count = fm_sites_count();
    if (FM_UNLIKELY(count != atomic_load_explicit(&fm_threads.known_sites, memory_order_acquire))) {
        int saved = errno;
        fm_threads.met();
        atomic_store_explicit(&fm_threads.known_sites, count, memory_order_release);
        errno = saved;
    }
    return count;
}

uint64_t *fm_thread_put_stack(uint64_t *place, const struct fm_stack_change *change)
{
    *place++ = fm_record_header(FM_RECORD_STACK, change->kept | (change->cut ? FM_STACK_CUT : 0),
                                change->added > 0 ? change->sites[0] : FM_STACK_NO_SITE);
    for (uint32_t i = 1; i < change->added; i++) {
        *place++ = fm_record_header(FM_RECORD_STACK_SITE, 0, change->sites[i]);
    }
    return place;
}

void fm_thread_note_stack(struct fm_thread *thread, struct fm_here here)
{
    const struct fm_stack_change *change = fm_stack_at_call(thread->stack, here);
    if (change == NULL) {
        return;
    }
    if (FM_UNLIKELY(change->newest >= thread->told_sites)) {
        thread->told_sites = fm_thread_tell_sites();
    }
    fm_thread_put_stack(fm_thread_reserve(thread, change->added > 1 ? change->added : 1), change);
    fm_thread_publish(thread);
}

uint32_t fm_thread_site_of(struct fm_thread *thread, uint64_t address)
{
    if (thread->stack == NULL) {
        return FM_SITE_UNKNOWN;
    }
    const struct fm_place *place = fm_places_find(address);
    if (place == NULL) {
        place = fm_places_add(address, false);
    }
    if (place == NULL || place->site == FM_SITE_HIDDEN) {
        return FM_SITE_UNKNOWN;
    }
    if (place->site >= thread->told_sites) {
        thread->told_sites = fm_thread_tell_sites();
    }
    return place->site;
}

/* ---- what is due before a call ---- */

/* A sample found code outside of all known modules: a library may have been loaded. @return whether
 * nothing else is due */
static bool look_at_modules(struct fm_thread *thread)
{
    thread->samples.look_again = false;
    fm_places_forget_unloaded();
    fm_threads.met(); /* the handler finds call sites in new modules, which are to be defined */
    __atomic_store_n(&thread->flush_due, thread->samples.flush_due, __ATOMIC_SEQ_CST);
    return fm_clock_now() < thread->samples.flush_due && !fm_pause_is_due(thread);
}

void fm_thread_flush(struct fm_thread *thread)
{
    int saved = errno;
    fm_merged_end(thread);
    fm_merged_visits_end_group(thread);
    fm_samples_report();
    if (thread->samples.look_again && look_at_modules(thread)) {
        errno = saved;
        return;
    }
    fm_size_limit_check(thread);
    if (thread->pause.paused || fm_pause_is_due(thread)) {
        if (fm_pause_attend(thread, fm_threads.flush)) {
            errno = saved; /* due again before the next call */
            return;
        }
    } else if (thread->cursor != thread->first->words || thread->first->next != NULL ||
               thread->counting != NULL) {
        fm_threads.flush(thread, false);
    }
    fm_thread_plan_flush(thread);
    errno = saved;
}

void fm_thread_attend(struct fm_thread *thread, struct fm_here here)
{
    bool paused = thread->pause.paused;
    fm_thread_flush(thread);
    thread->pause.here = here;
    if (paused && thread->stack != NULL) { /* recording has resumed */
        fm_thread_note_stack(thread, here);
    }
    if (paused && thread->functions.due) {
        fm_functions_tell(thread, fm_clock_now());
    }
    thread->enter = fm_clock_now();
}

void fm_threads_attend(void)
{
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        __atomic_store_n(&thread->flush_due, 0, __ATOMIC_SEQ_CST);
    }
}

/* ---- all threads ---- */

struct fm_thread *fm_threads_end(void)
{
    fm_lock(&fm_threads.lock);
    atomic_store_explicit(&fm_threads.over, true, memory_order_release);
    struct fm_thread *all = atomic_load_explicit(&fm_threads.all, memory_order_relaxed);
    for (struct fm_thread *thread = all; thread != NULL; thread = thread->next) {
        __atomic_store_n(&thread->over, 1, __ATOMIC_RELAXED);
    }
    fm_unlock(&fm_threads.lock);
    return all;
}

const uint32_t *fm_threads_counter(void)
{
    return &fm_threads.count;
}

bool fm_threads_reused(void)
{
    return fm_threads.reused;
}

struct fm_thread *fm_threads_all(void)
{
    return atomic_load_explicit(&fm_threads.all, memory_order_acquire);
}
