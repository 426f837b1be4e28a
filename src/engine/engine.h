/** @file
 * Distribution of work: the processes of the measured program are divided among the processes of
 * the analysis (the team), and those of each among its workers, which are threads. Each worker owns
 * a contiguous range; a phase runs on all workers and ends when all are done. Processes of the
 * measured program talk to one another only by records that are posted in one phase and found in
 * the inbox in the next, and by mail (engine/mail.h); what all must know is shared by the team
 * (engine/team.h). Tables of processes that another process of the analysis owns do not exist here.
 */
#ifndef FERMATA_ENGINE_ENGINE_H
#define FERMATA_ENGINE_ENGINE_H

#include "base/memory.h"
#include "engine/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_engine;

/** Work of one worker in a phase: for the processes first .. last - 1. */
typedef void fm_phase_t(void *context, unsigned worker, uint32_t first, uint32_t last);

/** Divides the processes so that the sums of their weights are about equal.
 * @param team     the processes of the analysis; NULL: only this one
 * @param workers  0: one for each processor that is there for this process; never more than
 *                 processes that it owns
 * @param weights  e.g. number of events, one for each process; all of the team have the same
 * @return to be freed with fm_engine_free() */
struct fm_engine *fm_engine_create(struct fm_team *team, unsigned workers, uint32_t process_count,
                                   const uint64_t *weights);

void fm_engine_free(struct fm_engine *engine);

struct fm_team *fm_engine_team(const struct fm_engine *engine);

/** @return the number of workers of this process of the analysis. */
unsigned fm_engine_workers(const struct fm_engine *engine);

/** The processes whose tables are here: *first .. *last - 1. */
void fm_engine_own(const struct fm_engine *engine, uint32_t *first, uint32_t *last);

/** @return whether a process is one of them. */
bool fm_engine_owns(const struct fm_engine *engine, uint32_t process);

/** Runs a phase on all workers of this process and waits for its end. */
void fm_engine_run(struct fm_engine *engine, fm_phase_t *phase, void *context);

/** Records of one size that processes send to one another. */
struct fm_exchange;

/** @param record_size  a multiple of 4
 * @return an exchange without records, to be freed with fm_exchange_free(). */
struct fm_exchange *fm_exchange_create(struct fm_engine *engine, size_t record_size);

void fm_exchange_free(struct fm_exchange *exchange);

/** @return room for a record to `process`, to be filled before this worker's next call. A worker
 * posts on behalf of its processes in ascending order, so that inboxes do not depend on how work is
 * distributed. Distinct workers may post at the same time. */
void *fm_exchange_post(struct fm_exchange *exchange, unsigned worker, uint32_t process);

/** Moves all posted records to the inboxes, replacing what was there. Call it between phases; all
 * of the team must do so. */
void fm_exchange_deliver(struct fm_exchange *exchange);

/** Empties the inboxes and gives their memory back. Call it between phases, as soon as the records
 * are not needed any more. */
void fm_exchange_clear(struct fm_exchange *exchange);

/** @return the records for `process`, which is owned here, ordered by sender and by the sender's
 * order of posting, and in `*count` their number. Valid until the next delivery. Thread-safe. */
const void *fm_exchange_inbox(const struct fm_exchange *exchange, uint32_t process, size_t *count);

#endif
