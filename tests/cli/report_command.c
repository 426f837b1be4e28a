/* `fermata report` as a program of its own. */
#include "cli/commands/commands.h"

int main(int argc, char **argv)
{
    return fm_command_report(argc, argv);
}
