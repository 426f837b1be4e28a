/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of metrics is consistent. */
#include "check.h"
#include "cube/model/delay_kind.h"
#include "cube/model/metric.h"

#include <ctype.h>
#include <string.h>

static void test_ids_are_unique_and_lower_case(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FM_METRIC_USER; i++) {
        const char *id = fm_metric_info((fm_metric_t)i)->id;
        assert_int_equal(fm_metric_by_id(id), i);
        bool is_counter = strncmp(id, "counter:", strlen("counter:")) == 0;
        for (const char *c = id + (is_counter ? strlen("counter:") : 0); *c != '\0'; c++)
            assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_' ||
                        (is_counter && *c == '.'));
    }
    assert_int_equal(fm_metric_by_id("no_such_metric"), FM_METRIC_NONE);
    assert_int_equal(fm_metric_by_id(""), FM_METRIC_NONE);
}

static void test_symbols_are_the_ids_in_upper_case(void **state)
{
    (void)state;
    static const char *const symbols[] = {
#define FM_METRIC(symbol, ...) #symbol,
#include "cube/model/metrics.def"
#undef FM_METRIC
    };
    for (unsigned i = 0; i < FM_METRIC_USER; i++) {
        const char *id = fm_metric_info((fm_metric_t)i)->id;
        assert_int_equal(strlen(symbols[i]), strlen(id));
        for (size_t j = 0; id[j] != '\0'; j++) {
            bool separates = id[j] == ':' || id[j] == '.';
            assert_int_equal(separates ? '_' : toupper((unsigned char)id[j]), symbols[i][j]);
        }
    }
}

static void test_parents_precede_and_share_the_unit(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FM_METRIC_USER; i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        if (info->parent == FM_METRIC_NONE)
            continue;
        assert_true((unsigned)info->parent < i);
        assert_int_equal(fm_metric_info(info->parent)->unit, info->unit);
    }
}

static void test_everything_is_explained(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FM_METRIC_USER; i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        const char *const texts[] = {info->description, info->formula};
        for (int j = 0; j < 2; j++) {
            size_t length = strlen(texts[j]);
            assert_true(length > 0);
            assert_true(texts[j][length - 1] == '.' || texts[j][length - 1] == ']' ||
                        texts[j][length - 1] == ')');
        }
        if (info->is_wait_state)
            assert_true(strlen(info->advice) > 0);
    }
}

static void test_wait_states_are_times(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FM_METRIC_USER; i++) {
        if (fm_metric_info((fm_metric_t)i)->is_wait_state)
            assert_int_equal(fm_metric_root((fm_metric_t)i), FM_METRIC_TIME);
    }
    assert_int_equal(fm_metric_root(FM_METRIC_BYTES_GET), FM_METRIC_BYTES);
    assert_int_equal(fm_metric_root(FM_METRIC_TIME), FM_METRIC_TIME);
    assert_string_equal(fm_unit_name(FM_UNIT_TICKS), "sec");
    assert_string_equal(fm_unit_name(FM_UNIT_OCCURRENCES), "occ");
    assert_string_equal(fm_unit_name(FM_UNIT_BYTES), "bytes");
}

static void test_each_kind_has_its_metrics(void **state)
{
    (void)state;
    for (int kind = 0; kind < FM_DELAY_NONE; kind++) {
        const struct fm_delay_metrics *metrics = fm_delay_metrics((fm_delay_kind_t)kind);
        fm_metric_t root = metrics->is_contention ? FM_METRIC_INTERVAL_DELAY : FM_METRIC_DELAY;
        assert_int_equal(fm_metric_info(metrics->costs)->parent, root);
        assert_int_equal(fm_metric_info(metrics->short_term)->parent, metrics->costs);
        assert_int_equal(fm_metric_info(metrics->long_term)->parent, metrics->costs);
        assert_int_equal(fm_metric_info(metrics->count)->parent, FM_METRIC_WAIT_COUNT);
        assert_int_equal(fm_metric_info(metrics->direct)->parent, FM_METRIC_WAIT_DIRECT);
        assert_int_equal(fm_metric_info(metrics->indirect)->parent, FM_METRIC_WAIT_INDIRECT);
        assert_int_equal(fm_metric_info(metrics->propagating)->parent, FM_METRIC_WAIT_PROPAGATING);
        assert_int_equal(fm_metric_info(metrics->terminal)->parent, FM_METRIC_WAIT_TERMINAL);
    }
}

static void test_parts_are_of_the_kind_of_the_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FM_METRIC_USER; i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        assert_int_equal(info->is_wait_state, fm_delay_kind((fm_metric_t)i) != FM_DELAY_NONE);
        if (info->is_wait_state && fm_metric_info(info->parent)->is_wait_state)
            assert_int_equal(fm_delay_kind(info->parent), info->delay_kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_are_unique_and_lower_case),
        cmocka_unit_test(test_symbols_are_the_ids_in_upper_case),
        cmocka_unit_test(test_parents_precede_and_share_the_unit),
        cmocka_unit_test(test_everything_is_explained),
        cmocka_unit_test(test_wait_states_are_times),
        cmocka_unit_test(test_each_kind_has_its_metrics),
        cmocka_unit_test(test_parts_are_of_the_kind_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
