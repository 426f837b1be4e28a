#include "record/capture/thread.h"

#include "record/capture/memory_use.h"
#include "record/selection/selected.h"
#include "record/selection/size_limit.h"
#include "record/stack/stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNKS_AT_LEAST = 2 };

__thread struct fm_thread *fm_thread_self;

static struct {
    pthread_mutex_t lock; /* for changes of the lists */
    struct fm_thread *_Atomic all;
    struct fm_thread *idle;
    uint32_t count;
    pthread_key_t key; /* whose destructor runs when a thread ends */
    bool has_key;
    _Atomic long chunks_left;
    _Atomic bool over, reused;
    _Atomic uint64_t interval;
    _Atomic uint32_t stack_depth; /* 0: call stacks are not recorded */
    _Atomic uint32_t known_sites; /* call sites that `met` was called for */
    void (*met)(void);
    bool (*flush)(struct fm_thread *thread, bool full);
    long chunks_wanted;                              /* memory budget of all threads */
    const char *(*function_name)(uint32_t function); /* NULL: full chunks are flushed */
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER, .interval = UINT64_MAX};

static void retire(void *ending);

void fm_threads_begin(size_t bytes, bool (*flush)(struct fm_thread *thread, bool full))
{
    threads.chunks_left = threads.chunks_wanted = (long)(bytes / FM_CHUNK_BYTES);
    threads.flush = flush;
    threads.has_key = pthread_key_create(&threads.key, retire) == 0;
}

void fm_threads_keep_last(const char *(*function_name)(uint32_t function))
{
    threads.function_name = function_name;
}

static void plan_flush(struct fm_thread *thread)
{
    uint64_t interval = atomic_load_explicit(&threads.interval, memory_order_relaxed);
    uint64_t due = interval == UINT64_MAX ? UINT64_MAX : fm_clock_now() + interval;
    due = due < fm_pause_next() ? due : fm_pause_next();
    __atomic_store_n(&thread->flush_due, due, __ATOMIC_SEQ_CST);
    if (fm_pause_is_due(thread)) { /* switched since the first store, which overwrote the request */
        __atomic_store_n(&thread->flush_due, 0, __ATOMIC_SEQ_CST);
    }
}

void fm_threads_interval(uint64_t ticks)
{
    atomic_store_explicit(&threads.interval, ticks, memory_order_relaxed);
    if (fm_thread_self != NULL) {
        plan_flush(fm_thread_self);
    }
}

void fm_threads_with_stacks(uint32_t deepest, void (*met)(void))
{
    threads.met = met;
    atomic_store_explicit(&threads.stack_depth, deepest, memory_order_release);
}

void fm_threads_without_stacks(void)
{
    atomic_store_explicit(&threads.stack_depth, 0, memory_order_relaxed);
    if (fm_thread_self != NULL) {
        fm_thread_self->stack = NULL;
        fm_thread_self->pause.stack = NULL;
    }
}

/* Call sites are defined before the records that refer to them can be saved. */
uint32_t fm_thread_tell_sites(void)
{
    uint32_t count = fm_sites_count();
    if (FM_UNLIKELY(count != atomic_load_explicit(&threads.known_sites, memory_order_acquire))) {
        int saved = errno;
        threads.met();
        atomic_store_explicit(&threads.known_sites, count, memory_order_release);
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
        if (fm_pause_attend(thread, threads.flush)) {
            errno = saved; /* due again before the next call */
            return;
        }
    } else if (thread->cursor != thread->first->words || thread->first->next != NULL) {
        threads.flush(thread, false);
    }
    plan_flush(thread);
    errno = saved;
}

static void *new_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    fm_memory_use_add(bytes);
    return pages;
}

static struct fm_chunk *new_chunk(void)
{
    struct fm_chunk *chunk = new_pages(FM_CHUNK_BYTES);
    if (chunk != NULL) {
        chunk->next = NULL;
        chunk->used = chunk->words;
    }
    return chunk;
}

static void fill(struct fm_thread *thread, struct fm_chunk *chunk)
{
    chunk->next = NULL;
    if (thread->current != NULL) {
        thread->current->used = thread->cursor;
        thread->current->next = chunk;
        thread->filled += (uint64_t)(thread->cursor - thread->current->words);
    } else {
        thread->first = chunk;
    }
    thread->current = chunk;
    thread->cursor = chunk->words;
    thread->limit = (uint64_t *)((char *)chunk + FM_CHUNK_BYTES);
}

/* @return NULL without memory: the thread is not recorded */
static struct fm_thread *new_thread(void)
{
    struct fm_thread *thread = new_pages(sizeof *thread);
    struct fm_chunk *chunks[CHUNKS_AT_LEAST] = {NULL};
    for (int i = 0; thread != NULL && i < CHUNKS_AT_LEAST; i++) {
        chunks[i] = new_chunk();
        if (chunks[i] == NULL) {
            return NULL;
        }
    }
    if (thread != NULL) {
        thread->publish = &thread->done;
        thread->stretch_least = thread->reading_due = UINT64_MAX;
        fill(thread, chunks[0]);
        fm_thread_publish(thread);
        thread->spare = chunks[1];
        thread->chunks = CHUNKS_AT_LEAST;
        uint32_t deepest = atomic_load_explicit(&threads.stack_depth, memory_order_acquire);
        thread->stack = deepest != 0 ? fm_stack_begin(deepest) : NULL;
        fm_memory_use_add(thread->stack != NULL ? sizeof *thread->stack : 0);
        atomic_fetch_sub(&threads.chunks_left, CHUNKS_AT_LEAST);
        pthread_mutex_lock(&threads.lock);
        thread->index = threads.count++;
        thread->over = atomic_load_explicit(&threads.over, memory_order_relaxed);
        thread->next = atomic_load_explicit(&threads.all, memory_order_relaxed);
        atomic_store_explicit(&threads.all, thread, memory_order_release);
        pthread_mutex_unlock(&threads.lock);
    }
    return thread;
}

static struct fm_thread *take_idle(void)
{
    pthread_mutex_lock(&threads.lock);
    struct fm_thread *thread = threads.idle;
    if (thread != NULL) {
        threads.idle = thread->idle;
        threads.reused = true;
    }
    pthread_mutex_unlock(&threads.lock);
    return thread;
}

/* The cached stack belongs to the thread that has ended, not to the calling thread. */
static void take_over_stack(struct fm_thread *thread)
{
    struct fm_stack *stack = thread->stack != NULL ? thread->stack : thread->pause.stack;
    if (stack != NULL) {
        fm_stack_move(stack);
    }
}

struct fm_thread *fm_thread_attach(void)
{
    if (atomic_load_explicit(&threads.over, memory_order_acquire)) {
        return NULL;
    }
    int saved = errno;
    struct fm_thread *thread = take_idle();
    bool is_new = thread == NULL;
    if (is_new) {
        thread = new_thread();
    } else {
        take_over_stack(thread);
    }
    if (thread != NULL) {
        plan_flush(thread); /* a reused location checks for pauses at its first call */
        fm_thread_self = thread;
        if (is_new) {
            fm_pause_attach(thread);
        }
        if (threads.has_key) {
            pthread_setspecific(threads.key, thread);
        }
        fm_samples_attach(thread);
        fm_processor_attach(thread);
    }
    errno = saved;
    return thread;
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

/* Called when a thread ends, possibly within a call (if it was cancelled). Its records are written
 * if a flush is planned, and its location becomes available. */
static void retire(void *ending)
{
    struct fm_thread *thread = ending;
    fm_samples_detach(thread);
    fm_thread_self = NULL;
    fm_signal_fence();
    thread->own_stack.is_known = false;
    thread->depth = 0;
    thread->is_marking = 0;
    if (!atomic_load_explicit(&threads.over, memory_order_acquire)) {
        fm_functions_end(thread);
        leave_regions(thread);
        if (__atomic_load_n(&thread->flush_due, __ATOMIC_RELAXED) != UINT64_MAX) {
            fm_thread_flush(thread);
        }
    }
    pthread_mutex_lock(&threads.lock);
    thread->idle = threads.idle;
    threads.idle = thread;
    pthread_mutex_unlock(&threads.lock);
}

void fm_threads_attend(void)
{
    for (struct fm_thread *thread = fm_threads_all(); thread != NULL; thread = thread->next) {
        __atomic_store_n(&thread->flush_due, 0, __ATOMIC_SEQ_CST);
    }
}

/* ---- the last records only ---- */

static bool contains(const struct fm_chunk *chunk, const uint64_t *place)
{
    return place >= chunk->words &&
           place <= (const uint64_t *)((const char *)chunk + FM_CHUNK_BYTES);
}

/* Passes the records of the oldest chunk to the summary. */
static void pass_chunk(struct fm_thread *thread)
{
    const struct fm_chunk *chunk = thread->first;
    bool all_kept = thread->kept != NULL && thread->kept_chunk != chunk;
    const uint64_t *record = thread->passed == NULL          ? chunk->words
                             : thread->passed_chunk == chunk ? thread->passed
                                                             : chunk->used;
    while (record < chunk->used) {
        bool kept = all_kept || (thread->kept != NULL && record < thread->kept);
        fm_cut_pass(&thread->cut, record, !kept, threads.function_name);
        record += fm_record_words[fm_record_kind(record[0])];
    }
}

/* Removes the oldest chunk, whose records are claimed, from the list. */
static struct fm_chunk *give_up(struct fm_thread *thread)
{
    struct fm_chunk *chunk = thread->first;
    pass_chunk(thread);
    if (thread->kept_chunk == chunk) {
        thread->kept_chunk = NULL;
        thread->kept = NULL;
    }
    if (thread->passed_chunk == chunk) {
        thread->passed = NULL;
    }
    thread->first = chunk->next;
    return chunk;
}

/* Discards the records of the oldest chunk and returns the chunk. NULL: the records are still
 * needed, or being saved. Signals are blocked meanwhile, because a handler that saves the records
 * could not claim them. */
static struct fm_chunk *recycle(struct fm_thread *thread)
{
    struct fm_chunk *chunk = NULL;
    sigset_t all, before;
    if (thread->first == thread->current || contains(thread->first, thread->done)) {
        return NULL;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (fm_thread_claim(thread)) {
        chunk = give_up(thread);
        fm_thread_unclaim(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return chunk;
}

/* Each thread gets an equal part of the memory. A thread that had a larger part before frees one
 * chunk for each chunk that it fills. */
static struct fm_chunk *take_from_ring(struct fm_thread *thread)
{
    uint32_t count = __atomic_load_n(&threads.count, __ATOMIC_RELAXED);
    size_t part = (size_t)threads.chunks_wanted / (count != 0 ? count : 1);
    struct fm_chunk *chunk = NULL;
    part = part > CHUNKS_AT_LEAST ? part : CHUNKS_AT_LEAST;
    if (thread->chunks < part && atomic_fetch_sub(&threads.chunks_left, 1) > 0) {
        chunk = new_chunk();
        thread->chunks += chunk != NULL;
        return chunk;
    }
    if (thread->chunks < part) {
        atomic_fetch_add(&threads.chunks_left, 1);
    }
    chunk = recycle(thread);
    if (chunk != NULL && thread->chunks > part) {
        struct fm_chunk *second = recycle(thread);
        if (second != NULL) {
            munmap(second, FM_CHUNK_BYTES);
            thread->chunks--;
            atomic_fetch_add(&threads.chunks_left, 1);
        }
    }
    return chunk;
}

/* Settled records that are neither in the journal nor passed. */
static struct fm_extent unpassed(const struct fm_thread *thread)
{
    struct fm_extent rest = fm_thread_settled(thread);
    for (struct fm_chunk *chunk = rest.first; thread->passed != NULL; chunk = chunk->next) {
        if (chunk == thread->passed_chunk) {
            if (chunk != rest.first || thread->passed > rest.begin) {
                rest.begin = thread->passed;
            }
            rest.first = chunk;
            break;
        }
        if (chunk == rest.last) {
            break;
        }
    }
    return rest;
}

/* Advances to the next chunk at the end of one. @return whether there is a record */
static bool has_record(struct fm_extent *rest)
{
    while (rest->first != rest->last && rest->begin >= rest->first->used) {
        rest->first = rest->first->next;
        rest->begin = rest->first->words;
    }
    return rest->first != rest->last || rest->begin < rest->end;
}

static void skip_record(struct fm_extent *rest)
{
    rest->begin += fm_record_words[fm_record_kind(rest->begin[0])];
}

/* Time of the next record that has one; UINT64_MAX: there is none. */
static uint64_t next_time(struct fm_extent rest)
{
    uint64_t time = UINT64_MAX;
    while (has_record(&rest) && !fm_cut_time(rest.begin, &time)) {
        skip_record(&rest);
    }
    return time;
}

uint64_t fm_thread_first_kept(const struct fm_thread *thread)
{
    uint64_t time = thread->cut.gone ? next_time(unpassed(thread)) : 0;
    return time != UINT64_MAX ? time : fm_clock_now();
}

struct fm_extent fm_thread_cut_before(struct fm_thread *thread, uint64_t time)
{
    struct fm_extent rest = unpassed(thread);
    uint64_t own;
    while (has_record(&rest)) {
        /* A record without own time belongs to the next record that has one, except the operations
         * of a call. */
        bool stays = fm_cut_may_begin(rest.begin) &&
                     (fm_cut_time(rest.begin, &own) ? own : next_time(rest)) >= time;
        if (stays) {
            break;
        }
        fm_cut_pass(&thread->cut, rest.begin, true, threads.function_name);
        skip_record(&rest);
    }
    thread->passed_chunk = rest.first;
    thread->passed = rest.begin;
    return rest;
}

/* ---- chunks ---- */

/* @return NULL: no chunk is left */
static struct fm_chunk *take_chunk(struct fm_thread *thread)
{
    struct fm_chunk *chunk = thread->spare;
    if (chunk != NULL) {
        thread->spare = chunk->next;
    } else if (threads.function_name != NULL) {
        chunk = take_from_ring(thread);
    } else if (atomic_fetch_sub(&threads.chunks_left, 1) > 0) {
        chunk = new_chunk();
    } else {
        atomic_fetch_add(&threads.chunks_left, 1);
    }
    return chunk;
}

/* Takes memory for the open call beyond the budget. */
static struct fm_chunk *exceed(struct fm_thread *thread)
{
    struct fm_chunk *chunk = new_chunk();
    if (chunk != NULL) {
        thread->chunks++;
        atomic_fetch_sub(&threads.chunks_left, 1);
    } else {
        thread->cut.broken = true;
        fm_thread_reuse(thread);
    }
    return chunk;
}

bool fm_thread_extend(struct fm_thread *thread)
{
    struct fm_chunk *chunk = take_chunk(thread);
    if (chunk != NULL) {
        fill(thread, chunk);
    }
    return chunk != NULL;
}

uint64_t *fm_thread_grow(struct fm_thread *thread, size_t words)
{
    int saved = errno;
    if (thread->pause.paused) {
        fm_pause_fold(thread);
        if ((size_t)(thread->limit - thread->cursor) >= words) {
            errno = saved;
            return thread->cursor;
        }
    } else {
        fm_size_limit_check(thread);
    }
    /* A new chunk holds more than any reservation. */
    struct fm_chunk *chunk = take_chunk(thread);
    /* If flushing fails, recording ends, but the open call still needs its room. */
    if (chunk == NULL && (threads.function_name != NULL || !threads.flush(thread, true))) {
        chunk = exceed(thread);
    }
    if (chunk != NULL) {
        fill(thread, chunk);
    }
    if (thread->pause.paused) {
        fm_pause_mark(thread); /* the place has changed; all records before it are kept */
    }
    errno = saved;
    return thread->cursor;
}

void fm_thread_rewind(struct fm_thread *thread, struct fm_chunk *chunk, uint64_t *place)
{
    if (chunk != thread->current) {
        for (struct fm_chunk *left = chunk; left != thread->current; left = left->next) {
            thread->filled -= (uint64_t)(left->used - left->words);
        }
        thread->current->next = thread->spare;
        thread->spare = chunk->next;
        chunk->next = NULL;
        thread->current = chunk;
        thread->limit = (uint64_t *)((char *)chunk + FM_CHUNK_BYTES);
    }
    thread->cursor = place;
}

uint64_t *fm_thread_leave_slowly(struct fm_thread *thread, uint64_t now, size_t words)
{
    uint64_t duration = now - thread->enter;
    bool is_long = duration >> FM_CALL_DURATION_BITS != 0;
    size_t call = is_long ? FM_WORDS_CALL_LONG : FM_WORDS_CALL;
    uint64_t *place = fm_thread_reserve(thread, call + words);
    if (is_long) {
        place[0] = fm_record_header(FM_RECORD_CALL_LONG, thread->function, 0);
        place[2] = now;
    } else {
        place[0] = fm_record_call(thread->function, duration);
    }
    place[1] = thread->enter;
    return place + call;
}

bool fm_thread_end_left_call(struct fm_thread *thread, struct fm_here here)
{
    if (thread->depth == 0 || __atomic_load_n(&thread->over, __ATOMIC_RELAXED) != 0) {
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

void fm_thread_reuse(struct fm_thread *thread)
{
    struct fm_chunk *chunk = thread->first;
    thread->filled += (uint64_t)(thread->cursor - thread->current->words);
    thread->current->next = thread->spare;
    thread->spare = chunk->next;
    thread->current = NULL;
    thread->first = NULL;
    thread->kept_chunk = NULL;
    thread->kept = NULL;
    fill(thread, chunk);
    fm_thread_publish(thread);
}

void fm_thread_release(struct fm_thread *thread)
{
    while (thread->kept != NULL && thread->first != thread->kept_chunk) {
        struct fm_chunk *chunk = thread->first;
        thread->first = chunk->next;
        chunk->next = thread->spare;
        thread->spare = chunk;
    }
}

void fm_thread_settle(struct fm_thread *thread, bool claimed)
{
    thread->settled = claimed ? __atomic_load_n(&thread->done, __ATOMIC_ACQUIRE) : NULL;
}

struct fm_extent fm_thread_settled(const struct fm_thread *thread)
{
    struct fm_extent extent = fm_thread_unsaved_begin(thread);
    extent.end = thread->settled;
    /* The stored end lies in one of the chunks from the first on; earlier chunks are complete. */
    extent.last = extent.first;
    while (extent.end < extent.last->words ||
           extent.end > (const uint64_t *)((const char *)extent.last + FM_CHUNK_BYTES)) {
        extent.last = extent.last->next;
    }
    return extent;
}

struct fm_thread *fm_threads_end(void)
{
    pthread_mutex_lock(&threads.lock);
    atomic_store_explicit(&threads.over, true, memory_order_release);
    struct fm_thread *all = atomic_load_explicit(&threads.all, memory_order_relaxed);
    for (struct fm_thread *thread = all; thread != NULL; thread = thread->next) {
        __atomic_store_n(&thread->over, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&threads.lock);
    return all;
}

bool fm_threads_reused(void)
{
    return threads.reused;
}

struct fm_thread *fm_threads_all(void)
{
    return atomic_load_explicit(&threads.all, memory_order_acquire);
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

void *fm_thread_scratch(struct fm_thread *thread, int slot, size_t bytes)
{
    if (bytes > thread->scratch_size[slot]) {
        int saved = errno;
        size_t size = thread->scratch_size[slot] != 0 ? thread->scratch_size[slot] : 16384;
        while (size < bytes) {
            size *= 2;
        }
        void *larger = new_pages(size);
        if (larger == NULL) {
            errno = saved;
            return NULL;
        }
        if (thread->scratch[slot] != NULL) {
            munmap(thread->scratch[slot], thread->scratch_size[slot]);
            fm_memory_use_remove(thread->scratch_size[slot]);
        }
        thread->scratch[slot] = larger;
        thread->scratch_size[slot] = size;
        errno = saved;
    }
    return thread->scratch[slot];
}
