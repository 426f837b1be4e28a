/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the files of this room share: the store of what the locations get (lock_holders.c) and the
 * waits that feed it (lock_waits.c).
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_HOLDERS_INTERNAL_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_HOLDERS_INTERNAL_H

#include "analysis/locks/lock_gaps.h"
#include "analysis/locks/lock_holders.h"

#include "engine/dispatch/dispatch.h"

struct fm_lock_scratch;

/** Numbers given so far at one process. */
struct fm_lock_counts {
    uint32_t successions, waits, locks;
    uint32_t deep; /**< claims that see more holders than FM_HOLDERS_EXAMINED */
};

struct fm_lock_holders {
    const struct fm_analysis *analysis;
    struct fm_lock_view *views;        /**< by location */
    fm_lock_turns *turns;              /**< by process */
    fm_contended_locks *locks;         /**< by process at which they are judged */
    struct fm_lock_counts *counts;     /**< by process: what is judged there, so far */
    struct fm_lock_scratch *scratch;   /**< by worker; NULL once all is delivered */
    struct fm_partner_calls *partners; /**< what targets do in gaps; NULL once all is delivered */
    struct fm_dispatch *gaps;          /**< to the target */
    struct fm_dispatch *spans;
    struct fm_dispatch *claims;
    struct fm_dispatch *marks;     /**< to the waiting location */
    struct fm_dispatch *presences; /**< to the location */
};

/** Sends a span to the location that it is about. */
void fm_lock_send_span(struct fm_lock_holders *holders, unsigned worker,
                       const struct fm_holder_span *span);

/** Sends a mark to the waiting location. */
void fm_lock_send_mark(struct fm_lock_holders *holders, unsigned worker,
                       const struct fm_lock_mark *mark);

/** Sends a presence to its location; of a lock of processes the first one of the process. */
void fm_lock_send_presence(struct fm_lock_holders *holders, unsigned worker, uint32_t location,
                           const struct fm_lock_presence *presence);

/** Sends a gap to the target of its lock, which sends spans for it. */
void fm_lock_send_gap(struct fm_lock_holders *holders, unsigned worker,
                      const struct fm_lock_gap *gap);

/** Sends a claim to the waiting location and to the one that has caused the wait. */
void fm_lock_send_claim(struct fm_lock_holders *holders, unsigned worker,
                        const struct fm_lock_claim *claim);

/** Memory that windows use in turn, for each worker.
 * @return to be freed with fm_lock_scratch_free() */
struct fm_lock_scratch *fm_lock_scratch_create(unsigned workers);

/** NULL is allowed. */
void fm_lock_scratch_free(struct fm_lock_scratch *scratch, unsigned workers);

#endif
