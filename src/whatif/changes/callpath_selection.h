/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which call paths of a run a change is about. */
#ifndef FERMATA_WHATIF_CHANGES_CALLPATH_SELECTION_H
#define FERMATA_WHATIF_CHANGES_CALLPATH_SELECTION_H

#include "trace/tables/trace.h"

#include <stdbool.h>

/** What a call path has to do with a change; a set. */
enum {
    FM_SELECTED_ITSELF = 1, /**< it matches */
    FM_SELECTED_WITHIN = 2, /**< it, or a call path above it, matches */
    FM_SELECTED_ALONE =
        4, /**< it matches or lies within, and only what matches itself is changed */
};

/** @param where  name of a function, or call path with "..." for any number of levels; if the trace
 *                was read with call sites, with the line behind a function that its caller calls in
 *                several, "main/solve@main.c:35", or without; with "/." at
 *                its end: without what the call path calls in the program; functions of libraries
 *                that it calls are part of it (fm_trace_function_of)
 * @param selected  out: [node of the call forest] FM_SELECTED_..., to be freed with fm_free()
 * @return the number of call paths that match */
uint32_t fm_callpaths_select(const struct fm_trace *trace, const char *where, uint8_t **selected);

/** @return the call path of a node as fm_callpaths_select() reads it, to be freed with fm_free() */
char *fm_callpath_where(const struct fm_trace *trace, uint32_t node);

#endif
