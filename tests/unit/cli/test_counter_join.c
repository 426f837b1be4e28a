/* Counters beside a trace: their findings and contradictions become a part of the report. */
#include "check.h"
#include "cli/counters/counter_join.h"
#include "counter_files.h"
#include "sample_cube.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, COUNTERS = 7 };

static const char *const names[COUNTERS] = {
    "mpi.messages_sent", "mpi.messages_received", "mpi.bytes_sent", "mpi.bytes_received",
    "EAGER_MESSAGES",    "NOT_EAGER_MESSAGES",    "UNEXPECTED"};

static char folder[] = "/tmp/fermata-join-XXXXXX";

/* What the sample's ranks have sent and received; nothing from inside of the library. */
static void write_equal(int64_t values[RANKS][COUNTERS])
{
    for (int rank = 0; rank < RANKS; rank++) {
        for (int i = 0; i < COUNTERS; i++) {
            values[rank][i] = i < 4 ? 0 : -1;
        }
    }
    values[1][1] = 1200;
    values[1][3] = 1258291200;
    values[3][2] = INT64_C(9007199254740993);
}

static void write_all(int64_t values[RANKS][COUNTERS])
{
    for (unsigned rank = 0; rank < RANKS; rank++) {
        write_counters(folder, rank, RANKS, COUNTERS, names, values[rank]);
    }
}

static struct fm_cube *join(bool is_whole)
{
    struct fm_cube *cube = sample_cube();
    fm_counters_join(folder, is_whole, cube);
    remove_counters(folder, RANKS);
    return cube;
}

static void equal_numbers_are_no_finding(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 0);
    fm_cube_free(cube);
    cube = join(true); /* there are no files */
    assert_int_equal(cube->finding_count, 0);
    fm_cube_free(cube);
}

static void numbers_that_differ_contradict(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    values[2][1] = 7;
    values[3][1] = 8;
    values[1][3]--;
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 2);
    assert_true(cube->findings[0].is_contradiction);
    assert_string_equal(cube->findings[0].id, "counters-and-trace");
    assert_string_equal(cube->findings[0].statement,
                        "Counters and trace contradict each other in 2 of 4 ranks: rank 2 has 7 "
                        "messages received by its counters, 0 by the trace.");
    assert_string_equal(cube->findings[1].statement,
                        "Counters and trace contradict each other in 1 of 4 ranks: rank 1 has "
                        "1,258,291,199 bytes received by its counters, 1,258,291,200 by the "
                        "trace.");
    fm_cube_free(cube);
    write_all(values);
    cube = join(false);
    assert_int_equal(cube->finding_count, 1); /* the one of most ranks */
    assert_false(cube->findings[0].is_contradiction);
    assert_non_null(strstr(cube->findings[0].statement, "The trace lacks what counters have in 2"));
    fm_cube_free(cube);
}

/* 1,200 receives of the sample wait for their send. */
static void awaited_messages_are_not_unexpected(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    for (int more = 0; more < 2; more++) {
        write_equal(values);
        for (int rank = 0; rank < RANKS; rank++) {
            values[rank][4] = 400;
            values[rank][5] = 100;
            values[rank][6] = rank == 1 ? 500 + more : 100;
        }
        write_all(values);
        struct fm_cube *cube = join(true);
        /* 2,000 arrivals, 800 of them unexpected, or 801 */
        assert_int_equal(cube->finding_count, (uint32_t)(1 + more));
        if (more == 1) {
            assert_string_equal(cube->findings[0].id, "unexpected-and-late-sender");
            assert_non_null(strstr(cube->findings[0].statement,
                                   "of 2,000 messages that arrived, 801 came before their "
                                   "receive by the library's counters, and the receives of 1,200 "
                                   "waited"));
        }
        assert_string_equal(cube->findings[more].id, "rendezvous");
        fm_cube_free(cube);
    }
}

/* A finding about a rank has what others wait for there. */
static void findings_have_the_waiting_beside_them(void **state)
{
    int64_t values[RANKS][COUNTERS];
    (void)state;
    write_equal(values);
    for (int rank = 0; rank < RANKS; rank++) {
        values[rank][4] = 100000;
        values[rank][5] = 0;
        values[rank][6] = rank == 3 ? 60000 : 0;
    }
    write_all(values);
    struct fm_cube *cube = join(true);
    assert_int_equal(cube->finding_count, 1);
    assert_string_equal(cube->findings[0].id, "unexpected");
    assert_non_null(
        strstr(cube->findings[0].statement, "Rank 3: 60,000 of 100,000 messages (60.0%)"));
    assert_non_null(strstr(cube->findings[0].statement, "Others wait "));
    assert_non_null(strstr(cube->findings[0].statement, "for what this rank does (problem"));
    assert_true(cube->findings[0].advice[0] != '\0');
    fm_cube_free(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_numbers_are_no_finding),
        cmocka_unit_test(numbers_that_differ_contradict),
        cmocka_unit_test(awaited_messages_are_not_unexpected),
        cmocka_unit_test(findings_have_the_waiting_beside_them),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
