/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands/commands.h"
#include "cli/report/report_list.h"

int fm_command_mean(int argc, char **argv)
{
    return fm_run_combining_command(FM_COMMAND_mean, FM_OPTION_mean_OUTPUT, fm_cube_mean, argc,
                                    argv);
}
