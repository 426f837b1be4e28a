/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * All sends of a run at the receives that they belong to, and from which size on sends wait.
 */
#ifndef FERMATA_ANALYSIS_P2P_SENDS_H
#define FERMATA_ANALYSIS_P2P_SENDS_H

#include "analysis/p2p/blocking_size.h"
#include "analysis/p2p/matching.h"

struct fm_matched_sends {
    const struct fm_trace *trace;
    struct fm_receiver *receivers; /**< by process; closed by their reader */
    uint32_t *nodes;               /**< by process: number of its node */
    uint8_t *traits;               /**< by region: fm_message_traits() */
    struct fm_send_samples passed; /**< shared: calls that were left before their receive was
                                        posted */
    struct fm_blocking_sizes blocking_sizes;
};

/** Matches all messages of a run. Runs stages; collective.
 * @param sends  out: to be freed with fm_matched_sends_free() */
void fm_sends_match(struct fm_matched_sends *sends, struct fm_analysis *analysis);

/** @return whether the sender of an arrival waited for its receiver: in a call that also completes
 * receives only from a certain size on. */
bool fm_sender_waited(const struct fm_matched_sends *sends, const struct fm_receiver *receiver,
                      const struct fm_arrival *arrival);

/** @return whether two processes are on the same node. */
fm_locality_t fm_sends_locality(const struct fm_matched_sends *sends, uint32_t sender,
                                uint32_t receiver);

void fm_matched_sends_free(struct fm_matched_sends *sends);

#endif
