/** @file
 * Call stacks in a session: whether they are recorded, the call sites met, and what those stand
 * for.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_STACK_H
#define FERMATA_RECORD_SESSION_SESSION_STACK_H

#include "record/archive/callsites.h"
#include "record/archive/exchange.h"

/** Begins as FERMATA_CALLPATH says: `stack`, `flat`, `depth=N`; before any thread records. */
void fm_session_stack_begin(void);

/** Functions of a call path that are shown at most; 0: none. */
uint32_t fm_session_callpath_depth(void);

/** A library may have been unloaded. Thread-safe. */
void fm_session_unloaded(void);

/** Takes note of the program's main function, on the thread that begins the run. */
void fm_session_stack_main(void);

/** Takes note of the call sites that were met in signal handlers, too, before records that refer to
 * them are saved. Not in signal handlers; thread-safe. */
void fm_session_note_sites(void);

/** The call sites that records may refer to, as definitions. The caller holds the session's lock.
 * May be called in signal handlers. */
const struct fm_definitions *fm_session_sites(void);

/** Finds out what all call sites stand for. Collective; nothing is recorded any more.
 * @param definitions  of this process; gets the regions and lines of its call sites
 * @param sites        out: of this process; without call stacks none
 * @return false without memory; the other processes go on as if this one had succeeded */
bool fm_session_resolve(const struct fm_exchange *exchange, struct fm_definitions *definitions,
                        struct fm_callsites *sites);

#endif
