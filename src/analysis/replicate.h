/** @file
 * What every process of the analysis must know of the whole trace, though it reads its own part
 * only.
 */
#ifndef FERMATA_ANALYSIS_REPLICATE_H
#define FERMATA_ANALYSIS_REPLICATE_H

#include "engine/engine.h"
#include "trace/tables/trace.h"

/** Verifies that all of the team have the same definitions before them and were asked for the same,
 * since all that follows relies on it. Collective.
 * @param options  a hash of the options of the analysis
 * @return FM_ERR_USAGE if they have not, for all of the team */
fm_status_t fm_replicate_check(struct fm_team *team, const struct fm_trace *trace, uint64_t options,
                               struct fm_error *error);

/** Makes known everywhere, after loading: the call forest of all locations, when each location
 * begins and ends and how many events it has, the program's name, and the sum of all defects.
 * Collective. */
void fm_replicate_trace(struct fm_engine *engine, struct fm_trace *trace);

#endif
