/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of a run that is recorded, selected by the user before the run: ranks, a time window,
 * visits of a phase, a signal that switches recording. The rest of the run is paused (pause.h).
 */
#ifndef FERMATA_RECORD_SELECTION_SCOPE_H
#define FERMATA_RECORD_SELECTION_SCOPE_H

#include "base/process_noun.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ways to select, each with a variable of the environment. */
enum fm_scope_kind {
    FM_SCOPE_RANKS,  /**< FERMATA_RANKS: `0-3,7` */
    FM_SCOPE_WINDOW, /**< FERMATA_WINDOW: `BEGIN:END`, durations since the library's
                          initialization; either is optional */
    FM_SCOPE_PHASE,  /**< FERMATA_PHASE: `NAME`, `NAME:FIRST-LAST`; visits count from 0 */
    FM_SCOPE_SIGNAL, /**< FERMATA_SIGNAL: `USR1`, `USR2` */
    FM_SCOPE_KINDS
};

/** A selection. */
struct fm_scope {
    const char *ranks; /**< list; NULL: all */
    double begin, end; /**< seconds after initialization; 0 and infinity: all */
    const char *phase; /**< name of the phase, `phase_length` bytes; NULL: everything */
    size_t phase_length;
    uint64_t first, last; /**< visits of the phase, from 0; UINT64_MAX: to the last one */
    int signal;           /**< number of the signal; 0: none */
};

/** The whole run. */
struct fm_scope fm_scope_all(void);

/** Variable of the environment for a way to select; constant. */
const char *fm_scope_variable(enum fm_scope_kind kind);

/** Restricts a selection.
 * @param text       value as in FERMATA_RANKS and so on; the selection refers to it
 * @return NULL; or, for an invalid text, a constant noun phrase that states what it should be, and
 *         the selection is unchanged */
const char *fm_scope_set(struct fm_scope *selection, enum fm_scope_kind kind, const char *text);

/** Reads the variables of the environment. An invalid value selects nothing.
 * @return the kind with an invalid value, or FM_SCOPE_KINDS */
enum fm_scope_kind fm_scope_read(struct fm_scope *selection);

/** Whether a rank is recorded. */
bool fm_scope_has_rank(const struct fm_scope *selection, uint32_t rank);

/** Whether a region is the selected phase. */
bool fm_scope_is_phase(const struct fm_scope *selection, const char *name, size_t length);

/** Describes a selection: `ranks 0-3 only, 2 s to 10 s after initialization`.
 * @param noun  what a process is called; where its numbers are not the ranks, "rank" is used
 * @return false: everything is recorded, the text is empty */
bool fm_scope_describe(const struct fm_scope *selection, const struct fm_process_noun *noun,
                       char *text, size_t size);

#endif
