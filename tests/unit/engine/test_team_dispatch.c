/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that are handled once arrive completely, in order and in their own run, however many
 * processes and workers there are, and however far some are ahead of others. */
#include "check.h"
#include "thread_team.h"

#include "base/memory.h"
#include "engine/dispatch/dispatch.h"
#include "engine/mailbox/mailbox.h"

#include <stdatomic.h>
#include <string.h>

#define PROCESSES 23
#define ROUNDS    4

/* Each is written by one worker only: [from][to]. */
typedef uint32_t pair_counts[PROCESSES][PROCESSES];

struct check {
    unsigned workers;
    pair_counts asked, asked_taken, answered, answered_taken, listed, listed_taken, mailed;
    atomic_uint_fast64_t faults;
};

/* What one process of the team does. */
struct member {
    struct check *check;
    struct fm_dispatch *questions, *answers, *lists;
    uint32_t round;
};

struct record {
    uint32_t from, to;
    uint32_t number; /* of those from `from` to `to` */
    uint32_t round;
};

/* A record that carries items. */
struct list {
    struct record record;
    struct fm_items items; /* uint32_t */
};

/* None for many, more than a packet for some. */
static uint32_t records_to(uint32_t from, uint32_t to, uint32_t round)
{
    uint32_t mixed = (from * 7919 + to * 104729 + round * 31) % 101;
    return mixed < 50 ? 0 : mixed < 98 ? mixed % 5 : 3000;
}

#define MOST_ITEMS 40000

/* items[i] is i. */
static uint32_t items[PROCESSES + ROUNDS * 400 + MOST_ITEMS];

/* None for many, more than fit in a packet for some. */
static uint32_t items_of(uint32_t number)
{
    return number % 3 == 0 ? 0 : number % 701 == 1 ? MOST_ITEMS : number % 7;
}

static void expect(struct check *check, bool holds)
{
    if (!holds) {
        ++check->faults;
    }
}

static bool is_next(const struct member *member, uint32_t process, const struct record *record,
                    pair_counts taken)
{
    return record->to == process && record->round == member->round &&
           record->number == taken[record->from][process]++;
}

static void take_question(void *context, unsigned worker, uint32_t process, const void *content)
{
    struct member *member = context;
    struct check *check = member->check;
    struct record question;
    memcpy(&question, content, sizeof question);
    expect(check, is_next(member, process, &question, check->asked_taken));
    if (question.number % 2 == 0) {
        struct record answer = {process, question.from, check->answered[process][question.from]++,
                                member->round};
        fm_dispatch_send(member->answers, worker, answer.to, &answer);
    }
}

static void take_answer(void *context, unsigned worker, uint32_t process, const void *content)
{
    (void)worker;
    struct member *member = context;
    struct record answer;
    memcpy(&answer, content, sizeof answer);
    expect(member->check, is_next(member, process, &answer, member->check->answered_taken));
}

static void take_list(void *context, unsigned worker, uint32_t process, const void *content)
{
    (void)worker;
    struct member *member = context;
    const struct list *list = content;
    const struct record *record = &list->record;
    const uint32_t *own = list->items.items;
    expect(member->check, is_next(member, process, record, member->check->listed_taken));
    expect(member->check, list->items.count == items_of(record->number));
    for (uint32_t i = 0; i < list->items.count; ++i) {
        expect(member->check, own[i] == record->from + record->number + i);
    }
}

static void ask(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct member *member = context;
    for (uint32_t from = first; from < last; ++from) {
        for (uint32_t to = 0; to < PROCESSES; ++to) {
            for (uint32_t i = records_to(from, to, member->round); i > 0; --i) {
                struct record question = {from, to, member->check->asked[from][to]++,
                                          member->round};
                fm_dispatch_send(member->questions, worker, to, &question);
            }
        }
    }
}

/* Behind the answers of the same run that are under way already; some fill packets. */
static void answer_unasked(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct member *member = context;
    for (uint32_t from = first; from < last; ++from) {
        for (uint32_t to = 0; to < PROCESSES; to += 3) {
            for (uint32_t i = from % 4 == 0 ? 1500 : 1; i > 0; --i) {
                struct record answer = {from, to, member->check->answered[from][to]++,
                                        member->round};
                fm_dispatch_send(member->answers, worker, to, &answer);
            }
        }
    }
}

static void send_lists(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct member *member = context;
    for (uint32_t from = first; from < last; ++from) {
        for (uint32_t to = 0; to < PROCESSES; ++to) {
            for (uint32_t i = records_to(to, from, member->round) / 8; i > 0; --i) {
                const uint32_t number = member->check->listed[from][to]++;
                const struct list list = {{from, to, number, member->round},
                                          {&items[from + number], items_of(number)}};
                fm_dispatch_send(member->lists, worker, to, &list);
            }
        }
    }
}

static void start_mail(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                       uint32_t first, uint32_t last)
{
    for (uint32_t from = first; from < last; ++from) {
        for (uint32_t to = 0; to < PROCESSES; ++to) {
            fm_mailbox_send(mailboxes, worker, to, &from, sizeof from);
        }
    }
    (void)context;
}

static void handle_mail(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                        uint32_t process, const void *content, size_t size)
{
    (void)mailboxes;
    (void)worker;
    struct member *member = context;
    uint32_t from = PROCESSES;
    expect(member->check, size == sizeof from);
    memcpy(&from, content, sizeof from);
    if (from < PROCESSES) {
        ++member->check->mailed[from][process];
    }
}

static void dispatch_all(void *context, struct fm_team *team)
{
    struct member member = {.check = context};
    uint64_t weights[PROCESSES];
    for (uint32_t p = 0; p < PROCESSES; ++p) {
        weights[p] = p % 5 == 0 ? 1000 : p;
    }
    struct fm_engine *engine = fm_engine_create(team, member.check->workers, PROCESSES, weights);
    member.questions = fm_dispatch_create(engine, sizeof(struct record), take_question, &member);
    member.answers = fm_dispatch_create(engine, sizeof(struct record), take_answer, &member);
    member.lists = fm_dispatch_create(engine, sizeof(struct list), take_list, &member);
    fm_dispatch_carry_items(member.lists, offsetof(struct list, items), sizeof(uint32_t));
    for (; member.round < ROUNDS; ++member.round) {
        fm_dispatch_run(member.questions, ask, &member);
        if (member.round % 2 == 0) {
            fm_dispatch_deliver(member.answers);
        } else {
            fm_dispatch_run(member.answers, answer_unasked, &member);
        }
        fm_dispatch_run(member.lists, send_lists, &member);
        fm_mailboxes_run(engine, start_mail, handle_mail, &member);
    }
    fm_dispatch_free(member.lists);
    fm_dispatch_free(member.answers);
    fm_dispatch_free(member.questions);
    fm_engine_free(engine);
}

static void test_all_arrive_in_order_and_in_their_run(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof items / sizeof *items; ++i) {
        items[i] = i;
    }
    for (unsigned size = 0; size <= PROCESSES + 2; size = next_team_size(size, PROCESSES + 2)) {
        for (unsigned workers = 1; workers <= 3; ++workers) {
            struct check *check = fm_allocate(1, sizeof *check);
            check->workers = workers;
            if (size == 0) {
                dispatch_all(check, NULL);
            } else {
                run_thread_team(size, dispatch_all, check);
            }
            assert_int_equal(check->faults, 0);
            assert_memory_equal(check->asked, check->asked_taken, sizeof(pair_counts));
            assert_memory_equal(check->answered, check->answered_taken, sizeof(pair_counts));
            assert_memory_equal(check->listed, check->listed_taken, sizeof(pair_counts));
            for (uint32_t i = 0; i < PROCESSES * PROCESSES; ++i) {
                assert_int_equal(check->mailed[i / PROCESSES][i % PROCESSES], ROUNDS);
            }
            fm_free(check);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_arrive_in_order_and_in_their_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
