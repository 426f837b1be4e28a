/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Needs of calls that complete messages for the progress of their partners: of the receiver once
 * the receive is posted, of the sender once the send has started, each until it is complete.
 *
 * A call that completes nothing but its own message is listed only if its partner is outside of
 * MPI when the need begins, as far as the message's own calls show.
 */
#ifndef FERMATA_ANALYSIS_P2P_MESSAGE_NEEDS_H
#define FERMATA_ANALYSIS_P2P_MESSAGE_NEEDS_H

#include "analysis/p2p/matching.h"
#include "analysis/progress/progress_evidence.h"

/** Traits of functions of MPI: bits. */
enum {
    FM_MESSAGE_CALL_STARTS = 1,    /**< starts or posts something and does not complete it */
    FM_MESSAGE_CALL_EXCHANGES = 2, /**< sends and receives */
};

/** @return by region: bits FM_MESSAGE_CALL_...; to be freed with fm_free() */
uint8_t *fm_message_traits(const struct fm_trace *trace);

/** @param traits  fm_message_traits(), as long as needs are added
 * @return no needs yet; NULL if the user states that all progress is asynchronous */
struct fm_message_needs *fm_message_needs_create(struct fm_analysis *analysis,
                                                 const uint8_t *traits);

/** NULL is allowed. */
void fm_message_needs_free(struct fm_message_needs *needs);

/** A matched message as its receiver knows it. */
struct fm_message_ends {
    const struct fm_arrival *arrival;
    const struct fm_send_end *send;
    uint32_t sender;             /**< process */
    struct fm_call_ref post;     /**< activity FM_NONE: not known */
    struct fm_call_ref complete; /**< of the receive */
};

/** Adds the needs of the calls that complete the two sides of a message. To be called in a stage
 * that fm_finders_run() runs, by the owner of the receiver. NULL is allowed. */
void fm_message_needs_add(struct fm_message_needs *needs, unsigned worker,
                          const struct fm_message_ends *message);

/** Brings the needs to the owners of the calls. To be called behind this stage; collective. */
void fm_message_needs_deliver(struct fm_message_needs *needs);

/** Weighs the evidence into `analysis->message_evidence`. Runs stages; collective. @return the
 * needs, which live as long as the argument, with a trial of each call of a kind that waits */
const struct fm_progress *fm_message_needs_weigh(struct fm_message_needs *needs);

#endif
