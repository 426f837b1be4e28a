/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which patterns, built-in wait states and those of the user, are searched for.
 */
#ifndef FERMATA_PATTERNS_SELECTION_H
#define FERMATA_PATTERNS_SELECTION_H

#include "base/containers/vector.h"
#include "base/error.h"
#include "cube/model/metric.h"

#include <stdbool.h>

/** A name that the user gives: an id, in which `*` stands for any text. */
struct fm_selected_name {
    char *name;
    bool is_used; /**< there is a pattern with this name */
};

/** {0}: all. To be freed with fm_pattern_selection_free(). */
struct fm_pattern_selection {
    FM_VECTOR(struct fm_selected_name) only;    /**< none: all */
    FM_VECTOR(struct fm_selected_name) without; /**< of these */
};

/** Adds names, separated by commas. @return FM_ERR_USAGE: a name is empty */
fm_status_t fm_pattern_selection_add(struct fm_pattern_selection *selection, bool is_only,
                                     const char *names, struct fm_error *error);

/** @return whether a pattern of the user is searched for. NULL: all are. */
bool fm_pattern_selection_has(struct fm_pattern_selection *selection, const char *id);

/** Finds the built-in wait states that are not searched for: a name stands for a wait state with
 * its sub-patterns. To be called behind fm_pattern_selection_has() of all patterns of the user.
 * @param off  [FM_METRIC_USER], out
 * @return FM_ERR_USAGE: there is no pattern with a name */
fm_status_t fm_pattern_selection_built_in(struct fm_pattern_selection *selection, bool *off,
                                          struct fm_error *error);

void fm_pattern_selection_free(struct fm_pattern_selection *selection);

#endif
