/* SPDX-License-Identifier: BSD-3-Clause */
/* Late Sender: a receiver waits for a message whose send has not started yet. Wrong order: the
 * receiver could have received another message, sent earlier, in the meantime. */
#include "analysis/p2p/message.h"
#include "analysis/pattern.h"

static void find(const struct fm_finder *finder, const struct fm_message *message)
{
    struct fm_outstanding outstanding = fm_message_outstanding(message);
    fm_metric_t metric = outstanding.same_source < message->sent ? FM_METRIC_MPI_LSWO_SAME
                         : outstanding.any < message->sent       ? FM_METRIC_MPI_LSWO_DIFFERENT
                                                                 : FM_METRIC_MPI_LATESENDER;
    fm_found_wait(finder, message->receive, message->sent, message->send, metric);
}

const struct fm_pattern fm_pattern_late_sender = {
    .name = "Late Sender",
    .messages = FM_MESSAGES_RECEIVER_WAITED,
    .message = find,
};
