/* SPDX-License-Identifier: BSD-3-Clause */
/* What is missing of an incomplete run, in the words of its programming model. */
#include "record/archive/archive.h"
#include "record/rebuild/missing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *process, const char *expected)
{
    struct fm_process_end ends[] = {{.rank = 0, .known = true, .saved = true, .seconds = 4},
                                    {.rank = 1, .known = true, .seconds = 2.5},
                                    {.rank = 2}};
    char text[256];
    fm_missing_describe(ends, 3, fm_process_noun_in(process), false, "End", NULL, text,
                        sizeof text);
    assert_string_equal(text, expected);
}

static void processes_are_called_as_in_reports(void **state)
{
    (void)state;
    const char *ranks = "not all of the run was recorded; missing are rank 2 entirely, rank 1 "
                        "after 2.500 s";
    expect("MPI Rank", ranks);
    expect("ARMCI Process", ranks);
    expect("", ranks);
    expect("SHMEM PE", "not all of the run was recorded; missing are PE 2 entirely, PE 1 after "
                       "2.500 s");
    expect("Image", "not all of the run was recorded; missing are image 3 entirely, image 2 after "
                    "2.500 s");
}

static void most_are_counted(void **state)
{
    enum { MANY = 9 };
    struct fm_process_end ends[MANY];
    char text[512];
    (void)state;
    for (uint32_t rank = 0; rank < MANY; rank++) {
        ends[rank] = (struct fm_process_end){.rank = rank, .known = true, .seconds = rank};
    }
    fm_missing_describe(ends, MANY, fm_process_noun_in("SHMEM PE"), false, NULL, NULL, text,
                        sizeof text);
    assert_non_null(strstr(text, ", PE 5 after 5.000 s and 3 more PEs after later times"));
}

/* The merged definitions of a run: paradigms, those of `used` with a communicator. */
static const char *noun_of(const char *const *processes, const bool *used, uint32_t count)
{
    struct fm_definitions set = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct fm_paradigm_description description = {.otf2 = i + 1};
        memcpy(description.process, processes[i], strlen(processes[i]));
        assert_int_not_equal(fm_define_paradigm(&set, &description), FM_DEFINE_NONE);
        const uint32_t words[FM_COMM_WORDS] = {[FM_COMM_PARADIGM] = i + 1};
        if (used[i]) {
            assert_int_not_equal(fm_define(&set, FM_DEFINE_COMM, words, FM_COMM_WORDS),
                                 FM_DEFINE_NONE);
        }
    }
    const char *noun = fm_archive_process_noun(&set)->one;
    fm_definitions_free(&set);
    return noun;
}

static void several_models_have_ranks(void **state)
{
    static const char *const processes[] = {"MPI Rank", "Image"};
    (void)state;
    assert_string_equal(noun_of(processes, (const bool[]){false, true}, 2), "image");
    assert_string_equal(noun_of(processes, (const bool[]){true, true}, 2), "rank");
    assert_string_equal(noun_of(processes, (const bool[]){true, false}, 2), "rank");
    assert_string_equal(noun_of(processes, NULL, 0), "rank");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_called_as_in_reports),
        cmocka_unit_test(most_are_counted),
        cmocka_unit_test(several_models_have_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
