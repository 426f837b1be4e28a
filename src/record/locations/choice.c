/* SPDX-License-Identifier: BSD-3-Clause */
/* Which location a thread records to: a new one, one whose thread has ended, one of an earlier
 * thread that played the same part in the program, or one that its creator has provided. */
#include "record/buffers/buffer_layout.h"
#include "record/capture/memory_use.h"
#include "record/capture/threads.h"
#include "record/counting/counter_file.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <unistd.h>

struct fm_thread *fm_thread_new(uint64_t part)
{
    struct fm_thread *thread = fm_thread_pages(sizeof *thread);
    if (thread != NULL && !fm_thread_take_first(thread)) {
        return NULL;
    }
    if (thread != NULL) {
        thread->part = part;
        thread->owner = (uint64_t)pthread_self();
        thread->stretch_least = thread->reading_due = UINT64_MAX;
        uint32_t deepest = atomic_load_explicit(&fm_threads.stack_depth, memory_order_acquire);
        thread->is_stream = part == FM_PART_OF_STREAMS;
        thread->stack = deepest != 0 && !thread->is_stream ? fm_stack_begin(deepest) : NULL;
        fm_memory_use_add(thread->stack != NULL ? sizeof *thread->stack : 0);
        atomic_fetch_sub(&fm_threads.chunks_left, FM_CHUNKS_AT_LEAST);
        fm_lock(&fm_threads.lock);
        thread->index = fm_threads.count++;
        fm_thread_show(thread);
        thread->over = atomic_load_explicit(&fm_threads.over, memory_order_relaxed);
        thread->next = atomic_load_explicit(&fm_threads.all, memory_order_relaxed);
        atomic_store_explicit(&fm_threads.all, thread, memory_order_release);
        fm_unlock(&fm_threads.lock);
        if (!thread->is_stream) {
            fm_counter_file_attach(thread);
        }
    }
    return thread;
}

/* A location with a part whose thread waits in the runtime for the end of a team that has ended: it
 * is going to end, as another thread plays its part now. @return NULL: there is none */
static struct fm_thread *take_over(uint64_t part)
{
    struct fm_thread *thread = part != 0 ? fm_threads_all() : NULL;
    while (thread != NULL &&
           (thread->part != part || thread->member.instance == 0 ||
            __atomic_load_n(&thread->member.ended, __ATOMIC_ACQUIRE) != thread->member.instance)) {
        thread = thread->next;
    }
    if (thread != NULL) {
        fm_samples_detach(thread);
    }
    return thread;
}

/* A location of a thread that has ended, or is taken over. */
static struct fm_thread *take_idle(uint64_t part)
{
    fm_lock(&fm_threads.lock);
    struct fm_thread **place = &fm_threads.idle;
    while (*place != NULL && (*place)->part != part) {
        place = &(*place)->idle;
    }
    struct fm_thread *thread = *place;
    if (thread != NULL) {
        *place = thread->idle;
    } else {
        thread = take_over(part);
    }
    if (thread != NULL) {
        fm_threads.reused |= !thread->is_unused;
        __atomic_store_n(&thread->owner, (uint64_t)pthread_self(), __ATOMIC_RELAXED);
    }
    fm_unlock(&fm_threads.lock);
    return thread;
}

void fm_thread_make_idle(struct fm_thread *thread)
{
    fm_lock(&fm_threads.lock);
    thread->idle = fm_threads.idle;
    fm_threads.idle = thread;
    fm_unlock(&fm_threads.lock);
}

static bool has_part(uint64_t part)
{
    const struct fm_thread *thread = fm_threads_all();
    while (thread != NULL && thread->part != part) {
        thread = thread->next;
    }
    return thread != NULL;
}

/* Makes locations for parts whose threads have not come yet. */
static void make_unused(uint64_t first, uint64_t end)
{
    for (uint64_t part = first; part < end; part++) {
        struct fm_thread *thread = has_part(part) ? NULL : fm_thread_new(part);
        if (thread != NULL) {
            thread->is_unused = true;
            __atomic_store_n(&thread->owner, 0, __ATOMIC_RELAXED);
            fm_thread_make_idle(thread);
        }
    }
}

/* The cached stack belongs to another thread, not to the calling thread. */
static void take_over_stack(struct fm_thread *thread)
{
    thread->merging.group.end = NULL;
    struct fm_stack *stack = thread->stack != NULL ? thread->stack : thread->pause.stack;
    if (stack != NULL) {
        fm_stack_move(stack);
    }
}

struct fm_thread *fm_thread_attach(void)
{
    return fm_thread_attach_as(0, 0);
}

/* Makes a location that of the calling thread. NULL is allowed. */
static struct fm_thread *attach(struct fm_thread *thread, bool is_new)
{
    if (thread != NULL) {
        fm_thread_plan_flush(thread); /* a reused location checks for pauses at its first call */
        fm_thread_self = thread;
        const int32_t id = gettid();
        __atomic_store_n(&thread->system_id, id, __ATOMIC_RELAXED);
        if (thread->slot != NULL) {
            thread->slot->system_id = (uint64_t)id;
        }
        if (is_new) {
            fm_pause_attach(thread);
        }
        if (fm_threads.has_key) {
            pthread_setspecific(fm_threads.key, thread);
        }
        fm_samples_attach(thread);
        fm_processor_attach(thread);
    }
    return thread;
}

struct fm_thread *fm_thread_attach_as(uint64_t part, uint32_t number)
{
    if (atomic_load_explicit(&fm_threads.over, memory_order_acquire)) {
        return NULL;
    }
    int saved = errno;
    if (part != 0) {
        fm_lock(&fm_threads.parts);
    }
    struct fm_thread *thread = take_idle(part);
    bool is_new = thread == NULL || thread->is_unused;
    if (thread != NULL) {
        thread->is_unused = false;
        take_over_stack(thread);
    } else {
        make_unused(part - number + (number > 0), part);
        thread = fm_thread_new(part);
    }
    if (part != 0) {
        fm_unlock(&fm_threads.parts);
    }
    attach(thread, is_new);
    errno = saved;
    return thread;
}

/* Threads of programs with more of them have no places of their own in the order of creation. */
enum { PROVIDED_AT_MOST = 256 };

struct fm_thread *fm_thread_provide(void)
{
    int saved = errno;
    struct fm_thread *thread = NULL;
    if (!atomic_load_explicit(&fm_threads.over, memory_order_acquire) &&
        atomic_load_explicit(&fm_threads.all, memory_order_acquire)->index < PROVIDED_AT_MOST) {
        thread = take_idle(0);
        if (thread == NULL) {
            thread = fm_thread_new(0);
            if (thread != NULL) {
                thread->is_unused = true;
            }
        }
    }
    if (thread != NULL) {
        __atomic_store_n(&thread->owner, 0, __ATOMIC_RELAXED);
    }
    errno = saved;
    return thread;
}

void fm_thread_give_back(struct fm_thread *thread)
{
    if (thread != NULL) {
        fm_thread_make_idle(thread);
    }
}

struct fm_thread *fm_thread_take_provided(struct fm_thread *thread)
{
    int saved = errno;
    bool is_new = thread->is_unused;
    if (atomic_load_explicit(&fm_threads.over, memory_order_acquire)) {
        fm_thread_make_idle(thread);
        return NULL;
    }
    thread->is_unused = false;
    __atomic_store_n(&thread->owner, (uint64_t)pthread_self(), __ATOMIC_RELAXED);
    take_over_stack(thread);
    attach(thread, is_new);
    errno = saved;
    return thread;
}

/* ---- who holds a lock ---- */

struct fm_thread *fm_thread_of_system(int32_t id)
{
    struct fm_thread *thread = fm_threads_all();
    while (thread != NULL && (__atomic_load_n(&thread->system_id, __ATOMIC_RELAXED) != id ||
                              __atomic_load_n(&thread->owner, __ATOMIC_RELAXED) == 0)) {
        thread = thread->next;
    }
    return thread;
}

FM_UNSYNCHRONIZED struct fm_thread *fm_thread_sharing(const struct fm_thread *behind,
                                                      const void *held,
                                                      struct fm_thread_held *acquisition)
{
    struct fm_thread *thread = behind != NULL ? behind->next : fm_threads_all();
    for (; thread != NULL; thread = thread->next) {
        const uint32_t count = __atomic_load_n(&thread->held_count, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < count && i < FM_HELD_MOST; i++) {
            *acquisition = thread->held[i];
            if (acquisition->lock == held) {
                return thread;
            }
        }
    }
    return NULL;
}
