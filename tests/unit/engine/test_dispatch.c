/* SPDX-License-Identifier: BSD-3-Clause */
/* Each record is handled once, at its owner, in the order in which its sender has sent it, with the
 * items that it had; and so are answers that handlers send. */
#include "check.h"

#include "engine/dispatch/dispatch.h"

#include <string.h>

#define PROCESSES 23
#define ROUNDS    3
#define MOST      6 /* workers */
#define ITEMS     60000

/* 20 bytes: records need not be multiples of 8. */
struct record {
    uint32_t from, to, number, round, count;
};

/* A record that carries items. */
struct list {
    struct record record;
    struct fm_items items;
};

struct item {
    uint32_t of_record, number, mixed;
};

struct check {
    struct fm_engine *engine;
    struct fm_dispatch *records;
    struct fm_dispatch *answers;
    struct fm_dispatch *lists;
    uint32_t round;
    uint32_t handled[PROCESSES][PROCESSES];  /* [to][from], in this round */
    uint32_t answered[PROCESSES][PROCESSES]; /* [to][from] */
    uint32_t listed[PROCESSES][PROCESSES];   /* [to][from] */
};

/* None for many, more than a packet for some. */
static uint32_t count_from(uint32_t from, uint32_t to, uint32_t round)
{
    uint32_t mixed = (from * 7919 + to * 104729 + round * 31) % 101;
    return mixed < 50 ? 0 : mixed < 97 ? mixed % 7 : 4000;
}

/* None for some, more than a packet for a few. */
static uint32_t items_of(uint32_t from, uint32_t to, uint32_t number)
{
    uint32_t mixed = (from * 31 + to * 17 + number * 7) % 199;
    return mixed == 0 && number < 5 ? 9000 : mixed % 4;
}

static bool owns(const struct check *check, unsigned worker, uint32_t process)
{
    return check->records->owner_of[process] == worker;
}

static void handle(void *context, unsigned worker, uint32_t process, const void *content)
{
    struct check *check = context;
    const struct record *record = content;
    assert_true(owns(check, worker, process));
    assert_int_equal(record->to, process);
    assert_int_equal(record->round, check->round);
    assert_int_equal(record->number, check->handled[process][record->from]++);
    fm_dispatch_send(check->answers, worker, record->from, record);
}

static void handle_answer(void *context, unsigned worker, uint32_t process, const void *content)
{
    struct check *check = context;
    const struct record *record = content;
    assert_true(owns(check, worker, process));
    assert_int_equal(record->from, process);
    assert_int_equal(record->number, check->answered[record->to][process]++);
}

static void handle_list(void *context, unsigned worker, uint32_t process, const void *content)
{
    struct check *check = context;
    const struct list *list = content;
    const struct record *record = &list->record;
    const struct item *own = list->items.items;
    const uint32_t count = list->items.count;
    assert_true(owns(check, worker, process));
    assert_int_equal(record->to, process);
    assert_int_equal(record->number, check->listed[process][record->from]++);
    assert_int_equal(count, items_of(record->from, process, record->number));
    for (uint32_t i = 0; i < count; ++i) {
        const struct item expected = {record->number, i, i * 2654435761u ^ record->from};
        assert_memory_equal(&own[i], &expected, sizeof expected);
    }
}

static struct item items[PROCESSES][ITEMS];

/* Everything that is sent from one process to another; items stay until the delivery.
 * @return the room behind its items */
static struct item *send_to(struct check *check, unsigned worker, uint32_t from, uint32_t to,
                            struct item *own)
{
    uint32_t count = count_from(from, to, check->round);
    for (uint32_t n = 0; n < count; ++n) {
        const struct record record = {from, to, n, check->round, items_of(from, to, n)};
        fm_dispatch_send(check->records, worker, to, &record);
    }
    for (uint32_t n = 0; n < count && n < 5; ++n) {
        const uint32_t size = items_of(from, to, n);
        const struct list list = {{from, to, n, check->round, size}, {own, size}};
        assert_true(own + size <= items[from] + ITEMS);
        for (uint32_t i = 0; i < size; ++i) {
            own[i] = (struct item){n, i, i * 2654435761u ^ from};
        }
        fm_dispatch_send(check->lists, worker, to, &list);
        own += size;
    }
    return own;
}

static void send_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct check *check = context;
    for (uint32_t from = first; from < last; ++from) {
        struct item *room = items[from];
        for (uint32_t step = 0; step < PROCESSES; ++step) {
            room = send_to(check, worker, from, (from * 5 + step * 11) % PROCESSES, room);
        }
    }
}

static void check_round(struct check *check)
{
    memset(check->handled, 0, sizeof check->handled);
    memset(check->answered, 0, sizeof check->answered);
    memset(check->listed, 0, sizeof check->listed);
    fm_dispatch_run(check->records, send_all, check);
    fm_dispatch_deliver(check->answers);
    fm_dispatch_deliver(check->lists);
    for (uint32_t to = 0; to < PROCESSES; ++to) {
        for (uint32_t from = 0; from < PROCESSES; ++from) {
            uint32_t count = count_from(from, to, check->round);
            assert_int_equal(check->handled[to][from], count);
            assert_int_equal(check->answered[to][from], count);
            assert_int_equal(check->listed[to][from], count < 5 ? count : 5);
        }
    }
}

static void check_workers(unsigned workers)
{
    uint64_t weights[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; ++p) {
        weights[p] = p % 5 == 0 ? 1000 : p;
    }
    static struct check check;
    memset(&check, 0, sizeof check);
    check.engine = fm_engine_create(NULL, workers, PROCESSES, weights);
    check.records = fm_dispatch_create(check.engine, sizeof(struct record), handle, &check);
    check.answers = fm_dispatch_create(check.engine, sizeof(struct record), handle_answer, &check);
    check.lists = fm_dispatch_create(check.engine, sizeof(struct list), handle_list, &check);
    fm_dispatch_carry_items(check.lists, offsetof(struct list, items), sizeof(struct item));
    for (check.round = 0; check.round < ROUNDS; ++check.round) {
        check_round(&check);
    }
    fm_dispatch_free(check.records);
    fm_dispatch_free(check.answers);
    fm_dispatch_free(check.lists);
    fm_engine_free(check.engine);
}

static void everything_arrives(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= MOST; ++workers) {
        check_workers(workers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
