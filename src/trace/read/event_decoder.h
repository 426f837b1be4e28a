/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Decodes event files into calls of the event sink, several times as fast as OTF2's reader. Private
 * to src/trace.
 *
 * The decoder fails on anything that it does not understand or that is inconsistent; then the
 * caller reads the location again with OTF2's reader, whose result counts. Success means that
 * OTF2's reader would have delivered the same events.
 *
 * A chunk (event_file.h) holds three kinds of records:
 *
 *   5 | time (8 bytes)                                      the time of all events up to the next
 *                                                           time, in following chunks as well
 *   6 | length | count | (attribute | type | value)*        attributes of the event that follows;
 *                                                           the type determines the value's coding
 *   number | fields                                         an event (event_records.def)
 *
 * Source: OTF2 3.0 (BSD licence), OTF2_Buffer.c and OTF2_EvtReader_inc.c.
 */
#ifndef FERMATA_TRACE_READ_EVENT_DECODER_H
#define FERMATA_TRACE_READ_EVENT_DECODER_H

#include "trace/archive/event_file.h"
#include "trace/clock/clock_correction.h"
#include "trace/read/event_sink.h"

/** Decodes the file that was selected.
 * @param sink    whose builder has begun the location and whose maps are those of the location
 * @param clock   of the location
 * @param events  out: number of events, including those that the analysis ignores
 * @return false if the file is not fully understood; the caller then calls
 * fm_builder_restart_location() */
bool fm_events_decode(struct fm_event_sink *sink, struct fm_event_files *files,
                      const struct fm_clock_correction *clock, uint64_t *events);

#endif
