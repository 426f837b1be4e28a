/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The scripts of a run, in the order in which they are called: a script precedes those that
 * subscribe to its instances.
 */
#ifndef FERMATA_PATTERNS_USER_PATTERNS_H
#define FERMATA_PATTERNS_USER_PATTERNS_H

#include "patterns/execution.h"
#include "patterns/script.h"

struct fm_user_patterns {
    FM_VECTOR(struct fm_script) scripts;
    FM_VECTOR(char *) switched_off; /**< ids of the scripts that are not selected */
};

/** The severities of a script, or why there are none. */
struct fm_script_result {
    FM_VECTOR(struct fm_severity) severities; /**< ascending by call path and location */
    uint32_t failed_location;                 /**< lowest location at which it failed; FM_NONE */
    struct fm_error error;
};

/** Executes the scripts at all locations.
 * @param backwards  locations of a worker in reverse order
 * @return [script], to be freed with fm_script_results_free() */
struct fm_script_result *fm_scripts_execute(const struct fm_user_patterns *patterns,
                                            const struct fm_event_index *index, unsigned workers,
                                            bool backwards);
void fm_script_results_free(struct fm_script_result *results, size_t count);

/** Adds the severities of the scripts to a report; those of a script that failed, or whose values
 * do not fit into those of its parent, are left out, with a warning.
 * @return FM_OK also in this case; the first failure is in `failure` (message "": none) */
fm_status_t fm_script_results_add(const struct fm_user_patterns *patterns,
                                  struct fm_script_result *results,
                                  const struct fm_event_index *index, struct fm_cube *cube,
                                  struct fm_error *failure, struct fm_error *error);

#endif
