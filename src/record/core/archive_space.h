/** @file
 * Room for the archive. Closing one of OTF2's files crashes if the last write, which belongs to the
 * closing, fails. So what a close can write at most is kept small, and is reserved on disk before
 * any process closes a file. Failing writes before that are harmless: the file is abandoned.
 */
#ifndef FERMATA_RECORD_CORE_ARCHIVE_SPACE_H
#define FERMATA_RECORD_CORE_ARCHIVE_SPACE_H

#include "record/core/define.h"
#include "record/core/thread.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Memory for OTF2's buffers: little for each, so that it writes them when they are full. */
const OTF2_MemoryCallbacks *fm_archive_memory(void);

/** Bytes that closing the thread's event file writes at most. */
uint64_t fm_archive_events_bytes(const struct fm_thread *thread);

/** Bytes of the local definitions with these numbers, at most. */
uint64_t fm_archive_local_bytes(const struct fm_define_map *map, size_t region_count);

/** Bytes of the global definitions, at most. */
uint64_t fm_archive_global_bytes(const struct fm_definitions *set);

/** Reserves room in a file of its own; to be given back when all processes have reserved theirs,
 * right before the archive takes it.
 * @param path  the file that holds the room; must not exist
 * @return false: there is none, errno tells why; the file is gone */
bool fm_archive_reserve(const char *path, uint64_t bytes);

#endif
