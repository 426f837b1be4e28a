/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Call stacks in a session: whether they are recorded, the call sites so far, and their names at
 * the end of the run.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_STACK_H
#define FERMATA_RECORD_SESSION_SESSION_STACK_H

#include "record/archive/callsites.h"
#include "record/archive/exchange.h"

/** Reads FERMATA_CALLPATH (`stack`, `all`, `flat`, `depth=N`) and begins accordingly. Called before
 * any thread records. */
void fm_session_stack_begin(void);

/** Maximum number of functions of a call path that are shown; 0: none. */
uint32_t fm_session_callpath_depth(void);

/** Whether call paths contain all support functions (stack/support_function.h). */
bool fm_session_callpath_whole(void);

/** Called when a library may have been unloaded. Thread-safe. */
void fm_session_unloaded(void);

struct fm_thread;

/** Notes the address of the program's main function. Called on the thread that is about to call it,
 * before the run begins. */
void fm_session_stack_begins_at(struct fm_thread *thread, uint64_t address);

/** Determines the program's main function. Called on the thread that begins the run. */
void fm_session_stack_main(void);

/** Adds new call sites, including those from signal handlers, to the definitions. Called before
 * records that refer to them are saved. Thread-safe; not async-signal-safe. */
void fm_session_note_sites(void);

/** The call sites that records may refer to, as definitions. The caller holds the session's lock.
 * May be called in signal handlers. */
const struct fm_definitions *fm_session_sites(void);

/** Determines functions, files and lines of all call sites. Collective; called after recording has
 * ended.
 * @param definitions  of this process; gets the regions and lines of its call sites
 * @param sites        out: of this process; empty without call stacks
 * @return false without memory; the other processes continue as if this one had succeeded */
bool fm_session_resolve(const struct fm_exchange *exchange, struct fm_definitions *definitions,
                        struct fm_callsites *sites);

#endif
