/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The languages in which patterns are written: how a file is read, and how a pattern is executed.
 */
#ifndef FERMATA_PATTERNS_LANGUAGE_H
#define FERMATA_PATTERNS_LANGUAGE_H

#include "patterns/execution.h"

struct fm_language {
    /** Reads what a file with the pattern declares; its path and parameters are known.
     * @return FM_ERR_DATA: the file is wrong, with its name; FM_ERR_SYSTEM: it cannot be read;
     * FM_ERR_USAGE: it does not have a parameter that the user gives */
    fm_status_t (*declare)(struct fm_script *script, struct fm_error *error);
    /** Frees `script->declared`; NULL: it is not used. */
    void (*release)(struct fm_script *script);
    /** The functions of execution.h. @param base  copied to the begin of the execution */
    fm_status_t (*open)(const struct fm_execution *base, struct fm_execution **execution,
                        struct fm_error *error);
    void (*close)(struct fm_execution *execution);
    fm_status_t (*event)(struct fm_execution *execution, fm_event_kind_t kind,
                         const struct fm_event *event, struct fm_error *error);
    fm_status_t (*instance)(struct fm_execution *execution, size_t number,
                            const struct fm_event *event, struct fm_error *error);
    fm_status_t (*finish)(struct fm_execution *execution, struct fm_error *error);
    fm_status_t (*combine)(struct fm_execution *execution, const struct fm_cube *cube,
                           struct fm_severity *severities, size_t count, struct fm_error *error);
};

/** Scripts in Lua 5.4; where fermata is built without Lua, they are refused. */
extern const struct fm_language fm_language_lua;

/** Shared objects (fermata/pattern.h). */
extern const struct fm_language fm_language_object;

#endif
