/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The OTF2 archive of the run, written at its end (or later, from the journals): every process
 * writes its locations' events and local definitions, rank 0 writes the global definitions. Used by
 * one thread. After the first failure nothing more is written, because OTF2's writers must not be
 * used after a failure; fm_archive_failure returns the reason.
 */
#ifndef FERMATA_RECORD_ARCHIVE_ARCHIVE_H
#define FERMATA_RECORD_ARCHIVE_ARCHIVE_H

#include "base/process_noun.h"
#include "record/archive/define.h"
#include "record/archive/event_regions.h"
#include "record/archive/exchange.h"
#include "record/capture/thread.h"
#include "record/paradigm/region.h"
#include "record/selection/thinning.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Size of OTF2's chunks of events, in bytes: OTF2's minimum. All chunks of a location stay in a
 * processor's cache while they are filled and written. */
enum { FM_ARCHIVE_EVENT_CHUNK = 256 * 1024 };

/** A measured offset to rank 0's clock: rank 0's time = time + offset. */
struct fm_clock_offset {
    uint64_t time;
    int64_t offset;
    double deviation; /**< half of the round trip's spread, in ticks */
};

/** Facts that rank 0 needs, besides the merged definitions, to write the global definitions. */
struct fm_archive_summary {
    uint64_t resolution; /**< ticks per second of rank 0's clock */
    uint64_t begin, end; /**< of the run, in rank 0's time */
    uint64_t realtime;   /**< nanoseconds since 1970 at `begin` */
};

/** Opens the archive in an existing directory. Collective.
 * @param entries  number of entries of this process's longest mapping to global numbers
 * @return whether all processes succeeded */
bool fm_archive_open(const char *directory, const struct fm_exchange *exchange, uint64_t entries);

/** Whether no process has failed so far. Collective. */
bool fm_archive_agree(void);

/** Stores the reason of a failure outside of OTF2; only the first failure is stored. */
void fm_archive_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reason of the first failure in this process, or NULL. */
const char *fm_archive_failure(void);

/** Whether there was a failure. Callers only read it. */
extern bool fm_archive_has_failed;

/** Abandons an archive that cannot be completed; its files remain. OTF2's memory for it is leaked,
 * because freeing it after a failed write is not safe. */
void fm_archive_abandon(void);

/** Writes records as events of the thread (whose rank and index identify the location).
 * @param functions  number of defined functions
 * @return false if the records are damaged; records after the damage are not written */
bool fm_archive_write(struct fm_thread *thread, const uint64_t *records, size_t words,
                      size_t functions);

/** Writes the records in memory that have not been written to the archive. They stay in memory. */
bool fm_archive_write_memory(struct fm_thread *thread, size_t functions);

/** Lets the thread's open regions last at least until `time`: it was in them then. Called before
 * fm_archive_settle. */
void fm_archive_last(struct fm_thread *thread, uint64_t time);

/** Writes the pending Leave of the thread's last call, and creates the location's file if it has no
 * events.
 * @param over  no records will follow: open regions end here, and `events` is exact; else `events`
 *              lacks the call that the thread is in and one Leave for each open region
 *              (fm_path_open) */
void fm_archive_settle(struct fm_thread *thread, bool over);

/** Writes the call that a thread was in when its process ended, if it was in one. Before
 * fm_archive_settle_killed. @return whether it was */
bool fm_archive_write_open(struct fm_thread *thread, const struct fm_shown_call *open,
                           size_t functions);

/** Instead of fm_archive_settle of a thread whose process was killed: what is open stays open. */
void fm_archive_settle_killed(struct fm_thread *thread);

/** Closes the event file of a thread; afterwards it is complete on disk. */
void fm_archive_close_events(struct fm_thread *thread);

/** Ends the writing of events by this process. */
void fm_archive_end_events(void);

/** Writes the local definitions of the threads: clock offsets and the mapping to global numbers.
 * Called between fm_archive_begin_definitions and fm_archive_end_definitions.
 * @param map      maps this process's numbers to global numbers
 * @param regions  global number of each function, FM_DEFINE_NONE: not used
 * @param first_group  fm_archive_first_group of the merged set
 * @param events   region and line of each region number in the events */
void fm_archive_write_local(struct fm_thread *threads, const struct fm_define_map *map,
                            uint32_t first_group, const uint32_t *regions, size_t region_count,
                            const struct fm_event_regions *events,
                            const struct fm_clock_offset offsets[2]);
void fm_archive_begin_definitions(void);
void fm_archive_end_definitions(void);

/** Writes the global definitions from the merged set, and the markers. Rank 0 only. */
void fm_archive_write_global(struct fm_definitions *set, const struct fm_archive_summary *summary);

/** Name of the call that ends a run regularly, of the paradigm that numbers the processes, else of
 * the first paradigm; NULL: there is none. Valid until the next paradigm is defined. */
const char *fm_archive_last_call(const struct fm_definitions *set);

/** What a process is called: by the paradigm that numbers the processes, if there is only one. */
const struct fm_process_noun *fm_archive_process_noun(const struct fm_definitions *set);

/** Closes the archive. Collective; only if no process has failed.
 * @param locations_reused  whether several threads of the run may have written to one location, one
 *                          after the other; the value on rank 0 counts */
void fm_archive_close(bool locations_reused);

/** Location number of a thread. */
uint64_t fm_archive_location(uint32_t rank, uint32_t thread);

/** Global number of the first group in the merged set: each paradigm with ranks has two groups in
 * front of those. */
uint32_t fm_archive_first_group(const struct fm_definitions *set);

/** Size of the archive's chunks of definitions, in bytes. */
uint64_t fm_archive_chunk(void);

/** The open archive (for the files of this folder). */
OTF2_Archive *fm_archive_handle(void);

/** Checks the result of an OTF2 call and stores the first failure. */
void fm_archive_check(OTF2_ErrorCode code);

#endif
