/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Traffic between ranks in the report of a recording with counters only.
 */
#ifndef FERMATA_CLI_COUNTERS_TRAFFIC_TRAFFIC_REPORT_H
#define FERMATA_CLI_COUNTERS_TRAFFIC_TRAFFIC_REPORT_H

#include "counters/counter_job.h"
#include "cube/model/cube.h"

/** Sets the matrices of messages and of one-sided operations, which are those of a trace: the first
 * location of a process stands for it. Messages are as their senders have counted them. No action
 * if no process has a file of its traffic; a warning states what the recorder had no room for.
 * @param locations  first location of the process at each position of the job
 * @return FM_OK; FM_ERR_DATA: a file is damaged; FM_ERR_SYSTEM */
fm_status_t fm_traffic_add_to_report(struct fm_cube *cube, const struct fm_counter_job *job,
                                     const uint32_t *locations, struct fm_error *error);

#endif
