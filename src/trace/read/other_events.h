/** @file
 * Events that matter only by their time. Private to src/trace. */
#ifndef FERMATA_TRACE_READ_OTHER_EVENTS_H
#define FERMATA_TRACE_READ_OTHER_EVENTS_H

#include <otf2/otf2.h>

/** Registers callbacks for all events that no table is made of. Their user data must begin with a
 * struct fm_builder. */
void fm_other_events_register(OTF2_EvtReaderCallbacks *callbacks);

#endif
