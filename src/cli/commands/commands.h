/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The commands of the command line, one file each; commands.def lists them.
 * A command gets its own name as argv[0], prints its errors itself and returns the exit status.
 */
#ifndef FERMATA_CLI_COMMANDS_COMMANDS_H
#define FERMATA_CLI_COMMANDS_COMMANDS_H

#include "base/error.h"

#define FM_COMMAND(name, help) int fm_command_##name(int argc, char **argv);
#include "cli/commands/commands.def"
#undef FM_COMMAND

#endif
