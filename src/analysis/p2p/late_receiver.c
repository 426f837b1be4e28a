/* SPDX-License-Identifier: BSD-3-Clause */
/* Late Receiver: a sender is blocked until the receive for its message is posted. Wrong order: when
 * the receive completed, an earlier message of the same sender was not yet received. */
#include "analysis/p2p/message.h"
#include "analysis/pattern.h"

static void find(const struct fm_finder *finder, const struct fm_message *message)
{
    fm_metric_t metric = fm_message_outstanding(message).same_source < message->sent
                             ? FM_METRIC_MPI_LATERECEIVER_WO
                             : FM_METRIC_MPI_LATERECEIVER;
    fm_found_remote_wait(finder, message->blocked,
                         fm_call_enter(finder->analysis->trace, message->post), message->post,
                         metric, metric);
}

const struct fm_pattern fm_pattern_late_receiver = {
    .name = "Late Receiver",
    .messages = FM_MESSAGES_SENDER_WAITED,
    .message = find,
};
