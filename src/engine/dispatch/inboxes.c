/* SPDX-License-Identifier: BSD-3-Clause */
/* Each worker of the team has a number, ascending with the processes that it owns. A record carries
 * the number of its sender; the receiver appends it to the batch of that sender. The delivery then
 * distributes the batches, in the order of the senders, over the receiver's processes: a counting
 * sort, linear in records and processes. */
#include "engine/dispatch/inboxes.h"

#include "base/containers/vector.h"
#include "base/memory.h"
#include "engine/dispatch/dispatch.h"
#include "engine/engine_internal.h"

#include <string.h>

/* Precedes a record in a dispatch (the sender) and in a batch (the destination). */
#define HEADER sizeof(uint32_t)

typedef FM_VECTOR(unsigned char) byte_vector;

struct receiver {
    byte_vector *batches;   /* [sender] */
    unsigned char *records; /* of all processes of the worker, by process */
    unsigned char *sending; /* the record being sent by the worker, behind its header */
    unsigned char apart[FM_APART];
};

struct fm_inboxes {
    struct fm_engine *engine;
    struct fm_dispatch *dispatch;
    size_t record_size;
    struct receiver *receivers; /* [worker] */
    size_t *begin;              /* [process]: first record in the worker's `records` */
    size_t *count;              /* [process] */
};

static void keep(void *context, unsigned worker, uint32_t process, const void *content)
{
    struct fm_inboxes *inboxes = context;
    uint32_t sender;
    memcpy(&sender, content, HEADER);
    byte_vector *batch = &inboxes->receivers[worker].batches[sender];
    fm_vector_reserve(batch, HEADER + inboxes->record_size);
    unsigned char *place = batch->items + batch->count;
    memcpy(place, &process, HEADER);
    memcpy(place + HEADER, (const unsigned char *)content + HEADER, inboxes->record_size);
    batch->count += HEADER + inboxes->record_size;
}

struct fm_inboxes *fm_inboxes_create(struct fm_engine *engine, size_t record_size)
{
    struct fm_inboxes *inboxes = fm_allocate(1, sizeof *inboxes);
    *inboxes = (struct fm_inboxes){
        .engine = engine,
        .dispatch = fm_dispatch_create(engine, HEADER + record_size, keep, inboxes),
        .record_size = record_size,
        .receivers = fm_allocate_apart(engine->workers, sizeof *inboxes->receivers),
        .begin = fm_allocate(engine->process_count, sizeof *inboxes->begin),
        .count = fm_allocate(engine->process_count, sizeof *inboxes->count),
    };
    for (unsigned w = 0; w < engine->workers; ++w) {
        struct receiver *receiver = &inboxes->receivers[w];
        const uint32_t sender = engine->first_sender + w;
        receiver->batches = fm_allocate_apart(engine->sender_count, sizeof *receiver->batches);
        receiver->sending = fm_allocate_apart(1, HEADER + record_size);
        memcpy(receiver->sending, &sender, HEADER);
    }
    return inboxes;
}

void fm_inboxes_free(struct fm_inboxes *inboxes)
{
    if (inboxes == NULL) {
        return;
    }
    for (unsigned w = 0; w < inboxes->engine->workers; ++w) {
        struct receiver *receiver = &inboxes->receivers[w];
        for (unsigned sender = 0; sender < inboxes->engine->sender_count; ++sender) {
            fm_vector_free(&receiver->batches[sender]);
        }
        fm_free(receiver->batches);
        fm_free(receiver->sending);
        fm_free(receiver->records);
    }
    fm_dispatch_free(inboxes->dispatch);
    fm_free(inboxes->receivers);
    fm_free(inboxes->begin);
    fm_free(inboxes->count);
    fm_free(inboxes);
}

void fm_inboxes_send(struct fm_inboxes *inboxes, unsigned worker, uint32_t process,
                     const void *record)
{
    unsigned char *sending = inboxes->receivers[worker].sending;
    memcpy(sending + HEADER, record, inboxes->record_size);
    fm_dispatch_send(inboxes->dispatch, worker, process, sending);
}

static uint32_t destination_of(const unsigned char *entry)
{
    uint32_t process;
    memcpy(&process, entry, HEADER);
    return process;
}

static void distribute(struct fm_inboxes *inboxes, struct receiver *receiver, byte_vector *batch)
{
    const size_t size = inboxes->record_size;
    for (size_t at = 0; at < batch->count; at += HEADER + size) {
        const unsigned char *entry = batch->items + at;
        uint32_t process = destination_of(entry);
        memcpy(receiver->records + (inboxes->begin[process] + inboxes->count[process]++) * size,
               entry + HEADER, size);
    }
    fm_vector_free(batch);
}

static void sort_batches(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_inboxes *inboxes = context;
    struct receiver *receiver = &inboxes->receivers[worker];
    for (uint32_t p = first; p < last; ++p) {
        inboxes->count[p] = 0;
    }
    for (unsigned sender = 0; sender < inboxes->engine->sender_count; ++sender) {
        const byte_vector *batch = &receiver->batches[sender];
        for (size_t at = 0; at < batch->count; at += HEADER + inboxes->record_size) {
            ++inboxes->count[destination_of(batch->items + at)];
        }
    }
    size_t total = 0;
    for (uint32_t p = first; p < last; ++p) {
        inboxes->begin[p] = total;
        total += inboxes->count[p];
        inboxes->count[p] = 0;
    }
    fm_free(receiver->records);
    receiver->records = fm_resize(NULL, 0, total * inboxes->record_size);
    for (unsigned sender = 0; sender < inboxes->engine->sender_count; ++sender) {
        distribute(inboxes, receiver, &receiver->batches[sender]);
    }
}

void fm_inboxes_deliver(struct fm_inboxes *inboxes)
{
    fm_dispatch_deliver(inboxes->dispatch);
    fm_engine_run(inboxes->engine, sort_batches, inboxes);
}

void fm_inboxes_clear(struct fm_inboxes *inboxes)
{
    for (unsigned w = 0; w < inboxes->engine->workers; ++w) {
        fm_free(inboxes->receivers[w].records);
        inboxes->receivers[w].records = NULL;
    }
    memset(inboxes->count, 0, inboxes->engine->process_count * sizeof *inboxes->count);
}

const void *fm_inbox(const struct fm_inboxes *inboxes, uint32_t process, size_t *count)
{
    const struct receiver *receiver = &inboxes->receivers[inboxes->engine->owner_of[process]];
    *count = inboxes->count[process];
    return receiver->records + inboxes->begin[process] * inboxes->record_size;
}
