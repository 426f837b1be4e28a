#include "engine/prefetch.h"

#include "base/memory.h"
#include "engine/engine.h"

/* So many records lie between two stages, and between the last one and the handling. */
#define STAGE_DISTANCE 8u

#define LENGTH 64u

_Static_assert(LENGTH > FM_PREFETCH_MOST_STAGES * STAGE_DISTANCE, "records wait for all stages");

struct queue {
    uint64_t pushed, handled; /* so far */
    uint32_t processes[LENGTH];
    unsigned char *records;
    unsigned char apart[FM_APART];
};

struct fm_prefetch_queues {
    size_t record_size;
    fm_prefetcher_t *prefetcher;
    unsigned stages;
    void *context;
    fm_prefetched_handler_t *handler;
    void *owner;
    unsigned workers;
    struct queue *queues; /* by worker */
};

struct fm_prefetch_queues *fm_prefetch_create(unsigned workers, size_t record_size,
                                              fm_prefetcher_t *prefetcher, unsigned stages,
                                              void *context, fm_prefetched_handler_t *handler,
                                              void *owner)
{
    struct fm_prefetch_queues *queues = fm_allocate_apart(1, sizeof *queues);
    *queues = (struct fm_prefetch_queues){
        .record_size = record_size,
        .prefetcher = prefetcher,
        .stages = stages,
        .context = context,
        .handler = handler,
        .owner = owner,
        .workers = workers,
        .queues = fm_allocate_apart(workers, sizeof *queues->queues),
    };
    for (unsigned w = 0; w < workers; ++w) {
        queues->queues[w].records = fm_allocate_apart(LENGTH, record_size);
    }
    return queues;
}

void fm_prefetch_free(struct fm_prefetch_queues *queues)
{
    if (queues != NULL) {
        for (unsigned w = 0; w < queues->workers; ++w) {
            fm_free(queues->queues[w].records);
        }
        fm_free(queues->queues);
        fm_free(queues);
    }
}

static unsigned char *record_of(const struct fm_prefetch_queues *queues, const struct queue *queue,
                                uint64_t number)
{
    return queue->records + number % LENGTH * queues->record_size;
}

void *fm_prefetch_push(struct fm_prefetch_queues *queues, unsigned worker, uint32_t process)
{
    struct queue *queue = &queues->queues[worker];
    uint64_t number = queue->pushed++;
    queue->processes[number % LENGTH] = process;
    return record_of(queues, queue, number);
}

static void handle_oldest(const struct fm_prefetch_queues *queues, struct queue *queue,
                          unsigned worker)
{
    uint64_t number = queue->handled++;
    queues->handler(queues->owner, worker, queue->processes[number % LENGTH],
                    record_of(queues, queue, number));
}

void fm_prefetch_go_on(struct fm_prefetch_queues *queues, unsigned worker)
{
    struct queue *queue = &queues->queues[worker];
    uint64_t waiting = queue->pushed - queue->handled;
    for (unsigned stage = 0; stage < queues->stages && waiting > stage * STAGE_DISTANCE; ++stage) {
        uint64_t number = queue->pushed - 1 - stage * STAGE_DISTANCE;
        queues->prefetcher(queues->context, worker, queue->processes[number % LENGTH],
                           record_of(queues, queue, number), stage);
    }
    if (waiting > queues->stages * STAGE_DISTANCE) {
        handle_oldest(queues, queue, worker);
    }
}

void fm_prefetch_finish(struct fm_prefetch_queues *queues, unsigned worker)
{
    struct queue *queue = &queues->queues[worker];
    while (queue->handled < queue->pushed) {
        handle_oldest(queues, queue, worker);
    }
}
