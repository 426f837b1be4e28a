/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report observes besides wait states: threads that begin late. */
#include "answer_cube.h"
#include "diagnosis/observations.h"

/* @return a cube with calls of `slow` and of main that create threads, those of `slow` late ones */
static struct fm_cube *cube_of_threads(int64_t created, int64_t delay)
{
    struct fm_cube *cube = make_cube();
    add(cube, FM_METRIC_THREAD_START_DELAY, SLOW, 0, delay - 1);
    add(cube, FM_METRIC_THREAD_START_DELAY, SLOW, 1, 1);
    add(cube, FM_METRIC_VISITS, SLOW, 0, created - 10);
    add(cube, FM_METRIC_VISITS, SLOW, 1, 10);
    add(cube, FM_METRIC_VISITS, MAIN, 0, 1000);
    return cube;
}

/* @return the observation about threads, to be freed; NULL: there is none */
static char *thread_starts(struct fm_cube *cube)
{
    struct fm_diagnosis diagnosis;
    struct fm_sentences sentences = {0};
    char *found = NULL;
    make_diagnosis(cube, &diagnosis);
    fm_observations_find(&diagnosis, &sentences);
    for (size_t i = 0; i < sentences.count; i++) {
        if (strstr(sentences.items[i].text, "From its creation until it begins") != NULL) {
            assert_null(found);
            found = strdup(sentences.items[i].text);
        }
    }
    fm_sentences_free(&sentences);
    fm_cube_free(cube);
    return found;
}

/* The calls that create no late thread do not count: 50 of 1,050 threads took 100 of 2,000 ms. */
static void test_late_threads(void **state)
{
    (void)state;
    char *text = thread_starts(cube_of_threads(50, 100));
    assert_non_null(text);
    const char expected[] =
        "From its creation until it begins, a thread takes 2.000 ms on average; "
        "50 threads together 100.0 ms: most of those that `main/slow` creates. Keep ";
    if (strncmp(text, expected, strlen(expected)) != 0) {
        fail_msg("%s", text);
    }
    assert_true(strlen(text) > strlen(expected)); /* what to do follows */
    free(text);
}

static void test_few_or_early_threads(void **state)
{
    (void)state;
    assert_null(thread_starts(cube_of_threads(49, 100)));
    assert_null(thread_starts(cube_of_threads(50, 99))); /* less than 5 % of all time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_threads),
        cmocka_unit_test(test_few_or_early_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
