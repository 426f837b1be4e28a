/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Disk space for the archive. Closing an OTF2 file crashes if the write that is part of the close
 * fails. Therefore the maximum that a close writes is kept small and is reserved on disk before any
 * process closes a file. Failing writes before the close are harmless: the file is abandoned.
 */
#ifndef FERMATA_RECORD_ARCHIVE_ARCHIVE_SPACE_H
#define FERMATA_RECORD_ARCHIVE_ARCHIVE_SPACE_H

#include "record/archive/define.h"
#include "record/archive/event_regions.h"
#include "record/capture/thread.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Memory for OTF2's buffers: few chunks for each, so that OTF2 writes them when they are full. */
const OTF2_MemoryCallbacks *fm_archive_memory(void);

/** Maximum number of bytes that closing the thread's event file writes. */
uint64_t fm_archive_events_bytes(const struct fm_thread *thread);

/** Size of OTF2's chunks of definitions, in bytes, within OTF2's limits. A record must fit into one
 * chunk; the longest records are mappings and groups of all processes.
 * @param entries    of the longest mapping
 * @param processes  of the run */
uint64_t fm_archive_definition_chunk(uint64_t entries, uint32_t processes);

/** Number of entries of a mapping that always fits into the largest chunk. */
enum { FM_ARCHIVE_ENTRIES_MOST = 3000000 };

/** Maximum number of bytes that closing the file of a location's definitions writes. */
uint64_t fm_archive_local_bytes(const struct fm_define_map *map, size_t region_count,
                                const struct fm_event_regions *events, uint64_t definition_chunk);

/** Maximum number of bytes that closing the file of the global definitions, and the archive,
 * writes. */
uint64_t fm_archive_global_bytes(const struct fm_definitions *set, uint64_t definition_chunk);

/** Reserves disk space in a separate file. The caller removes the file when all processes have
 * reserved their space, immediately before the archive uses the space.
 * @param path  the file that occupies the space; must not exist
 * @return false: not enough space, errno is the reason; the file is removed */
bool fm_archive_reserve(const char *path, uint64_t bytes);

#endif
