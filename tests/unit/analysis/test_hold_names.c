/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the locks of windows. */
#include "check.h"

#include "analysis/locks/kept_holds.h"

static void windows_have_names_or_numbers(void **state)
{
    (void)state;
    char no_name[] = "", name[] = "halo";
    struct fm_window windows[] = {{.name = NULL}, {.name = no_name}, {.name = name}};
    const struct fm_trace trace = {.windows = windows, .window_count = 3};
    static const char *const expected[] = {"window 0, rank 7", "window 1, rank 7", "halo, rank 7"};
    char text[FM_LOCK_NAME_SIZE];
    for (uint32_t i = 0; i < 3; i++) {
        struct fm_kept_hold kept = {.hold = {.paradigm = FM_PARADIGM_MPI, .target = 7},
                                    .window = i};
        fm_kept_hold_name(&trace, &kept, text);
        assert_string_equal(text, expected[i]);
    }
    const struct fm_kept_hold all = {.hold = {.paradigm = FM_PARADIGM_MPI, .target = FM_NONE},
                                     .window = 2};
    fm_kept_hold_name(&trace, &all, text);
    assert_string_equal(text, "halo, all targets");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_have_names_or_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
