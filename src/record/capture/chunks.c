/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of memory that a thread's records lie in. */
#include "record/capture/threads.h"

#include "record/buffers/buffer_file.h"
#include "record/capture/memory_use.h"
#include "record/selection/size_limit.h"

#include <errno.h>
#include <sys/mman.h>

void *fm_thread_pages(size_t bytes)
{
    return fm_memory_use_map(bytes, MAP_POPULATE);
}

struct fm_chunk *fm_chunk_new(bool in_file)
{
    struct fm_chunk *chunk = in_file ? fm_buffers_chunk() : fm_thread_pages(FM_CHUNK_BYTES);
    if (chunk != NULL) {
        chunk->next = NULL;
        chunk->used = chunk->words;
    }
    return chunk;
}

void fm_chunk_free(struct fm_chunk *chunk)
{
    if (chunk->kind != FM_CHUNK_PRIVATE) {
        fm_buffers_return(chunk);
    } else {
        munmap(chunk, FM_CHUNK_BYTES);
        fm_memory_use_remove(FM_CHUNK_BYTES);
    }
}

/* Readers of the buffer file must not take what a chunk has for records. */
static void mark_unused(struct fm_chunk *chunk)
{
    if (chunk->kind != FM_CHUNK_PRIVATE) {
        __atomic_store_n(&chunk->kind, FM_CHUNK_UNUSED, __ATOMIC_RELEASE);
    }
}

void fm_thread_fill(struct fm_thread *thread, struct fm_chunk *chunk)
{
    chunk->next = NULL;
    chunk->used = chunk->words;
    chunk->thread = thread->index;
    thread->merging.group.end = NULL;
    fm_merged_visits_end_group(thread);
    thread->shown->place = NULL;
    if (thread->current != NULL) {
        fm_count_rest(thread);
        thread->current->used = thread->cursor;
        thread->current->next = chunk;
        thread->filled += (uint64_t)(thread->cursor - thread->current->words);
    } else {
        thread->first = chunk;
    }
    thread->current = chunk;
    thread->cursor = chunk->words;
    thread->limit = (uint64_t *)((char *)chunk + FM_CHUNK_BYTES);
    chunk->position = thread->filled;
    if (chunk->kind != FM_CHUNK_PRIVATE) {
        __atomic_store_n(&chunk->kind, FM_CHUNK_RECORDS, __ATOMIC_RELEASE);
    }
    fm_count_from_here(thread);
}

bool fm_thread_take_first(struct fm_thread *thread)
{
    struct fm_chunk *chunks[FM_CHUNKS_AT_LEAST] = {fm_chunk_new(true)};
    chunks[1] = chunks[0] != NULL ? fm_chunk_new(true) : NULL;
    thread->slot = chunks[1] != NULL ? fm_buffers_slot() : NULL;
    if (thread->slot == NULL) {
        fm_buffers_note_outside();
        thread->shown = fm_thread_pages(sizeof *thread->shown);
        if (thread->shown == NULL) {
            return false;
        }
        for (int i = 0; i < FM_CHUNKS_AT_LEAST; i++) {
            if (chunks[i] != NULL) {
                fm_chunk_free(chunks[i]);
            }
            chunks[i] = fm_chunk_new(false);
            if (chunks[i] == NULL) {
                return false;
            }
        }
    }
    thread->shown = thread->slot != NULL ? &thread->slot->open : thread->shown;
    thread->publish = thread->ends = thread->slot != NULL ? &thread->slot->done : &thread->done;
    fm_thread_fill(thread, chunks[0]);
    fm_thread_publish(thread);
    thread->spare = chunks[1];
    thread->chunks = FM_CHUNKS_AT_LEAST;
    return true;
}

void fm_thread_show(struct fm_thread *thread)
{
    thread->first->thread = thread->index;
    if (thread->slot != NULL) {
        __atomic_store_n(&thread->slot->thread, thread->index + (uint64_t)1, __ATOMIC_RELEASE);
    }
}

/* ---- room for records ---- */

/* @return NULL: no chunk is left */
static struct fm_chunk *take_chunk(struct fm_thread *thread)
{
    struct fm_chunk *chunk = thread->spare;
    if (chunk != NULL) {
        thread->spare = chunk->next;
    } else if (fm_threads.function_name != NULL) {
        chunk = fm_thread_take_from_ring(thread);
    } else {
        if (atomic_fetch_sub(&fm_threads.chunks_left, 1) > 0) {
            chunk = fm_chunk_new(thread->slot != NULL);
        }
        atomic_fetch_add(&fm_threads.chunks_left, chunk == NULL);
    }
    return chunk;
}

/* Takes memory for the open call beyond the budget, if need be outside of the buffer file. */
static struct fm_chunk *exceed(struct fm_thread *thread)
{
    struct fm_chunk *chunk = thread->slot != NULL ? fm_chunk_new(true) : NULL;
    chunk = chunk != NULL ? chunk : fm_chunk_new(false);
    if (chunk != NULL) {
        thread->chunks++;
        atomic_fetch_sub(&fm_threads.chunks_left, 1);
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
        fm_thread_fill(thread, chunk);
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
    if (chunk == NULL && (fm_threads.function_name != NULL || !fm_threads.flush(thread, true))) {
        chunk = exceed(thread);
    }
    if (chunk != NULL) {
        fm_thread_fill(thread, chunk);
    }
    if (thread->pause.paused) {
        fm_pause_mark(thread); /* the place has changed; all records before it are kept */
    }
    errno = saved;
    return thread->cursor;
}

void fm_thread_rewind(struct fm_thread *thread, struct fm_chunk *chunk, uint64_t *place)
{
    thread->merging.group.end = NULL;
    fm_merged_visits_end_group(thread);
    thread->shown->place = NULL;
    fm_count_rest(thread);
    if (chunk != thread->current) {
        for (struct fm_chunk *left = chunk; left != thread->current; left = left->next) {
            thread->filled -= (uint64_t)(left->used - left->words);
            mark_unused(left->next);
        }
        thread->current->next = thread->spare;
        thread->spare = chunk->next;
        chunk->next = NULL;
        thread->current = chunk;
        thread->limit = (uint64_t *)((char *)chunk + FM_CHUNK_BYTES);
    }
    thread->cursor = place;
    fm_count_from_here(thread);
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

/* ---- reuse ---- */

/* Adds a chunk to the spare ones, or frees it: memory outside of the buffer file is kept only as
 * long as there is no other. */
static void set_aside(struct fm_thread *thread, struct fm_chunk *chunk)
{
    if (thread->slot != NULL && chunk->kind == FM_CHUNK_PRIVATE && thread->spare != NULL) {
        fm_chunk_free(chunk);
        thread->chunks--;
        atomic_fetch_add(&fm_threads.chunks_left, 1);
    } else {
        mark_unused(chunk);
        chunk->next = thread->spare;
        thread->spare = chunk;
    }
}

void fm_thread_reuse(struct fm_thread *thread)
{
    struct fm_chunk *chunk = thread->first;
    fm_count_rest(thread);
    thread->filled += (uint64_t)(thread->cursor - thread->current->words);
    /* First, no record ends in these chunks any more; then they become others. */
    __atomic_store_n(thread->ends, chunk->words, __ATOMIC_RELEASE);
    fm_signal_fence();
    for (struct fm_chunk *rest = chunk->next, *next; rest != NULL; rest = next) {
        next = rest->next;
        set_aside(thread, rest);
    }
    set_aside(thread, chunk);
    chunk = thread->spare;
    thread->spare = chunk->next;
    thread->current = NULL;
    thread->first = NULL;
    thread->kept_chunk = NULL;
    thread->kept = NULL;
    fm_thread_fill(thread, chunk);
    fm_thread_publish(thread);
}

void fm_thread_release(struct fm_thread *thread)
{
    fm_count_rest(thread);
    while (thread->kept != NULL && thread->first != thread->kept_chunk) {
        struct fm_chunk *chunk = thread->first;
        thread->first = chunk->next;
        set_aside(thread, chunk);
    }
}

void fm_thread_settle(struct fm_thread *thread, bool claimed)
{
    if (claimed) { /* what is merged from now on is not in the records up to there */
        __atomic_add_fetch(&thread->saves, 1, __ATOMIC_SEQ_CST);
    }
    thread->settled = claimed ? __atomic_load_n(thread->ends, __ATOMIC_ACQUIRE) : NULL;
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

/* ---- other memory of a thread ---- */

void *fm_thread_scratch(struct fm_thread *thread, int slot, size_t bytes)
{
    if (bytes > thread->scratch_size[slot]) {
        int saved = errno;
        size_t size = thread->scratch_size[slot] != 0 ? thread->scratch_size[slot] : 16384;
        while (size < bytes) {
            size *= 2;
        }
        void *larger = fm_thread_pages(size);
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
