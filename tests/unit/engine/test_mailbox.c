/* SPDX-License-Identifier: BSD-3-Clause */
/* Every message arrives once, those between two processes in the order in which they were sent, and
 * the phase ends when no message is under way, whatever the number of workers. Whichever thread
 * handles the messages of a worker, it is one at a time. */
#include "check.h"

#include "base/memory.h"
#include "engine/mailbox/mailbox.h"

#include <stdatomic.h>
#include <string.h>

#define PROCESSES 23
#define LARGEST   70000

struct message {
    uint32_t from;
    uint32_t to;
    uint64_t number; /* of those from `from` to `to` */
    uint32_t hops;   /* messages that follow from it: a chain */
    uint32_t size;
    unsigned char filling[];
};

struct post {
    uint64_t sent[PROCESSES][PROCESSES];     /* [from][to]; written by the owner of `from` */
    uint64_t received[PROCESSES][PROCESSES]; /* [to][from]; written by the owner of `to` */
    unsigned worker_of[PROCESSES];
    atomic_uint at_work[PROCESSES]; /* [worker]: handlers that run for it now */
    atomic_uint disordered, damaged, misplaced, simultaneous;
};

static uint32_t mix(uint32_t value)
{
    value = (value ^ (value >> 15)) * 0x2c1b3c6du;
    value = (value ^ (value >> 12)) * 0x297a2d39u;
    return value ^ (value >> 15);
}

static void send_message(struct post *post, struct fm_mailboxes *mailboxes, unsigned worker,
                         uint32_t from, uint32_t hops)
{
    static _Thread_local unsigned char buffer[sizeof(struct message) + LARGEST];
    uint32_t to = mix(from * 7919 + hops * 31 + (uint32_t)post->sent[from][from]) % PROCESSES;
    struct message *message = (struct message *)buffer;
    uint32_t chance = mix(from + hops * 131 + to) % 500;
    message->from = from;
    message->to = to;
    message->number = post->sent[from][to]++;
    message->hops = hops;
    message->size = chance == 0 ? LARGEST : chance % 40;
    memset(message->filling, (int)(message->number & 0xff), message->size);
    fm_mailbox_send(mailboxes, worker, to, message, sizeof *message + message->size);
}

static void start(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t first,
                  uint32_t last)
{
    struct post *post = context;
    for (uint32_t process = first; process < last; ++process) {
        post->worker_of[process] = worker;
        for (uint32_t i = 0; i < process % 4; ++i) {
            send_message(context, mailboxes, worker, process, 1500 + i);
        }
    }
}

static void handle(void *context, struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                   const void *content, size_t size)
{
    struct post *post = context;
    const struct message *message = content;
    bool whole = size == sizeof *message + message->size && message->to == process;
    for (uint32_t i = 0; whole && i < message->size; ++i) {
        whole = message->filling[i] == (message->number & 0xff);
    }
    post->simultaneous += atomic_fetch_add(&post->at_work[worker], 1) != 0;
    post->misplaced += worker != post->worker_of[process];
    post->damaged += !whole;
    post->disordered += message->number != post->received[process][message->from]++;
    if (message->hops > 0) {
        send_message(post, mailboxes, worker, process, message->hops - 1);
    }
    atomic_fetch_sub(&post->at_work[worker], 1);
}

static void all_arrive(void **state)
{
    (void)state;
    uint64_t weights[PROCESSES] = {0};
    for (unsigned workers = 1; workers <= 6; ++workers) {
        struct fm_engine *engine = fm_engine_create(NULL, workers, PROCESSES, weights);
        struct post *post = fm_allocate(1, sizeof *post);
        uint64_t total = 0;
        fm_mailboxes_run(engine, start, handle, post);
        for (uint32_t from = 0; from < PROCESSES; ++from) {
            for (uint32_t to = 0; to < PROCESSES; ++to) {
                assert_int_equal(post->sent[from][to], post->received[to][from]);
                total += post->sent[from][to];
            }
        }
        uint64_t chains = 0, messages = 0;
        for (uint32_t process = 0; process < PROCESSES; ++process) {
            for (uint32_t i = 0; i < process % 4; ++i) {
                ++chains;
                messages += 1500 + i + 1;
            }
        }
        assert_true(chains > 0);
        assert_int_equal(total, messages);
        assert_int_equal(post->disordered, 0);
        assert_int_equal(post->damaged, 0);
        assert_int_equal(post->misplaced, 0);
        assert_int_equal(post->simultaneous, 0);
        fm_free(post);
        fm_engine_free(engine);
    }
}

static void start_nothing(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                          uint32_t first, uint32_t last)
{
    (void)context;
    (void)mailboxes;
    (void)worker;
    (void)first;
    (void)last;
}

static void without_messages(void **state)
{
    (void)state;
    uint64_t weights[PROCESSES] = {0};
    struct post *post = fm_allocate(1, sizeof *post);
    for (unsigned workers = 1; workers <= 4; ++workers) {
        struct fm_engine *engine = fm_engine_create(NULL, workers, PROCESSES, weights);
        fm_mailboxes_run(engine, start_nothing, handle, post);
        fm_engine_free(engine);
    }
    fm_free(post);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrive),
        cmocka_unit_test(without_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
