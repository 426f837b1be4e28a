/** @file
 * A matched message, as patterns see it.
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

    /* Only if the sender waited (FM_MESSAGES_SENDER_WAITED). */
    struct fm_call_ref blocked; /**< its blocking call */
    struct fm_call_ref post;    /**< call that posted the receive */

    const struct fm_message_order *order; /**< for fm_message_outstanding() */
};

/** Messages to the same process that were received later than another one. */
struct fm_outstanding {
    uint64_t any;         /**< earliest time at which one of them was sent; UINT64_MAX: none */
    uint64_t same_source; /**< earliest one of those from the same process */
};

/** @return what the receiver had not yet received when the receiving call of `message` returned. */
struct fm_outstanding fm_message_outstanding(const struct fm_message *message);

/** Matches all messages and calls the patterns that want them. Runs stages; collective. */
void fm_messages_match(struct fm_analysis *analysis);

#endif
