/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Callbacks of OTF2's reader for all events that the analysis uses. Private to src/trace. */
#ifndef FERMATA_TRACE_READ_EVENT_CALLBACKS_H
#define FERMATA_TRACE_READ_EVENT_CALLBACKS_H

#include <otf2/otf2.h>

/** @return callbacks whose user data is a struct fm_event_sink that has begun the location; to be
 * freed with OTF2_EvtReaderCallbacks_Delete() */
OTF2_EvtReaderCallbacks *fm_event_callbacks_new(void);

#endif
