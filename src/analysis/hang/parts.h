/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What calls that were never left wait for, as far as their own process knows: the input of the
 * wait-for graph. Private to src/analysis/hang.
 */
#ifndef FERMATA_ANALYSIS_HANG_PARTS_H
#define FERMATA_ANALYSIS_HANG_PARTS_H

#include "analysis/model/run.h"
#include "cube/model/cube_hang.h"

/** How a location ended. */
typedef enum {
    FM_END_FREE,   /**< in no call that waits: it computes, polls, or is not known */
    FM_END_WAITS,  /**< in an open call that counts */
    FM_END_IDLE,   /**< a thread of OpenMP without work: it waits for its master */
    FM_END_ENDED,  /**< it has ended, or its process has */
    FM_END_NOTHING /**< it has no events */
} fm_end_t;

/** The end of a location; exchanged between processes of the analysis. */
struct fm_location_end {
    uint32_t location;
    uint8_t how;    /**< fm_end_t */
    bool is_open;   /**< it is in an open call, which may not count */
    bool is_any;    /**< one of the parts is enough */
    bool is_main;   /**< the only thread of its process that may call the library */
    bool is_inside; /**< the open call drives the progress of its library */
    uint32_t callpath;
    uint64_t since;      /**< Enter of the call */
    uint64_t last_event; /**< time */
    uint64_t end;
};

/** A part of what an open call waits for; likewise. */
struct fm_open_part {
    uint32_t location;
    uint32_t number;       /**< among all of the run, by which those of a location are sorted */
    uint8_t awaits;        /**< fm_awaits_t */
    uint8_t series;        /**< MEMBERS: as of struct fm_member */
    uint8_t call;          /**< likewise */
    bool is_mpi;           /**< LOCK: of a window of MPI */
    bool is_shared;        /**< LOCK */
    bool is_requested;     /**< LOCK: an earlier call has requested it */
    bool is_any;           /**< any target is enough; MESSAGE: any source */
    bool is_probe;         /**< MESSAGE: it stays there for a receive */
    uint32_t process;      /**< source, destination, target; FM_NONE: any, all or none */
    uint32_t target;       /**< location; FM_NONE: none */
    uint32_t communicator; /**< FM_NONE: none */
    uint32_t window;       /**< likewise */
    uint32_t tag;          /**< FM_NONE: any */
    uint32_t ordinal;      /**< of a collective operation, or of an epoch with `process` */
    uint32_t region;       /**< of the call that started it */
    uint32_t root;         /**< MEMBERS: rank; an OTF2_COLLECTIVE_ROOT_ value or FM_NONE: none */
    uint32_t rank;         /**< MEMBERS: own one */
    uint32_t place;        /**< LOCK of threads: call path where its owner has taken it */
    uint32_t taken_in;     /**< likewise, by a text for fm_trace_text() */
    uint64_t scope;        /**< MEMBERS: as of struct fm_member */
    uint64_t id;           /**< LOCK: of a lock that belongs to no window of MPI */
};

typedef FM_VECTOR(struct fm_location_end) fm_location_ends;
typedef FM_VECTOR(struct fm_open_part) fm_open_parts;

/** Adds a part with no field but these set. @return it */
static inline struct fm_open_part *fm_open_parts_add(fm_open_parts *parts, uint32_t location,
                                                     fm_awaits_t awaits)
{
    fm_vector_push(parts, ((struct fm_open_part){.location = location,
                                                 .awaits = (uint8_t)awaits,
                                                 .process = FM_NONE,
                                                 .target = FM_NONE,
                                                 .communicator = FM_NONE,
                                                 .window = FM_NONE,
                                                 .tag = FM_NONE,
                                                 .ordinal = FM_NONE,
                                                 .region = FM_NONE,
                                                 .root = FM_NONE,
                                                 .rank = FM_NONE,
                                                 .place = FM_NONE,
                                                 .taken_in = FM_NONE}));
    return &parts->items[parts->count - 1];
}

/** Finds the ends of the locations of this process of the analysis, by location: which of them are
 * in calls that count. Needs the length of calls of the whole run: collective. */
void fm_location_ends_find(const struct fm_analysis *analysis, fm_location_ends *ends);

/** Finds the parts of the calls that count, by process.
 * @param ends  out: `is_any` of these calls */
void fm_open_parts_find(const struct fm_analysis *analysis, fm_location_ends *ends,
                        fm_open_parts *parts);

/** Adds those of a location in a call of OpenMP or POSIX threads. @return false: it is none */
bool fm_thread_parts_find(const struct fm_analysis *analysis, uint32_t location, uint32_t activity,
                          fm_open_parts *parts);

#endif
