/** @file
 * The OTF2 archive of the run: every process writes its locations' events and local definitions,
 * rank 0 the global ones. OTF2 is used by one thread at a time, never within a recorded call's hot
 * path. After the first failing write nothing more is written and fm_archive_failure tells why.
 */
#ifndef FERMATA_RECORD_CORE_ARCHIVE_H
#define FERMATA_RECORD_CORE_ARCHIVE_H

#include "record/core/define.h"
#include "record/core/exchange.h"
#include "record/core/thread.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** Name and role of a recorded function; its number is its place in the table. */
struct fm_region {
    const char *name;
    OTF2_RegionRole role;
};

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
 * @return false if it cannot be written (on all processes alike) */
bool fm_archive_open(const char *directory, const struct fm_exchange *exchange);

/** First failure of OTF2 in this process, or NULL. */
const char *fm_archive_failure(void);

/** Writes all records of a thread as events and gives its chunks back. Any thread may call it while
 * `thread` itself does not record. */
void fm_archive_write(struct fm_thread *thread);

/** As fm_archive_write, because the buffer is full: leaves a BufferFlush record. */
void fm_archive_flush(struct fm_thread *thread);

/** Writes what is still pending of the thread's last call, so that `events` is exact. */
void fm_archive_settle(struct fm_thread *thread);

/** Closes the event files of all threads, without communication: they are complete on disk. */
void fm_archive_close_events(struct fm_thread *threads);

/** Writes the local definitions of all threads: clock offsets and the mapping to global numbers.
 * Collective.
 * @param map      from this process's numbers to the global ones
 * @param regions  global number of each function, FM_DEFINE_NONE: not used */
void fm_archive_write_local(uint32_t rank, struct fm_thread *threads,
                            const struct fm_define_map *map, const uint32_t *regions,
                            size_t region_count, const struct fm_clock_offset offsets[2]);

/** Writes the global definitions from the merged set. Rank 0 only. */
void fm_archive_write_global(struct fm_definitions *set, const struct fm_archive_summary *summary);

/** Closes the archive. Collective. */
void fm_archive_close(void);

/** Location number of a thread. */
uint64_t fm_archive_location(uint32_t rank, uint32_t thread);

/** Global number of a group definition: behind the two groups that every archive has. */
enum { FM_GROUP_LOCATIONS, FM_GROUP_SELF, FM_GROUP_FIRST };

/** The open archive (for the files of this folder). */
OTF2_Archive *fm_archive_handle(void);

/** Notes an OTF2 result; the first failure counts. */
void fm_archive_check(OTF2_ErrorCode code);

/** Writes one record as OTF2 events (convert.c). */
void fm_convert_record(struct fm_thread *thread, const uint64_t *record);

/** Writes the Leave of the pending call, if any, and then the BufferFlush that is due before the
 * next event, whose time is `next` (convert.c). */
void fm_convert_pending(struct fm_thread *thread, uint64_t next);

/** Which functions have an event, by number (convert.c). */
enum { FM_FUNCTIONS_MOST = 1024 };
extern bool fm_functions_used[FM_FUNCTIONS_MOST];

/** Words of a record, by its kind (convert.c). */
extern const unsigned char fm_record_words[];

#endif
