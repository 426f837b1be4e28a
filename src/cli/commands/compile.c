/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata cc, cxx, fc: compile so that functions report their begin and end. fermata link: link so
 * that calls of libraries that become part of the program can be recorded. */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/recording/child_output.h"
#include "cli/recording/link_words.h"

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

static void print_words(const struct fm_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        printf("%s%s", i > 0 ? " " : "", words->items[i]);
    }
    putchar('\n');
}

/* Adds what makes the compiler instrument functions. `compiler`: its place in the command */
static fm_status_t instrument(struct fm_words *words, char *const *compiler, struct fm_error *error)
{
    const char *const *added =
        has(compiler, "-fno-instrument-functions") ? nothing : options_of(compiler[0]);
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && added[i] != NULL; i++) {
        status = fm_words_add(words, added[i], error);
    }
    return status;
}

/* Starts the command, or prints it. Returns only then, or on failure. */
static fm_status_t start(const struct fm_words *words, bool show, struct fm_error *error)
{
    if (show) {
        print_words(words);
        return FM_OK;
    }
    execvp(words->items[0], (char *const *)(uintptr_t)words->items);
    return fm_fail(error, FM_ERR_SYSTEM, "cannot start %s: %s", words->items[0], strerror(errno));
}

/* Arguments before the compiler: they are read word by word, since -O2 there is not -O and -2. */
static int compile(enum fm_command name, int argc, char **argv)
{
    bool show = argc > 1 && strcmp(argv[1], "--show") == 0, links = name == FM_COMMAND_link;
    char **command = argv + 1 + show;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fm_options_print_help(name);
        return FM_OK;
    }
    struct fm_option_reader reader = {.command = name};
    if (command[0] != NULL && strcmp(command[0], "--") == 0) {
        command++;
    }
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
    struct fm_error error;
    struct fm_words words = {0};
    fm_status_t status = FM_OK;
    for (char **word = command; status == FM_OK && *word != NULL; word++) {
        status = fm_words_add(&words, *word, &error);
    }
    if (status == FM_OK && !links) {
        status = instrument(&words, compiler, &error);
    }
    if (status == FM_OK && (links || fm_link_is_needed(compiler + 1))) {
        status = fm_link_add_words(&words, compiler + 1, &error);
    }
    if (status == FM_OK) {
        status = start(&words, show, &error);
    }
    if (status != FM_OK) {
        fprintf(stderr, "fermata %s: %s\n", argv[0], error.message);
    }
    fm_words_free(&words);
    return status;
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

int fm_command_link(int argc, char **argv)
{
    return compile(FM_COMMAND_link, argc, argv);
}
