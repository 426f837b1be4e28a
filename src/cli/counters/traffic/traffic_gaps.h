/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the traffic of a run lacks.
 */
#ifndef FERMATA_CLI_COUNTERS_TRAFFIC_TRAFFIC_GAPS_H
#define FERMATA_CLI_COUNTERS_TRAFFIC_TRAFFIC_GAPS_H

#include "counters/traffic/job_traffic.h"

/** Writes a text for each gap to stderr: processes without a file, operations for which the
 * recorder had no room, and traffic with other worlds, which no link has. */
void fm_traffic_print_gaps(const struct fm_job_traffic *traffic, const char *directory);

/** Operations of all flows and collectives for which the recorder had no room. Messages that are
 * lost at both ends count twice. */
uint64_t fm_traffic_lost(const struct fm_job_traffic *traffic);

/** Operations with processes of other worlds. Messages count at both ends. */
uint64_t fm_traffic_elsewhere(const struct fm_job_traffic *traffic);

#endif
