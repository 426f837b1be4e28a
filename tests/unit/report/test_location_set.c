/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of locations as text. */
#include "check.h"
#include "cube/model/cube.h"
#include "diagnosis/location_set.h"

#include <stdlib.h>

/** @return a cube of `ranks` processes with `threads` threads each. */
static struct fm_cube *make_cube(uint32_t ranks, uint32_t threads)
{
    struct fm_cube *cube = fm_cube_create();
    assert_non_null(cube);
    for (uint32_t i = 0; i < ranks * threads; i++) {
        assert_int_equal(fm_cube_add_location(cube, i, i / threads, i % threads, "node", "name"),
                         i);
    }
    return cube;
}

/** Describes the locations that are marked by 'x'; those marked by 's' are the subject. */
static void expect(uint32_t ranks, uint32_t threads, const char *marks, const char *expected)
{
    struct fm_cube *cube = make_cube(ranks, threads);
    const struct fm_diagnosis diagnosis = {
        .cube = cube, .options = {.width = 80, .utf8 = true}, .process = fm_process_word(cube)};
    uint32_t members[64], subjects[64];
    struct fm_location_set set = {members, 0}, subject = {subjects, 0};
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (marks[i] == 'x') {
            members[set.count++] = i;
        } else if (marks[i] == 's') {
            subjects[subject.count++] = i;
        }
    }
    char *text = fm_location_set_text(&diagnosis, set, subject.count > 0 ? &subject : NULL);
    assert_string_equal(text, expected);
    free(text);
    fm_cube_free(cube);
}

static void test_ranks(void **state)
{
    (void)state;
    expect(4, 1, "---x", "rank 3");
    expect(4, 1, "xx--", "ranks 0 and 1");
    expect(4, 1, "xxx-", "ranks 0-2");
    expect(4, 1, "xx-x", "ranks 0, 1 and 3");
    expect(4, 1, "xxxx", "all 4 ranks");
    expect(2, 1, "xx", "both ranks");
    expect(12, 1, "x-x-x-x-xxx-", "ranks 0, 2, 4, 6 and 8-10");
    expect(12, 1, "x-x-x-x-x-x-", "6 of the 12 ranks");
}

/* The processes are called what the only library of the program calls them. */
static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second; /* paradigms */
        const char *one, *others;
    } programs[] = {{"shmem", "user", "PE 1", "all other PEs"},
                    {"caf", "user", "image 2", "all other images"},
                    {"shmem", "mpi", "rank 1", "all other ranks"},
                    {"armci", "user", "rank 1", "all other ranks"}};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        struct fm_cube *cube = make_cube(3, 1);
        fm_cube_add_callpath(cube, FM_CUBE_NONE,
                             fm_cube_add_region(cube, "a", programs[i].first, NULL, 0));
        fm_cube_add_callpath(cube, FM_CUBE_NONE,
                             fm_cube_add_region(cube, "b", programs[i].second, NULL, 0));
        const struct fm_diagnosis diagnosis = {.cube = cube, .process = fm_process_word(cube)};
        uint32_t late = 1, waiting[] = {0, 2};
        const struct fm_location_set one = {&late, 1}, others = {waiting, 2};
        char *text = fm_location_set_text(&diagnosis, one, NULL);
        assert_string_equal(text, programs[i].one);
        free(text);
        text = fm_location_set_text(&diagnosis, others, &one);
        assert_string_equal(text, programs[i].others);
        free(text);
        fm_cube_free(cube);
    }
}

/* A program that has only threads is one process; one that calls MPI, too, is a rank. */
static void test_word_of_threads(void **state)
{
    (void)state;
    struct fm_cube *cube = make_cube(1, 2);
    fm_cube_add_callpath(cube, FM_CUBE_NONE,
                         fm_cube_add_region(cube, "pthread_join", "pthread", NULL, 0));
    assert_string_equal(fm_process_word(cube).one, "process");
    fm_cube_add_callpath(cube, FM_CUBE_NONE, fm_cube_add_region(cube, "MPI_Send", "mpi", NULL, 0));
    assert_string_equal(fm_process_word(cube).one, "rank");
    fm_cube_free(cube);
}

static void test_other_ranks(void **state)
{
    (void)state;
    expect(4, 1, "xxsx", "all other ranks");
    expect(4, 1, "xxs-", "ranks 0 and 1");
    expect(3, 1, "xss", "rank 0");
}

static void test_threads(void **state)
{
    (void)state;
    expect(1, 4, "-x--", "thread 1");
    expect(1, 4, "-xxx", "threads 1-3");
    expect(1, 4, "xxxx", "all 4 threads");
    expect(1, 4, "sxxx", "all other threads");
    expect(2, 2, "-x--", "rank 0, thread 1");
    expect(2, 2, "x---", "rank 0, thread 0");
    expect(3, 2, "xxxx--", "ranks 0 and 1");
    expect(3, 2, "x-x---", "thread 0 of ranks 0 and 1");
    expect(3, 2, "xx----", "rank 0"); /* all of its threads */
    expect(3, 2, "xxx--x", "4 threads of ranks 0-2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),           cmocka_unit_test(test_words),
        cmocka_unit_test(test_word_of_threads), cmocka_unit_test(test_other_ranks),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
