#include "engine/engine_internal.h"

#include "base/memory.h"

#include <string.h>

#define FIRST_CHUNK   16
#define LARGEST_CHUNK 1024

/* Records on their way from a worker to an owner, in the order of posting. */
struct chunk {
    struct chunk *next;
    uint32_t count, capacity;
    uint32_t *process; /* behind the records */
    _Alignas(max_align_t) unsigned char records[];
};

struct channel {
    struct chunk *first, *last;
    size_t count;
};

struct inbox {
    unsigned char *records; /* of all processes of a worker, by process */
    size_t bytes;
};

struct fm_exchange {
    struct fm_engine *engine;
    size_t record_size;
    unsigned owners;             /* workers of this process, and processes of the team */
    struct channel **channels;   /* [sender][owner] */
    struct fm_parcel *from_team; /* [process of the team]: what came during a delivery */
    struct inbox *inboxes;       /* [worker] */
    size_t *begin;               /* [process]: first record in the worker's inbox */
    size_t *count;               /* [process] */
};

struct fm_exchange *fm_exchange_create(struct fm_engine *engine, size_t record_size)
{
    struct fm_exchange *exchange = fm_allocate(1, sizeof *exchange);
    exchange->engine = engine;
    exchange->record_size = record_size;
    exchange->owners = engine->workers + fm_team_size(engine->team);
    exchange->channels = fm_allocate(engine->workers, sizeof *exchange->channels);
    for (unsigned sender = 0; sender < engine->workers; ++sender) {
        exchange->channels[sender] =
            fm_allocate_apart(exchange->owners, sizeof **exchange->channels);
    }
    exchange->from_team = fm_allocate(fm_team_size(engine->team), sizeof *exchange->from_team);
    exchange->inboxes = fm_allocate(engine->workers, sizeof *exchange->inboxes);
    exchange->begin = fm_allocate(engine->process_count, sizeof *exchange->begin);
    exchange->count = fm_allocate(engine->process_count, sizeof *exchange->count);
    return exchange;
}

static struct channel *channel_of(const struct fm_exchange *exchange, unsigned sender,
                                  unsigned owner)
{
    return &exchange->channels[sender][owner];
}

static void free_channel(struct channel *channel)
{
    while (channel->first != NULL) {
        struct chunk *next = channel->first->next;
        fm_free(channel->first);
        channel->first = next;
    }
    *channel = (struct channel){0};
}

void fm_exchange_free(struct fm_exchange *exchange)
{
    if (exchange == NULL) {
        return;
    }
    for (unsigned sender = 0; sender < exchange->engine->workers; ++sender) {
        for (unsigned owner = 0; owner < exchange->owners; ++owner) {
            free_channel(channel_of(exchange, sender, owner));
        }
        fm_free(exchange->channels[sender]);
    }
    for (unsigned w = 0; w < exchange->engine->workers; ++w) {
        fm_free(exchange->inboxes[w].records);
    }
    fm_free(exchange->channels);
    fm_free(exchange->from_team);
    fm_free(exchange->inboxes);
    fm_free(exchange->begin);
    fm_free(exchange->count);
    fm_free(exchange);
}

/* Appends a chunk that is twice as large as the last one, up to a limit. */
static struct chunk *extend(struct channel *channel, size_t record_size)
{
    uint32_t capacity = channel->last == NULL                         ? FIRST_CHUNK
                        : channel->last->capacity < LARGEST_CHUNK / 2 ? channel->last->capacity * 2
                                                                      : LARGEST_CHUNK;
    size_t room = capacity * record_size;
    struct chunk *chunk =
        fm_resize(NULL, 0, sizeof *chunk + room + capacity * sizeof *chunk->process);
    chunk->next = NULL;
    chunk->count = 0;
    chunk->capacity = capacity;
    chunk->process = (uint32_t *)(void *)(chunk->records + room);
    if (channel->last == NULL) {
        channel->first = chunk;
    } else {
        channel->last->next = chunk;
    }
    channel->last = chunk;
    return chunk;
}

void *fm_exchange_post(struct fm_exchange *exchange, unsigned worker, uint32_t process)
{
    struct channel *channel = channel_of(exchange, worker, exchange->engine->owner_of[process]);
    struct chunk *chunk = channel->last;
    if (chunk == NULL || chunk->count == chunk->capacity) {
        chunk = extend(channel, exchange->record_size);
    }
    ++channel->count;
    chunk->process[chunk->count] = process;
    return chunk->records + exchange->record_size * chunk->count++;
}

/* ---- delivery ---- */

/* What goes to another process of the team: the records of all workers, and behind them for which
 * processes they are. */
static struct fm_parcel pack(struct fm_exchange *exchange, unsigned owner)
{
    size_t total = 0, packed = 0;
    for (unsigned sender = 0; sender < exchange->engine->workers; ++sender) {
        total += channel_of(exchange, sender, owner)->count;
    }
    struct fm_parcel parcel = {NULL, total * (exchange->record_size + sizeof(uint32_t))};
    unsigned char *records = parcel.content = fm_resize(NULL, 0, parcel.bytes);
    unsigned char *processes = records + total * exchange->record_size;
    for (unsigned sender = 0; sender < exchange->engine->workers; ++sender) {
        struct channel *channel = channel_of(exchange, sender, owner);
        while (channel->first != NULL) {
            struct chunk *chunk = channel->first;
            memcpy(records + packed * exchange->record_size, chunk->records,
                   chunk->count * exchange->record_size);
            memcpy(processes + packed * sizeof(uint32_t), chunk->process,
                   chunk->count * sizeof(uint32_t));
            packed += chunk->count;
            channel->first = chunk->next;
            fm_free(chunk);
        }
        *channel = (struct channel){0};
    }
    return parcel;
}

static void exchange_with_team(struct fm_exchange *exchange)
{
    struct fm_team *team = exchange->engine->team;
    unsigned size = fm_team_size(team);
    if (size == 1) {
        return;
    }
    struct fm_parcel *sent = fm_allocate(size, sizeof *sent);
    for (unsigned m = 0; m < size; ++m) {
        sent[m] = pack(exchange, exchange->engine->workers + m);
    }
    fm_team_exchange(team, sent, exchange->from_team);
    for (unsigned m = 0; m < size; ++m) {
        fm_free(sent[m].content);
    }
    fm_free(sent);
}

/* Records in a row, from one sender. */
struct batch {
    const unsigned char *records;
    const uint32_t *process;
    size_t count;
};

typedef void take_batch_t(struct fm_exchange *exchange, unsigned worker, const struct batch *batch);

static void take_parcel(struct fm_exchange *exchange, unsigned worker,
                        const struct fm_parcel *parcel, take_batch_t *take)
{
    size_t count = parcel->bytes / (exchange->record_size + sizeof(uint32_t));
    if (count != 0) {
        const unsigned char *records = parcel->content;
        const void *processes = records + count * exchange->record_size;
        take(exchange, worker, &(struct batch){records, processes, count});
    }
}

static void take_channel(struct fm_exchange *exchange, unsigned worker,
                         const struct channel *channel, take_batch_t *take)
{
    for (const struct chunk *c = channel->first; c != NULL; c = c->next) {
        take(exchange, worker, &(struct batch){c->records, c->process, c->count});
    }
}

/* Goes through all that may be for a worker, in the order of the senders. */
static void take_all(struct fm_exchange *exchange, unsigned worker, take_batch_t *take)
{
    const struct fm_engine *engine = exchange->engine;
    unsigned self = fm_team_self(engine->team), size = fm_team_size(engine->team);
    for (unsigned m = 0; m < self; ++m) {
        take_parcel(exchange, worker, &exchange->from_team[m], take);
    }
    for (unsigned sender = 0; sender < engine->workers; ++sender) {
        take_channel(exchange, worker, channel_of(exchange, sender, worker), take);
    }
    for (unsigned m = self + 1; m < size; ++m) {
        take_parcel(exchange, worker, &exchange->from_team[m], take);
    }
}

/* A parcel is for all workers: each takes its own part of it. */
static bool is_for(const struct fm_exchange *exchange, unsigned worker, uint32_t process)
{
    const uint32_t *first = &exchange->engine->first[worker];
    return process >= first[0] && process < first[1];
}

static void count_records(struct fm_exchange *exchange, unsigned worker, const struct batch *batch)
{
    for (size_t i = 0; i < batch->count; ++i) {
        if (is_for(exchange, worker, batch->process[i])) {
            ++exchange->count[batch->process[i]];
        }
    }
}

static void copy_records(struct fm_exchange *exchange, unsigned worker, const struct batch *batch)
{
    unsigned char *inbox = exchange->inboxes[worker].records;
    size_t size = exchange->record_size;
    for (size_t i = 0; i < batch->count; ++i) {
        uint32_t p = batch->process[i];
        if (is_for(exchange, worker, p)) {
            memcpy(inbox + (exchange->begin[p] + exchange->count[p]++) * size,
                   batch->records + i * size, size);
        }
    }
}

static void receive(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_exchange *exchange = context;
    for (uint32_t p = first; p < last; ++p) {
        exchange->count[p] = 0;
    }
    take_all(exchange, worker, count_records);
    size_t total = 0;
    for (uint32_t p = first; p < last; ++p) {
        exchange->begin[p] = total;
        total += exchange->count[p];
        exchange->count[p] = 0;
    }
    struct inbox *inbox = &exchange->inboxes[worker];
    fm_free(inbox->records);
    inbox->bytes = total * exchange->record_size;
    inbox->records = fm_resize(NULL, 0, inbox->bytes);
    take_all(exchange, worker, copy_records);
    for (unsigned sender = 0; sender < exchange->engine->workers; ++sender) {
        free_channel(channel_of(exchange, sender, worker));
    }
}

void fm_exchange_deliver(struct fm_exchange *exchange)
{
    exchange_with_team(exchange);
    fm_engine_run(exchange->engine, receive, exchange);
    for (unsigned m = 0; m < fm_team_size(exchange->engine->team); ++m) {
        fm_free(exchange->from_team[m].content);
        exchange->from_team[m] = (struct fm_parcel){0};
    }
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
    return exchange->inboxes[exchange->engine->owner_of[process]].records +
           exchange->begin[process] * exchange->record_size;
}
