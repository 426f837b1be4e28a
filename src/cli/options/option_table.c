/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of options, and the help made of it. */
#include "cli/options/options.h"
#include "record/settings/settings.h"

#include <stdio.h>
#include <string.h>

/* Users write - where identifiers have _: replaced at the first use. */
static char command_names[][16] = {
#define FM_COMMAND(name, help) #name,
#include "cli/commands/commands.def"
#undef FM_COMMAND
};

enum { ANYWHERE = false, FIRST = true };

static const struct fm_usage usages[] = {
#define FM_USAGE(command, order, synopsis, description)                                            \
    [FM_COMMAND_##command] = {order, synopsis, description},
#define FM_OPTION(command, identifier, letter, name, argument, help)
#define FM_SETTINGS(command)
#include "cli/options/options.def"
#undef FM_USAGE
#undef FM_OPTION
#undef FM_SETTINGS
};

static const bool takes_settings[FM_COMMAND_COUNT] = {
#define FM_USAGE(command, order, synopsis, description)
#define FM_OPTION(command, identifier, letter, name, argument, help)
#define FM_SETTINGS(command) [FM_COMMAND_##command] = true,
#include "cli/options/options.def"
#undef FM_USAGE
#undef FM_OPTION
#undef FM_SETTINGS
};

static const struct {
    enum fm_command command;
    struct fm_option option;
} rows[] = {
#define FM_USAGE(command, order, synopsis, description)
#define FM_OPTION(command, identifier, a_letter, a_name, an_argument, a_help)                      \
    {FM_COMMAND_##command,                                                                         \
     {.id = FM_OPTION_##command##_##identifier,                                                    \
      .letter = a_letter,                                                                          \
      .name = a_name,                                                                              \
      .argument = an_argument,                                                                     \
      .help = a_help}},
#define FM_SETTINGS(command)
#include "cli/options/options.def"
#undef FM_USAGE
#undef FM_OPTION
#undef FM_SETTINGS
};

const char *fm_command_name(enum fm_command command)
{
    for (char *c = command_names[command]; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return command_names[command];
}

const struct fm_usage *fm_usage_of(enum fm_command command)
{
    return &usages[command];
}

size_t fm_options_of(enum fm_command command, struct fm_option options[FM_MOST_OPTIONS])
{
    size_t count = 0;
    for (int id = 0; takes_settings[command] && id < FM_SETTING_COUNT; id++) {
        const struct fm_setting *setting = &fm_settings_known[id];
        options[count++] = (struct fm_option){.id = FM_OPTION_SETTING + id,
                                              .letter = setting->letter,
                                              .name = setting->name,
                                              .argument = setting->argument,
                                              .is_setting = true,
                                              .help = setting->help,
                                              .variable = setting->variable,
                                              .otherwise = setting->otherwise};
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].command == command) {
            options[count++] = rows[i].option;
        }
    }
    return count;
}

enum { COLUMNS = 79, HELP_COLUMN = 22 };

/* Prints words, a line break counting as a space, from `column` on; further lines begin at
 * `indent`. @return the column behind */
static int print_wrapped(const char *text, int column, int indent)
{
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > COLUMNS) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " \n");
    }
    return column;
}

static void print_option(const struct fm_option *option)
{
    char letter[8] = "    ", name[80];
    if (option->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    int length = snprintf(name, sizeof name, "  %s--%s%s%s", letter, option->name,
                          option->argument != NULL ? (option->argument[0] == '[' ? "" : " ")
                          : option->is_setting     ? "[=no]"
                                                   : "",
                          option->argument != NULL ? option->argument : "");
    fputs(name, stdout);
    if (length >= HELP_COLUMN) {
        putchar('\n');
        length = 0;
    }
    printf("%*s", HELP_COLUMN - length, "");
    int column = print_wrapped(option->help, HELP_COLUMN, HELP_COLUMN);
    if (option->variable != NULL) {
        char text[160];
        snprintf(text, sizeof text, "[%s; default: %s]", option->variable, option->otherwise);
        print_wrapped(text, column, HELP_COLUMN);
    }
    putchar('\n');
}

void fm_options_print_help(enum fm_command command)
{
    const struct fm_usage *usage = fm_usage_of(command);
    const char *opening = "usage:";
    for (const char *form = usage->synopsis; *form != '\0';) {
        int length = (int)strcspn(form, "\n");
        printf("%-6s fermata %s %.*s\n", opening, fm_command_name(command), length, form);
        form += length;
        form += *form == '\n';
        opening = "";
    }
    print_wrapped(usage->description, 0, 0);
    fputs("\n\n", stdout);
    struct fm_option options[FM_MOST_OPTIONS];
    size_t count = fm_options_of(command, options);
    for (size_t i = 0; i < count; i++) {
        print_option(&options[i]);
    }
    print_option(&(struct fm_option){.letter = 'h', .name = "help", .help = "this text"});
    if (takes_settings[command]) {
        puts("\nAn option outdoes its variable, and a variable the configuration file.");
    }
}
