/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/archive_space.h"

#include "record/archive/archive.h"
#include "record/archive/marker.h"
#include "record/capture/memory_use.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    CHUNKS = 4,             /* of one of OTF2's buffers */
    EVENT_BYTES = 64,       /* more than any event takes */
    NUMBER_BYTES = 10,      /* maximum, of a number in a definition and of a record's header */
    FILE_BYTES = 64 * 1024, /* headers, paradigms, properties */
    ENTRY_BYTES = 5,        /* of a mapping or a group: a number below 2^32 */
    RECORD_BYTES = 4096,    /* headers of a chunk and a record */
    DEFINITION_CHUNK_LEAST = 256 * 1024,
    DEFINITION_CHUNK_MOST = 16 * 1024 * 1024
};

/* Chunks are reused after they have been written: to obtain new memory costs more than to fill it.
 * All chunks of a buffer have the same size. */
struct buffer {
    struct {
        void *start;
        uint64_t bytes;
    } chunks[CHUNKS];
    int count; /* allocated chunks */
    int used;  /* chunks that OTF2 holds now */
};

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_data,
                      uint64_t bytes)
{
    (void)data, (void)type, (void)location;
    struct buffer *buffer = *buffer_data;
    if (buffer == NULL) {
        buffer = *buffer_data = calloc(1, sizeof *buffer);
    }
    if (buffer == NULL || buffer->used == CHUNKS) {
        return NULL; /* OTF2 then writes its full chunks */
    }
    if (buffer->used == buffer->count) {
        void *chunk = malloc(bytes);
        if (chunk == NULL) {
            return NULL;
        }
        buffer->chunks[buffer->count].start = chunk;
        buffer->chunks[buffer->count++].bytes = bytes;
        fm_memory_use_add(bytes);
    }
    return buffer->chunks[buffer->used++].start;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer_data,
                     bool final)
{
    (void)data, (void)type, (void)location;
    struct buffer *buffer = *buffer_data;
    if (buffer != NULL) {
        buffer->used = 0;
    }
    while (final && buffer != NULL && buffer->count > 0) {
        buffer->count--;
        free(buffer->chunks[buffer->count].start);
        fm_memory_use_remove(buffer->chunks[buffer->count].bytes);
    }
    if (final) {
        free(buffer);
        *buffer_data = NULL;
    }
}

const OTF2_MemoryCallbacks *fm_archive_memory(void)
{
    static const OTF2_MemoryCallbacks callbacks = {allocate, free_all};
    return &callbacks;
}

uint64_t fm_archive_events_bytes(const struct fm_thread *thread)
{
    uint64_t most = (uint64_t)CHUNKS * FM_ARCHIVE_EVENT_CHUNK;
    uint64_t bytes = (thread->events + 16) * EVENT_BYTES;
    return bytes < most ? bytes : most;
}

uint64_t fm_archive_definition_chunk(uint64_t entries, uint32_t processes)
{
    uint64_t most = entries > processes ? entries : processes;
    uint64_t chunk = DEFINITION_CHUNK_LEAST;
    while (chunk < DEFINITION_CHUNK_MOST && chunk < RECORD_BYTES + most * ENTRY_BYTES) {
        chunk *= 2;
    }
    return chunk;
}

/* Upper bound of the data in OTF2's memory when it closes a file of `bytes` bytes. */
static uint64_t at_most_buffered(uint64_t bytes, uint64_t definition_chunk)
{
    uint64_t most = CHUNKS * definition_chunk;
    return bytes < most ? bytes : most;
}

uint64_t fm_archive_local_bytes(const struct fm_define_map *map, size_t region_count,
                                const struct fm_event_regions *events, uint64_t definition_chunk)
{
    uint64_t numbers = 2 * region_count + 4 * (uint64_t)events->count + 64;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        numbers += map->counts[kind];
    }
    return at_most_buffered(numbers * NUMBER_BYTES, definition_chunk);
}

uint64_t fm_archive_global_bytes(const struct fm_definitions *set, uint64_t definition_chunk)
{
    uint64_t numbers = 0;
    for (int kind = 0; kind < FM_DEFINE_KIND_COUNT; kind++) {
        numbers += set->tables[kind].word_count + 12 * set->tables[kind].count;
    }
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_GROUP].count; i++) {
        numbers += fm_defined(set, FM_DEFINE_GROUP, i, NULL)[FM_GROUP_MEMBERS];
    }
    numbers +=
        set->tables[FM_DEFINE_PROCESS].word_count; /* groups of threads: two for each thread */
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_TOPOLOGY].count; i++) {
        const uint32_t *words = fm_defined(set, FM_DEFINE_TOPOLOGY, i, NULL);
        uint64_t ranks = 1;
        for (uint32_t d = 0; d < words[2]; d++) {
            ranks *= words[3 + 2 * d];
        }
        numbers += ranks * (4 + (uint64_t)words[2]);
    }
    return at_most_buffered(numbers * NUMBER_BYTES, definition_chunk) + fm_markers_bytes(set) +
           FILE_BYTES;
}

/* For file systems that cannot reserve space: writes zeros. */
static bool fill(int file, uint64_t bytes)
{
    static const char zeros[65536];
    while (bytes > 0) {
        size_t part = bytes < sizeof zeros ? (size_t)bytes : sizeof zeros;
        ssize_t written = write(file, zeros, part);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes -= written > 0 ? (uint64_t)written : 0;
    }
    return true;
}

bool fm_archive_reserve(const char *path, uint64_t bytes)
{
    struct rlimit largest;
    if (getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur < bytes) {
        errno = EFBIG;
        return false;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    bool good = fallocate(file, 0, 0, (off_t)bytes) == 0;
    if (!good && errno == EOPNOTSUPP) {
        good = fill(file, bytes);
    }
    int reason = errno;
    if (close(file) != 0 && good) {
        reason = errno;
        good = false;
    }
    if (!good) {
        unlink(path);
    }
    errno = reason;
    return good;
}
