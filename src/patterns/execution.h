/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A pattern in execution at one location, whatever the language in which it is written.
 */
#ifndef FERMATA_PATTERNS_EXECUTION_H
#define FERMATA_PATTERNS_EXECUTION_H

#include "patterns/event_index.h"

/** Receives what a script reports while it is called. A value of 0 is only of interest to
 * `combine`: it is no instance. */
typedef void fm_report_t(void *context, const struct fm_event *event, int64_t value);

/** The begin of an execution; its language has more behind it. */
struct fm_execution {
    const struct fm_script *script;
    const struct fm_event_index *index;
    fm_report_t *report;
    void *context;     /**< of `report` */
    uint32_t location; /**< FM_NONE: only fm_execution_combine() is called */
};

/** Executes the script from its begin on.
 * @param location   FM_NONE: only fm_execution_combine() is called
 * @param script     declared; must outlive the execution, as the index
 * @param execution  out: to be freed with fm_execution_close(); set only on success
 * @return FM_ERR_DATA with file and line */
fm_status_t fm_execution_open(const struct fm_script *script, const struct fm_event_index *index,
                              uint32_t location, fm_report_t *report, void *context,
                              struct fm_execution **execution, struct fm_error *error);

/** Frees the execution. NULL is allowed. */
void fm_execution_close(struct fm_execution *execution);

/** Calls the function for a kind of events; does nothing if there is none. */
fm_status_t fm_execution_event(struct fm_execution *execution, fm_event_kind_t kind,
                               const struct fm_event *event, struct fm_error *error);

/** Calls the function for instances: of subscription `number` of the script. */
fm_status_t fm_execution_instance(struct fm_execution *execution, size_t number,
                                  const struct fm_event *event, struct fm_error *error);

/** Calls the function `finish`, if there is one: behind the last event of the location. */
fm_status_t fm_execution_finish(struct fm_execution *execution, struct fm_error *error);

/** A severity that was reported. */
struct fm_severity {
    uint32_t callpath;
    uint32_t location;
    int64_t value;
};

/** Calls the function `combine` with all severities, which it may change.
 * @param cube  for the names of call paths and locations */
fm_status_t fm_execution_combine(struct fm_execution *execution, const struct fm_cube *cube,
                                 struct fm_severity *severities, size_t count,
                                 struct fm_error *error);

#endif
