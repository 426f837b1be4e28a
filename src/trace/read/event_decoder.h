/** @file
 * Decodes event files straight into the builder's calls, several times as fast as OTF2's reader.
 * Private to src/trace.
 *
 * Only what is fully understood is decoded: anything inconsistent is a failure, after which the
 * location is to be read again by OTF2's reader, whose verdict counts. A success means that OTF2
 * would have read the same events.
 *
 * Records in a chunk (event_file.h): the byte 5 and eight bytes are a time, which all events have
 * up to the next time, in following chunks as well. The byte 6 is a list of attributes of the event
 * that follows: the length of the list, the number of attributes, and for each of them its number
 * (of at most 4 bytes), its type (a byte) and its value as the type demands. All others are events
 * (event_records.def). Source: OTF2 3.0 (BSD licence), OTF2_Buffer.c and OTF2_EvtReader_inc.c.
 */
#ifndef FERMATA_TRACE_READ_EVENT_DECODER_H
#define FERMATA_TRACE_READ_EVENT_DECODER_H

#include "trace/archive/event_file.h"
#include "trace/clock/clock_correction.h"
#include "trace/read/event_sink.h"

/** Decodes the file that was selected.
 * @param sink    whose builder has begun the location and whose maps are those of the location
 * @param clock   of the location
 * @param events  out: number of events, also of those that mean nothing
 * @return false if the file is not fully understood: fm_builder_restart_location() is due */
bool fm_events_decode(struct fm_event_sink *sink, struct fm_event_files *files,
                      const struct fm_clock_correction *clock, uint64_t *events);

#endif
