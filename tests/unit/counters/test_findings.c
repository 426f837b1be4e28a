/* Findings from counters, of files that are made here. */
#include "check.h"
#include "counters/catalogue.h"
#include "counters/counter_findings.h"
#include "counters/counter_layout.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNTERS = 8, BLOCK_WORDS = FM_BLOCK_HEAD + FM_SLOTS + 16 };

static const char *const names[COUNTERS] = {"EAGER_MESSAGES",
                                            "NOT_EAGER_MESSAGES",
                                            "UNEXPECTED",
                                            "OUT_OF_SEQUENCE",
                                            "BASE_ALLREDUCE_RECURSIVE_DOUBLING",
                                            "BASE_ALLREDUCE_RING",
                                            "mpi.messages_received",
                                            "BASE_BCAST_BINOMIAL"};

static char folder[] = "/tmp/fermata-findings-XXXXXX";

/* Writes the counters of a rank; -1: it does not have that one. */
static void write_rank(unsigned rank, unsigned size, const int64_t values[COUNTERS])
{
    char path[128];
    static uint64_t block[BLOCK_WORDS];
    struct fm_counter_file_head head = {.magic = FM_COUNTER_FILE_MAGIC,
                                        .version = FM_COUNTER_FILE_VERSION,
                                        .byte_order = 0x01020304,
                                        .description_bytes = sizeof(struct fm_counter_description),
                                        .function_bytes = sizeof(struct fm_counter_function),
                                        .descriptions_at = FM_COUNTER_HEAD_BYTES,
                                        .functions_at = 2 * FM_COUNTER_HEAD_BYTES,
                                        .blocks_at = 3 * FM_COUNTER_HEAD_BYTES,
                                        .block_bytes = sizeof block,
                                        .block_count = 1,
                                        .state = FM_COUNTING_ENDED,
                                        .nanoseconds = 1,
                                        .rank = rank,
                                        .size = size};
    snprintf(path, sizeof path, "%s/rank.%u", folder, rank);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    for (uint32_t i = 0; i < COUNTERS; i++) {
        struct fm_counter_description d = {
            .unit = "x", .kind = FM_COUNTER_COUNT, .slot = i, .bins = 1, .is_selected = 1};
        snprintf(d.name, sizeof d.name, "%s", names[i]);
        block[FM_BLOCK_HEAD + i] = (uint64_t)values[i];
        if (values[i] >= 0) {
            assert_int_equal(
                pwrite(file, &d, sizeof d,
                       (off_t)(head.descriptions_at + head.description_count * sizeof d)),
                sizeof d);
            head.description_count++;
        }
    }
    assert_int_equal(pwrite(file, &head, sizeof head, 0), sizeof head);
    assert_int_equal(pwrite(file, block, sizeof block, (off_t)head.blocks_at), sizeof block);
    close(file);
}

static char ids[256], texts[4096];

static void note(const struct fm_counter_finding *finding, void *context)
{
    (void)context;
    strcat(strcat(ids, finding->id), " ");
    strcat(texts, finding->statement);
    assert_true(finding->advice[0] != '\0');
}

static void look(unsigned size)
{
    struct fm_counter_job job;
    struct fm_error error;
    char path[128];
    ids[0] = texts[0] = '\0';
    assert_int_equal(fm_counter_job_open(folder, &job, &error), FM_OK);
    fm_counter_findings(&job, note, NULL);
    fm_counter_job_close(&job);
    for (unsigned rank = 0; rank < size; rank++) {
        snprintf(path, sizeof path, "%s/rank.%u", folder, rank);
        unlink(path);
    }
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
