/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * An interpreter of Lua 5.4 without access to anything but what it is given, with limited memory
 * and a limited number of steps in each call, and without anything whose result may differ from one
 * execution to the next.
 *
 * What is left out, because it reaches files and the process: io, os, debug, package, require,
 * load, dofile, print, collectgarbage. Because it escapes the limits: pcall, xpcall, coroutine,
 * setmetatable, string.rep, patterns of string, table.move. Because its result differs: random
 * numbers, next, the order of pairs (which is that of the keys here), addresses in tostring and
 * string.format, table.sort.
 */
#ifndef FERMATA_PATTERNS_LUA_SANDBOX_H
#define FERMATA_PATTERNS_LUA_SANDBOX_H

#include "base/error.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that an interpreter may use. */
#define FM_SANDBOX_MEMORY ((size_t)32 << 20)

/** Steps of the interpreter in one call of a function of the script. */
#define FM_SANDBOX_STEPS 10000000

struct fm_sandbox {
    lua_State *state;  /**< NULL: none */
    const char *path;  /**< of the script, for messages */
    size_t memory;     /**< bytes in use */
    int64_t steps;     /**< that are left in this call */
    uint64_t deadline; /**< processor time of the thread at which the call is stopped, ns */
    unsigned ticks;    /**< of the hook */
    int refused_line;  /**< where memory was last refused; 0: unknown */
    void *context;     /**< of the owner */
};

/** Opens an interpreter.
 * @param path     of the script, for messages; must outlive the sandbox
 * @param sandbox  out: must not be moved; to be closed with fm_sandbox_close()
 * @return false: no memory */
bool fm_sandbox_open(struct fm_sandbox *sandbox, const char *path);
void fm_sandbox_close(struct fm_sandbox *sandbox);

/** @return the sandbox of a state. */
struct fm_sandbox *fm_sandbox_of(lua_State *state);

/** Compiles a script: pushes its function.
 * @return FM_ERR_DATA with file and line */
fm_status_t fm_sandbox_compile(struct fm_sandbox *sandbox, const char *text, size_t size,
                               struct fm_error *error);

/** Calls a function with its arguments as lua_pcall().
 * @return FM_ERR_DATA with file and line */
fm_status_t fm_sandbox_call(struct fm_sandbox *sandbox, int arguments, int results,
                            struct fm_error *error);

/** Counts steps for work that is not done by the interpreter. Raises an error of Lua if none are
 * left. */
void fm_sandbox_charge(lua_State *state, uint64_t steps);

/** Sets the global functions and tables that scripts may use. */
void fm_sandbox_open_library(lua_State *state);

#endif
