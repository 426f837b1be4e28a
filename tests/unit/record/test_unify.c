/* SPDX-License-Identifier: BSD-3-Clause */
/* Unification over P processes, played by threads with mailboxes. */
#include "record/closing/unify.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 13 };

/* One message on its way from a process to another. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *data;
    size_t bytes;
    bool full;
} mailboxes[MOST][MOST];

static __thread uint32_t own_rank;
static _Atomic unsigned messages[MOST];

static void play_send(const void *data, size_t bytes, uint32_t to)
{
    pthread_mutex_lock(&mailboxes[own_rank][to].lock);
    mailboxes[own_rank][to].data = data;
    mailboxes[own_rank][to].bytes = bytes;
    mailboxes[own_rank][to].full = true;
    messages[own_rank]++;
    pthread_cond_broadcast(&mailboxes[own_rank][to].changed);
    while (mailboxes[own_rank][to].full) {
        pthread_cond_wait(&mailboxes[own_rank][to].changed, &mailboxes[own_rank][to].lock);
    }
    pthread_mutex_unlock(&mailboxes[own_rank][to].lock);
}

static void play_receive(void *data, size_t bytes, uint32_t from)
{
    pthread_mutex_lock(&mailboxes[from][own_rank].lock);
    while (!mailboxes[from][own_rank].full) {
        pthread_cond_wait(&mailboxes[from][own_rank].changed, &mailboxes[from][own_rank].lock);
    }
    if (bytes > 0) {
        memcpy(data, mailboxes[from][own_rank].data, bytes);
    }
    mailboxes[from][own_rank].full = false;
    pthread_cond_broadcast(&mailboxes[from][own_rank].changed);
    pthread_mutex_unlock(&mailboxes[from][own_rank].lock);
}

/* A process: its exchange, its definitions and what became of them. */
struct process {
    struct fm_exchange exchange;
    struct fm_definitions set;
    struct fm_define_map global;
    struct fm_clock_offset offset;
    bool good;
    pthread_t thread;
};

static struct process processes[MOST];

/* Definitions in an order of the process's own; all share "common". */
static void define(struct process *process)
{
    char text[32];
    uint32_t rank = process->exchange.rank;
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "string %u", (rank + i) % 5);
        fm_define_string(&process->set, text);
    }
    snprintf(text, sizeof text, "rank %u", rank);
    fm_define_string(&process->set, text);
    fm_define_region(&process->set, "common", 1, 2, 0, NULL, 0);
}

static void *live(void *argument)
{
    struct process *process = argument;
    own_rank = process->exchange.rank;
    process->offset = fm_clock_measure(&process->exchange, true, NULL);
    define(process);
    process->good = fm_unify(&process->exchange, &process->set, &process->global);
    return NULL;
}

static void all_get_the_numbers_of_rank_0(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= MOST; size++) {
        memset(processes, 0, sizeof processes);
        memset(messages, 0, sizeof messages);
        for (uint32_t rank = 0; rank < size; rank++) {
            processes[rank].exchange = (struct fm_exchange){
                .rank = rank, .size = size, .send = play_send, .receive = play_receive};
            pthread_create(&processes[rank].thread, NULL, live, &processes[rank]);
        }
        for (uint32_t rank = 0; rank < size; rank++) {
            pthread_join(processes[rank].thread, NULL);
        }
        const struct fm_definitions *all = &processes[0].set;
        for (uint32_t rank = 0; rank < size; rank++) {
            char text[32];
            const struct process *process = &processes[rank];
            assert_true(process->good);
            assert_int_equal(process->global.counts[FM_DEFINE_STRING], 5);
            for (uint32_t i = 0; i < 3; i++) {
                snprintf(text, sizeof text, "string %u", (rank + i) % 5);
                assert_string_equal(
                    fm_defined_string(all, process->global.numbers[FM_DEFINE_STRING][i]), text);
            }
            snprintf(text, sizeof text, "rank %u", rank);
            assert_string_equal(
                fm_defined_string(all, process->global.numbers[FM_DEFINE_STRING][3]), text);
            assert_int_equal(process->global.numbers[FM_DEFINE_REGION][0], 0);
        }
        assert_int_equal(all->tables[FM_DEFINE_REGION].count, 1);
        assert_int_equal(all->tables[FM_DEFINE_STRING].count, size + 1 + (size < 3 ? size + 2 : 5));
        for (uint32_t rank = 0; rank < size; rank++) {
            fm_define_map_free(&processes[rank].global);
            fm_definitions_free(&processes[rank].set);
        }
    }
}

static void messages_grow_with_the_logarithm(void **state)
{
    (void)state;
    /* The last run of the test before had 13 processes: at most 4 children and a parent each, and
     * for each of them a clock exchange (25 messages) and two blocks of two messages. */
    for (uint32_t rank = 0; rank < MOST; rank++) {
        assert_true(messages[rank] > 0);
        assert_true(messages[rank] <= 5 * (25 + 4));
    }
}

static void one_clock_has_small_offsets(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < MOST; rank++) {
        const struct fm_clock_offset *offset = &processes[rank].offset;
        assert_true((double)llabs(offset->offset) <= offset->deviation + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_get_the_numbers_of_rank_0),
        cmocka_unit_test(messages_grow_with_the_logarithm),
        cmocka_unit_test(one_clock_has_small_offsets),
    };
    for (int from = 0; from < MOST; from++) {
        for (int to = 0; to < MOST; to++) {
            pthread_mutex_init(&mailboxes[from][to].lock, NULL);
            pthread_cond_init(&mailboxes[from][to].changed, NULL);
        }
    }
    fm_clock_start(0, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
