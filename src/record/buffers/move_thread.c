/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that recorded before there was a buffer file. */
#include "record/buffers/buffer_file.h"
#include "record/capture/memory_use.h"
#include "record/capture/threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* The copy of each chunk is noted in the chunk's header, which nobody reads any more. */
static struct fm_chunk *copy_of(const struct fm_chunk *chunk)
{
    return (struct fm_chunk *)(uintptr_t)chunk->self;
}

/* Copies the thread's chunks. @return false: there is no room; what was copied is returned */
static bool copy_chunks(struct fm_thread *thread)
{
    struct fm_chunk *last = NULL;
    thread->current->used = thread->cursor;
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        struct fm_chunk *copy = fm_buffers_chunk();
        if (copy == NULL) {
            for (struct fm_chunk *done = thread->first; done != chunk; done = done->next) {
                fm_buffers_return(copy_of(done));
            }
            return false;
        }
        const size_t words = (size_t)(chunk->used - chunk->words);
        memcpy(copy->words, chunk->words, words * sizeof *copy->words);
        copy->next = NULL;
        copy->used = copy->words + words;
        copy->position = chunk->position;
        copy->thread = thread->index;
        if (last != NULL) {
            last->next = copy;
        }
        last = copy;
        chunk->self = (uint64_t)(uintptr_t)copy;
    }
    return true;
}

/* The place in the copy for a place in one of the thread's chunks; other places are unchanged. */
static uint64_t *moved(const struct fm_thread *thread, const uint64_t *place)
{
    for (const struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        if (place >= chunk->words &&
            place <= (const uint64_t *)((const char *)chunk + FM_CHUNK_BYTES)) {
            return copy_of(chunk)->words + (place - chunk->words);
        }
    }
    return (uint64_t *)(uintptr_t)place;
}

static struct fm_chunk *moved_chunk(struct fm_chunk *chunk)
{
    return chunk != NULL ? copy_of(chunk) : NULL;
}

/* Lets everything that refers to the chunks refer to their copies. */
static void use_copies(struct fm_thread *thread, struct fm_buffer_slot *slot)
{
    const bool is_published = thread->publish == thread->ends;
    slot->done = moved(thread, *thread->ends);
    thread->ends = &slot->done;
    thread->publish = is_published ? &slot->done : thread->publish;
    thread->slot = slot;
    slot->open.call = thread->shown->call;
    memcpy(slot->open.words, thread->shown->words, sizeof slot->open.words);
    slot->open.place = moved(thread, thread->shown->place);
    slot->open.enter = thread->shown->enter;
    slot->system_id = (uint64_t)thread->system_id;
    munmap(thread->shown, sizeof *thread->shown);
    fm_memory_use_remove(sizeof *thread->shown);
    thread->shown = &slot->open;
    thread->samples.held = moved(thread, thread->samples.held);
    thread->pause.mark = moved(thread, thread->pause.mark);
    thread->pause.chunk = thread->pause.paused ? moved_chunk(thread->pause.chunk) : NULL;
    thread->kept = moved(thread, thread->kept);
    thread->kept_chunk = moved_chunk(thread->kept_chunk);
    thread->passed = moved(thread, thread->passed);
    thread->passed_chunk = thread->passed != NULL ? moved_chunk(thread->passed_chunk) : NULL;
    thread->cursor = moved(thread, thread->cursor);
    thread->current = copy_of(thread->current);
    thread->limit = (uint64_t *)((char *)thread->current + FM_CHUNK_BYTES);
}

static void free_list(struct fm_thread *thread, struct fm_chunk *list)
{
    for (struct fm_chunk *next; list != NULL; list = next) {
        next = list->next;
        list->self = 0;
        fm_chunk_free(list);
        thread->chunks--;
        atomic_fetch_add(&fm_threads.chunks_left, 1);
    }
}

static void move(struct fm_thread *thread, struct fm_chunk *spare)
{
    struct fm_buffer_slot *slot = fm_buffers_slot();
    if (slot == NULL || !copy_chunks(thread)) {
        fm_buffers_return(spare);
        return;
    }
    fm_count_rest(thread);
    fm_merged_end(thread);
    use_copies(thread, slot);
    struct fm_chunk *before = thread->first;
    thread->first = copy_of(before);
    for (struct fm_chunk *chunk = thread->first; chunk != NULL; chunk = chunk->next) {
        chunk->kind = FM_CHUNK_RECORDS;
        thread->chunks++;
        atomic_fetch_sub(&fm_threads.chunks_left, 1);
    }
    free_list(thread, before);
    free_list(thread, thread->spare);
    spare->next = NULL;
    thread->spare = spare;
    thread->chunks++;
    atomic_fetch_sub(&fm_threads.chunks_left, 1);
    fm_count_from_here(thread);
    fm_thread_show(thread);
}

void fm_thread_move_to_file(struct fm_thread *thread)
{
    sigset_t all, before;
    int saved = errno;
    if (thread->slot != NULL || !fm_buffers_are_open()) {
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a sample would be recorded to the old chunk */
    struct fm_chunk *spare = fm_buffers_chunk();
    if (spare != NULL) {
        move(thread, spare);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
}
