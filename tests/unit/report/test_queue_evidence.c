/* SPDX-License-Identifier: BSD-3-Clause */
/* What the queues of an MPI library explain of a call for which others wait. */
#include "answer_cube.h"
#include "cube/model/metric_id.h"
#include "diagnosis/problems/evidence/queue_evidence.h"

/** Rank 0 is in MPI_Recv for 600 ms, and in MPI_Finalize; rank 1 waits for it. */
struct library {
    int64_t match[2];                    /**< ms, of each rank; negative: not counted */
    int64_t unexpected;                  /**< of the 8,000 messages of a rank; 0: not counted */
    int64_t elsewhere;                   /**< ms that rank 0 waits in MPI_Recv, too */
    int64_t calls;                       /**< of MPI_Recv on rank 0 */
    int64_t bytes;                       /**< received on rank 0 */
    struct fm_cube_unexpected bounds[2]; /**< of each rank */
    const char *call;                    /**< NULL: MPI_Recv */
};

static fm_metric_t declare(const char *name, fm_unit_t unit)
{
    char id[FM_METRIC_ID_SIZE];
    fm_metric_counter_id(id, name);
    return fm_metric_declare(&(struct fm_metric_info){.id = id,
                                                      .parent = FM_METRIC_NONE,
                                                      .name = name,
                                                      .unit = unit,
                                                      .description = "",
                                                      .formula = "",
                                                      .advice = ""});
}

static struct fm_cube *make_library(const struct library *library)
{
    struct fm_cube *cube = make_cube();
    uint32_t call = RECV;
    cube->experiment.ticks_per_second = 1000000; /* a call takes microseconds */
    cube->experiment.end = 2000000;
    for (size_t i = 0; i < cube->cell_count; i++) {
        cube->cells[i].value *= 1000;
    }
    if (library->call != NULL) {
        uint32_t region = fm_cube_add_region(cube, library->call, "mpi", NULL, 0);
        call = fm_cube_add_callpath(cube, MAIN, region);
    }
    add(cube, FM_METRIC_MPI_POINT2POINT, call, 0, 600000);
    add(cube, FM_METRIC_MPI_LATESENDER, call, 0, library->elsewhere * 1000);
    add(cube, FM_METRIC_VISITS, call, 0, library->calls);
    add(cube, FM_METRIC_BYTES_RCVD, call, 0, library->bytes);
    for (uint32_t rank = 0; rank < 2; rank++) {
        cube->locations[rank].unexpected = library->bounds[rank];
        if (library->match[rank] >= 0) {
            add(cube, declare("MATCH_TIME", FM_UNIT_TICKS), MAIN, rank,
                library->match[rank] * 1000);
            add(cube, declare("EAGER_MESSAGES", FM_UNIT_OCCURRENCES), MAIN, rank, 8000);
            add(cube, declare("UNEXPECTED", FM_UNIT_OCCURRENCES), MAIN, rank, library->unexpected);
        }
    }
    add_problem(cube, FM_CAUSE_TRANSFER, call, 1, FM_METRIC_MPI_LATESENDER, RECV, 300000);
    return cube;
}

static void expect(struct library library, fm_queue_reason_t reason, const char *label,
                   const char *text)
{
    struct fm_cube *cube = make_library(&library);
    struct fm_diagnosis diagnosis;
    struct fm_answer answer;
    make_diagnosis(cube, &diagnosis);
    assert_int_equal(fm_queue_reason(&diagnosis, &cube->problems[0]), reason);
    fm_answer_make(&diagnosis, 8, &answer);
    assert_int_equal(answer.count, text == NULL ? 0 : 1);
    assert_int_equal(answer.without_cause.count, text == NULL ? 1 : 0);
    if (text != NULL) {
        assert_string_equal(text_of(&answer.items[0], label), text);
        assert_string_not_equal(text_of(&answer.items[0], "Try"), "");
    }
    fm_answer_free(&answer);
    fm_cube_free(cube);
}

static void test_matching_is_the_reason(void **state)
{
    (void)state;
    expect((struct library){.match = {500, 1}, .calls = 8000}, FM_QUEUE_MATCHES, "Why",
           "MPI_Recv takes 600.0 ms there; in all, the MPI library needs up to 500.0 ms to match "
           "8,000 messages with the receives that are posted when they arrive, copies of short "
           "ones included, at most 1.000 ms on the other rank");
    /* At least half: 301 - 1 of 600 ms. */
    expect((struct library){.match = {301, 1}, .calls = 8000}, FM_QUEUE_MATCHES, "Why",
           "MPI_Recv takes 600.0 ms there; in all, the MPI library needs up to 301.0 ms to match "
           "8,000 messages with the receives that are posted when they arrive, copies of short "
           "ones included, at most 1.000 ms on the other rank");
}

/** Half of the messages came before their receives. */
static void test_keeping_is_the_reason(void **state)
{
    (void)state;
    expect((struct library){.match = {500, 1}, .calls = 8000, .unexpected = 3999}, FM_QUEUE_MATCHES,
           "Try",
           "Post receives in the order in which their messages come, fewer at a time, or divide "
           "the messages among several communicators.");
    expect((struct library){.match = {500, 1}, .calls = 8000, .unexpected = 4000}, FM_QUEUE_KEEPS,
           "Why",
           "MPI_Recv takes 600.0 ms there; in all, the MPI library needs up to 500.0 ms to take in "
           "8,000 messages, 4,000 of which came before their receives and are kept until then, "
           "copies of short ones included, at most 1.000 ms on the other rank");
    expect((struct library){.match = {500, 1}, .calls = 8000, .unexpected = 4000}, FM_QUEUE_KEEPS,
           "Try",
           "Post receives before the messages come (MPI_Irecv), or let the receiver get the data "
           "when it needs them (MPI_Get).");
}

static void test_matching_is_no_reason(void **state)
{
    (void)state;
    /* Too little, as much elsewhere, while waiting, not counted. */
    expect((struct library){.match = {300, 1}, .calls = 8000}, FM_QUEUE_EXPLAINS_NOTHING, NULL,
           NULL);
    expect((struct library){.match = {500, 300}, .calls = 8000}, FM_QUEUE_EXPLAINS_NOTHING, NULL,
           NULL);
    expect((struct library){.match = {500, 1}, .calls = 8000, .elsewhere = 200},
           FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    expect((struct library){.match = {-1, -1}, .calls = 8000}, FM_QUEUE_EXPLAINS_NOTHING, NULL,
           NULL);
}

/** Unexpected messages without counters of the library. */
static struct library flooded(uint64_t messages, uint64_t least, uint64_t queue, uint64_t others)
{
    return (struct library){
        .match = {-1, -1},
        .calls = 8000,
        .bytes = 800000,
        .bounds = {{.messages = messages,
                    .least = least,
                    .most = messages,
                    .queue_least = queue,
                    .queue_most = queue},
                   {.messages = 10, .least = 0, .most = others, .queue_most = others}}};
}

static void test_queue_is_observed(void **state)
{
    (void)state;
    expect(flooded(8000, 8000, 8000, 5), FM_QUEUE_IS_LONG, "Queue",
           "8,000 of 8,000 messages had come before their receives; 8,000 or more at once were in "
           "the queue that a receive searches, at most 5 on the other rank. MPI_Recv takes 600.0 "
           "ms there, 75.00 us a call: how much of it is searching is not counted");
    struct library library = flooded(8000, 7200, 1000, 500);
    library.bounds[1] = (struct fm_cube_unexpected){0};
    expect(library, FM_QUEUE_IS_LONG, "Queue",
           "at least 7,200 of 8,000 messages had come before their receives; 1,000 or more at once "
           "were in the queue that a receive searches. MPI_Recv takes 600.0 ms there, 75.00 us a "
           "call: how much of it is searching is not counted");
}

static void test_queue_does_not_matter(void **state)
{
    (void)state;
    expect(flooded(8000, 7199, 1000, 500), FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    expect(flooded(8000, 8000, 999, 5), FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    expect(flooded(8000, 8000, 1000, 501), FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    struct library library = flooded(8000, 8000, 8000, 5);
    library.calls = 200000; /* 3 us each: found at once */
    expect(library, FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    library.calls = 60; /* 10 ms each: longer than searching 8,000 entries */
    expect(library, FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    library.calls = 8000;
    library.bytes = 400000000; /* copied in 400 ms */
    expect(library, FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    library.bytes = 0;
    library.call = "MPI_Send"; /* searches no queue */
    expect(library, FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
    library.call = "MPI_Recv_init";
    expect(library, FM_QUEUE_EXPLAINS_NOTHING, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching_is_the_reason), cmocka_unit_test(test_keeping_is_the_reason),
        cmocka_unit_test(test_matching_is_no_reason),  cmocka_unit_test(test_queue_is_observed),
        cmocka_unit_test(test_queue_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
