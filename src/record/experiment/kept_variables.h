/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Environment variables as they were when the program began. The program may change its
 * environment, or remove it, while the recorder reads it: the recorder reads copies.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_KEPT_VARIABLES_H
#define FERMATA_RECORD_EXPERIMENT_KEPT_VARIABLES_H

#include "record/capture/hot.h"

/** Copies of variables. Zeroed: none are copied yet. */
struct fm_kept_variables {
    char *const *items; /**< NAME=value, ended by NULL; NULL: none are copied yet */
};

/** Copies the environment of the process, and of an earlier one what is no longer in it. Without
 * memory nothing is copied. To be called once, by one thread. Allocates pages of its own.
 * @param earlier  as items of the structure; may be NULL */
void fm_variables_keep(struct fm_kept_variables *variables, char *const *earlier);

/** @return the value of a variable among the copies; NULL: there is none. Thread-safe. */
const char *fm_variables_find(const struct fm_kept_variables *variables, const char *name);

/** The variables of the recorder: kept when it begins. */
extern FM_HIDDEN struct fm_kept_variables fm_variables_of_process;

/** @return the value of a variable of the process, valid as long as the process; outside of
 * recorded programs as getenv(). Thread-safe. */
FM_API const char *fm_variable(const char *name);

#endif
