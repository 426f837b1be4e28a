/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that keeps its last records only: its chunks form a ring, and the records that are
 * discarded go to a summary (flight/cut.h). */
#include "record/capture/threads.h"

#include <signal.h>
#include <stdatomic.h>

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
        fm_cut_pass(&thread->cut, record, !kept, fm_threads.function_name);
        record += fm_record_words[fm_record_kind(record[0])];
    }
}

/* The two structures that the chunk of a thread's front has. */
static struct fm_buffer_front *front_of(struct fm_chunk *chunk, int number)
{
    return (struct fm_buffer_front *)(chunk->words + (size_t)number * FM_FRONT_WORDS);
}

static struct fm_chunk *new_front(struct fm_thread *thread)
{
    struct fm_chunk *chunk = fm_chunk_new(true);
    if (chunk != NULL) {
        chunk->thread = thread->index;
        chunk->used = NULL;
        __atomic_store_n(&chunk->kind, FM_CHUNK_FRONT, __ATOMIC_RELEASE);
        thread->front = chunk;
    }
    return chunk;
}

static uint64_t position_of(const struct fm_chunk *chunk, const uint64_t *place)
{
    return chunk->position + (uint64_t)(place - chunk->words);
}

/* Writes what stands in front of the chunks, from the first one on, to the buffer file: beside what
 * stood in front of them before, which is valid until the other is complete. */
static void write_front(struct fm_thread *thread)
{
    if (thread->slot == NULL || (thread->front == NULL && new_front(thread) == NULL)) {
        return;
    }
    uint64_t **valid = &thread->front->used;
    struct fm_buffer_front *next = front_of(thread->front, 0);
    if (*valid == (uint64_t *)next) {
        next = front_of(thread->front, 1);
    }
    if (thread->cut.broken ||
        sizeof *next / sizeof(uint64_t) + fm_cut_words(&thread->cut) > (size_t)FM_FRONT_WORDS) {
        __atomic_store_n(valid, NULL, __ATOMIC_RELEASE);
        return;
    }
    next->position = thread->passed != NULL ? position_of(thread->passed_chunk, thread->passed)
                                            : thread->first->position;
    next->gone = thread->cut.gone;
    next->count = (uint64_t)(fm_cut_put(&thread->cut, next->words) - next->words);
    __atomic_store_n(valid, (uint64_t *)next, __ATOMIC_RELEASE);
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
    write_front(thread);
    return chunk;
}

/* Discards the records of the oldest chunk and returns the chunk. NULL: the records are still
 * needed, or being saved. Signals are blocked meanwhile, because a handler that saves the records
 * could not claim them. */
static struct fm_chunk *recycle(struct fm_thread *thread)
{
    struct fm_chunk *chunk = NULL;
    sigset_t all, before;
    if (thread->first == thread->current || contains(thread->first, *thread->ends)) {
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

struct fm_chunk *fm_thread_take_from_ring(struct fm_thread *thread)
{
    uint32_t count = __atomic_load_n(&fm_threads.count, __ATOMIC_RELAXED);
    size_t part = (size_t)fm_threads.chunks_wanted / (count != 0 ? count : 1);
    struct fm_chunk *chunk = NULL;
    part = part > FM_CHUNKS_AT_LEAST ? part : FM_CHUNKS_AT_LEAST;
    if (thread->chunks < part && atomic_fetch_sub(&fm_threads.chunks_left, 1) > 0) {
        chunk = fm_chunk_new(thread->slot != NULL);
        thread->chunks += chunk != NULL;
        if (chunk != NULL) {
            return chunk;
        }
    }
    if (thread->chunks < part) {
        atomic_fetch_add(&fm_threads.chunks_left, 1);
    }
    chunk = recycle(thread);
    if (chunk != NULL && thread->chunks > part) {
        struct fm_chunk *second = recycle(thread);
        if (second != NULL) {
            fm_chunk_free(second);
            thread->chunks--;
            atomic_fetch_add(&fm_threads.chunks_left, 1);
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
        fm_cut_pass(&thread->cut, rest.begin, true, fm_threads.function_name);
        skip_record(&rest);
    }
    thread->passed_chunk = rest.first;
    thread->passed = rest.begin;
    return rest;
}
