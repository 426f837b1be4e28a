/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/report_request.h"

#include "cli/report/report_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

fm_status_t fm_report_request_number(const char *text, const char *option, uint32_t *number,
                                     const char **end, struct fm_error *error)
{
    char *rest;
    errno = 0;
    unsigned long value = strtoul(text, &rest, 10);
    if (rest == text || *text == '-' || *text == '+' || *text == ' ' || errno != 0 ||
        value >= FM_CUBE_NONE)
        return fm_fail(error, FM_ERR_USAGE, "%s: '%s' is no number", option, text);
    *number = (uint32_t)value;
    *end = rest;
    return FM_OK;
}

/** Checks that the options go together. */
static fm_status_t check_combination(const struct fm_report_request *request,
                                     struct fm_option_reader *reader)
{
    static const char *const parts[] = {
        [FM_REPORT_LOCKS] = "--locks",
        [FM_REPORT_EFFICIENCY] = "--efficiency",
        [FM_REPORT_PHASES] = "--phases",
        [FM_REPORT_MATRIX] = "--matrix",
    };
    bool derives = request->definition_count > 0 || request->parameter != NULL;
    if (derives && (request->part != FM_REPORT_OVERVIEW || request->why != NULL))
        return fm_options_refuse(reader, "--define and --by parameter:NAME go with none of --why, "
                                         "--locks, --efficiency, --phases, --matrix");
    if (request->part == FM_REPORT_OVERVIEW)
        return FM_OK;
    bool takes_metric =
        request->part == FM_REPORT_MATRIX && fm_cube_matrix_is_time(request->matrix);
    bool takes_root = request->part == FM_REPORT_EFFICIENCY;
    if ((request->metric != NULL && !takes_metric) || request->callpath != NULL ||
        request->location != NULL || (request->root != NULL && !takes_root))
        return fm_options_refuse(reader,
                                 "%s is about the whole run: it goes with none of --metric, "
                                 "--callpath, --location, --root",
                                 parts[request->part]);
    if (request->format == FM_FORMAT_CSV &&
        (request->part == FM_REPORT_LOCKS || request->part == FM_REPORT_EFFICIENCY))
        return fm_options_refuse(reader, "%s goes with text and json, not with csv",
                                 parts[request->part]);
    return FM_OK;
}

static fm_status_t take_ranking(struct fm_report_request *request, struct fm_option_reader *reader)
{
    static const char *const rankings[] = {"cause", "symptom", NULL};
    static const char parameter[] = "parameter:";
    size_t length = sizeof parameter - 1;
    if (strncmp(reader->value, parameter, length) == 0 && reader->value[length] != '\0') {
        request->parameter = reader->value + length;
        return FM_OK;
    }
    int chosen = 0;
    fm_status_t status = fm_option_choice(reader, rankings, &chosen);
    request->by_symptom = chosen == 1;
    return status;
}

/** Parses a definition. Metrics of the user's patterns are known once the report is read, which is
 * only done for a definition that makes no sense without. */
static fm_status_t parse_definition(const char *text, const char *directory,
                                    struct fm_expression **expression, struct fm_error *error)
{
    fm_status_t status = fm_expression_parse(text, expression, error);
    struct fm_error unreadable;
    struct fm_cube *cube = NULL;
    if (status != FM_OK && directory != NULL &&
        fm_load_report(directory, &cube, &unreadable) == FM_OK) {
        fm_cube_free(cube);
        status = fm_expression_parse(text, expression, error);
    }
    return status;
}

static fm_status_t take_definitions(struct fm_report_request *request,
                                    struct fm_option_reader *reader)
{
    const char *directory = reader->operand_count > 0 ? reader->operands[0] : NULL;
    for (unsigned i = 0; i < request->definition_text_count; i++) {
        struct fm_error error;
        struct fm_expression *expression = NULL;
        if (parse_definition(request->definition_texts[i], directory, &expression, &error) != FM_OK)
            return fm_options_refuse(reader, "--define: %s", error.message);
        request->definitions[request->definition_count++] = expression;
        for (unsigned k = 0; k < i; k++) {
            if (strcmp(request->definitions[k]->name, expression->name) == 0)
                return fm_options_refuse(reader, "--define: %s is defined twice", expression->name);
        }
    }
    return FM_OK;
}

fm_status_t fm_report_request_take(struct fm_report_request *request,
                                   struct fm_option_reader *reader, int option)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    static const char *const matrices[FM_MATRIX_COUNT + 1] = {"messages", "rma", "delay", "blame"};
    fm_status_t status = FM_OK;
    uint64_t top = 0;
    int chosen = 0;
    switch (option) {
    case FM_OPTION_report_METRIC:
        request->metric = reader->value;
        break;
    case FM_OPTION_report_CALLPATH:
        request->callpath = reader->value;
        break;
    case FM_OPTION_report_LOCATION:
        request->location = reader->value;
        break;
    case FM_OPTION_report_ROOT:
        request->root = reader->value;
        break;
    case FM_OPTION_report_EXPLAIN:
        request->explain = reader->value;
        break;
    case FM_OPTION_report_WHY:
        request->why = reader->value;
        break;
    case FM_OPTION_report_LOCKS:
        request->part = FM_REPORT_LOCKS;
        break;
    case FM_OPTION_report_EFFICIENCY:
        request->part = FM_REPORT_EFFICIENCY;
        break;
    case FM_OPTION_report_PHASES:
        request->part = FM_REPORT_PHASES;
        break;
    case FM_OPTION_report_MATRIX:
        request->part = FM_REPORT_MATRIX;
        status = fm_option_choice(reader, matrices, &chosen);
        request->matrix = (enum fm_cube_matrix_kind)chosen;
        break;
    case FM_OPTION_report_BY:
        status = take_ranking(request, reader);
        break;
    case FM_OPTION_report_DEFINE:
        if (request->definition_text_count == FM_REPORT_DEFINITIONS)
            return fm_options_refuse(reader, "--define: there are more than %u",
                                     FM_REPORT_DEFINITIONS);
        request->definition_texts[request->definition_text_count++] = reader->value;
        break;
    case FM_OPTION_report_TOP:
        status = fm_option_number(reader, 1, UINT32_MAX - 1, &top);
        request->top = (unsigned)top;
        break;
    case FM_OPTION_report_FORMAT:
        status = fm_option_choice(reader, formats, &chosen);
        request->format = (enum fm_report_format)chosen;
        break;
    default: /* FM_OPTION_report_INCLUSIVE, FM_OPTION_report_EXCLUSIVE */
        request->exclusive = option == FM_OPTION_report_EXCLUSIVE;
    }
    return status;
}

fm_status_t fm_report_request_complete(struct fm_report_request *request,
                                       struct fm_option_reader *reader)
{
    if (take_definitions(request, reader) != FM_OK)
        return FM_ERR_USAGE;
    if (request->explain != NULL) {
        request->directory = reader->operand_count > 0 ? reader->operands[0] : NULL;
        return reader->operand_count <= 1
                   ? FM_OK
                   : fm_options_refuse(reader, "--explain takes one directory at most: %s",
                                       reader->operands[1]);
    }
    if (!fm_options_operands(reader, 1, 1, "one experiment directory")) {
        return FM_ERR_USAGE;
    }
    request->directory = reader->operands[0];
    for (unsigned i = 0; i < request->definition_count && request->metric != NULL; i++) {
        if (strcmp(request->definitions[i]->name, request->metric) == 0) {
            request->derived = request->definitions[i];
            request->metric = NULL;
        }
    }
    return check_combination(request, reader);
}

void fm_report_request_release(struct fm_report_request *request)
{
    for (unsigned i = 0; i < request->definition_count; i++)
        fm_expression_free(request->definitions[i]);
    request->definition_count = 0;
}
