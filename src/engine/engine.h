/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Distribution of work: the processes of the measured program are divided among the processes of
 * the analysis (the team), and those of each team process among its workers, which are threads.
 * Each worker owns a contiguous range of processes. A stage runs on all workers and ends when the
 * last one has finished.
 *
 * The tables of a process exist only in the team process that owns it. Three mechanisms cross
 * workers and team processes:
 *  - dispatch (engine/dispatch/dispatch.h): typed records, each handled once by the worker that
 *    owns its destination, during the stage; inboxes (engine/dispatch/inboxes.h) keep the records
 *    of one dispatch for the next stage;
 *  - mailboxes (engine/mailbox/mailbox.h): messages that drive a stage until quiescence;
 *  - collectives (engine/team/team.h): data that all team processes share.
 */
#ifndef FERMATA_ENGINE_ENGINE_H
#define FERMATA_ENGINE_ENGINE_H

#include "base/memory.h"
#include "engine/stage_times.h"
#include "engine/team/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_engine;

/** Work of one worker in a stage: for the processes first .. last - 1. */
typedef void fm_stage_t(void *context, unsigned worker, uint32_t first, uint32_t last);

/** Divides the processes so that the sums of their weights are about equal. Collective over the
 * team.
 * @param team     the processes of the analysis; NULL: this process alone
 * @param workers  0: one for each processor available to this process; at most one for each
 *                 process that it owns
 * @param weights  e.g. number of events, one for each process; equal on all processes of the team
 * @return to be freed with fm_engine_free() */
struct fm_engine *fm_engine_create(struct fm_team *team, unsigned workers, uint32_t process_count,
                                   const uint64_t *weights);

void fm_engine_free(struct fm_engine *engine);

/** Measures the stages that run from now on. @param times  NULL: nothing */
void fm_engine_time(struct fm_engine *engine, struct fm_stage_times *times);

struct fm_team *fm_engine_team(const struct fm_engine *engine);

/** @return the number of workers of this process of the analysis. */
unsigned fm_engine_workers(const struct fm_engine *engine);

/** The processes whose tables this process of the analysis owns: *first .. *last - 1. */
void fm_engine_own(const struct fm_engine *engine, uint32_t *first, uint32_t *last);

/** @return whether this process of the analysis owns the tables of `process`. */
bool fm_engine_owns(const struct fm_engine *engine, uint32_t process);

/** Runs a stage on all workers of this process and waits for its end. */
void fm_engine_run(struct fm_engine *engine, fm_stage_t *stage, void *context);

#endif
