/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Compact records of operations (messages, collective operations, one-sided operations, locks) as
 * OTF2 events: one event for each record.
 */
#ifndef FERMATA_RECORD_CONVERSION_OPERATION_EVENTS_H
#define FERMATA_RECORD_CONVERSION_OPERATION_EVENTS_H

#include <otf2/otf2.h>
#include <stdint.h>

/** Writes the event of an operation.
 * @param time    of the event: the record has none
 * @param record  fm_record_words[kind] words
 * @param bytes   that the operation transfers, if its record states them
 * @return what OTF2's writer returns */
OTF2_ErrorCode fm_operation_event(OTF2_EvtWriter *writer, uint64_t time, const uint64_t *record,
                                  uint64_t bytes);

/** @return how many bytes the event of an operation occupies at most in OTF2's event files, without
 * its timestamp. */
uint64_t fm_operation_event_bytes(const uint64_t *record, uint64_t bytes);

/** @return the same of the event that enters or leaves a region. */
uint64_t fm_region_event_bytes(uint32_t region);

#endif
