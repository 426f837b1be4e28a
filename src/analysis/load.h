/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Loads the events of a trace on all workers and processes of the analysis.
 */
#ifndef FERMATA_ANALYSIS_LOAD_H
#define FERMATA_ANALYSIS_LOAD_H

#include "base/error.h"
#include "engine/engine.h"
#include "trace/tables/trace.h"

/** Loads all events, and shares with each process of the team the data of the other processes that
 * it needs. Collective.
 * @param times  measures the stages; NULL: not measured
 * @return FM_OK; FM_ERR_DATA: no events are readable, or their times are out of range */
fm_status_t fm_analysis_load(struct fm_trace *trace, struct fm_engine *engine,
                             struct fm_stage_times *times, struct fm_error *error);

#endif
