/* SPDX-License-Identifier: BSD-3-Clause */
/* What arrives, and in which order, does not depend on the number of workers. */
#include "check.h"

#include "base/memory.h"
#include "engine/dispatch/inboxes.h"

#include <string.h>

#define PROCESSES 37

struct message {
    uint64_t number; /* of those of the sender */
    uint32_t from;
    uint32_t to;
    uint32_t round;
};

struct post {
    struct fm_inboxes *inboxes;
    uint32_t round;
};

/* How many messages `from` sends to `to` in a round: none for many, more than a packet for some. */
static uint32_t messages_to(uint32_t from, uint32_t to, uint32_t round)
{
    uint32_t mixed = (from * 7919 + to * 104729 + round * 31) % 101;
    return mixed < 60 ? 0 : mixed < 99 ? mixed % 5 : 1500;
}

static void send_messages(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct post *post = context;
    for (uint32_t from = first; from < last; ++from) {
        uint64_t number = 0;
        for (uint32_t step = 0; step < PROCESSES; ++step) {
            uint32_t to = (from * 5 + step * 11) % PROCESSES;
            for (uint32_t i = 0; i < messages_to(from, to, post->round); ++i) {
                const struct message message = {number++, from, to, post->round};
                fm_inboxes_send(post->inboxes, worker, to, &message);
            }
        }
    }
}

/* Everything that all processes receive in two rounds, one after the other. */
static struct message *collect(unsigned workers, size_t *total)
{
    uint64_t weights[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; ++p) {
        weights[p] = p % 5 == 0 ? 1000 : p;
    }
    struct fm_engine *engine = fm_engine_create(NULL, workers, PROCESSES, weights);
    assert_in_range(fm_engine_workers(engine), 1, workers);
    struct post post = {fm_inboxes_create(engine, sizeof(struct message)), 0};
    struct message *all = NULL;
    *total = 0;
    for (post.round = 0; post.round < 2; ++post.round) {
        fm_engine_run(engine, send_messages, &post);
        fm_inboxes_deliver(post.inboxes);
        for (uint32_t p = 0; p < PROCESSES; ++p) {
            size_t count;
            const struct message *inbox = fm_inbox(post.inboxes, p, &count);
            all = fm_resize(all, *total * sizeof *all, (*total + count) * sizeof *all);
            for (size_t i = 0; i < count; ++i) {
                assert_int_equal(inbox[i].to, p);
                assert_int_equal(inbox[i].round, post.round);
                bool in_order =
                    i == 0 || inbox[i - 1].from < inbox[i].from ||
                    (inbox[i - 1].from == inbox[i].from && inbox[i - 1].number < inbox[i].number);
                assert_true(in_order);
                all[(*total)++] = inbox[i];
            }
        }
    }
    fm_inboxes_free(post.inboxes);
    fm_engine_free(engine);
    return all;
}

static void test_order_is_independent_of_workers(void **state)
{
    (void)state;
    size_t expected_total = 0, sum = 0;
    struct message *expected = collect(1, &expected_total);
    for (uint32_t round = 0; round < 2; ++round) {
        for (uint32_t from = 0; from < PROCESSES; ++from) {
            for (uint32_t to = 0; to < PROCESSES; ++to) {
                sum += messages_to(from, to, round);
            }
        }
    }
    assert_int_equal(expected_total, sum);
    for (unsigned workers = 2; workers <= PROCESSES + 3; workers += 5) {
        size_t total;
        struct message *all = collect(workers, &total);
        assert_int_equal(total, expected_total);
        for (size_t i = 0; i < total; ++i) {
            assert_true(all[i].number == expected[i].number && all[i].from == expected[i].from &&
                        all[i].to == expected[i].to && all[i].round == expected[i].round);
        }
        fm_free(all);
    }
    fm_free(expected);
}

struct visits {
    uint32_t count[PROCESSES];
};

static void visit(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct visits *visits = context;
    for (uint32_t p = first; p < last; ++p) {
        ++visits->count[p];
    }
}

static void test_every_process_has_one_worker(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= PROCESSES * 2; ++workers) {
        uint64_t weights[PROCESSES] = {0};
        weights[workers % PROCESSES] = UINT32_MAX;
        struct fm_engine *engine = fm_engine_create(NULL, workers, PROCESSES, weights);
        struct visits visits = {{0}};
        fm_engine_run(engine, visit, &visits);
        fm_engine_run(engine, visit, &visits);
        for (uint32_t p = 0; p < PROCESSES; ++p) {
            assert_int_equal(visits.count[p], 2);
        }
        fm_engine_free(engine);
    }
}

static void test_no_process_at_all(void **state)
{
    (void)state;
    struct fm_engine *engine = fm_engine_create(NULL, 4, 0, NULL);
    struct fm_inboxes *inboxes = fm_inboxes_create(engine, sizeof(struct message));
    fm_inboxes_deliver(inboxes);
    fm_inboxes_free(inboxes);
    fm_engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_independent_of_workers),
        cmocka_unit_test(test_every_process_has_one_worker),
        cmocka_unit_test(test_no_process_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
