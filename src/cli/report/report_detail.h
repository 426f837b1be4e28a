/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The single events behind a report that is there already.
 */
#ifndef FERMATA_CLI_REPORT_REPORT_DETAIL_H
#define FERMATA_CLI_REPORT_REPORT_DETAIL_H

#include "analysis/detail.h"

/** Analyses the trace with the options by which the report was made, which the report contains.
 * @param archive  its path
 * @return the run's single events, to be freed with fm_detail_free(); NULL: this is not the
 * report's trace, or it cannot be read */
struct fm_detail *fm_report_detail(const char *archive, const struct fm_cube *report);

/** @return the path of the archive beside a report, to be freed; NULL: there is none.
 * @param place  experiment directory, or a report file */
char *fm_report_archive(const char *place);

#endif
