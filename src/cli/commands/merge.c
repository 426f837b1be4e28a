#include "cli/commands/commands.h"
#include "cli/report/report_list.h"

static const char usage[] =
    "usage: fermata merge -o FILE DIR DIR...\n"
    "Joins reports of one program that measured different things. DIR is an experiment directory\n"
    "after `fermata analyze`, or a report file.\n\n"
    "Each tree of properties comes from the first report that has values in it. Call paths are\n"
    "matched by the names of their regions, locations by rank and thread.\n\n"
    "  -o, --output FILE   the report to be written; must not exist\n"
    "  --help              this text\n";

int fm_command_merge(int argc, char **argv)
{
    const struct fm_combining_command command = {"merge", usage, fm_cube_merge};
    return fm_run_combining_command(&command, argc, argv);
}
