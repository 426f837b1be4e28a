#include "engine/engine_internal.h"

#include "base/memory.h"

#include <string.h>

#define CHUNK_RECORDS 1024

/* Records on their way from one worker to another, in the order of posting. */
struct chunk {
    struct chunk *next;
    uint32_t count;
    uint32_t process[CHUNK_RECORDS];
    _Alignas(max_align_t) unsigned char records[];
};

struct channel {
    struct chunk *first, *last;
};

struct inbox {
    unsigned char *records; /* of all processes of a worker, by process */
    size_t bytes;
};

struct fm_exchange {
    struct fm_engine *engine;
    size_t record_size;
    struct channel *channels; /* [sender][receiver] */
    struct inbox *inboxes;    /* [worker] */
    size_t *begin;            /* [process]: first record in the worker's inbox */
    size_t *count;            /* [process] */
};

struct fm_exchange *fm_exchange_create(struct fm_engine *engine, size_t record_size)
{
    struct fm_exchange *exchange = fm_allocate(1, sizeof *exchange);
    exchange->engine = engine;
    exchange->record_size = record_size;
    exchange->channels =
        fm_allocate((size_t)engine->workers * engine->workers, sizeof *exchange->channels);
    exchange->inboxes = fm_allocate(engine->workers, sizeof *exchange->inboxes);
    exchange->begin = fm_allocate(engine->process_count, sizeof *exchange->begin);
    exchange->count = fm_allocate(engine->process_count, sizeof *exchange->count);
    return exchange;
}

static void free_channel(struct channel *channel)
{
    while (channel->first != NULL) {
        struct chunk *next = channel->first->next;
        fm_free(channel->first);
        channel->first = next;
    }
    channel->last = NULL;
}

void fm_exchange_free(struct fm_exchange *exchange)
{
    if (exchange == NULL) {
        return;
    }
    for (unsigned i = 0; i < exchange->engine->workers * exchange->engine->workers; ++i) {
        free_channel(&exchange->channels[i]);
    }
    for (unsigned w = 0; w < exchange->engine->workers; ++w) {
        fm_free(exchange->inboxes[w].records);
    }
    fm_free(exchange->channels);
    fm_free(exchange->inboxes);
    fm_free(exchange->begin);
    fm_free(exchange->count);
    fm_free(exchange);
}

void *fm_exchange_post(struct fm_exchange *exchange, unsigned worker, uint32_t process)
{
    const struct fm_engine *engine = exchange->engine;
    struct channel *channel =
        &exchange->channels[(size_t)worker * engine->workers + engine->worker_of[process]];
    struct chunk *chunk = channel->last;
    if (chunk == NULL || chunk->count == CHUNK_RECORDS) {
        chunk = fm_resize(NULL, 0, sizeof *chunk + CHUNK_RECORDS * exchange->record_size);
        chunk->next = NULL;
        chunk->count = 0;
        if (channel->last == NULL) {
            channel->first = chunk;
        } else {
            channel->last->next = chunk;
        }
        channel->last = chunk;
    }
    chunk->process[chunk->count] = process;
    return chunk->records + exchange->record_size * chunk->count++;
}

static void receive(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_exchange *exchange = context;
    unsigned workers = exchange->engine->workers;
    size_t total = 0;
    for (uint32_t p = first; p < last; ++p) {
        exchange->count[p] = 0;
    }
    for (unsigned sender = 0; sender < workers; ++sender) {
        for (struct chunk *c = exchange->channels[(size_t)sender * workers + worker].first;
             c != NULL; c = c->next) {
            for (uint32_t i = 0; i < c->count; ++i) {
                ++exchange->count[c->process[i]];
            }
            total += c->count;
        }
    }
    struct inbox *inbox = &exchange->inboxes[worker];
    fm_free(inbox->records);
    inbox->bytes = total * exchange->record_size;
    inbox->records = fm_resize(NULL, 0, inbox->bytes);
    size_t begin = 0;
    for (uint32_t p = first; p < last; ++p) {
        exchange->begin[p] = begin;
        begin += exchange->count[p];
        exchange->count[p] = 0;
    }
    for (unsigned sender = 0; sender < workers; ++sender) {
        struct channel *channel = &exchange->channels[(size_t)sender * workers + worker];
        while (channel->first != NULL) {
            struct chunk *chunk = channel->first;
            for (uint32_t i = 0; i < chunk->count; ++i) {
                uint32_t p = chunk->process[i];
                memcpy(inbox->records +
                           (exchange->begin[p] + exchange->count[p]++) * exchange->record_size,
                       chunk->records + i * exchange->record_size, exchange->record_size);
            }
            channel->first = chunk->next;
            fm_free(chunk);
        }
        channel->last = NULL;
    }
}

void fm_exchange_deliver(struct fm_exchange *exchange)
{
    fm_engine_run(exchange->engine, receive, exchange);
}

void fm_exchange_clear(struct fm_exchange *exchange)
{
    for (unsigned w = 0; w < exchange->engine->workers; ++w) {
        fm_free(exchange->inboxes[w].records);
        exchange->inboxes[w] = (struct inbox){0};
    }
    memset(exchange->count, 0, exchange->engine->process_count * sizeof *exchange->count);
}

const void *fm_exchange_inbox(const struct fm_exchange *exchange, uint32_t process, size_t *count)
{
    *count = exchange->count[process];
    return exchange->inboxes[exchange->engine->worker_of[process]].records +
           exchange->begin[process] * exchange->record_size;
}
