/** @file
 * What the session adds to the archive behind its events (archive.h), and what becomes of it if it
 * cannot be completed. At the end of the run, by the thread that ends it.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_ARCHIVE_H
#define FERMATA_RECORD_SESSION_SESSION_ARCHIVE_H

#include "record/archive/define.h"
#include "record/capture/thread.h"

/** A definition of each function that has events.
 * @param numbers  out: by function, FM_FUNCTIONS_MOST of them; FM_DEFINE_NONE: it has none */
void fm_session_define_functions(uint32_t *numbers);

/** The definition of this process.
 * @param last    the thread that ends the run, whose last call is still to come; may be NULL
 * @param events  of that call
 * @return its number of events, those still to come included; 0 without memory */
uint64_t fm_session_define_process(struct fm_thread *threads, struct fm_thread *last,
                                   uint64_t events);

/** Entries of the longest mapping of this process's numbers to global ones, at most. */
uint64_t fm_session_longest_mapping(void);

/** Makes sure, with all processes, that closing the archive's files will not fail for want of room.
 * Collective.
 * @return whether there is enough for all */
bool fm_session_archive_reserve(const struct fm_thread *threads, const struct fm_define_map *map);

/** Writes everything behind the last event, closes the archive, removes the journal and describes
 * the run. Collective.
 * @param map      from this process's numbers to the global ones
 * @param regions  of fm_session_define_functions
 * @param events   of fm_session_define_process
 * @return whether the archive is complete; the same for all processes */
bool fm_session_archive_definitions(struct fm_thread *threads, const struct fm_define_map *map,
                                    const uint32_t *regions, uint64_t events);

/** The archive cannot be completed: its files go, what is in memory goes to the journal. The user
 * gets the reason. Collective. */
void fm_session_archive_abandon(struct fm_thread *threads);

#endif
