/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A matched message, as passed to patterns.
 */
#ifndef FERMATA_ANALYSIS_P2P_MESSAGE_H
#define FERMATA_ANALYSIS_P2P_MESSAGE_H

#include "analysis/model/run.h"

struct fm_message_order;

struct fm_message {
    uint64_t sent;              /**< Enter of the call that started the send */
    struct fm_call_ref send;    /**< that call */
    uint64_t received;          /**< Leave of the call that completed the receive */
    struct fm_call_ref receive; /**< that call */

    /* Set only if the sender waited (FM_MESSAGES_SENDER_WAITED). */
    struct fm_call_ref blocked; /**< the sender's blocking call */
    struct fm_call_ref post;    /**< call that posted the receive */

    const struct fm_message_order *order; /**< for fm_message_outstanding() */
};

/** The messages to a process that were received later than a given one. */
struct fm_outstanding {
    uint64_t any;         /**< earliest time at which one of them was sent; UINT64_MAX: none */
    uint64_t same_source; /**< the same for those from the same source */
};

/** @return the messages that the receiver had not yet received when the call that received
 * `message` returned. */
struct fm_outstanding fm_message_outstanding(const struct fm_message *message);

/** Matches all messages and calls the patterns that handle them. Runs stages; collective. */
void fm_messages_match(struct fm_analysis *analysis);

#endif
