/** @file
 * Distribution of work: M workers over N processes of the measured program. Each worker owns a
 * contiguous range of processes; a phase runs on all workers and ends when all are done. Processes
 * talk to one another only by records that are posted in one phase and found in the inbox in the
 * next. Nothing else is shared, so that a worker may be a thread (as here) or live in another
 * operating-system process.
 */
#ifndef FERMATA_ENGINE_ENGINE_H
#define FERMATA_ENGINE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

struct fm_engine;

/** Work of one worker in a phase: for the processes first .. last - 1. */
typedef void fm_phase_t(void *context, unsigned worker, uint32_t first, uint32_t last);

/** Divides the processes so that the sums of their weights are about equal.
 * @param workers  0: one for each processor; never more than processes
 * @param weights  e.g. number of events, one for each process
 * @return to be freed with fm_engine_free() */
struct fm_engine *fm_engine_create(unsigned workers, uint32_t process_count,
                                   const uint64_t *weights);

void fm_engine_free(struct fm_engine *engine);

unsigned fm_engine_workers(const struct fm_engine *engine);

/** Runs a phase on all workers and waits for its end. */
void fm_engine_run(struct fm_engine *engine, fm_phase_t *phase, void *context);

/** Records of one size that processes send to one another. */
struct fm_exchange;

/** @return an exchange without records, to be freed with fm_exchange_free(). */
struct fm_exchange *fm_exchange_create(struct fm_engine *engine, size_t record_size);

void fm_exchange_free(struct fm_exchange *exchange);

/** @return room for a record to `process`, to be filled before this worker's next call. A worker
 * posts on behalf of its processes in ascending order, so that inboxes do not depend on the number
 * of workers. Distinct workers may post at the same time. */
void *fm_exchange_post(struct fm_exchange *exchange, unsigned worker, uint32_t process);

/** Moves all posted records to the inboxes, replacing what was there. Call it between phases. */
void fm_exchange_deliver(struct fm_exchange *exchange);

/** Empties the inboxes and gives their memory back. Call it between phases, as soon as the records
 * are not needed any more. */
void fm_exchange_clear(struct fm_exchange *exchange);

/** @return the records for `process`, ordered by sender and by the sender's order of posting, and
 * in `*count` their number. Valid until the next delivery. Thread-safe. */
const void *fm_exchange_inbox(const struct fm_exchange *exchange, uint32_t process, size_t *count);

#endif
