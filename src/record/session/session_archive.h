/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of the archive that follows its events (archive.h): definitions and description of the
 * run; and the removal of an archive that cannot be completed. Called by the thread that ends the
 * run.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_ARCHIVE_H
#define FERMATA_RECORD_SESSION_SESSION_ARCHIVE_H

#include "record/archive/define.h"
#include "record/capture/thread.h"

/** Defines the functions that have events.
 * @param numbers  out: by function, FM_FUNCTIONS_MOST of them; FM_DEFINE_NONE: it has none */
void fm_session_define_functions(uint32_t *numbers);

/** Defines this process.
 * @param last    the thread that ends the run, whose last call is not written yet; may be NULL
 * @param events  of that call
 * @return the number of events of the process, including those of the last call; 0 without memory
 */
uint64_t fm_session_define_process(struct fm_thread *threads, struct fm_thread *last,
                                   uint64_t events);

/** Upper bound for the number of entries of this process's mapping tables. */
uint64_t fm_session_longest_mapping(void);

/** Checks that the file system has enough space for all processes to close the archive's files.
 * Collective.
 * @return whether there is enough; the same for all processes */
bool fm_session_archive_reserve(const struct fm_thread *threads, const struct fm_define_map *map);

/** Writes all parts of the archive after the events, closes it, removes the journal and describes
 * the run. Collective.
 * @param map      from this process's numbers to the global ones
 * @param regions  of fm_session_define_functions
 * @param events   of fm_session_define_process
 * @return whether the archive is complete; the same for all processes */
bool fm_session_archive_definitions(struct fm_thread *threads, const struct fm_define_map *map,
                                    const uint32_t *regions, uint64_t events);

/** Abandons an archive that cannot be completed: removes its files, writes the records in memory to
 * the journal, and prints the reason. Collective. */
void fm_session_archive_abandon(struct fm_thread *threads);

#endif
