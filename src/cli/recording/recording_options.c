/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/recording/recording_options.h"

#include "cli/options/options.h"
#include "cli/text/safe_text.h"
#include "counters/catalogue.h"

#include <stdio.h>
#include <string.h>

static fm_status_t set(struct fm_settings *settings, int id, const struct fm_option_reader *reader,
                       struct fm_error *error)
{
    char origin[64];
    snprintf(origin, sizeof origin, "--%s", fm_settings_known[id].name);
    return fm_settings_set(settings, (enum fm_setting_id)id,
                           reader->value != NULL ? reader->value : "yes", FM_SET_BY_COMMAND_LINE,
                           origin, error);
}

/* Adds an option of the analysis. */
static void pass_on(struct fm_recording_options *options, const char *word, const char *value)
{
    fm_vector_push(&options->analysis, word);
    fm_vector_push(&options->analysis, value);
}

/* Whether the command begins with names of counters: a blank stands for the = of --counters=LIST.
 * "yes" and "all" may be programs. */
static bool is_list_of_counters(const struct fm_option_reader *reader)
{
    const char *word = reader->operands[0];
    bool is_all = fm_counter_list_is_all(word) || fm_counter_list_is_none(word);
    return fm_counter_list_unknown(word) == NULL &&
           (!is_all || (reader->operand_count > 1 && strcmp(reader->operands[1], "--") == 0));
}

fm_status_t fm_recording_options_read(enum fm_command command, int argc, char **argv,
                                      struct fm_recording_options *options, struct fm_error *error)
{
    struct fm_option_reader reader;
    const char *file = NULL;
    fm_status_t status = FM_OK;
    bool has_bare_counters = false;
    memset(options, 0, sizeof *options);
    fm_options_begin(&reader, command, argc, argv);
    for (int option; status == FM_OK && (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        switch (option) {
        case FM_OPTION_record_CONFIG:
        case FM_OPTION_run_CONFIG:
            file = reader.value;
            break;
        case FM_OPTION_record_DRY_RUN:
        case FM_OPTION_run_DRY_RUN:
            options->dry_run = true;
            break;
        case FM_OPTION_run_PATTERN:
            fm_vector_push(&options->patterns, reader.value);
            pass_on(options, "--pattern", reader.value);
            break;
        case FM_OPTION_run_ONLY:
            status = fm_pattern_selection_add(&options->selection, true, reader.value, error);
            pass_on(options, "--only", reader.value);
            break;
        case FM_OPTION_run_WITHOUT:
            status = fm_pattern_selection_add(&options->selection, false, reader.value, error);
            pass_on(options, "--without", reader.value);
            break;
        case FM_OPTION_run_CALLSITES:
            fm_vector_push(&options->analysis, "--callsites");
            break;
        case FM_OPTIONS_HELP:
            options->help = true;
            return FM_OK;
        case FM_OPTIONS_REFUSED:
            *error = reader.error;
            return FM_ERR_USAGE;
        default:
            has_bare_counters |=
                option == FM_OPTION_SETTING + FM_SETTING_COUNTERS && reader.value == NULL;
            status = set(&options->settings, option - FM_OPTION_SETTING, &reader, error);
        }
    }
    if (status != FM_OK) {
        return status;
    }
    options->command = reader.operands;
    if (reader.operand_count == 0) {
        status = fm_options_refuse(&reader, "give the command to be recorded");
        *error = reader.error;
        return status;
    }
    if (has_bare_counters && is_list_of_counters(&reader)) {
        char safe[128];
        fm_safe_copy(safe, sizeof safe, reader.operands[0]);
        return fm_fail(error, FM_ERR_USAGE,
                       "%s is taken for the command, not for counters: write --counters=%s", safe,
                       safe);
    }
    status = fm_settings_load(&options->settings, file, error);
    return status == FM_OK ? fm_settings_agree(&options->settings, error) : status;
}
