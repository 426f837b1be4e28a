/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/buffers/buffer_read.h"

#include "record/capture/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREAD_BITS = 20, THREADS_MOST = 1 << THREAD_BITS };

/* A thread that has a slot. */
struct slot {
    uint64_t done;
    uint64_t at;
    uint64_t before_open; /* end of the records in front of an open call; 0: none is open */
    uint32_t thread;
};

/* The heads of the file's blocks, and its slots. */
struct survey {
    struct fm_chunk *chunks; /* without words; `block` is their place */
    size_t chunk_count;
    struct slot *slots;
    size_t slot_count, slot_room;
};

static bool read_at(const struct fm_buffer_reader *reader, void *data, size_t bytes, uint64_t at)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t count = pread(reader->file, (char *)data + done, bytes - done, (off_t)(at + done));
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* ---- blocks and slots ---- */

static bool add_slot(struct survey *survey, const struct fm_buffer_slot *slot, uint64_t at)
{
    if (slot->thread == 0 || slot->thread >= THREADS_MOST) {
        return true;
    }
    if (survey->slot_count == survey->slot_room) {
        size_t room = survey->slot_room != 0 ? 2 * survey->slot_room : FM_SLOTS_FIRST;
        struct slot *larger = realloc(survey->slots, room * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        survey->slots = larger;
        survey->slot_room = room;
    }
    survey->slots[survey->slot_count++] = (struct slot){
        .done = (uint64_t)(uintptr_t)slot->done,
        .at = at,
        .before_open = slot->open.enter != 0 ? (uint64_t)(uintptr_t)slot->open.place : 0,
        .thread = (uint32_t)(slot->thread - 1)};
    return true;
}

/* @param at  offset of the first slot */
static bool read_slots(const struct fm_buffer_reader *reader, struct survey *survey, uint64_t at,
                       unsigned count)
{
    bool good = true;
    for (unsigned i = 0; good && i < count; i++) {
        struct fm_buffer_slot slot;
        const uint64_t place = at + (uint64_t)i * FM_SLOT_BYTES;
        good = read_at(reader, &slot, offsetof(struct fm_buffer_slot, open.words), place) &&
               add_slot(survey, &slot, place);
    }
    return good;
}

static bool look_at_blocks(const struct fm_buffer_reader *reader, struct survey *survey,
                           uint64_t blocks)
{
    survey->chunks = calloc(blocks + 1, sizeof *survey->chunks);
    bool good =
        survey->chunks != NULL && read_slots(reader, survey, FM_BUFFER_SLOTS_AT, FM_SLOTS_FIRST);
    for (uint64_t block = 2; good && block < blocks; block++) {
        struct fm_chunk *chunk = &survey->chunks[survey->chunk_count];
        good = read_at(reader, chunk, sizeof *chunk, block * FM_BLOCK_BYTES);
        chunk->block = (uint32_t)block;
        if (good && chunk->kind == FM_CHUNK_SLOTS) {
            good = read_slots(reader, survey, block * FM_BLOCK_BYTES + FM_SLOTS_AT, FM_SLOTS_MORE);
        } else if (chunk->kind == FM_CHUNK_RECORDS || chunk->kind == FM_CHUNK_FRONT) {
            survey->chunk_count++;
        }
    }
    return good;
}

/* ---- extents ---- */

static int compare(const void *left, const void *right)
{
    const struct fm_buffer_extent *a = left, *b = right;
    if (a->thread != b->thread) {
        return a->thread < b->thread ? -1 : 1;
    }
    if (a->is_front != b->is_front) {
        return a->is_front ? -1 : 1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Words of a chunk before an address; SIZE_MAX: it is not in the chunk. */
static size_t words_before(const struct fm_chunk *chunk, uint64_t address)
{
    const uint64_t first = chunk->self + sizeof *chunk, end = chunk->self + FM_CHUNK_BYTES;
    bool is_inside = address >= first && address <= end && (address - first) % 8 == 0;
    return is_inside ? (size_t)(address - first) / sizeof(uint64_t) : SIZE_MAX;
}

static const struct fm_chunk *find_chunk(const struct survey *survey, uint32_t thread,
                                         uint64_t address)
{
    for (size_t i = 0; i < survey->chunk_count; i++) {
        const struct fm_chunk *chunk = &survey->chunks[i];
        if (chunk->kind == FM_CHUNK_RECORDS && chunk->thread == thread &&
            words_before(chunk, address) != SIZE_MAX) {
            return chunk;
        }
    }
    return NULL;
}

/* End of the complete records in the last chunk of a thread: with the call stack of its open call,
 * which may lie behind those that are published. */
static uint64_t end_of_records(const struct fm_buffer_reader *reader, const struct fm_chunk *last,
                               const struct slot *slot)
{
    uint64_t words[FM_OPEN_WORDS];
    const size_t first = words_before(last, slot->done),
                 end = words_before(last, slot->before_open);
    if (end == SIZE_MAX || end <= first || end - first > FM_OPEN_WORDS ||
        !read_at(reader, words, (end - first) * sizeof *words,
                 (uint64_t)last->block * FM_BLOCK_BYTES + sizeof *last + first * sizeof *words)) {
        return slot->done;
    }
    for (size_t i = 0; i < end - first; i++) {
        const enum fm_record_kind kind = fm_record_kind(words[i]);
        if (kind != FM_RECORD_STACK && kind != FM_RECORD_STACK_SITE) {
            return slot->done;
        }
    }
    return slot->before_open;
}

/* Adds the extents of a thread: its chunks up to the end of its complete records. */
static void add_extents(struct fm_buffer_reader *reader, const struct survey *survey,
                        const struct slot *slot)
{
    const struct fm_chunk *last = find_chunk(survey, slot->thread, slot->done);
    const uint64_t done = last != NULL ? end_of_records(reader, last, slot) : 0;
    reader->is_whole = reader->is_whole && last != NULL;
    for (size_t i = 0; i < survey->chunk_count; i++) {
        const struct fm_chunk *chunk = &survey->chunks[i];
        const bool is_front = chunk->kind == FM_CHUNK_FRONT;
        const uint64_t end = chunk == last ? done : (uint64_t)(uintptr_t)chunk->used;
        const size_t words = words_before(chunk, end);
        if (chunk->thread != slot->thread || words == SIZE_MAX || (words == 0 && !is_front) ||
            (!is_front && last != NULL && chunk != last && chunk->position >= last->position)) {
            continue;
        }
        const uint64_t begin = (uint64_t)chunk->block * FM_BLOCK_BYTES + sizeof *chunk;
        reader->extents[reader->extent_count++] =
            (struct fm_buffer_extent){.position = chunk->position,
                                      .words = words,
                                      .at = begin + (is_front ? words * sizeof(uint64_t) : 0),
                                      .thread = slot->thread,
                                      .is_front = is_front};
    }
    reader->slots[reader->slot_count++] = slot->thread | slot->at << THREAD_BITS;
    if (slot->thread >= reader->thread_count) {
        reader->thread_count = slot->thread + 1;
    }
}

static bool make_extents(struct fm_buffer_reader *reader, uint64_t bytes)
{
    struct survey survey = {.chunks = NULL};
    bool good = look_at_blocks(reader, &survey, bytes / FM_BLOCK_BYTES);
    if (good) {
        reader->extents = calloc(survey.chunk_count + 1, sizeof *reader->extents);
        reader->slots = calloc(survey.slot_count + 1, sizeof *reader->slots);
        good = reader->extents != NULL && reader->slots != NULL;
    }
    for (size_t i = 0; good && i < survey.slot_count; i++) {
        bool is_first = true; /* a damaged file may have two slots of a thread */
        for (size_t k = 0; k < i; k++) {
            is_first = is_first && survey.slots[k].thread != survey.slots[i].thread;
        }
        if (is_first) {
            add_extents(reader, &survey, &survey.slots[i]);
        }
    }
    if (good) {
        qsort(reader->extents, reader->extent_count, sizeof *reader->extents, compare);
    }
    free(survey.chunks);
    free(survey.slots);
    return good;
}

/* ---- the file ---- */

bool fm_buffer_open(struct fm_buffer_reader *reader, const char *path, uint64_t token)
{
    struct stat status;
    *reader = (struct fm_buffer_reader){.file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
    if (reader->file < 0) {
        return false;
    }
    reader->sites = calloc(FM_BUFFER_SITES, sizeof *reader->sites);
    reader->is_whole = true;
    if (reader->sites == NULL) {
        close(reader->file);
        return false;
    }
    bool good = fstat(reader->file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_size >= 2 * (off_t)FM_BLOCK_BYTES &&
                read_at(reader, &reader->head, sizeof reader->head, 0) &&
                reader->head.magic == FM_BUFFER_MAGIC &&
                (token == 0 || reader->head.token == token) &&
                memchr(reader->head.host, '\0', sizeof reader->head.host) != NULL &&
                memchr(reader->head.directory, '\0', sizeof reader->head.directory) != NULL &&
                read_at(reader, reader->sites, FM_BUFFER_SITES * sizeof *reader->sites,
                        FM_BUFFER_SITES_AT) &&
                make_extents(reader, (uint64_t)status.st_size);
    if (!good) {
        fm_buffer_close(reader);
        return false;
    }
    reader->is_whole = reader->is_whole && reader->head.outside == 0;
    return true;
}

void fm_buffer_close(struct fm_buffer_reader *reader)
{
    if (reader->sites != NULL) {
        close(reader->file);
    }
    free(reader->sites);
    free(reader->extents);
    free(reader->slots);
    free(reader->content);
    *reader = (struct fm_buffer_reader){.file = -1};
}

/* Reads to `content`. @return it; NULL: without memory, or the file ends before */
static void *read_content(struct fm_buffer_reader *reader, uint64_t at, size_t bytes)
{
    if (bytes > reader->room) {
        void *larger = realloc(reader->content, bytes);
        if (larger == NULL) {
            return NULL;
        }
        reader->content = larger;
        reader->room = bytes;
    }
    return read_at(reader, reader->content, bytes, at) ? reader->content : NULL;
}

const void *fm_buffer_definitions(struct fm_buffer_reader *reader, uint64_t *base, uint64_t *bytes)
{
    struct fm_buffer_definitions own;
    if (!read_at(reader, &own, sizeof own, FM_BLOCK_BYTES) || own.bytes == 0 ||
        own.bytes > FM_BUFFER_DEFINITIONS) {
        return NULL;
    }
    *base = own.base;
    *bytes = own.bytes;
    return read_content(reader, FM_BLOCK_BYTES + sizeof own, own.bytes);
}

const uint64_t *fm_buffer_records(struct fm_buffer_reader *reader, uint32_t thread,
                                  uint64_t position, size_t *count)
{
    for (size_t i = 0; i < reader->extent_count; i++) {
        const struct fm_buffer_extent *extent = &reader->extents[i];
        if (extent->thread == thread && !extent->is_front && position >= extent->position &&
            position - extent->position < extent->words) {
            const uint64_t skipped = position - extent->position;
            *count = (size_t)(extent->words - skipped);
            return read_content(reader, extent->at + skipped * sizeof(uint64_t),
                                *count * sizeof(uint64_t));
        }
    }
    return NULL;
}

uint64_t fm_buffer_first(const struct fm_buffer_reader *reader, uint32_t thread)
{
    for (size_t i = 0; i < reader->extent_count; i++) {
        if (reader->extents[i].thread == thread && !reader->extents[i].is_front) {
            return reader->extents[i].position;
        }
    }
    return UINT64_MAX;
}

const struct fm_buffer_front *fm_buffer_front(struct fm_buffer_reader *reader, uint32_t thread)
{
    for (size_t i = 0; i < reader->extent_count; i++) {
        const struct fm_buffer_extent *extent = &reader->extents[i];
        const size_t most = FM_FRONT_WORDS * sizeof(uint64_t);
        if (extent->thread == thread && extent->is_front) {
            const struct fm_buffer_front *front =
                extent->words == 0 || extent->words == FM_FRONT_WORDS
                    ? read_content(reader, extent->at, most)
                    : NULL;
            bool is_sound = front != NULL && front->gone <= 1 &&
                            front->count <= FM_FRONT_WORDS - sizeof *front / sizeof(uint64_t);
            return is_sound ? front : NULL;
        }
    }
    return NULL;
}

/* Reads a member of a thread's slot. @return false: the file does not have the thread */
static bool read_of_slot(const struct fm_buffer_reader *reader, uint32_t thread, void *member,
                         size_t size, size_t offset)
{
    for (size_t i = 0; i < reader->slot_count; i++) {
        if ((reader->slots[i] & (THREADS_MOST - 1)) == thread) {
            return read_at(reader, member, size, (reader->slots[i] >> THREAD_BITS) + offset);
        }
    }
    return false;
}

bool fm_buffer_open_call(const struct fm_buffer_reader *reader, uint32_t thread,
                         struct fm_shown_call *open)
{
    return read_of_slot(reader, thread, open, sizeof *open, offsetof(struct fm_buffer_slot, open));
}

uint32_t fm_buffer_system_id(const struct fm_buffer_reader *reader, uint32_t thread)
{
    uint64_t id;
    return read_of_slot(reader, thread, &id, sizeof id, offsetof(struct fm_buffer_slot, system_id))
               ? (uint32_t)id
               : 0;
}

const struct fm_buffer_site *fm_buffer_site(const struct fm_buffer_reader *reader, uint64_t number)
{
    const struct fm_buffer_site *site = &reader->sites[number % FM_BUFFER_SITES];
    return number != 0 && site->number == number ? site : NULL;
}
