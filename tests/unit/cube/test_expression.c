/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived metrics: what is accepted, what it means, and where the position of an error is. */
#include "check.h"

#include "cube/derived/expression.h"

#include <stdio.h>
#include <string.h>

/* The value with time = 10, mpi = 4 and all other metrics 0. */
static double value_of(const char *expression)
{
    struct fm_expression *parsed = NULL;
    struct fm_error error;
    char text[400];
    double values[FM_EXPRESSION_STEPS] = {0};
    snprintf(text, sizeof text, "x = %s", expression);
    if (fm_expression_parse(text, &parsed, &error) != FM_OK)
        fail_msg("%s", error.message);
    for (uint32_t i = 0; i < parsed->metric_count; i++) {
        values[i] = parsed->metrics[i] == FM_METRIC_TIME  ? 10
                    : parsed->metrics[i] == FM_METRIC_MPI ? 4
                                                          : 0;
    }
    double value = fm_expression_value(parsed, values);
    fm_expression_free(parsed);
    return value;
}

static void check_value(const char *expression, double expected)
{
    double value = value_of(expression);
    if (value != expected)
        fail_msg("%s is %g, not %g", expression, value, expected);
}

static void test_values(void **state)
{
    (void)state;
    check_value("1 + 2 * 3", 7);
    check_value("(1 + 2) * 3", 9);
    check_value("8 - 2 - 1", 5);
    check_value("16 / 4 / 2", 2);
    check_value("-2 * -3", 6);
    check_value("--2", 2);
    check_value("2 - -2", 4);
    check_value("-(1 + 2)", -3);
    check_value("1.5e3", 1500);
    check_value(".5", 0.5);
    check_value("5.", 5);
    check_value("2E-1", 0.2);
    check_value("\ttime", 10);
    check_value("mpi / time", 0.4);
    check_value("mpi/time+mpi/time", 0.8);
    check_value("min(mpi, time)", 4);
    check_value("max(mpi , time )", 10);
    check_value("abs(mpi - time)", 6);
    check_value("sqrt(mpi)", 2);
    check_value("max(min(1, 2), abs(-3)) * 2", 6);
}

static void test_what_has_no_value_is_0(void **state)
{
    (void)state;
    check_value("time / 0", 0);
    check_value("0 / 0", 0);
    check_value("1 + time / mpi_latesender", 1);
    check_value("sqrt(-1)", 0);
    check_value("1e308 * 1e308", 0);
    check_value("-0", 0);
}

static void test_an_operand_is_summed_once(void **state)
{
    (void)state;
    struct fm_expression *parsed;
    struct fm_error error;
    assert_int_equal(fm_expression_parse(" a.b:c = time*time + mpi", &parsed, &error), FM_OK);
    assert_string_equal(parsed->name, "a.b:c");
    assert_string_equal(parsed->text, "time*time + mpi");
    assert_int_equal(parsed->metric_count, 2);
    fm_expression_free(parsed);
}

static void check_error(const char *text, unsigned column, const char *part)
{
    struct fm_expression *parsed = NULL;
    struct fm_error error;
    char expected[64];
    if (fm_expression_parse(text, &parsed, &error) != FM_ERR_USAGE)
        fail_msg("accepted: %s", text);
    snprintf(expected, sizeof expected, "column %u of", column);
    if (strstr(error.message, expected) == NULL || strstr(error.message, part) == NULL)
        fail_msg("%s: %s, not %s ... %s", text, error.message, expected, part);
}

static void test_errors_have_positions(void **state)
{
    (void)state;
    check_error("", 1, "begins with a name");
    check_error("= 1", 1, "begins with a name");
    check_error("1x = 1", 1, "begins with a name");
    check_error("x", 2, "'=' is missing");
    check_error("x =", 4, "a number or a '('");
    check_error("time = 1", 1, "a metric of this name");
    check_error("x = 1 +", 8, "a number or a '('");
    check_error("x = 1 2", 7, "operator is missing");
    check_error("x = (1", 7, "')' is missing");
    check_error("x = 1)", 6, "operator is missing");
    check_error("x = nothing", 5, "no such metric");
    check_error("x = counter:flops / time", 5, "no such metric");
    check_error("x = max(1)", 10, "',' is missing");
    check_error("x = abs(1, 2)", 10, "')' is missing");
    check_error("x = sin(1)", 5, "no such function");
    check_error("x = max (1, 2", 14, "')' is missing");
    check_error("x = 1e", 6, "exponent needs digits");
    check_error("x = .", 5, "needs digits");
    check_error("x = 1e999", 5, "too large");
    check_error("x = 2 ^ 3", 7, "operator is missing");
    check_error("x = \x1b[31m", 5, "a number or a '('");
}

static void test_limits(void **state)
{
    (void)state;
    char text[2000] = "x = ";
    for (unsigned i = 0; i < FM_EXPRESSION_DEPTH + 1; i++)
        strcat(text, "(");
    check_error(text, 4 + FM_EXPRESSION_DEPTH + 1, "too many levels");
    strcpy(text, "x = 1");
    for (unsigned i = 0; i < FM_EXPRESSION_STEPS; i++)
        strcat(text, "+1");
    struct fm_expression *parsed;
    struct fm_error error;
    assert_int_equal(fm_expression_parse(text, &parsed, &error), FM_ERR_USAGE);
    assert_non_null(strstr(error.message, "too long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_what_has_no_value_is_0),
        cmocka_unit_test(test_an_operand_is_summed_once),
        cmocka_unit_test(test_errors_have_positions),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
