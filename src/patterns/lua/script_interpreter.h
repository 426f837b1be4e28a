/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interpreter of a script: sandbox, functions of scripts, and the table that the script
 * returns.
 */
#ifndef FERMATA_PATTERNS_LUA_SCRIPT_INTERPRETER_H
#define FERMATA_PATTERNS_LUA_SCRIPT_INTERPRETER_H

#include "patterns/execution.h"
#include "patterns/lua/sandbox.h"

struct fm_interpreter {
    struct fm_execution
        base; /**< first. Without index: the script is only asked for its declaration
               */
    struct fm_sandbox sandbox;
    bool *asked;                   /**< [parameter given]: the script has asked for it */
    int functions[FM_EVENT_KINDS]; /**< references in the registry; LUA_NOREF: none */
    int finish, combine;
    int *instances;
    bool reports; /**< whether report() may be called now */
};

/** Opens the interpreter and executes the script: pushes the table that it returns. */
fm_status_t fm_interpreter_open(struct fm_interpreter *execution, struct fm_error *error);
void fm_interpreter_close(struct fm_interpreter *execution);

/** Sets the functions `report`, `parameter` and `seconds`. */
void fm_interpreter_set_functions(struct fm_interpreter *execution);

/** Makes the type of events known to a state. */
void fm_event_object_register(lua_State *state);

/** Pushes an event. */
void fm_event_object_push(lua_State *state, const struct fm_event *event);

/** @return the event that is argument `position`; raises an error of Lua if it is none. */
const struct fm_event *fm_event_object_check(lua_State *state, int position);

#endif
