/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/process/launcher.h"
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/text/safe_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct command {
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
#define FM_COMMAND(name, help) {fm_command_##name, help},
#include "cli/commands/commands.def"
#undef FM_COMMAND
};

static void print_usage(FILE *stream)
{
    fputs("usage: fermata COMMAND [ARGUMENTS...]\n"
          "Finds where parallel programs wait, why, and what it costs.\n\n",
          stream);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        fprintf(stream, "  %-13s %s\n", fm_command_name((enum fm_command)i), commands[i].help);
    }
    fputs("\n`fermata COMMAND --help` or `fermata help COMMAND` explains a command.\n", stream);
}

/* @return whether this process is one of several that an MPI launcher has started, and another one
 * does the work: only some commands are for all of them */
static bool leaves_it_to_the_first(const char *command)
{
    static const char *const for_all[] = {"analyze", "record", "run", "cc", "cxx", "fc"};
    for (size_t i = 0; i < sizeof for_all / sizeof for_all[0]; ++i) {
        if (strcmp(command, for_all[i]) == 0) {
            return false;
        }
    }
    return fm_launch_read().rank != 0;
}

/* Runs the command that argv[0] names. */
static int run(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        if (strcmp(argv[0], fm_command_name((enum fm_command)i)) == 0) {
            return commands[i].run(argc, argv);
        }
    }
    fprintf(stderr, "fermata: there is no command '%s'; see fermata --help\n",
            fm_safe_text(argv[0]));
    return FM_ERR_USAGE;
}

int main(int argc, char **argv)
{
    if (leaves_it_to_the_first(argc < 2 ? "" : argv[1])) {
        return FM_OK;
    }
    if (argc < 2) {
        print_usage(stderr);
        return FM_ERR_USAGE;
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0) {
        return run(2, (char *[]){argv[2], "--help", NULL});
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return FM_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("fermata " FERMATA_VERSION);
        return FM_OK;
    }
    return run(argc - 1, argv + 1);
}
