/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Metrics that options of commands name.
 */
#ifndef FERMATA_CLI_REPORT_METRIC_OPTION_H
#define FERMATA_CLI_REPORT_METRIC_OPTION_H

#include "base/error.h"
#include "cube/model/metric.h"

#include <stdbool.h>

/** Finds the metric that the value of an option names (fm_metric_named()), once a report is read:
 * metrics of counters and of the user's patterns are known then.
 * @param directory  of the report; NULL: none was given
 * @return FM_OK, or FM_ERR_USAGE: there is none; the message states where all are listed, and for a
 *         counter the metrics of counters that there are */
fm_status_t fm_metric_option(const char *text, const char *option, const char *directory,
                             fm_metric_t *metric, struct fm_error *error);

/** Whether it depends on the report if the metric exists: "counter:NAME". */
bool fm_metric_option_needs_report(const char *text);

#endif
