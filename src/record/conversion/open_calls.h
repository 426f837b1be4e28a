/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls that were entered and never left: the last event of their location is their Enter, with
 * what they wait for behind it. Private to src/record/conversion, except where convert.h declares
 * them.
 */
#ifndef FERMATA_RECORD_CONVERSION_OPEN_CALLS_H
#define FERMATA_RECORD_CONVERSION_OPEN_CALLS_H

#include "record/conversion/convert_state.h"

/** Writes the parameters of an AWAITED_ record. */
void fm_convert_awaited(struct fm_thread *thread, const uint64_t *record);

/** Writes the Enter of a call at `enter`, and leaves it open: records of the call may follow.
 * (convert.c) */
void fm_convert_enter(struct fm_thread *thread, uint32_t function, uint64_t enter);

#endif
