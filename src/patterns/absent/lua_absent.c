/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands for the interpreter where fermata is built without Lua. No script is loaded, so that
 * none is executed. */
#include "patterns/language.h"

static fm_status_t refuse(struct fm_script *script, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_USAGE,
                   "--pattern: %s: this fermata is built without Lua 5.4, which scripts need",
                   script->path);
}

const struct fm_language fm_language_lua = {.declare = refuse};
