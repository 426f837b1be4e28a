/* Each record is handled once, at its owner, in the order in which its sender has sent it, with the
 * items that it had; and so are answers that handlers send. */
#include "check.h"

#include "engine/dispatch.h"

#include <string.h>

#define PROCESSES 23
#define ROUNDS    3
#define MOST      6 /* workers */
#define ITEMS     60000

/* 20 bytes: records need not be multiples of 8. */
struct record {
    uint32_t from, to, number, round, count;
};

struct item {
    uint32_t of_record, number, mixed;
};

struct check {
    struct fm_engine *engine;
    struct fm_dispatch *records;
    struct fm_dispatch *answers;
    struct fm_list_dispatch *lists;
    uint32_t round;
    uint32_t handled[PROCESSES][PROCESSES];  /* [to][from], in this round */
    uint32_t answered[PROCESSES][PROCESSES]; /* [to][from] */
    uint32_t listed[PROCESSES][PROCESSES];   /* [to][from] */
    uint64_t fetched[MOST][FM_PREFETCH_MOST_STAGES];
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

static void handle_list(void *context, unsigned worker, uint32_t process, const void *content,
                        const void *content_items, uint32_t count)
{
    struct check *check = context;
    const struct record *record = content;
    const struct item *items = content_items;
    assert_true(owns(check, worker, process));
    assert_int_equal(record->to, process);
    assert_int_equal(record->number, check->listed[process][record->from]++);
    assert_int_equal(count, items_of(record->from, process, record->number));
    for (uint32_t i = 0; i < count; ++i) {
        const struct item expected = {record->number, i, i * 2654435761u ^ record->from};
        assert_memory_equal(&items[i], &expected, sizeof expected);
    }
}

static void prefetch(void *context, unsigned worker, uint32_t process, const void *content,
                     unsigned stage)
{
    struct check *check = context;
    const struct record *record = content;
    assert_int_equal(record->to, process);
    ++check->fetched[worker][stage];
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
        const struct record record = {from, to, n, check->round, items_of(from, to, n)};
        assert_true(own + record.count <= items[from] + ITEMS);
        for (uint32_t i = 0; i < record.count; ++i) {
            own[i] = (struct item){n, i, i * 2654435761u ^ from};
        }
        fm_list_dispatch_send(check->lists, worker, to, &record, own, record.count);
        own += record.count;
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
    fm_list_dispatch_deliver(check->lists);
    for (uint32_t to = 0; to < PROCESSES; ++to) {
        for (uint32_t from = 0; from < PROCESSES; ++from) {
            uint32_t count = count_from(from, to, check->round);
            assert_int_equal(check->handled[to][from], count);
            assert_int_equal(check->answered[to][from], count);
            assert_int_equal(check->listed[to][from], count < 5 ? count : 5);
        }
    }
}

static void check_workers(unsigned workers, bool prefetches)
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
    check.lists = fm_list_dispatch_create(check.engine, sizeof(struct record), sizeof(struct item),
                                          handle_list, &check);
    if (prefetches) {
        fm_dispatch_prefetch(check.records, prefetch, FM_PREFETCH_MOST_STAGES);
        fm_list_dispatch_prefetch(check.lists, prefetch, FM_PREFETCH_MOST_STAGES);
    }
    for (check.round = 0; check.round < ROUNDS; ++check.round) {
        check_round(&check);
    }
    for (unsigned stage = 0; stage < FM_PREFETCH_MOST_STAGES; ++stage) {
        assert_int_equal(check.fetched[0][stage] > 0, prefetches);
    }
    fm_dispatch_free(check.records);
    fm_dispatch_free(check.answers);
    fm_list_dispatch_free(check.lists);
    fm_engine_free(check.engine);
}

static void everything_arrives(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= MOST; ++workers) {
        check_workers(workers, false);
    }
}

static void everything_arrives_with_prefetching(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= MOST; ++workers) {
        check_workers(workers, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives),
        cmocka_unit_test(everything_arrives_with_prefetching),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
