#include "record/capture/thread.h"

#include "record/capture/memory_use.h"
#include "record/capture/threads.h"
#include "record/selection/selected.h"
#include "record/selection/size_limit.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

__thread struct fm_thread *fm_thread_self;

struct fm_threads fm_threads = {.lock = FM_LOCK_FREE, .interval = UINT64_MAX};

static void retire(void *ending);

void fm_threads_begin(size_t bytes, bool (*flush)(struct fm_thread *thread, bool full))
{
    fm_threads.chunks_left = fm_threads.chunks_wanted = (long)(bytes / FM_CHUNK_BYTES);
    fm_threads.flush = flush;
    fm_threads.has_key = pthread_key_create(&fm_threads.key, retire) == 0;
}

void fm_threads_keep_last(const char *(*function_name)(uint32_t function))
{
    fm_threads.function_name = function_name;
}

static void plan_flush(struct fm_thread *thread)
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
        plan_flush(fm_thread_self);
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

/* ---- what is due before a call ---- */

/* A sample found code outside of all known modules: a library may have been loaded. @return whether
 * nothing else is due */
static bool look_at_modules(struct fm_thread *thread)
{
    thread->samples.look_again = false;
    fm_places_forget_unloaded();
    __atomic_store_n(&thread->flush_due, thread->samples.flush_due, __ATOMIC_SEQ_CST);
    return fm_clock_now() < thread->samples.flush_due && !fm_pause_is_due(thread);
}

void fm_thread_flush(struct fm_thread *thread)
{
    int saved = errno;
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
    } else if (thread->cursor != thread->first->words || thread->first->next != NULL) {
        fm_threads.flush(thread, false);
    }
    plan_flush(thread);
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

/* ---- from the first call of a thread to its end ---- */

/* @return a location of the calling thread; NULL without memory: the thread is not recorded */
static struct fm_thread *new_thread(uint64_t part)
{
    struct fm_thread *thread = fm_thread_pages(sizeof *thread);
    struct fm_chunk *chunks[FM_CHUNKS_AT_LEAST] = {NULL};
    for (int i = 0; thread != NULL && i < FM_CHUNKS_AT_LEAST; i++) {
        chunks[i] = fm_chunk_new();
        if (chunks[i] == NULL) {
            return NULL;
        }
    }
    if (thread != NULL) {
        thread->part = part;
        thread->owner = (uint64_t)pthread_self();
        thread->publish = &thread->done;
        thread->stretch_least = thread->reading_due = UINT64_MAX;
        fm_thread_fill(thread, chunks[0]);
        fm_thread_publish(thread);
        thread->spare = chunks[1];
        thread->chunks = FM_CHUNKS_AT_LEAST;
        uint32_t deepest = atomic_load_explicit(&fm_threads.stack_depth, memory_order_acquire);
        thread->stack = deepest != 0 ? fm_stack_begin(deepest) : NULL;
        fm_memory_use_add(thread->stack != NULL ? sizeof *thread->stack : 0);
        atomic_fetch_sub(&fm_threads.chunks_left, FM_CHUNKS_AT_LEAST);
        fm_lock(&fm_threads.lock);
        thread->index = fm_threads.count++;
        thread->over = atomic_load_explicit(&fm_threads.over, memory_order_relaxed);
        thread->next = atomic_load_explicit(&fm_threads.all, memory_order_relaxed);
        atomic_store_explicit(&fm_threads.all, thread, memory_order_release);
        fm_unlock(&fm_threads.lock);
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

/* Gives a location to whoever asks next. */
static void make_idle(struct fm_thread *thread)
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
        struct fm_thread *thread = has_part(part) ? NULL : new_thread(part);
        if (thread != NULL) {
            thread->is_unused = true;
            __atomic_store_n(&thread->owner, 0, __ATOMIC_RELAXED);
            make_idle(thread);
        }
    }
}

/* The cached stack belongs to another thread, not to the calling thread. */
static void take_over_stack(struct fm_thread *thread)
{
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
        plan_flush(thread); /* a reused location checks for pauses at its first call */
        fm_thread_self = thread;
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
        thread = new_thread(part);
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
        atomic_load_explicit(&fm_threads.all, memory_order_relaxed)->index < PROVIDED_AT_MOST) {
        thread = take_idle(0);
        if (thread == NULL) {
            thread = new_thread(0);
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
        make_idle(thread);
    }
}

/* Makes the location that was provided for the calling thread its own. */
static struct fm_thread *take_provided(struct fm_thread *thread)
{
    int saved = errno;
    bool is_new = thread->is_unused;
    if (atomic_load_explicit(&fm_threads.over, memory_order_acquire)) {
        make_idle(thread);
        return NULL;
    }
    thread->is_unused = false;
    __atomic_store_n(&thread->owner, (uint64_t)pthread_self(), __ATOMIC_RELAXED);
    take_over_stack(thread);
    attach(thread, is_new);
    errno = saved;
    return thread;
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

/* ---- threads whose creation is recorded ---- */

/* Shows the thread's function alone on the call stack. */
static void show_routine(struct fm_thread *thread)
{
    if (thread->life.site != FM_SITE_UNKNOWN && thread->stack != NULL) {
        uint64_t *record = fm_thread_reserve(thread, FM_WORDS_STACK);
        record[0] = fm_record_header(FM_RECORD_STACK, 0, thread->life.site);
        fm_stack_forget(thread->stack);
    }
}

static void note_life(struct fm_thread *thread, enum fm_record_kind kind)
{
    show_routine(thread);
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_THREAD_BEGIN);
    record[0] = fm_record_header(kind, thread->life.paradigm, 0);
    record[1] = fm_clock_now();
    record[2] = thread->life.number;
    fm_thread_publish(thread);
}

struct fm_thread *fm_thread_begin(uint32_t paradigm, uint64_t number, uint64_t routine,
                                  struct fm_thread *provided)
{
    struct fm_thread *thread = fm_thread_self;
    if (thread != NULL) {
        fm_thread_give_back(provided);
    } else {
        thread = provided != NULL ? take_provided(provided) : fm_thread_attach();
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
        note_life(thread, FM_RECORD_THREAD_BEGIN);
    }
    fm_signal_fence();
    thread->depth = 0;
    return thread;
}

static void end_life(struct fm_thread *thread)
{
    if (thread->life.number != 0 && !thread->pause.paused) {
        note_life(thread, FM_RECORD_THREAD_END);
    }
    thread->life.number = 0;
}

/* Regions of user code end with the thread that began them. The Leave of the outermost region also
 * leaves the regions inside it. */
static void leave_regions(struct fm_thread *thread)
{
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

/* Called when a thread ends, possibly within a call (if it was cancelled): then the call ends, too.
 * Its location becomes available, except that of the first thread. */
static void retire(void *ending)
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
    if (thread->depth == 1 && !atomic_load_explicit(&fm_threads.over, memory_order_acquire)) {
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
    make_idle(thread);
}

bool fm_thread_end_left_call(struct fm_thread *thread, struct fm_here here)
{
    if (thread->depth == 0 || thread->depth == FM_DEPTH_RUNTIME ||
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
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    return true;
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

bool fm_threads_reused(void)
{
    return fm_threads.reused;
}

struct fm_thread *fm_threads_all(void)
{
    return atomic_load_explicit(&fm_threads.all, memory_order_acquire);
}
