/** @file
 * Messages whose send and receive update counters: a thread sends itself messages of 8 bytes
 * through a queue in memory, as an MPI library does without a transport. Here updates overlap with
 * what a message needs anyway, which the model (call_costs.h) leaves out.
 */
#ifndef FERMATA_COUNTERS_COSTS_SELF_MESSAGES_H
#define FERMATA_COUNTERS_COSTS_SELF_MESSAGES_H

#include "counters/costs/call_costs.h"

/** Times of a message, sent and received, nanoseconds. */
struct fm_self_messages {
    double without; /**< without counters: the code of their updates is not executed */
    double with;    /**< with the updates of both calls */
};

/** Measures: `repeats` times `messages` of each sort in turn; the least time of each counts.
 * @param calls  updates of each call */
struct fm_self_messages fm_self_messages_measure(const struct fm_call_cost calls[FM_MESSAGE_CALLS],
                                                 size_t repeats, size_t messages);

#endif
