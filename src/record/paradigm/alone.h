/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Communication functions (exchange.h) for a single process: of a run with one process, or of a
 * program that processes the data of all processes.
 */
#ifndef FERMATA_RECORD_PARADIGM_ALONE_H
#define FERMATA_RECORD_PARADIGM_ALONE_H

#include "record/archive/exchange.h"

/** Rank 0 of 1. Sends nothing, and never fails. */
extern const struct fm_exchange fm_exchange_alone;

#endif
