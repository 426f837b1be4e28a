/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The report of a recording with counters only: a severity cube of its calls by call path, and of
 * its counters.
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_REPORT_H
#define FERMATA_CLI_COUNTERS_COUNTER_REPORT_H

#include "base/error.h"
#include "cube/model/cube.h"

/** Makes the report of an experiment with counters only, a profile (fm_cube.is_profile): for each
 * thread the time, visits and bytes of its calls by call path, and what the kernel has counted in
 * long stretches of computation before them. Time outside of calls belongs to the program as a
 * whole. Counters of the process that are sums are metrics `counter:NAME` of the first thread of
 * the process at the root of the call tree, unless calls or stretches have them already.
 *
 * The matrices of messages and one-sided operations are there if the recording has the traffic of
 * its processes.
 *
 * Processes without a regular end have their counters and no calls; a warning states their number.
 * @param cube  out: sealed, to be freed with fm_cube_free(); set only on success
 * @return FM_OK; FM_ERR_DATA: there are no counters, or they are damaged; FM_ERR_SYSTEM */
fm_status_t fm_counters_make_report(const char *directory, struct fm_cube **cube,
                                    struct fm_error *error);

#endif
