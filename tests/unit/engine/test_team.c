/* SPDX-License-Identifier: BSD-3-Clause */
/* What a team shares, what processes exchange and which messages they send does not depend on how
 * many processes and workers there are. */
#include "check.h"
#include "thread_team.h"

#include "base/memory.h"
#include "engine/dispatch/inboxes.h"
#include "engine/engine.h"
#include "engine/mailbox/mailbox.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES 37

/* Other threads than the one of the test cannot use cmocka's assertions. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* ---- data that all must know ---- */

struct shared_check {
    unsigned size;
    atomic_uint done;
};

/* Process p gives p numbers: p, p + 1, ... */
static void share_numbers(void *context, struct fm_team *team)
{
    struct shared_check *check = context;
    unsigned self = fm_team_self(team);
    MUST(fm_team_size(team) == check->size);
    FM_VECTOR(uint32_t) own = {0};
    FM_VECTOR(uint32_t) all = {0};
    for (unsigned i = 0; i < self; ++i) {
        fm_vector_push(&own, self + i);
    }
    for (unsigned round = 0; round < 2; ++round) {
        if (round == 0) {
            fm_team_share_vector(team, &own, &all);
        } else {
            fm_team_collect_vector(team, &own, &all);
        }
        size_t at = 0;
        for (unsigned p = 0; p < check->size && (round == 0 || self == 0); ++p) {
            for (unsigned i = 0; i < p; ++i) {
                MUST(all.items[at++] == p + i);
            }
        }
        MUST(all.count == at);
        fm_vector_free(&all);
    }
    size_t bytes;
    char *word = fm_team_spread(team, self == 0 ? "leader" : "other", 7, &bytes);
    MUST(bytes == 7);
    MUST(strcmp(word, "leader") == 0);
    fm_free(word);
    uint64_t values[2] = {self, 1};
    fm_team_sum(team, values, 2);
    MUST(values[0] == check->size * (check->size - 1) / 2);
    MUST(values[1] == check->size);
    MUST(fm_team_largest(team, UINT64_C(1) << self) == UINT64_C(1) << (check->size - 1));
    fm_vector_free(&own);
    ++check->done;
}

static void test_all_get_what_is_shared(void **state)
{
    (void)state;
    for (unsigned size = 1; size <= 6; ++size) {
        struct shared_check check = {size, 0};
        run_thread_team(size, share_numbers, &check);
        assert_int_equal(check.done, size);
    }
    struct shared_check alone = {1, 0};
    share_numbers(&alone, NULL);
}

static void agree(void *context, struct fm_team *team)
{
    const unsigned *failing = context;
    unsigned self = fm_team_self(team);
    struct fm_error error = {""};
    fm_status_t status = FM_OK;
    MUST(fm_team_agree(team, FM_OK, &error) == FM_OK);
    if (self >= *failing) {
        status = fm_fail(&error, self == *failing ? FM_ERR_DATA : FM_ERR_SYSTEM, "%u fails", self);
    }
    char expected[32] = "";
    if (*failing < fm_team_size(team)) {
        snprintf(expected, sizeof expected, "%u fails", *failing);
    }
    fm_status_t agreed = *failing < fm_team_size(team) ? FM_ERR_DATA : FM_OK;
    MUST(fm_team_agree(team, status, &error) == agreed);
    MUST(strcmp(error.message, expected) == 0);
}

static void test_all_fail_if_one_does(void **state)
{
    (void)state;
    for (unsigned failing = 0; failing < 5; ++failing) {
        run_thread_team(4, agree, &failing);
    }
}

/* ---- records ---- */

struct record {
    uint64_t number; /* of those that the sender wrote */
    uint32_t from, to, round;
};

/* Who has seen which records. */
struct inbox_check {
    unsigned workers;
    struct record *expected[2][PROCESSES]; /* inboxes, by round */
    size_t count[2][PROCESSES];
    atomic_uint seen[2][PROCESSES];
};

struct post {
    struct fm_inboxes *inboxes;
    uint32_t round;
};

/* None for many, more than a chunk for some. */
static uint32_t records_to(uint32_t from, uint32_t to, uint32_t round)
{
    uint32_t mixed = (from * 7919 + to * 104729 + round * 31) % 101;
    return mixed < 60 ? 0 : mixed < 99 ? mixed % 5 : 1500;
}

static void post_records(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct post *post = context;
    for (uint32_t from = first; from < last; ++from) {
        uint64_t number = 0;
        for (uint32_t step = 0; step < PROCESSES; ++step) {
            uint32_t to = (from * 5 + step * 11) % PROCESSES;
            for (uint32_t i = 0; i < records_to(from, to, post->round); ++i) {
                const struct record record = {number++, from, to, post->round};
                fm_inboxes_send(post->inboxes, worker, to, &record);
            }
        }
    }
}

static void weigh(uint64_t weights[PROCESSES])
{
    for (uint32_t p = 0; p < PROCESSES; ++p) {
        weights[p] = p % 5 == 0 ? 1000 : p;
    }
}

static void fill_inboxes(void *context, struct fm_team *team)
{
    struct inbox_check *check = context;
    uint64_t weights[PROCESSES];
    weigh(weights);
    struct fm_engine *engine = fm_engine_create(team, check->workers, PROCESSES, weights);
    struct post post = {fm_inboxes_create(engine, sizeof(struct record)), 0};
    for (; post.round < 2; ++post.round) {
        fm_engine_run(engine, post_records, &post);
        fm_inboxes_deliver(post.inboxes);
        uint32_t first, last;
        fm_engine_own(engine, &first, &last);
        for (uint32_t p = first; p < last; ++p) {
            size_t count;
            const struct record *inbox = fm_inbox(post.inboxes, p, &count);
            MUST(fm_engine_owns(engine, p));
            if (check->expected[post.round][p] == NULL) {
                check->count[post.round][p] = count;
                check->expected[post.round][p] = fm_allocate(count, sizeof *inbox);
                memcpy(check->expected[post.round][p], inbox, count * sizeof *inbox);
            }
            MUST(count == check->count[post.round][p]);
            for (size_t i = 0; i < count; ++i) {
                const struct record *expected = &check->expected[post.round][p][i];
                MUST(inbox[i].to == p);
                MUST(inbox[i].from == expected->from && inbox[i].number == expected->number &&
                     inbox[i].round == expected->round);
            }
            ++check->seen[post.round][p];
        }
    }
    fm_inboxes_free(post.inboxes);
    fm_engine_free(engine);
}

static void test_inboxes_do_not_depend_on_the_team(void **state)
{
    (void)state;
    struct inbox_check check = {.workers = 1};
    fill_inboxes(&check, NULL);
    unsigned runs = 1;
    for (unsigned size = 1; size <= PROCESSES + 3; size = next_team_size(size, PROCESSES + 3)) {
        for (check.workers = 1; check.workers <= 3; ++check.workers) {
            run_thread_team(size, fill_inboxes, &check);
            ++runs;
        }
    }
    for (uint32_t round = 0; round < 2; ++round) {
        for (uint32_t p = 0; p < PROCESSES; ++p) {
            assert_int_equal(check.seen[round][p], runs);
            fm_free(check.expected[round][p]);
        }
    }
}

/* ---- mailboxes ---- */

/* A message that is answered by two shorter ones. */
struct shrinking {
    uint32_t from;
    uint32_t number; /* of those from `from` to this process */
    uint32_t lives;
    uint32_t filling[]; /* `lives` times `from` */
};

struct mail_check {
    unsigned workers;
    atomic_uint_fast64_t handled, faults;
    /* [from][to]; each is written by one worker only */
    uint32_t sent[PROCESSES][PROCESSES], arrived[PROCESSES][PROCESSES];
};

static void send_shrinking(struct mail_check *check, struct fm_mailboxes *mailboxes,
                           unsigned worker, uint32_t from, uint32_t to, uint32_t lives)
{
    struct shrinking *message = fm_allocate(1, sizeof *message + lives * sizeof(uint32_t));
    *message = (struct shrinking){from, check->sent[from][to]++, lives};
    for (uint32_t i = 0; i < lives; ++i) {
        message->filling[i] = from;
    }
    fm_mailbox_send(mailboxes, worker, to, message, sizeof *message + lives * sizeof(uint32_t));
    fm_free(message);
}

#define LIVES 9

static void start_mail(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                       uint32_t first, uint32_t last)
{
    for (uint32_t p = first; p < last; ++p) {
        send_shrinking(context, mailboxes, worker, p, (p * 7 + 3) % PROCESSES, LIVES);
    }
}

static void handle_mail(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                        uint32_t process, const void *content, size_t size)
{
    struct mail_check *check = context;
    const struct shrinking *message = content;
    bool intact = size == sizeof *message + message->lives * sizeof(uint32_t) &&
                  message->number == check->arrived[message->from][process]++;
    for (uint32_t i = 0; intact && i < message->lives; ++i) {
        intact = message->filling[i] == message->from;
    }
    check->faults += !intact;
    ++check->handled;
    for (uint32_t i = 0; i < 2 && message->lives > 0; ++i) {
        uint32_t to = (process * 11 + message->lives * 5 + i * 17) % PROCESSES;
        send_shrinking(check, mailboxes, worker, process, to, message->lives - 1);
    }
}

static void exchange_mail(void *context, struct fm_team *team)
{
    struct mail_check *check = context;
    uint64_t weights[PROCESSES];
    weigh(weights);
    struct fm_engine *engine = fm_engine_create(team, check->workers, PROCESSES, weights);
    fm_mailboxes_run(engine, start_mail, handle_mail, check);
    fm_mailboxes_run(engine, start_mail, handle_mail, check);
    fm_engine_free(engine);
}

static void test_a_phase_ends_when_all_mail_is_handled(void **state)
{
    (void)state;
    const uint64_t expected = 2 * PROCESSES * ((UINT64_C(2) << LIVES) - 1);
    for (unsigned size = 0; size <= PROCESSES + 3; size = next_team_size(size, PROCESSES + 3)) {
        for (unsigned workers = 1; workers <= 3; ++workers) {
            struct mail_check check = {.workers = workers};
            if (size == 0) {
                exchange_mail(&check, NULL);
            } else {
                run_thread_team(size, exchange_mail, &check);
            }
            assert_int_equal(check.handled, expected);
            assert_int_equal(check.faults, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_get_what_is_shared),
        cmocka_unit_test(test_all_fail_if_one_does),
        cmocka_unit_test(test_inboxes_do_not_depend_on_the_team),
        cmocka_unit_test(test_a_phase_ends_when_all_mail_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
