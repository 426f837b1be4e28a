/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Dependencies of messages: a call that completes a receive depends on the start of the send; a
 * call that completes a send that waits for its receiver depends on the post of the receive. */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_MESSAGE_DEPENDENCIES_H
#define FERMATA_ANALYSIS_DEPENDENCIES_MESSAGE_DEPENDENCIES_H

#include "analysis/p2p/sends.h"

/** States what the calls of a matched message depend on. To be called in a stage that
 * fm_finders_run() runs, on the worker that owns the receiver.
 * @param receive  matched receive of the receiver
 * @param waited   whether the sender waited: fm_sender_waited() */
void fm_depend_by_message(const struct fm_analysis *analysis, unsigned worker,
                          const struct fm_matched_sends *sends, const struct fm_receiver *receiver,
                          uint32_t receive, bool waited);

#endif
