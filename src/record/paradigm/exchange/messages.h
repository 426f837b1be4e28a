/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Collective operations of an exchange (exchange.h) whose library offers messages between two
 * processes only: along the binomial tree, O(log processes) steps. One exchange in a library of
 * wrappers.
 */
#ifndef FERMATA_RECORD_PARADIGM_EXCHANGE_MESSAGES_H
#define FERMATA_RECORD_PARADIGM_EXCHANGE_MESSAGES_H

#include "record/archive/exchange.h"

/** Sets broadcast, gather, scatter and reduce of an exchange that has rank, size, send and receive,
 * whose `receive` stores zeros after a failure. */
void fm_exchange_by_messages(struct fm_exchange *exchange);

#endif
