/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Memory for OTF2's event writer that is allocated and touched before it is needed, as in a
 * recorder, and reused after each flush. For one archive of a program.
 */
#ifndef FERMATA_BENCH_EVENT_MEMORY_H
#define FERMATA_BENCH_EVENT_MEMORY_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_CHUNK  ((uint64_t)1 << 20)
#define EVENT_CHUNKS 16 /* in memory; full chunks are written and reused */

static struct {
    void *chunks[EVENT_CHUNKS];
    unsigned used;
} event_memory;

/* OTF2 requests a flush when all chunks are in use. */
static inline void *allocate_event_chunk(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                         void **buffer_data, uint64_t size)
{
    (void)data, (void)location, (void)buffer_data;
    if (type != OTF2_FILETYPE_EVENTS) {
        return malloc(size);
    }
    return event_memory.used < EVENT_CHUNKS ? event_memory.chunks[event_memory.used++] : NULL;
}

static inline void reuse_event_chunks(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                      void **buffer_data, bool final)
{
    (void)data, (void)location, (void)buffer_data, (void) final;
    if (type == OTF2_FILETYPE_EVENTS) {
        event_memory.used = 0;
    }
}

/** Gives the archive this memory. To be called before its writers exist. @return success */
static inline bool prepare_event_memory(OTF2_Archive *archive)
{
    static const OTF2_MemoryCallbacks callbacks = {allocate_event_chunk, reuse_event_chunks};
    for (unsigned i = 0; i < EVENT_CHUNKS; ++i) {
        event_memory.chunks[i] = malloc(EVENT_CHUNK);
        if (event_memory.chunks[i] == NULL) {
            return false;
        }
        memset(event_memory.chunks[i], 1, EVENT_CHUNK);
    }
    return OTF2_Archive_SetMemoryCallbacks(archive, &callbacks, NULL) == OTF2_SUCCESS;
}

#endif
