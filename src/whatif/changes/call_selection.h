/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which calls a change is about: those in call paths, or those that acquire locks of a name.
 */
#ifndef FERMATA_WHATIF_CHANGES_CALL_SELECTION_H
#define FERMATA_WHATIF_CHANGES_CALL_SELECTION_H

#include "analysis/detail.h"
#include "base/containers/vector.h"

#include <stdbool.h>
#include <stdint.h>

typedef FM_VECTOR(uint32_t) fm_activity_vector;

struct fm_dependency;

struct fm_call_selection {
    uint8_t *callpaths;             /**< [node of the call forest]: FM_SELECTED_...; NULL: none */
    fm_activity_vector *requesting; /**< [location]: calls that request the locks, ascending; NULL:
                                         the call paths decide */
};

/** Selects the calls that request locks of a name as reports state it: that of a window, or of an
 * object of threads, with or without its place in the sources.
 * @param selection  its `requesting` is set if there are such calls
 * @return the number of calls */
uint64_t fm_locks_select(const struct fm_trace *trace, const char *name,
                         struct fm_call_selection *selection);

/** @return whether a selection has a call that may wait for a lock, or for what else its dependency
 * says; `selection` may be NULL: it has all. */
bool fm_call_is_selected(const struct fm_call_selection *selection, const struct fm_trace *trace,
                         uint32_t location, const struct fm_dependency *dependency);

/** @return the call by which a location requested the lock that it has in an activity; FM_NONE: it
 * is not known. Of several locks at once, the one requested last. */
uint32_t fm_requesting_call(const struct fm_trace *trace, uint32_t location, uint32_t activity);

void fm_call_selection_free(struct fm_call_selection *selection, const struct fm_trace *trace);

#endif
