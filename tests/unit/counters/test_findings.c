/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings from counters, of files that are made here. */
#include "check.h"
#include "counter_files.h"
#include "counters/findings/counter_findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNTERS = 8 };

static const char *const names[COUNTERS] = {"EAGER_MESSAGES",
                                            "NOT_EAGER_MESSAGES",
                                            "UNEXPECTED",
                                            "OUT_OF_SEQUENCE",
                                            "BASE_ALLREDUCE_RECURSIVE_DOUBLING",
                                            "BASE_ALLREDUCE_RING",
                                            "mpi.messages_received",
                                            "BASE_BCAST_BINOMIAL"};

static char folder[] = "/tmp/fermata-findings-XXXXXX";

static void write_rank(unsigned rank, unsigned size, const int64_t values[COUNTERS])
{
    write_counters(folder, rank, size, COUNTERS, names, values);
}

static char ids[256], texts[4096];

static void note(const struct fm_counter_finding *finding, void *context)
{
    (void)context;
    strcat(strcat(ids, finding->id), " ");
    strcat(texts, finding->statement);
    assert_int_equal(finding->rank, strncmp(finding->statement, "Rank 1:", 7) == 0   ? 1
                                    : strncmp(finding->statement, "Rank 0:", 7) == 0 ? 0
                                                                                     : -1);
    assert_true(finding->advice[0] != '\0');
}

static void look(unsigned size)
{
    struct fm_counter_job job;
    struct fm_error error;
    ids[0] = texts[0] = '\0';
    assert_int_equal(fm_counter_job_open(folder, &job, &error), FM_OK);
    fm_counter_findings(&job, note, NULL);
    fm_counter_job_close(&job);
    remove_counters(folder, size);
}

static void disorder_and_floods(void **state)
{
    (void)state;
    write_rank(0, 2, (const int64_t[]){500, 0, 10, 9, 0, 0, 500, 0});
    write_rank(1, 2, (const int64_t[]){20000, 0, 15000, 4000, 0, 0, 20000, 0});
    look(2);
    assert_string_equal(ids, "out-of-sequence unexpected ");
    assert_non_null(strstr(texts, "Rank 1: 4,000 of 20,000 messages (20.0%) arrived out of "
                                  "sequence. 1 of 2 ranks has at least 2%."));
    assert_non_null(strstr(texts, "Rank 1: 15,000 of 20,000 messages (75.0%) arrived before"));
}

/* Files have the time of the queue of messages out of sequence only if it was asked for. */
static void time_of_disorder(void **state)
{
    static const char *const few[] = {"EAGER_MESSAGES", "NOT_EAGER_MESSAGES", "OUT_OF_SEQUENCE",
                                      "OOS_MATCH_TIME", "MATCH_TIME"};
    static const char queue[] = "2.000 s on the queue of messages out of sequence";
    (void)state;
    write_counters(folder, 0, 1, 5, few, (const int64_t[]){800, 200, 500, 2, -1});
    look(1);
    assert_non_null(strstr(texts, "sequence, and its threads spent 2.000 s on the queue of "));
    write_counters(folder, 0, 1, 5, few, (const int64_t[]){800, 200, 500, 2, 3});
    look(1);
    assert_non_null(
        strstr(texts, ", and its threads spent up to 3.000 s on matching, 2.000 s on "));
    write_counters(folder, 0, 1, 5, few, (const int64_t[]){800, 200, 500, -1, 3});
    look(1);
    assert_null(strstr(texts, queue));
    assert_non_null(strstr(texts, "3.000 s on matching. 1 of 1"));
}

static void little_is_no_finding(void **state)
{
    (void)state;
    write_rank(0, 1, (const int64_t[]){99, 0, 99, 99, 99, 99, 0, 0});
    look(1);
    assert_string_equal(ids, "");
    write_rank(0, 1, (const int64_t[]){-1, -1, 99999, 99999, -1, -1, 5, -1});
    look(1);
    assert_string_equal(ids, "");
}

/* A library with SPC has no counters of all arriving messages: those that the program has received
 * stand beside the unexpected ones, which are no part of them. */
static void floods_beside_what_was_received(void **state)
{
    (void)state;
    write_rank(0, 2, (const int64_t[]){-1, -1, 10, 0, -1, -1, 500, -1});
    write_rank(1, 2, (const int64_t[]){-1, -1, 5007, 0, -1, -1, 5000, -1});
    look(2);
    assert_string_equal(ids, "unexpected ");
    assert_string_equal(texts,
                        "Rank 1: 5,007 messages, those of the library itself included, arrived "
                        "before their receive and waited in the library; the program received "
                        "5,000 messages. In 1 of 2 ranks the former are at least 50% of the "
                        "latter.");
    write_rank(0, 2, (const int64_t[]){-1, -1, 999, 0, -1, -1, 1000, -1});
    write_rank(1, 2, (const int64_t[]){-1, -1, 2499, 0, -1, -1, 5000, -1});
    look(2);
    assert_string_equal(ids, "");
}

/* Opens a job of one rank, and lists what cannot be judged; whether anything can be. */
static bool judge(const int64_t values[COUNTERS])
{
    struct fm_counter_rule unjudged[FM_COUNTER_RULES];
    struct fm_counter_job job;
    struct fm_error error;
    ids[0] = texts[0] = '\0';
    write_rank(0, 1, values);
    assert_int_equal(fm_counter_job_open(folder, &job, &error), FM_OK);
    size_t count = fm_counter_findings_unjudged(&job, unjudged);
    for (size_t i = 0; i < count; i++) {
        assert_true(unjudged[i].what[0] != '\0');
        strcat(strcat(ids, unjudged[i].id), " ");
        strcat(strcat(texts, unjudged[i].needs), " ");
    }
    bool is_possible = fm_counter_findings_possible(&job);
    fm_counter_job_close(&job);
    remove_counters(folder, 1);
    return is_possible;
}

static void what_lacks_counters_is_not_judged(void **state)
{
    (void)state;
    assert_true(judge((const int64_t[]){0, 0, 0, 0, 0, 0, 0, 0}));
    assert_string_equal(ids, "");
    assert_true(judge((const int64_t[]){-1, -1, 0, 0, -1, -1, 0, -1}));
    assert_string_equal(ids, "out-of-sequence rendezvous algorithms recursive-doubling ");
    assert_true(judge((const int64_t[]){0, 0, 0, -1, -1, 0, -1, -1}));
    assert_string_equal(ids, "out-of-sequence recursive-doubling ");
    assert_true(judge((const int64_t[]){-1, -1, -1, -1, -1, -1, 0, 0}));
    assert_string_equal(ids, "out-of-sequence unexpected rendezvous recursive-doubling ");
    assert_non_null(strstr(texts, " UNEXPECTED,mpi.messages_received EAGER_MESSAGES,"));
    assert_true(judge((const int64_t[]){-1, -1, 0, 0, -1, -1, -1, -1}));
    assert_string_equal(ids,
                        "out-of-sequence unexpected rendezvous algorithms recursive-doubling ");
    assert_false(judge((const int64_t[]){-1, -1, -1, -1, -1, -1, 0, -1}));
}

static void almost_all_is_not_all(void **state)
{
    (void)state;
    write_rank(0, 2, (const int64_t[]){0, 0, 0, 0, 0, 0, 0, 0});
    write_rank(1, 2, (const int64_t[]){200002, 0, 199378, 0, 0, 0, 0, 0});
    look(2);
    assert_non_null(strstr(texts, "199,378 of 200,002 messages (99.7%) arrived before"));
    write_rank(0, 2, (const int64_t[]){0, 0, 0, 0, 0, 0, 0, 0});
    write_rank(1, 2, (const int64_t[]){200002, 0, 200001, 0, 0, 0, 0, 0});
    look(2);
    assert_non_null(strstr(texts, "200,001 of 200,002 messages (>99.9%) arrived before"));
}

static void rendezvous(void **state)
{
    (void)state;
    write_rank(0, 1, (const int64_t[]){900, 100, 0, 0, 300, 0, 1000, 5});
    look(1);
    assert_string_equal(ids, "rendezvous ");
    assert_non_null(strstr(texts, "100 of 1,000 messages (10.0%) went by a rendezvous"));
}

/* Two ranks that send 450 messages of 512-1023 bytes each, and one of them 100 of 65,536 or more.
 */
static void rendezvous_have_a_size(void **state)
{
    (void)state;
    static int64_t sizes[2][65], eager = 900, others = 100;
    sizes[0][10] = sizes[1][10] = 450;
    sizes[1][17] = 60;
    sizes[1][18] = 40;
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        sizes[0][17] = is_cut ? 30 : 0; /* 130 messages: some of this size went eagerly */
        for (unsigned rank = 0; rank < 2; rank++) {
            const struct counter_of_file counters[] = {
                {"EAGER_MESSAGES", FM_COUNTER_COUNT, 1, 0, &eager},
                {"NOT_EAGER_MESSAGES", FM_COUNTER_COUNT, 1, 0, rank == 0 ? &others : &sizes[0][0]},
                {"mpi.message_sizes", FM_COUNTER_HISTOGRAM, 65, 0, sizes[rank]}};
            write_counters_of_kinds(folder, rank, 2, 3, counters);
        }
        look(2);
        assert_string_equal(ids, "rendezvous ");
        assert_non_null(strstr(texts, is_cut ? "answered. Of the program's messages, the 100 "
                                               "largest have 65,536 bytes or more, the others up "
                                               "to 131,071."
                                             : "answered. Of the program's messages, the 100 "
                                               "largest have 65,536 bytes or more, the others up "
                                               "to 1,023."));
    }
}

/* Algorithms by the volume of their calls. */
static void algorithms_have_volumes(void **state)
{
    (void)state;
    static const int64_t doubling[] = {200, 100, 0, 0}, ring[] = {0, 0, 1100, 300},
                         bcast[] = {50, 0, 450, 0}, chain[] = {0, 400, 0, 0};
    const struct counter_of_file counters[] = {
        {"BASE_ALLREDUCE_RECURSIVE_DOUBLING", FM_COUNTER_COLLECTIVE_BINS, 4, 12288, doubling},
        {"BASE_ALLREDUCE_RING", FM_COUNTER_COLLECTIVE_BINS, 4, 12288, ring},
        {"BASE_BCAST_BINOMIAL", FM_COUNTER_COLLECTIVE_BINS, 4, 1000, bcast},
        {"BASE_BCAST_CHAIN", FM_COUNTER_COLLECTIVE_BINS, 4, 1000, chain}};
    write_counters_of_kinds(folder, 0, 1, 4, counters);
    look(1);
    assert_string_equal(ids, "algorithms algorithms ");
    assert_non_null(strstr(texts, "300 by recursive doubling (volumes up to 12,288 bytes), 1,400 "
                                  "by ring (volumes above 12,288 bytes)."));
    assert_non_null(strstr(texts, "500 by binomial (volumes up to 1,000 bytes in 50, above in "
                                  "450), 400 by chain (volumes up to 1,000 bytes)."));
}

/* Calls of ring that recursive doubling may have performed do not count as performed by ring. */
static void several_algorithms(void **state)
{
    (void)state;
    write_rank(0, 2, (const int64_t[]){9000, 0, 0, 0, 3041, 2903, 9000, 0});
    write_rank(1, 2, (const int64_t[]){9000, 0, 0, 0, 3041, 2903, 9000, 0});
    look(2);
    assert_string_equal(ids, "");
    write_rank(0, 2, (const int64_t[]){9000, 0, 0, 0, 300, 1500, 9000, 0});
    write_rank(1, 2, (const int64_t[]){9000, 0, 0, 0, 300, 1400, 9000, 0});
    look(2);
    assert_string_equal(ids, "algorithms ");
    assert_non_null(strstr(texts, "Several algorithms performed MPI_Allreduce, for the program or "
                                  "inside of other operations. "
                                  "The most in a rank: 300 by recursive doubling, at least 1,200 "
                                  "by ring (of 1,500 calls: the "
                                  "others may have gone on to recursive doubling)."));
    write_rank(0, 1, (const int64_t[]){9000, 0, 0, 0, -1, 1500, 9000, 1500}); /* not recorded */
    look(1);
    assert_string_equal(ids, "");
}

/* Algorithms that have no counter among Open MPI's count, too. */
static void own_algorithms(void **state)
{
    static const char *const few[] = {"EAGER_MESSAGES",
                                      "NOT_EAGER_MESSAGES",
                                      "algorithm.allreduce.redscat_allgather",
                                      "BASE_ALLREDUCE_NONOVERLAPPING",
                                      "BASE_ALLREDUCE_LINEAR",
                                      "algorithm.reduce_scatter_block.linear",
                                      "algorithm.scan.linear"};
    (void)state;
    write_counters(folder, 0, 1, 7, few, (const int64_t[]){9000, 0, 400, 300, 100, 500, 500});
    look(1);
    assert_string_equal(ids, "algorithms ");
    assert_non_null(strstr(texts, "at least 300 by redscat allgather (of 400 calls: the others may "
                                  "have gone on to linear), 300 by nonoverlapping, 100 by linear"));
    write_counters(folder, 0, 1, 7, few, (const int64_t[]){9000, 0, 400, 0, 400, 500, 500});
    look(1);
    assert_string_equal(ids, "");
}

/* Six ranks: 1 message for each operation in ranks 0 and 2, 3 in ranks 1 and 3, 2 in the others. */
static void stripes_of_recursive_doubling(void **state)
{
    (void)state;
    static const int64_t extra[] = {1, 3, 1, 3, 2, 2};
    for (unsigned rank = 0; rank < 6; rank++) {
        write_rank(rank, 6,
                   (const int64_t[]){5000 + 1000 * extra[rank], 0, 0, 0, 1000, 0, 5000, 0});
    }
    look(6);
    assert_string_equal(ids, "recursive-doubling ");
    assert_string_equal(
        texts, "1,000 allreduces by recursive doubling of 6 ranks, which is not a power of two: "
               "ranks 1 and 3 get 3 messages for each, ranks 0 and 2 get 1. In this run the former "
               "got 2,000 messages more on average. 4 or 8 ranks have no such stripes.");
    for (unsigned rank = 0; rank < 6; rank++) { /* the messages do not show it */
        write_rank(rank, 6, (const int64_t[]){7000, 0, 0, 0, 1000, 0, 5000, 0});
    }
    look(6);
    assert_string_equal(ids, "");
    for (unsigned rank = 0; rank < 4; rank++) { /* a power of two */
        write_rank(rank, 4,
                   (const int64_t[]){5000 + 1000 * extra[rank], 0, 0, 0, 1000, 0, 5000, 0});
    }
    look(4);
    assert_string_equal(ids, "");
}

/* @param steps  of recursive doubling of `power` ranks */
static void look_for_stripes_of(unsigned size, unsigned power, int steps)
{
    for (unsigned rank = 0; rank < size; rank++) {
        int64_t extra = rank >= 2 * (size - power) ? steps : rank % 2 == 0 ? 1 : steps + 1;
        write_rank(rank, size, (const int64_t[]){5000 + 1000 * extra, 0, 0, 0, 1000, 0, 5000, 0});
    }
    look(size);
    assert_string_equal(ids, "recursive-doubling ");
}

static void stripes_name_their_ranks(void **state)
{
    (void)state;
    look_for_stripes_of(5, 4, 2);
    assert_non_null(strstr(texts, "rank 1 gets 3 messages for each, rank 0 gets 1. In this run the "
                                  "former got 2,000 messages more. 4 or 8"));
    look_for_stripes_of(7, 4, 2);
    assert_non_null(
        strstr(texts, "ranks 1, 3 and 5 get 3 messages for each, ranks 0, 2 and 4 get"));
    look_for_stripes_of(13, 8, 3);
    assert_non_null(strstr(texts, "ranks 1, 3, ..., 9 get 4 messages for each, ranks 0, 2, ..., 8 "
                                  "get 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disorder_and_floods),
        cmocka_unit_test(time_of_disorder),
        cmocka_unit_test(little_is_no_finding),
        cmocka_unit_test(floods_beside_what_was_received),
        cmocka_unit_test(what_lacks_counters_is_not_judged),
        cmocka_unit_test(almost_all_is_not_all),
        cmocka_unit_test(rendezvous),
        cmocka_unit_test(rendezvous_have_a_size),
        cmocka_unit_test(algorithms_have_volumes),
        cmocka_unit_test(several_algorithms),
        cmocka_unit_test(own_algorithms),
        cmocka_unit_test(stripes_of_recursive_doubling),
        cmocka_unit_test(stripes_name_their_ranks),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
