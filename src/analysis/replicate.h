/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Data of the whole trace that every process of the analysis needs, although it reads only its own
 * part of the trace.
 */
#ifndef FERMATA_ANALYSIS_REPLICATE_H
#define FERMATA_ANALYSIS_REPLICATE_H

#include "engine/engine.h"
#include "trace/tables/trace.h"

/** Verifies that all processes of the team have the same definitions and options, which all later
 * steps require. Collective.
 * @param options  a hash of the options of the analysis
 * @return FM_ERR_USAGE on all processes of the team if definitions or options differ */
fm_status_t fm_replicate_check(struct fm_team *team, const struct fm_trace *trace, uint64_t options,
                               struct fm_error *error);

/** Shares with all processes, after loading: the call forest of all locations, the begin, end and
 * number of events of each location, the program's name, and the sum of all defects. Collective. */
void fm_replicate_trace(struct fm_engine *engine, struct fm_trace *trace);

#endif
