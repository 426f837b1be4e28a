#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};

static const struct command commands[] = {
#define FM_COMMAND(name, help) {#name, fm_command_##name, help},
#include "cli/commands.def"
#undef FM_COMMAND
};

static void print_usage(FILE *stream)
{
    fputs("usage: fermata COMMAND [ARGUMENTS...]\n"
          "Finds where parallel programs wait, why, and what it costs.\n\n",
          stream);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        fprintf(stream, "  %-9s %s\n", commands[i].name, commands[i].help);
    }
    fputs("\n`fermata COMMAND --help` explains a command.\n", stream);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return FM_ERR_USAGE;
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
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "fermata: there is no command '%s'; see fermata --help\n", argv[1]);
    return FM_ERR_USAGE;
}
