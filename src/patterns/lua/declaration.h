/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads what a script declares.
 */
#ifndef FERMATA_PATTERNS_LUA_DECLARATION_H
#define FERMATA_PATTERNS_LUA_DECLARATION_H

#include "patterns/script.h"

/** Executes a script that was read and takes its declaration over.
 * @return FM_ERR_DATA: the script is wrong, with file and line; FM_ERR_USAGE: it does not have a
 * parameter that the user gives, or this program was built without Lua */
fm_status_t fm_lua_declare(struct fm_script *script, struct fm_error *error);

#endif
