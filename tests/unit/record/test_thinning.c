/* SPDX-License-Identifier: BSD-3-Clause */
/* Which iterations are kept: the rule, that it can be agreed on, what is said about it, and the
 * size limit as an option. */
#include "record/selection/thinning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fm_thinning table;

static uint64_t *row(const char *phase)
{
    return table.first[fm_thinning_bucket(phase, strlen(phase))];
}

static void stages_keep_multiples_of_powers_of_four(void **state)
{
    (void)state;
    fm_thinning_begin(&table);
    uint32_t bucket = fm_thinning_bucket("step", 4);
    assert_true(fm_thinning_keeps(&table, bucket, 12345));
    assert_false(fm_thinning_has_ended(&table));
    row("step")[0] = 10;
    row("step")[1] = 40;
    row("step")[FM_THINNING_END] = 100;
    for (uint64_t i = 0; i < 200; i++) {
        bool kept = i < 10 || (i < 40 ? i % 4 == 0 : i < 100 && i % 16 == 0);
        assert_int_equal(fm_thinning_keeps(&table, bucket, i), kept);
    }
    assert_true(fm_thinning_has_ended(&table));
    assert_int_not_equal(bucket, fm_thinning_bucket("other", 5));
    assert_true(fm_thinning_keeps(&table, fm_thinning_bucket("other", 5), 11));
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void fill(struct fm_thinning *any, uint64_t *seed)
{
    uint64_t at = 0;
    fm_thinning_begin(any);
    unsigned reached = (unsigned)(next_random(seed) % 6);
    for (unsigned stage = 0; stage < reached; stage++) {
        any->first[3][stage] = at += next_random(seed) % 60;
    }
    if (reached == 5) {
        any->first[3][FM_THINNING_END] = at + next_random(seed) % 60;
    }
}

static void the_minimum_keeps_what_all_have_kept(void **state)
{
    enum { PROCESSES = 5 };
    struct fm_thinning each[PROCESSES];
    uint64_t seed = 1;
    (void)state;
    for (int run = 0; run < 200; run++) {
        fm_thinning_begin(&table);
        for (int p = 0; p < PROCESSES; p++) {
            fill(&each[p], &seed);
            fm_thinning_combine(&table, &each[p]);
        }
        for (uint64_t i = 0; i < 500; i++) {
            bool all = true;
            for (int p = 0; p < PROCESSES; p++) {
                all = all && fm_thinning_keeps(&each[p], 3, i);
            }
            assert_int_equal(fm_thinning_keeps(&table, 3, i), all);
        }
    }
}

static void what_is_left_out_is_described(void **state)
{
    char text[512] = "";
    (void)state;
    fm_thinning_begin(&table);
    assert_false(fm_thinning_describe(&table, "step", UINT64_MAX, text, sizeof text));
    assert_string_equal(text, "");
    row("step")[0] = 12;
    row("step")[1] = 40;
    assert_false(fm_thinning_describe(&table, "step", 12, text, sizeof text));
    assert_true(fm_thinning_describe(&table, "step", 40, text, sizeof text));
    assert_string_equal(text, "of the phase step, visits from number 12 on only if divisible by 4");
    text[0] = '\0';
    row("step")[2] = 40; /* the stage before has no visits */
    row("step")[FM_THINNING_END] = 90;
    assert_true(fm_thinning_describe(&table, "step", UINT64_MAX, text, sizeof text));
    row("other")[FM_THINNING_END] = 7;
    assert_true(fm_thinning_describe(&table, "other", 8, text, sizeof text));
    assert_string_equal(text, "of the phase step, visits from number 12 on only if divisible by 4, "
                              "from 40 on by 64, none from 90 on, of the phase other, visits up to "
                              "number 6 only");
}

static void limits_are_sizes_or_none(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes; /* 0: invalid */
    } values[] = {{NULL, FM_MAX_SIZE_DEFAULT},
                  {"", FM_MAX_SIZE_DEFAULT},
                  {"none", UINT64_MAX},
                  {"0", UINT64_MAX},
                  {"1048576", 1 << 20},
                  {"1024K", 1 << 20},
                  {"3m", 3 << 20},
                  {"2G", (uint64_t)2 << 30},
                  {"5T", (uint64_t)5 << 40},
                  {"1048575", 0},
                  {"1023K", 0},
                  {"-1", 0},
                  {"1X", 0},
                  {"2MB", 2 << 20},
                  {"1Mi", 0},
                  {"1.5G", 0},
                  {" 1M", 0},
                  {"9999999T", 0},
                  {"99999999999999999999", 0},
                  {"never", 0}};
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint64_t bytes = 1;
        assert_int_equal(fm_max_size_read(values[i].text, &bytes), values[i].bytes != 0);
        assert_true(bytes == (values[i].bytes != 0 ? values[i].bytes : FM_MAX_SIZE_DEFAULT));
    }
    assert_true(fm_max_size_share(UINT64_MAX, 4) == UINT64_MAX);
    assert_true(fm_max_size_share((uint64_t)64 << 20, 4) == 14 << 20);
    assert_string_equal(fm_max_size_text(FM_MAX_SIZE_DEFAULT, text, sizeof text), "10 GiB");
    assert_string_equal(fm_max_size_text(3 << 19, text, sizeof text), "1536 KiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_keep_multiples_of_powers_of_four),
        cmocka_unit_test(the_minimum_keeps_what_all_have_kept),
        cmocka_unit_test(what_is_left_out_is_described),
        cmocka_unit_test(limits_are_sizes_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
