/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What processes have done of that for which open calls of others wait. Private to
 * src/analysis/hang.
 */
#ifndef FERMATA_ANALYSIS_HANG_FACTS_H
#define FERMATA_ANALYSIS_HANG_FACTS_H

#include "analysis/hang/parts.h"

/** The messages of a communicator from one process to another with a tag. */
struct fm_channel {
    uint32_t destination, communicator, source, tag;
    uint64_t sent;     /**< sends that have begun */
    uint64_t received; /**< receives that have returned */
};

/** A receive that a process has posted and not completed. */
struct fm_posted {
    uint32_t process;
    uint32_t communicator; /**< FM_NONE: what it receives is not known */
    uint32_t source, tag;  /**< FM_NONE: any */
};

/** A process has begun a collective operation of a series. */
struct fm_reached {
    uint64_t scope;
    uint32_t process;
    uint32_t ordinal; /**< the last one it has begun, or one that others wait in */
    uint32_t region;  /**< of the call; FM_NONE: not recorded */
    uint32_t root;
    uint8_t series;
};

/** Number of epochs that a process has opened or closed for another one, or of its sync images that
 * name it. */
struct fm_epoch_count {
    uint32_t window, process, partner, count;
    uint8_t awaits; /**< fm_awaits_t: POST, COMPLETE or IMAGES */
};

/** A lock that a process has requested and not released. */
struct fm_locked {
    uint64_t id; /**< outside of MPI */
    uint32_t window;
    uint32_t target; /**< process; FM_NONE: all, or none */
    uint32_t process;
    uint32_t location;
    uint32_t place; /**< call path of the call that requested it */
    bool is_mpi;
    bool is_shared;
    bool is_requested; /**< the call that requested it has returned */
    bool is_acquired;  /**< the process is known to have it */
};

struct fm_hang_facts {
    FM_VECTOR(struct fm_channel) channels;   /**< ascending by their first four members */
    FM_VECTOR(struct fm_posted) posted;      /**< by process */
    FM_VECTOR(struct fm_reached) reached;    /**< by series, scope, process, ordinal */
    FM_VECTOR(struct fm_epoch_count) epochs; /**< by kind, window, process, partner */
    FM_VECTOR(struct fm_locked) locks;
    FM_VECTOR(uint32_t)
    uncertain; /**< processes that have begun collective operations of which it
                  is not known on which communicator; ascending */
};

/** Collects, on process 0 of the analysis, what all processes have done. Collective; reads the
 * records of messages, collective and one-sided operations.
 * @param parts  of the whole run
 * @param facts  out: to be freed with fm_hang_facts_free(); empty on other processes */
void fm_hang_facts_collect(const struct fm_analysis *analysis, const fm_open_parts *parts,
                           struct fm_hang_facts *facts);

void fm_hang_facts_free(struct fm_hang_facts *facts);

#endif
