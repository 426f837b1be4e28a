/** @file
 * Room for the archive. Closing one of OTF2's files crashes if the last write, which belongs to the
 * closing, fails. So what a close can write at most is kept small, and is reserved on disk before
 * any process closes a file. Failing writes before that are harmless: the file is abandoned.
 */
#ifndef FERMATA_RECORD_ARCHIVE_ARCHIVE_SPACE_H
#define FERMATA_RECORD_ARCHIVE_ARCHIVE_SPACE_H

#include "record/archive/define.h"
#include "record/archive/event_regions.h"
#include "record/capture/thread.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Memory for OTF2's buffers: little for each, so that it writes them when they are full. */
const OTF2_MemoryCallbacks *fm_archive_memory(void);

/** Bytes that closing the thread's event file writes at most. */
uint64_t fm_archive_events_bytes(const struct fm_thread *thread);

/** Size of OTF2's chunks of definitions, in bytes, between what it allows at least and at most: a
 * record must fit into one. The longest are mappings and groups of all processes.
 * @param entries    of the longest mapping
 * @param processes  of the run */
uint64_t fm_archive_definition_chunk(uint64_t entries, uint32_t processes);

/** Longest mapping that fits into the largest chunk, for sure. */
enum { FM_ARCHIVE_ENTRIES_MOST = 3000000 };

/** Bytes that closing the file of a location's definitions with these numbers writes at most. */
uint64_t fm_archive_local_bytes(const struct fm_define_map *map, size_t region_count,
                                const struct fm_event_regions *events, uint64_t definition_chunk);

/** Bytes that closing the file of the global definitions, and the archive, writes at most. */
uint64_t fm_archive_global_bytes(const struct fm_definitions *set, uint64_t definition_chunk);

/** Reserves room in a file of its own; to be given back when all processes have reserved theirs,
 * right before the archive takes it.
 * @param path  the file that holds the room; must not exist
 * @return false: there is none, errno states why; the file is removed */
bool fm_archive_reserve(const char *path, uint64_t bytes);

#endif
