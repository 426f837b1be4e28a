/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The records about the life of POSIX threads, together for each thread: its creation, its begin,
 * who waits for its end, its end.
 */
#ifndef FERMATA_ANALYSIS_THREADS_THREAD_LIVES_H
#define FERMATA_ANALYSIS_THREADS_THREAD_LIVES_H

#include "base/containers/vector.h"
#include "trace/tables/trace.h"

/** A record about the life of a thread, from FM_THREAD_CREATE to FM_THREAD_END. */
struct fm_life_record {
    uint64_t sequence; /**< number of the thread in its team */
    uint32_t team;
    uint32_t type; /**< fm_thread_record_type_t */
    uint32_t location;
    uint32_t record; /**< row of the location's records of threads */
};

/** Those of one process, by thread, then by type; {0}: none. */
typedef FM_VECTOR(struct fm_life_record) fm_life_records;

/** Lists the records of a process that is owned here. O(n log n).
 * @param lives  replaced; to be freed with fm_vector_free() */
void fm_life_records_list(const struct fm_trace *trace, uint32_t process, fm_life_records *lives);

/** The life of one thread. Of several records of a type (a thread has one creation, begin and end)
 * the first one in the order of the list counts. */
struct fm_life {
    size_t first, end;                    /**< its records in the list */
    const struct fm_life_record *created; /**< NULL: not recorded */
    const struct fm_life_record *begun;   /**< NULL: not recorded */
    const struct fm_life_record *ended;   /**< NULL: not recorded */
};

/** @return the life whose first record is `first`; the next one begins at its `end`. */
struct fm_life fm_thread_life_at(const fm_life_records *lives, size_t first);

#endif
