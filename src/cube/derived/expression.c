/* SPDX-License-Identifier: BSD-3-Clause */
/* A recursive descent parser that writes steps in postfix order, and their evaluation. */
#include "cube/derived/expression.h"

#include "cube/model/metric_id.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum operation { NUMBER, METRIC, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, MIN, MAX, ABS, SQRT };

struct parser {
    struct fm_expression *expression;
    const char *text, *next;
    unsigned depth;
    locale_t locale; /* numbers have points */
    struct fm_error *error;
};

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS  "0123456789"

static fm_status_t fail_at(struct parser *parser, const char *place, const char *what)
{
    return fm_fail(parser->error, FM_ERR_USAGE, "column %zu of '%s': %s",
                   (size_t)(place - parser->text) + 1, parser->text, what);
}

static void skip_blanks(struct parser *parser)
{
    parser->next += strspn(parser->next, " \t");
}

/** @return whether the next character is this one, which is consumed. */
static bool take(struct parser *parser, char character)
{
    skip_blanks(parser);
    if (*parser->next != character)
        return false;
    parser->next++;
    return true;
}

static fm_status_t need(struct parser *parser, char character, const char *message)
{
    return take(parser, character) ? FM_OK : fail_at(parser, parser->next, message);
}

static size_t name_length(const char *text)
{
    return strspn(text, LETTERS) == 0 ? 0 : strspn(text, LETTERS DIGITS ".:");
}

static fm_status_t push(struct parser *parser, enum operation operation, uint8_t metric,
                        double number)
{
    struct fm_expression *expression = parser->expression;
    if (expression->step_count == FM_EXPRESSION_STEPS)
        return fail_at(parser, parser->next, "the expression is too long");
    expression->steps[expression->step_count++] =
        (struct fm_expression_step){(uint8_t)operation, metric, number};
    return FM_OK;
}

static fm_status_t parse_sum(struct parser *parser);

static fm_status_t parse_metric(struct parser *parser, size_t length)
{
    struct fm_expression *expression = parser->expression;
    const char *begin = parser->next;
    char *id = strndup(begin, length);
    if (id == NULL)
        return fm_fail(parser->error, FM_ERR_SYSTEM, "out of memory");
    fm_metric_t metric = fm_metric_named(id);
    free(id);
    if (metric == FM_METRIC_NONE)
        return fail_at(parser, begin,
                       "there is no such metric; `fermata report --explain all DIR` lists those of "
                       "a report");
    uint32_t i = 0;
    while (i < expression->metric_count && expression->metrics[i] != metric)
        i++;
    if (i == FM_EXPRESSION_STEPS)
        return fail_at(parser, begin, "the expression is too long");
    expression->metrics[i] = metric;
    expression->metric_count = i == expression->metric_count ? i + 1 : expression->metric_count;
    parser->next = begin + length;
    return push(parser, METRIC, (uint8_t)i, 0);
}

/** A name with a parenthesis behind it. */
static fm_status_t parse_function(struct parser *parser, size_t length)
{
    static const struct {
        const char *name;
        enum operation operation;
        unsigned arguments;
    } functions[] = {{"min", MIN, 2}, {"max", MAX, 2}, {"abs", ABS, 1}, {"sqrt", SQRT, 1}};
    const char *begin = parser->next;
    size_t f = 0;
    while (f < 4 &&
           (strlen(functions[f].name) != length || strncmp(functions[f].name, begin, length) != 0))
        f++;
    if (f == 4)
        return fail_at(parser, begin, "there is no such function; there are min, max, abs, sqrt");
    parser->next = begin + length;
    fm_status_t status = need(parser, '(', "a '(' is missing");
    for (unsigned i = 0; i < functions[f].arguments && status == FM_OK; i++) {
        if (i > 0)
            status = need(parser, ',', "a ',' is missing");
        if (status == FM_OK)
            status = parse_sum(parser);
    }
    if (status == FM_OK)
        status = need(parser, ')', "a ')' is missing");
    return status == FM_OK ? push(parser, functions[f].operation, 0, 0) : status;
}

static fm_status_t parse_number(struct parser *parser)
{
    const char *begin = parser->next;
    size_t length = strspn(begin, DIGITS);
    length += begin[length] == '.' ? 1 + strspn(begin + length + 1, DIGITS) : 0;
    if (length == 1 && begin[0] == '.')
        return fail_at(parser, begin, "a number needs digits");
    if (begin[length] == 'e' || begin[length] == 'E') {
        size_t sign = begin[length + 1] == '+' || begin[length + 1] == '-';
        size_t digits = strspn(begin + length + 1 + sign, DIGITS);
        if (digits == 0)
            return fail_at(parser, begin + length, "an exponent needs digits");
        length += 1 + sign + digits;
    }
    char *copy = strndup(begin, length);
    if (copy == NULL)
        return fm_fail(parser->error, FM_ERR_SYSTEM, "out of memory");
    double number = strtod_l(copy, NULL, parser->locale);
    free(copy);
    if (!isfinite(number))
        return fail_at(parser, begin, "the number is too large");
    parser->next = begin + length;
    return push(parser, NUMBER, 0, number);
}

static fm_status_t parse_operand(struct parser *parser)
{
    skip_blanks(parser);
    size_t length = name_length(parser->next);
    if (length > 0) {
        const char *behind = parser->next + length + strspn(parser->next + length, " \t");
        return *behind == '(' ? parse_function(parser, length) : parse_metric(parser, length);
    }
    if (*parser->next == '.' || strspn(parser->next, DIGITS) > 0)
        return parse_number(parser);
    if (!take(parser, '('))
        return fail_at(parser, parser->next, "a metric, a number or a '(' is missing");
    fm_status_t status = parse_sum(parser);
    return status == FM_OK ? need(parser, ')', "a ')' is missing") : status;
}

static fm_status_t parse_factor(struct parser *parser)
{
    if (parser->depth == FM_EXPRESSION_DEPTH)
        return fail_at(parser, parser->next, "there are too many levels of parentheses and signs");
    parser->depth++;
    fm_status_t status;
    if (take(parser, '-')) {
        status = parse_factor(parser);
        if (status == FM_OK)
            status = push(parser, NEGATE, 0, 0);
    } else {
        status = parse_operand(parser);
    }
    parser->depth--;
    return status;
}

static fm_status_t parse_product(struct parser *parser)
{
    fm_status_t status = parse_factor(parser);
    while (status == FM_OK) {
        enum operation operation = take(parser, '*')   ? MULTIPLY
                                   : take(parser, '/') ? DIVIDE
                                                       : NUMBER;
        if (operation == NUMBER)
            break;
        status = parse_factor(parser);
        if (status == FM_OK)
            status = push(parser, operation, 0, 0);
    }
    return status;
}

static fm_status_t parse_sum(struct parser *parser)
{
    fm_status_t status = parse_product(parser);
    while (status == FM_OK) {
        enum operation operation = take(parser, '+') ? ADD : take(parser, '-') ? SUBTRACT : NUMBER;
        if (operation == NUMBER)
            break;
        status = parse_product(parser);
        if (status == FM_OK)
            status = push(parser, operation, 0, 0);
    }
    return status;
}

/** The name before "=". */
static fm_status_t parse_name(struct parser *parser)
{
    skip_blanks(parser);
    size_t length = name_length(parser->next);
    const char *begin = parser->next;
    if (length == 0)
        return fail_at(parser, begin,
                       "a definition begins with a name: 'x = mpi_latesender / time'");
    parser->expression->name = strndup(begin, length);
    if (parser->expression->name == NULL)
        return fm_fail(parser->error, FM_ERR_SYSTEM, "out of memory");
    if (fm_metric_by_id(parser->expression->name) != FM_METRIC_NONE)
        return fail_at(parser, begin, "there is a metric of this name already");
    parser->next = begin + length;
    return need(parser, '=', "a '=' is missing");
}

static fm_status_t parse(struct parser *parser)
{
    fm_status_t status = parse_name(parser);
    if (status != FM_OK)
        return status;
    skip_blanks(parser);
    parser->expression->text = strdup(parser->next);
    if (parser->expression->text == NULL)
        return fm_fail(parser->error, FM_ERR_SYSTEM, "out of memory");
    status = parse_sum(parser);
    if (status != FM_OK)
        return status;
    skip_blanks(parser);
    return *parser->next == '\0' ? FM_OK : fail_at(parser, parser->next, "an operator is missing");
}

fm_status_t fm_expression_parse(const char *text, struct fm_expression **expression,
                                struct fm_error *error)
{
    struct parser parser = {.expression = calloc(1, sizeof *parser.expression),
                            .text = text,
                            .next = text,
                            .locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                            .error = error};
    fm_status_t status = parser.expression == NULL || parser.locale == (locale_t)0
                             ? fm_fail(error, FM_ERR_SYSTEM, "out of memory")
                             : parse(&parser);
    if (parser.locale != (locale_t)0)
        freelocale(parser.locale);
    if (status == FM_OK)
        *expression = parser.expression;
    else
        fm_expression_free(parser.expression);
    return status;
}

static double finite_or_0(double value)
{
    return isfinite(value) ? value : 0;
}

static double apply(enum operation operation, double left, double right)
{
    switch (operation) {
    case ADD:
        return left + right;
    case SUBTRACT:
        return left - right;
    case MULTIPLY:
        return left * right;
    case DIVIDE:
        return right == 0 ? 0 : left / right;
    case MIN:
        return left < right ? left : right;
    default: /* MAX */
        return left > right ? left : right;
    }
}

double fm_expression_value(const struct fm_expression *expression, const double *values)
{
    double stack[FM_EXPRESSION_STEPS];
    uint32_t top = 0;
    for (uint32_t i = 0; i < expression->step_count; i++) {
        const struct fm_expression_step *step = &expression->steps[i];
        switch ((enum operation)step->operation) {
        case NUMBER:
            stack[top++] = step->number;
            break;
        case METRIC:
            stack[top++] = values[step->metric];
            break;
        case NEGATE:
            stack[top - 1] = 0 - stack[top - 1]; /* never -0 */
            break;
        case ABS:
            stack[top - 1] = fabs(stack[top - 1]);
            break;
        case SQRT:
            stack[top - 1] = stack[top - 1] < 0 ? 0 : sqrt(stack[top - 1]);
            break;
        default:
            top--;
            stack[top - 1] =
                finite_or_0(apply((enum operation)step->operation, stack[top - 1], stack[top]));
        }
    }
    return stack[0];
}

void fm_expression_free(struct fm_expression *expression)
{
    if (expression != NULL) {
        free(expression->name);
        free(expression->text);
        free(expression);
    }
}
