/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Marks of programs as regions of user code (record/user/functions.h). The kinds (nvtx.c, ...)
 * translate the calls of their interface into the functions below.
 *
 * Each thread has one stack of open marks, of all kinds. An owner is what may end a mark: the
 * domain of a push/pop pair, the identifier of an event. The region of a mark ends when the mark is
 * the innermost one. A mark that ends earlier, while marks inside it are open, ends with these:
 * marks that do not nest cannot be regions. It is counted, and reported once when the process ends.
 *
 * The functions are thread-safe, preserve errno, and do nothing without a recorder.
 */
#ifndef FERMATA_RECORD_MARKS_MARKS_H
#define FERMATA_RECORD_MARKS_MARKS_H

#include "record/marks/mark_kinds.h"
#include "user/interface.h"

#include <stdbool.h>
#include <stdint.h>

/** A name of marks, with its region. Valid to the end of the process. */
struct fm_mark_name;

/** Whether the marks of a kind are recorded (the setting `marks`). */
bool fm_marks_are_selected(enum fm_mark_kind kind);

/** Finds a name, or adds it. Without a domain, regions have the name itself, else `domain::name`.
 * From the 4096th name of the process on, all others are one: `other marks`.
 * @param domain  "" or NULL: none
 * @return NULL without memory */
struct fm_mark_name *fm_mark_name(enum fm_mark_kind kind, const char *domain, struct fm_text name);

/** Begins a mark in the calling thread.
 * @param name   may be NULL: there is no region, but the mark must be ended
 * @param owner  not 0 */
void fm_mark_begin(struct fm_mark_name *name, uintptr_t owner);

/** Ends the innermost mark of an owner in the calling thread, if one is open. */
void fm_mark_end(uintptr_t owner);

/** Begins a mark that any thread may end at any time. It is a region only if the same thread ends
 * it and marks inside it have ended. Later marks of a name that was ended otherwise have no region.
 * @return an identifier, not 0 */
uint64_t fm_mark_start(struct fm_mark_name *name);

/** Ends such a mark. */
void fm_mark_stop(uint64_t identifier);

/** Number of open marks that a thread can have; further ones have no region. */
enum { FM_MARKS_DEEPEST = 120 };

#endif
