/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands/commands.h"
#include "cli/report/report_list.h"

int fm_command_merge(int argc, char **argv)
{
    return fm_run_combining_command(FM_COMMAND_merge, FM_OPTION_merge_OUTPUT, fm_cube_merge, argc,
                                    argv);
}
