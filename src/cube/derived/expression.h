/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Derived metrics: expressions over metrics, "wait = mpi_latesender / time". They are evaluated
 * with aggregated values, as CubePL's "postderived" metrics: the value of a call path is that of
 * its sums, not the sum of values. Grammar:
 *
 *   definition = name "=" sum
 *   sum        = product { ("+" | "-") product }
 *   product    = factor { ("*" | "/") factor }
 *   factor     = "-" factor | "(" sum ")" | number | metric | function
 *   function   = ("min" | "max") "(" sum "," sum ")" | ("abs" | "sqrt") "(" sum ")"
 *
 * A number is a decimal with an optional exponent. A metric is an id of `fermata report --explain
 * all`; its value includes its child metrics, times are seconds. Names and ids consist of letters,
 * digits,
 * "_", "." and ":", and begin with a letter or "_". Whatever has no finite value is 0: a division
 * by 0, the square root of a negative number, a number that is too large.
 */
#ifndef FERMATA_CUBE_DERIVED_EXPRESSION_H
#define FERMATA_CUBE_DERIVED_EXPRESSION_H

#include "base/error.h"
#include "cube/model/metric.h"

#include <stdint.h>

/** Most operations and operands of an expression, and most levels of parentheses. */
#define FM_EXPRESSION_STEPS 256U
#define FM_EXPRESSION_DEPTH 64U

/** A step of the evaluation, which uses a stack. */
struct fm_expression_step {
    uint8_t operation; /**< private to expression.c */
    uint8_t metric;    /**< index in `metrics` */
    double number;
};

struct fm_expression {
    char *name; /**< of the derived metric */
    char *text; /**< the definition without the name and "=" */
    struct fm_expression_step steps[FM_EXPRESSION_STEPS];
    uint32_t step_count;
    fm_metric_t metrics[FM_EXPRESSION_STEPS]; /**< operands, each once */
    uint32_t metric_count;
};

/** Parses a definition.
 * @param text        any bytes
 * @param expression  out: to be freed with fm_expression_free(); set only on success
 * @return FM_ERR_USAGE with the position (a column from 1) of what is wrong; FM_ERR_SYSTEM */
fm_status_t fm_expression_parse(const char *text, struct fm_expression **expression,
                                struct fm_error *error);

/** @param values  of `metrics`, in their order
 * @return the value, finite. Thread-safe. */
double fm_expression_value(const struct fm_expression *expression, const double *values);

/** Frees the expression. NULL is allowed. */
void fm_expression_free(struct fm_expression *expression);

#endif
