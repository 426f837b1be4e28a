/** @file
 * What a call of `fermata report` asks for.
 */
#ifndef FERMATA_CLI_REPORT_REPORT_REQUEST_H
#define FERMATA_CLI_REPORT_REPORT_REQUEST_H

#include "base/error.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

enum fm_report_format { FM_FORMAT_TEXT, FM_FORMAT_JSON, FM_FORMAT_CSV };

/** The arguments as they were given; texts belong to the command line, NULL: not given. */
struct fm_report_request {
    const char *directory;
    const char *metric, *callpath, *location, *root, *explain, *why;
    enum fm_report_format format;
    enum fm_report_part part;
    enum fm_cube_matrix_kind matrix; /**< if part is FM_REPORT_MATRIX */
    bool exclusive;
    unsigned top; /**< 0: defaults */
};

extern const char fm_report_help[];

/** Reads the arguments.
 * @param help  out: the help is wanted, nothing else was checked
 * @return FM_ERR_USAGE if they make no sense */
fm_status_t fm_report_request_parse(int argc, char **argv, struct fm_report_request *request,
                                    bool *help, struct fm_error *error);

/** Reads the number that a text begins with.
 * @param option  for the message
 * @param end     out: what follows the number */
fm_status_t fm_report_request_number(const char *text, const char *option, uint32_t *number,
                                     const char **end, struct fm_error *error);

#endif
