/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Who waits for whom at the end of a run that ended inside of calls: the wait-for graph, and
 * whether its calls could have returned.
 *
 * A call that counts becomes free when what it waits for can still happen: all of its parts, or any
 * of them, and of each part all or any of the targets. Locations that are in no such call and have
 * not ended are free, and so is a process if any of its threads is that may call the library. What
 * is left when nothing changes is stuck: a deadlock if it contains a cycle, else it waits for what
 * no process does any more. docs/wait-states.md has the rules.
 */
#ifndef FERMATA_ANALYSIS_HANG_HANG_H
#define FERMATA_ANALYSIS_HANG_HANG_H

#include "analysis/model/run.h"
#include "cube/model/cube_hang.h"

/** Builds the graph. Needs the records of messages, collective and one-sided operations, and the
 * evidence about progress. Collective.
 * @return of process 0 of the analysis the result, to be freed with fm_hang_free(); else, and if no
 * location ended inside of a call, NULL */
struct fm_cube_hang *fm_hang_find(const struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_hang_free(struct fm_cube_hang *hang);

#endif
