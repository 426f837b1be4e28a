/** @file
 * The OTF2 archive of the run, written at its end (or later, from the journals): every process
 * writes its locations' events and local definitions, rank 0 the global ones. Used by one thread.
 * After the first failure nothing more is written, for OTF2's writers are not to be used any more
 * then, and fm_archive_failure states why.
 */
#ifndef FERMATA_RECORD_ARCHIVE_ARCHIVE_H
#define FERMATA_RECORD_ARCHIVE_ARCHIVE_H

#include "record/archive/define.h"
#include "record/archive/event_regions.h"
#include "record/archive/exchange.h"
#include "record/capture/thread.h"
#include "record/paradigm/region.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Size of OTF2's chunks of events, in bytes: the least that it allows. All chunks of a location
 * stay in a processor's cache while they are filled and written. */
enum { FM_ARCHIVE_EVENT_CHUNK = 256 * 1024 };

/** A measured offset to rank 0's clock: rank 0's time = time + offset. */
struct fm_clock_offset {
    uint64_t time;
    int64_t offset;
    double deviation; /**< half of the round trip's spread, in ticks */
};

/** What rank 0 needs besides the definitions to write the global ones. */
struct fm_archive_summary {
    uint64_t resolution; /**< ticks per second of rank 0's clock */
    uint64_t begin, end; /**< of the run, in rank 0's time */
    uint64_t realtime;   /**< nanoseconds since 1970 at `begin` */
};

/** Opens the archive in an existing directory. Collective.
 * @param entries  of the longest mapping of this process's numbers to global ones
 * @return whether it worked for all processes */
bool fm_archive_open(const char *directory, const struct fm_exchange *exchange, uint64_t entries);

/** Whether no process has failed so far. Collective. */
bool fm_archive_agree(void);

/** Notes a failure that is none of OTF2's; the first one counts. */
void fm_archive_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** First failure of OTF2 in this process, or NULL. */
const char *fm_archive_failure(void);

/** Whether there is one; to be read only. */
extern bool fm_archive_has_failed;

/** Forgets an archive that cannot be completed; its files remain. What OTF2 holds for it in memory
 * is given up, for it is not safe to free after a failed write. */
void fm_archive_abandon(void);

/** Writes records as events of the thread (whose rank and index name the location).
 * @param functions  number of functions there are
 * @return false if the records are damaged; nothing behind the damage is written */
bool fm_archive_write(struct fm_thread *thread, const uint64_t *records, size_t words,
                      size_t functions);

/** Writes the records that are still in memory and have not been written. They stay there. */
bool fm_archive_write_memory(struct fm_thread *thread, size_t functions);

/** Writes what is still pending of the thread's last call, and makes the location's file if it has
 * no events.
 * @param over  no records will follow: regions that are open end here, and `events` is exact; else
 *              it lacks the call that the thread is in and a Leave for each of them
 *              (fm_path_open) */
void fm_archive_settle(struct fm_thread *thread, bool over);

/** Closes the event file of a thread: it is complete on disk. */
void fm_archive_close_events(struct fm_thread *thread);

/** No more events will be written by this process. */
void fm_archive_end_events(void);

/** Writes the local definitions of the threads: clock offsets and the mapping to global numbers.
 * Between fm_archive_begin_definitions and fm_archive_end_definitions.
 * @param map      from this process's numbers to the global ones
 * @param regions  global number of each function, FM_DEFINE_NONE: not used
 * @param events   what numbers of regions in the events stand for */
void fm_archive_write_local(struct fm_thread *threads, const struct fm_define_map *map,
                            const uint32_t *regions, size_t region_count,
                            const struct fm_event_regions *events,
                            const struct fm_clock_offset offsets[2]);
void fm_archive_begin_definitions(void);
void fm_archive_end_definitions(void);

/** Writes the global definitions from the merged set, and the markers. Rank 0 only. */
void fm_archive_write_global(struct fm_definitions *set, const struct fm_archive_summary *summary);

/** The call that ends a run in order, of the paradigm that numbers the processes, else of the
 * first; NULL: there is none. Valid until the next paradigm is defined. */
const char *fm_archive_last_call(const struct fm_definitions *set);

/** Closes the archive. Collective; only if no process has failed.
 * @param locations_reused  several threads may have written to a location, one after the other; of
 *                          the whole run; rank 0's counts */
void fm_archive_close(bool locations_reused);

/** Location number of a thread. */
uint64_t fm_archive_location(uint32_t rank, uint32_t thread);

/** Global number of a group definition: behind the two groups that every archive has. */
enum { FM_GROUP_LOCATIONS, FM_GROUP_SELF, FM_GROUP_FIRST };

/** Size of its chunks of definitions, in bytes. */
uint64_t fm_archive_chunk(void);

/** The open archive (for the files of this folder). */
OTF2_Archive *fm_archive_handle(void);

/** Notes an OTF2 result; the first failure counts. */
void fm_archive_check(OTF2_ErrorCode code);

/** Writes records as OTF2 events until one that is none (convert.c). @return whether all were good
 */
bool fm_convert_records(struct fm_thread *thread, const uint64_t *records, size_t words,
                        size_t functions);

/** Writes the Leave of the pending call, if any, and then the BufferFlush that is due before the
 * next event, whose time is `next` (convert.c). */
void fm_convert_pending(struct fm_thread *thread, uint64_t next);

/** Writes the Leave of every region that is still open, at the time of the last event: behind it
 * nothing was recorded (convert.c). */
void fm_convert_end(struct fm_thread *thread);

/** Writes what precedes the call that the thread is in, which is recorded later (convert.c). */
void fm_convert_open_call(struct fm_thread *thread);

/** Before the records of a process. No function has an event yet (convert.c).
 * @param set      its definitions; valid, as the sites, while records are written
 * @param sites    what its call sites stand for
 * @param regions  gets the numbers of regions in the events, from zero on */
void fm_convert_begin(struct fm_definitions *set, const struct fm_callsites *sites,
                      struct fm_event_regions *regions);

/** Which functions have an event, by number (convert.c). */
extern bool fm_functions_used[FM_FUNCTIONS_MOST];

#endif
