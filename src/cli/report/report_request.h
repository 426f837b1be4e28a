/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a call of `fermata report` asks for.
 */
#ifndef FERMATA_CLI_REPORT_REPORT_REQUEST_H
#define FERMATA_CLI_REPORT_REPORT_REQUEST_H

#include "base/error.h"
#include "cli/options/options.h"
#include "cube/derived/expression.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

enum fm_report_format { FM_FORMAT_TEXT, FM_FORMAT_JSON, FM_FORMAT_CSV };

/** Maximum number of --define options. */
#define FM_REPORT_DEFINITIONS 32U

/** The arguments as they were given; texts belong to the command line, NULL: not given. */
struct fm_report_request {
    const char *directory;
    const char *metric, *callpath, *location, *root, *explain, *why;
    enum fm_report_format format;
    enum fm_report_part part;
    enum fm_cube_matrix_kind matrix; /**< if part is FM_REPORT_MATRIX */
    bool exclusive;
    bool by_symptom;
    const char *parameter;                               /**< of --by parameter:NAME */
    const char *definition_texts[FM_REPORT_DEFINITIONS]; /**< of --define */
    unsigned definition_text_count;
    struct fm_expression *definitions[FM_REPORT_DEFINITIONS];
    unsigned definition_count;
    const struct fm_expression *derived; /**< the definition that --metric names; then `metric` is
                                              NULL */
    unsigned top;                        /**< 0: defaults */
};

/** Reads an option. @return FM_ERR_USAGE: reader->error says what is wrong with its value */
fm_status_t fm_report_request_take(struct fm_report_request *request,
                                   struct fm_option_reader *reader, int option);

/** Checks, behind the options, that they make sense together, and takes the directory.
 * @return FM_ERR_USAGE: reader->error says why they do not */
fm_status_t fm_report_request_complete(struct fm_report_request *request,
                                       struct fm_option_reader *reader);

/** Frees what the options have allocated. */
void fm_report_request_release(struct fm_report_request *request);

/** Reads the number that a text begins with.
 * @param option  for the message
 * @param end     out: what follows the number */
fm_status_t fm_report_request_number(const char *text, const char *option, uint32_t *number,
                                     const char **end, struct fm_error *error);

#endif
