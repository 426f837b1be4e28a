#include "cli/commands/commands.h"
#include "cli/report/report_list.h"

static const char usage[] =
    "usage: fermata mean -o FILE DIR DIR...\n"
    "Writes the mean of the reports of equal runs as a report file, which `fermata report` shows.\n"
    "DIR is an experiment directory after `fermata analyze`, or a report file.\n\n"
    "Call paths are matched by the names of their regions, locations by rank and thread; what a\n"
    "report lacks counts as 0. Distributions, the critical path and locks are left out.\n\n"
    "  -o, --output FILE   the report to be written; must not exist\n"
    "  --help              this text\n";

int fm_command_mean(int argc, char **argv)
{
    const struct fm_combining_command command = {"mean", usage, fm_cube_mean};
    return fm_run_combining_command(&command, argc, argv);
}
