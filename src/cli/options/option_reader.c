/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the arguments of a command by the table of options. */
#include "cli/options/options.h"

#include "base/quantity.h"
#include "cli/text/safe_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* getopt's values for options: positions in reader->options behind this one; letters are below. */
enum { FIRST_POSITION = 512 };

void fm_options_begin(struct fm_option_reader *reader, enum fm_command command, int argc,
                      char **argv)
{
    *reader = (struct fm_option_reader){.command = command, .argc = argc, .argv = argv};
    reader->count = fm_options_of(command, reader->options);
    char *letters = reader->letters;
    if (fm_usage_of(command)->options_first) {
        *letters++ = '+';
    }
    *letters++ = ':'; /* a missing value is distinguished from an unknown option */
    *letters++ = 'h';
    for (size_t i = 0; i < reader->count; i++) {
        const struct fm_option *option = &reader->options[i];
        bool may_stand_alone = option->argument == NULL || option->argument[0] == '[';
        int has_argument = !may_stand_alone     ? required_argument
                           : option->is_setting ? optional_argument
                                                : no_argument;
        reader->long_options[i] =
            (struct option){option->name, has_argument, NULL, FIRST_POSITION + (int)i};
        if (option->letter != 0) {
            *letters++ = option->letter;
            if (option->argument != NULL) {
                *letters++ = ':';
            }
        }
    }
    reader->long_options[reader->count] = (struct option){"help", no_argument, NULL, 'h'};
    optind = 0; /* start anew, should another command have used getopt before */
    opterr = 0;
}

/* @return the option that getopt() found; NULL: none of the table */
static const struct fm_option *find_option(const struct fm_option_reader *reader, int found)
{
    if (found >= FIRST_POSITION) {
        return &reader->options[found - FIRST_POSITION];
    }
    for (size_t i = 0; i < reader->count; i++) {
        if (reader->options[i].letter != 0 && reader->options[i].letter == found) {
            return &reader->options[i];
        }
    }
    return NULL;
}

/* Describes what getopt() has found wrong. */
static void refuse_word(struct fm_option_reader *reader, int found)
{
    const char letter[3] = {'-', (char)optopt, '\0'};
    const char *word = reader->argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    if (!is_long && optopt > 0 && optopt < 256) {
        word = letter;
    }
    if (found == ':') {
        fm_options_refuse(reader, "%.100s needs a value", word);
    } else if (is_long && optopt != 0) { /* a known one */
        fm_options_refuse(reader, "%.*s takes no value", (int)strcspn(word, "="), word);
    } else {
        fm_options_refuse(reader, "there is no option %.100s", word);
    }
}

int fm_options_next(struct fm_option_reader *reader)
{
    static char word[64];
    int found =
        getopt_long(reader->argc, reader->argv, reader->letters, reader->long_options, NULL);
    if (found == -1) {
        reader->operands = reader->argv + optind;
        reader->operand_count = reader->argc - optind;
        return FM_OPTIONS_END;
    }
    if (found == 'h') {
        return FM_OPTIONS_HELP;
    }
    const struct fm_option *option = find_option(reader, found);
    if (option == NULL) {
        refuse_word(reader, found);
        return FM_OPTIONS_REFUSED;
    }
    if (found == option->letter) {
        snprintf(word, sizeof word, "-%c", option->letter);
    } else {
        snprintf(word, sizeof word, "--%s", option->name);
    }
    reader->word = word;
    reader->value = optarg;
    return option->id;
}

fm_status_t fm_options_refuse(struct fm_option_reader *reader, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fm_fail(&reader->error, FM_ERR_USAGE, "%s; see fermata %s --help", reason,
                   fm_command_name(reader->command));
}

int fm_options_complain(struct fm_option_reader *reader)
{
    fprintf(stderr, "fermata %s: %s\n", fm_command_name(reader->command),
            fm_safe_text(reader->error.message));
    return FM_ERR_USAGE;
}

int fm_options_stop(struct fm_option_reader *reader, int option)
{
    if (option == FM_OPTIONS_HELP) {
        fm_options_print_help(reader->command);
        return FM_OK;
    }
    return fm_options_complain(reader);
}

bool fm_options_operands(struct fm_option_reader *reader, int least, int most, const char *wanted)
{
    if (reader->operand_count >= least && reader->operand_count <= most) {
        return true;
    }
    fm_options_refuse(reader, "give %s", wanted);
    return false;
}

fm_status_t fm_option_number(struct fm_option_reader *reader, uint64_t least, uint64_t most,
                             uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(reader->value, &end, 10);
    if (reader->value[0] < '0' || reader->value[0] > '9' || *end != '\0' || errno != 0 ||
        value < least || value > most) {
        return most == UINT64_MAX
                   ? fm_options_refuse(reader, "%s needs a number from %llu on, not '%.100s'",
                                       reader->word, (unsigned long long)least, reader->value)
                   : fm_options_refuse(reader, "%s needs a number from %llu to %llu, not '%.100s'",
                                       reader->word, (unsigned long long)least,
                                       (unsigned long long)most, reader->value);
    }
    *number = value;
    return FM_OK;
}

fm_status_t fm_option_size(struct fm_option_reader *reader, size_t *bytes)
{
    uint64_t size;
    if (!fm_size_read(reader->value, &size) || size == 0 || size > SIZE_MAX) {
        return fm_options_refuse(reader, "%s needs a size such as 512M, not '%.100s'", reader->word,
                                 reader->value);
    }
    *bytes = (size_t)size;
    return FM_OK;
}

fm_status_t fm_option_duration(struct fm_option_reader *reader, double *seconds)
{
    uint64_t nanoseconds;
    if (!fm_duration_read(reader->value, &nanoseconds)) {
        return fm_options_refuse(reader,
                                 "%s needs seconds, or a duration such as 500ms, not '%.100s'",
                                 reader->word, reader->value);
    }
    *seconds = (double)nanoseconds / 1e9;
    return FM_OK;
}

fm_status_t fm_option_choice(struct fm_option_reader *reader, const char *const *words, int *chosen)
{
    char all[128] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(reader->value, words[i]) == 0) {
            *chosen = i;
            return FM_OK;
        }
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return fm_options_refuse(reader, "%s needs one of %s, not '%.100s'", reader->word, all,
                             reader->value);
}
