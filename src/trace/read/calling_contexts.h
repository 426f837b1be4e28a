/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calling contexts: how recorders that sample write call stacks (Score-P with sampling, lo2s). Each
 * event names a node of a tree of functions, instead of a region that is entered or left:
 *
 *   CallingContextEnter, CallingContextLeave  of a function that was recorded as such
 *   CallingContextSample                      of the call stack at an interrupt
 *
 * They become enters, leaves and samples as the recorder of fermata writes them
 * (base/stack_samples.h): functions of the call stack that have ended since the event before end at
 * that event; those that are new at a sample begin there, too, those that are new at a call begin
 * with the call. Samples within calls are left out, as there. Private to src/trace.
 */
#ifndef FERMATA_TRACE_READ_CALLING_CONTEXTS_H
#define FERMATA_TRACE_READ_CALLING_CONTEXTS_H

#include "trace/read/event_sink.h"

/** Forgets the call stack of the location before. */
void fm_event_contexts_begin(struct fm_event_sink *sink);

/** Events. References of contexts and generators are those of the archive, or of the location.
 * @param distance  OTF2's unwind distance: 1 + the number of innermost functions that are new */
void fm_event_context_enter(struct fm_event_sink *sink, uint32_t context, uint32_t distance);
void fm_event_context_leave(struct fm_event_sink *sink, uint32_t context);
void fm_event_context_sample(struct fm_event_sink *sink, uint32_t context, uint32_t distance,
                             uint32_t generator);

#endif
