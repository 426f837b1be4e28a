/* Findings from counters, of files that are made here. */
#include "check.h"
#include "counter_files.h"
#include "counters/counter_findings.h"

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
    assert_int_equal(finding->rank, strncmp(finding->statement, "Rank 1:", 7) == 0 ? 1 : -1);
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
    assert_non_null(strstr(texts, "Rank 1: 4000 of 20000 messages (20 %) arrived out of sequence. "
                                  "1 of 2 ranks have more than 2 %."));
    assert_non_null(strstr(texts, "Rank 1: 15000 of 20000 messages (75 %) arrived before"));
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

static void rendezvous_and_algorithms(void **state)
{
    (void)state;
    write_rank(0, 1, (const int64_t[]){900, 100, 0, 0, 300, 200, 1000, 5});
    look(1);
    assert_string_equal(ids, "rendezvous algorithms ");
    assert_non_null(strstr(texts, "100 of 1000 messages (10 %) went by a rendezvous"));
    assert_non_null(strstr(texts,
                           "MPI_Allreduce was performed by several algorithms, most calls in a "
                           "rank: 300 by recursive doubling, 200 by ring."));
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
    assert_non_null(strstr(texts, "1000 allreduces by recursive doubling of 6 ranks"));
    assert_non_null(strstr(texts, "1, 3, ... up to 3 get 3 messages"));
    assert_non_null(strstr(texts, "The former got 2000 messages more"));
    assert_non_null(strstr(texts, "4 or 8 ranks"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disorder_and_floods),
        cmocka_unit_test(little_is_no_finding),
        cmocka_unit_test(rendezvous_and_algorithms),
        cmocka_unit_test(stripes_of_recursive_doubling),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
