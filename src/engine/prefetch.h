/** @file
 * Records that are handled a little after they came, while what they need is on its way from
 * memory. Private to src/engine, but for the type of the prefetcher.
 */
#ifndef FERMATA_ENGINE_PREFETCH_H
#define FERMATA_ENGINE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define FM_PREFETCH_MOST_STAGES 4

/** Fetches into the processor's cache what the handling of a record will need. What one stage has
 * fetched, the next one may read without waiting for it.
 * @param stage  0 .. number of stages - 1 */
typedef void fm_prefetcher_t(void *context, unsigned worker, uint32_t process, const void *record,
                             unsigned stage);

/** Handles a record of a queue. */
typedef void fm_prefetched_handler_t(void *owner, unsigned worker, uint32_t process,
                                     const void *record);

/** One queue for each worker. Each worker uses its own only. */
struct fm_prefetch_queues;

/** @param record_size  a multiple of 8
 * @param stages       1 .. FM_PREFETCH_MOST_STAGES
 * @param owner        handed to the handler
 * @return to be freed with fm_prefetch_free() */
struct fm_prefetch_queues *fm_prefetch_create(unsigned workers, size_t record_size,
                                              fm_prefetcher_t *prefetcher, unsigned stages,
                                              void *context, fm_prefetched_handler_t *handler,
                                              void *owner);

void fm_prefetch_free(struct fm_prefetch_queues *queues);

/** @return room for a record behind the last one of a worker: fill it, then call
 * fm_prefetch_go_on()
 */
void *fm_prefetch_push(struct fm_prefetch_queues *queues, unsigned worker, uint32_t process);

/** Fetches for the records that stand at the stages, and handles the one that is through. */
void fm_prefetch_go_on(struct fm_prefetch_queues *queues, unsigned worker);

/** Handles all of a worker's records. */
void fm_prefetch_finish(struct fm_prefetch_queues *queues, unsigned worker);

#endif
