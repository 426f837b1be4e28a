/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The command line: one table of the options of all commands (options.def), one reader of
 * arguments, one way to refuse them. A command reads its options like this:
 *
 *     struct fm_option_reader reader;
 *     fm_options_begin(&reader, FM_COMMAND_check, argc, argv);
 *     for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
 *         switch (option) {
 *         case FM_OPTION_check_MAX: ... fm_option_number(&reader, 0, UINT64_MAX, &max) ...
 *         default: return fm_options_stop(&reader, option); // help, or a word that makes no sense
 *         }
 *     }
 *     if (!fm_options_operands(&reader, 1, 1, "one archive")) ...
 *
 * The first thing that is wrong is kept in reader.error. Not thread-safe, as getopt is not.
 */
#ifndef FERMATA_CLI_OPTIONS_OPTIONS_H
#define FERMATA_CLI_OPTIONS_OPTIONS_H

#include "base/error.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The commands, in the order of `fermata --help`. */
enum fm_command {
#define FM_COMMAND(name, help) FM_COMMAND_##name,
#include "cli/commands/commands.def"
#undef FM_COMMAND
    FM_COMMAND_COUNT
};

/** Every option of every command; and from FM_OPTION_SETTING on, the settings of a recording
 * (FM_OPTION_SETTING + fm_setting_id). */
enum fm_option_id {
#define FM_USAGE(command, order, synopsis, description)
#define FM_OPTION(command, identifier, letter, name, argument, help)                               \
    FM_OPTION_##command##_##identifier,
#define FM_SETTINGS(command)
#include "cli/options/options.def"
#undef FM_USAGE
#undef FM_OPTION
#undef FM_SETTINGS
    FM_OPTION_SETTING = 256
};

/** What fm_options_next() returns instead of an option. */
enum { FM_OPTIONS_END = -1, FM_OPTIONS_HELP = -2, FM_OPTIONS_REFUSED = -3 };

struct fm_option {
    int id; /**< fm_option_id */
    char letter;
    const char *name;                        /**< without "--" */
    const char *argument;                    /**< what its value is called; NULL: it has none; in
                                                  brackets: of a setting, it may be left out */
    bool is_setting;                         /**< one without argument takes "=no" */
    const char *help, *variable, *otherwise; /**< the last two: of a setting, else NULL */
};

enum { FM_MOST_OPTIONS = 48 };

/** Most threads that -j takes. */
enum { FM_MOST_JOBS = 4096 };

struct fm_option_reader {
    enum fm_command command;
    int argc;
    char **argv;
    struct fm_option options[FM_MOST_OPTIONS];
    size_t count;
    const char *word;  /**< the option read last, as it was written: "--max", "-n" */
    const char *value; /**< its value; NULL: none */
    char **operands;   /**< behind the options, ended by NULL; set by FM_OPTIONS_END */
    int operand_count;
    struct fm_error error; /**< what was refused */
    struct option long_options[FM_MOST_OPTIONS + 2];
    char letters[2 * FM_MOST_OPTIONS + 4];
};

/** Begins to read the arguments of a command, argv[0] being its name. */
void fm_options_begin(struct fm_option_reader *reader, enum fm_command command, int argc,
                      char **argv);

/** Reads the next option.
 * @return fm_option_id; FM_OPTIONS_END: there is none; FM_OPTIONS_HELP: the help is wanted;
 * FM_OPTIONS_REFUSED: reader->error says what is wrong */
int fm_options_next(struct fm_option_reader *reader);

/** Ends a command whose options do not lead on: prints the help or what was refused.
 * @param option  what fm_options_next() returned
 * @return the command's exit status */
int fm_options_stop(struct fm_option_reader *reader, int option);

/** Checks the number of operands, after FM_OPTIONS_END.
 * @param wanted  "one archive", for the message
 * @return false: refused */
bool fm_options_operands(struct fm_option_reader *reader, int least, int most, const char *wanted);

/** Refuses the arguments: "REASON; see fermata COMMAND --help".
 * @return FM_ERR_USAGE */
fm_status_t fm_options_refuse(struct fm_option_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints what was refused: "fermata COMMAND: MESSAGE".
 * @return exit status */
int fm_options_complain(struct fm_option_reader *reader);

/** Value of the option read last: a decimal number.
 * @return FM_OK, or FM_ERR_USAGE: refused */
fm_status_t fm_option_number(struct fm_option_reader *reader, uint64_t least, uint64_t most,
                             uint64_t *number);

/** The same: a size (base/quantity.h), such as 4096, 512K, 64MB; 0 is refused. */
fm_status_t fm_option_size(struct fm_option_reader *reader, size_t *bytes);

/** The same: a duration (base/quantity.h), such as 2, 0.5s, 500ms. */
fm_status_t fm_option_duration(struct fm_option_reader *reader, double *seconds);

/** The same: one of a few words.
 * @param words   ended by NULL
 * @param chosen  out: position of the word */
fm_status_t fm_option_choice(struct fm_option_reader *reader, const char *const *words,
                             int *chosen);

/** Prints the help of a command: synopsis, description and options. */
void fm_options_print_help(enum fm_command command);

/** Fills the rows of a command.
 * @return their number */
size_t fm_options_of(enum fm_command command, struct fm_option options[FM_MOST_OPTIONS]);

/** How a command is called. */
struct fm_usage {
    bool options_first; /**< what follows the first operand is another program's */
    const char *synopsis, *description;
};

/** @return the row of a command. */
const struct fm_usage *fm_usage_of(enum fm_command command);

/** @return the name of a command. */
const char *fm_command_name(enum fm_command command);

#endif
