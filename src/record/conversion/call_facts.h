/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Facts about calls for which OTF2 has no records or fields: what threads synchronize by, which
 * persistent collective a call completes, the partitions of messages. They become parameters and
 * attributes.
 */
#ifndef FERMATA_RECORD_CONVERSION_CALL_FACTS_H
#define FERMATA_RECORD_CONVERSION_CALL_FACTS_H

#include "record/capture/thread.h"

/** Converts a record SYNCHRONIZATION_OBJECT, PERSISTENT_COMPLETE, PARTITIONED_SEND,
 * PARTITIONED_RECEIVE, PARTITIONS or PROBED. */
void fm_convert_call_fact(struct fm_thread *thread, const uint64_t *record);

/** Writes a fact about the innermost region for which OTF2 has no record, as a parameter. */
void fm_convert_fact(struct fm_thread *thread, uint64_t time, const char *name, uint64_t value);

#endif
