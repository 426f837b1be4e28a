/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/report/report_list.h"
#include "report/comparison/comparison.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP    5
#define MAX_CONDITIONS 64

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

struct request {
    enum format format;
    struct fm_condition conditions[MAX_CONDITIONS];
    struct fm_diff_options options;
};

static fm_status_t add_condition(struct fm_option_reader *reader, struct request *request)
{
    if (request->options.condition_count == MAX_CONDITIONS) {
        return fm_options_refuse(reader, "--fail-if: at most %d conditions", MAX_CONDITIONS);
    }
    fm_status_t status = fm_condition_parse(&request->conditions[request->options.condition_count],
                                            reader->value, &reader->error);
    request->options.condition_count += status == FM_OK;
    return status;
}

static fm_status_t take_option(struct fm_option_reader *reader, int option, struct request *request)
{
    static const char *const formats[] = {"text", "json", "markdown", NULL};
    fm_status_t status = FM_OK;
    uint64_t top = 0;
    int format = FORMAT_TEXT;
    switch (option) {
    case FM_OPTION_diff_METRIC:
        request->options.pattern = reader->value;
        return FM_OK;
    case FM_OPTION_diff_TOP:
        status = fm_option_number(reader, 1, UINT_MAX, &top);
        request->options.top = (unsigned)top;
        return status;
    case FM_OPTION_diff_FORMAT:
        status = fm_option_choice(reader, formats, &format);
        request->format = (enum format)format;
        return status;
    default: /* FM_OPTION_diff_FAIL_IF */
        return add_condition(reader, request);
    }
}

static bool any_condition_met(const struct fm_comparison *comparison,
                              const struct fm_diff_options *options)
{
    for (size_t i = 0; i < options->condition_count; i++) {
        for (size_t c = 1; c < comparison->count; c++) {
            for (unsigned m = 0; m < fm_metric_end(); m++) {
                if (fm_condition_met(&options->conditions[i], comparison, c, (fm_metric_t)m))
                    return true;
            }
        }
    }
    return false;
}

static fm_status_t compare(const struct request *request, const struct fm_report_list *list,
                           const struct fm_terminal *terminal, struct fm_error *error)
{
    struct fm_comparison comparison;
    for (size_t i = 0; i < request->options.condition_count; i++) {
        fm_status_t known = fm_condition_check(&request->options.conditions[i], error);
        if (known != FM_OK)
            return known;
    }
    fm_status_t status = fm_comparison_make(&comparison, fm_report_list_cubes(list), list->names,
                                            list->count, error);
    if (status != FM_OK)
        return status;
    switch (request->format) {
    case FORMAT_TEXT:
        fm_diff_write_text(&comparison, &request->options, terminal);
        break;
    case FORMAT_JSON:
        fm_diff_write_json(&comparison, &request->options, stdout);
        break;
    case FORMAT_MARKDOWN:
        fm_diff_write_markdown(&comparison, &request->options, stdout);
        break;
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write the comparison: %m");
    else if (any_condition_met(&comparison, &request->options))
        status = fm_fail(error, FM_ERR_FAILED, "a condition of --fail-if is met");
    else if (request->options.condition_count > 0 && !fm_comparison_is_whole(&comparison))
        status = fm_fail(error, FM_ERR_FAILED,
                         "it is not known whether a condition of --fail-if is met: a run ended "
                         "inside of calls");
    fm_comparison_release(&comparison);
    return status;
}

int fm_command_diff(int argc, char **argv)
{
    struct request request = {.options = {.top = DEFAULT_TOP}};
    request.options.conditions = request.conditions;
    struct fm_option_reader reader;
    fm_options_begin(&reader, FM_COMMAND_diff, argc, argv);
    for (int option; (option = fm_options_next(&reader)) != FM_OPTIONS_END;) {
        if (option < 0) {
            return fm_options_stop(&reader, option);
        }
        if (take_option(&reader, option, &request) != FM_OK) {
            return fm_options_complain(&reader);
        }
    }
    if (!fm_options_operands(&reader, 2, INT_MAX, "two or more experiments")) {
        return fm_options_complain(&reader);
    }
    struct fm_report_list list;
    struct fm_error error;
    struct fm_terminal terminal = fm_terminal_detect(stdout);
    fm_status_t status = fm_report_list_load(&list, (const char *const *)reader.operands,
                                             (size_t)reader.operand_count, &error);
    if (status == FM_OK) {
        status = compare(&request, &list, &terminal, &error);
        fm_report_list_release(&list);
    }
    if (status != FM_OK) {
        char *message = fm_terminal_name(&terminal, error.message);
        fprintf(stderr, "fermata diff: %s\n", message);
        free(message);
    }
    return (int)status;
}
