/* fermata cc, cxx, fc: compile so that functions report their begin and end. */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/recording/child_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options are appended: the first words may be programs that start the compiler. */
static const char *const gnu[] = {
    "-finstrument-functions",
    "-finstrument-functions-exclude-file-list=/usr/include/,/usr/lib/,/include/c++/,/lib/gcc/",
    NULL};
static const char *const llvm[] = {"-finstrument-functions-after-inlining", NULL};
static const char *const others[] = {"-finstrument-functions", NULL};
static const char *const nothing[] = {NULL};

enum { ADDED_MOST = 2 };

/* ---- which compiler ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Whether the program starts the compiler named by its first argument. */
static bool starts_compilers(const char *program)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(base_name(program), names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* In a child: the compiler says what it is. */
static void tell_version(const char *compiler)
{
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execlp(compiler, compiler, "--version", (char *)NULL);
}

static const char *const *options_of(const char *compiler)
{
    char version[4096];
    (void)fm_child_output(tell_version, compiler, version, sizeof version);
    if (strstr(version, "Free Software Foundation") != NULL) {
        return gnu;
    }
    return strstr(version, "clang version") != NULL ? llvm : others;
}

/* ---- the command ---- */

static bool has(char *const *arguments, const char *wanted)
{
    while (*arguments != NULL && strcmp(*arguments, wanted) != 0) {
        arguments++;
    }
    return *arguments != NULL;
}

/* Arguments before the compiler: they are read word by word, since -O2 there is not -O and -2. */
static int compile(enum fm_command name, int argc, char **argv)
{
    bool show = argc > 1 && strcmp(argv[1], "--show") == 0;
    char **command = argv + 1 + show;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fm_options_print_help(name);
        return FM_OK;
    }
    struct fm_option_reader reader = {.command = name};
    if (command[0] == NULL) {
        fm_options_refuse(&reader, "give the compiler");
        return fm_options_complain(&reader);
    }
    if (command[0][0] == '-') {
        fm_options_refuse(&reader, "there is no option %s before the compiler", command[0]);
        return fm_options_complain(&reader);
    }
    char **compiler = command;
    while (starts_compilers(compiler[0]) && compiler[1] != NULL) {
        compiler++;
    }
    size_t count = (size_t)(argv + argc - command);
    const char **whole = calloc(count + ADDED_MOST + 1, sizeof *whole);
    if (whole == NULL) {
        fprintf(stderr, "fermata %s: out of memory\n", argv[0]);
        return FM_ERR_SYSTEM;
    }
    memcpy(whole, command, count * sizeof *whole);
    const char *const *added =
        has(command, "-fno-instrument-functions") ? nothing : options_of(compiler[0]);
    for (size_t i = 0; added[i] != NULL; i++) {
        whole[count++] = added[i];
    }
    if (show) {
        for (size_t i = 0; i < count; i++) {
            printf("%s%s", i > 0 ? " " : "", whole[i]);
        }
        putchar('\n');
        free(whole);
        return FM_OK;
    }
    execvp(whole[0], (char *const *)(uintptr_t)whole);
    fprintf(stderr, "fermata %s: cannot start %s: %s\n", argv[0], whole[0], strerror(errno));
    free(whole);
    return FM_ERR_SYSTEM;
}

int fm_command_cc(int argc, char **argv)
{
    return compile(FM_COMMAND_cc, argc, argv);
}

int fm_command_cxx(int argc, char **argv)
{
    return compile(FM_COMMAND_cxx, argc, argv);
}

int fm_command_fc(int argc, char **argv)
{
    return compile(FM_COMMAND_fc, argc, argv);
}
