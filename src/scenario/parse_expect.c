/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines `expect METRIC CALLPATH LOC VALUE [TOL]`, `expect_phase NAME REGION ITERATION VALUE [TOL]`,
 * `expect_matrix NAME FROM TO VALUE [TOL]`, `expect_problem NAME CALLPATH LOC VALUE [TOL]`, and
 * `predict CHANGE...` with `expect_predicted METRIC CALLPATH LOC VALUE [TOL]`. */
#include "scenario/parser.h"

#include <stdlib.h>
#include <string.h>

#define LAST_WORDS 3

/* The last words of the line in reverse order; the rest of the line is the call path. */
struct tail {
    struct fm_word words[LAST_WORDS];
    struct fm_word rests[LAST_WORDS]; /* the text before words[i] */
};

static bool take_last_word(struct fm_word *rest, struct fm_word *word)
{
    size_t end = rest->length;
    while (end > 0 && strchr(" \t\r", rest->text[end - 1]) != NULL) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && strchr(" \t\r", rest->text[begin - 1]) == NULL) {
        begin--;
    }
    word->text = rest->text + begin;
    word->length = end - begin;
    rest->length = begin;
    while (rest->length > 0 && strchr(" \t\r", rest->text[rest->length - 1]) != NULL) {
        rest->length--;
    }
    return word->length > 0;
}

static fm_status_t read_decimal(struct fm_parser *parser, struct fm_word word, const char *reason,
                                fm_decimal *value)
{
    return fm_decimal_parse(word.text, word.length, value)
               ? FM_OK
               : fm_parser_fail_at(parser, word, reason);
}

static fm_status_t read_location(struct fm_parser *parser, struct fm_word word, bool *all,
                                 uint32_t *rank, uint32_t *thread)
{
    *all = fm_word_is(word, "*");
    return *all ? FM_OK : fm_parser_location(parser, word, rank, thread);
}

/* Reads the words before the value, the second one being the rest of the line before the last. */
static fm_status_t read_place(struct fm_parser *parser, struct fm_word rest, struct fm_word word,
                              struct fm_scenario_expectation *expectation)
{
    fm_status_t status = FM_OK;
    switch (expectation->subject) {
    case FM_EXPECT_PHASE:
        expectation->all_iterations = fm_word_is(word, "*");
        return expectation->all_iterations ? FM_OK
                                           : fm_parser_integer(parser, word, "the iteration",
                                                               UINT64_MAX, &expectation->iteration);
    case FM_EXPECT_MATRIX:
        status = read_location(parser, rest, &expectation->all_origins, &expectation->from_rank,
                               &expectation->from_thread);
        break;
    case FM_EXPECT_SEVERITY:
    case FM_EXPECT_PROBLEM:
    case FM_EXPECT_PREDICTED:
        break;
    }
    return status != FM_OK ? status
                           : read_location(parser, word, &expectation->all_locations,
                                           &expectation->rank, &expectation->thread);
}

static fm_status_t store(struct fm_parser *parser, struct fm_word metric, struct fm_word callpath,
                         struct fm_scenario_expectation *expectation)
{
    bool all_callpaths = fm_word_is(callpath, "*") || expectation->subject == FM_EXPECT_MATRIX;
    expectation->line = parser->line;
    expectation->prediction = parser->scenario->predictions.count - 1;
    expectation->metric = strndup(metric.text, metric.length);
    expectation->callpath = all_callpaths ? NULL : strndup(callpath.text, callpath.length);
    if (expectation->metric != NULL && (all_callpaths || expectation->callpath != NULL) &&
        fm_scenario_expect(parser->scenario, expectation)) {
        return FM_OK;
    }
    free(expectation->metric);
    free(expectation->callpath);
    return fm_parser_no_memory(parser);
}

static fm_status_t read_expectation(struct fm_parser *parser, fm_scenario_subject_t subject,
                                    const char *first_word, const char *form)
{
    struct fm_scenario_expectation expectation = {.subject = subject};
    struct fm_word metric;
    fm_status_t status = fm_parser_need(parser, first_word, &metric);
    if (status != FM_OK) {
        return status;
    }
    while (parser->next < parser->end && strchr(" \t\r", *parser->next) != NULL) {
        parser->next++;
    }
    struct fm_word rest = {.text = parser->next, .length = (size_t)(parser->end - parser->next)};
    struct tail tail = {0};
    size_t count = 0;
    while (count < LAST_WORDS && take_last_word(&rest, &tail.words[count])) {
        tail.rests[count++] = rest;
    }
    /* Call paths may contain blanks: the last words decide whether there is a tolerance. */
    bool has_tolerance =
        count == LAST_WORDS && tail.rests[2].length > 0 && fm_word_is_location(tail.words[2]);
    size_t first = has_tolerance ? 1 : 0;
    if (count < 2 || tail.rests[first + 1].length == 0) {
        return fm_parser_fail(parser, "an expectation is %s VALUE [TOLERANCE]", form);
    }
    if (has_tolerance) {
        status = read_decimal(parser, tail.words[0], "not a tolerance", &expectation.tolerance);
        if (status == FM_OK && expectation.tolerance < 0) {
            status = fm_parser_fail_at(parser, tail.words[0], "a tolerance is not negative");
        }
    }
    if (status == FM_OK) {
        status = read_decimal(parser, tail.words[first], "not a value", &expectation.value);
    }
    if (status == FM_OK) {
        status = read_place(parser, tail.rests[first + 1], tail.words[first + 1], &expectation);
    }
    parser->next = parser->end;
    return status != FM_OK ? status : store(parser, metric, tail.rests[first + 1], &expectation);
}

fm_status_t fm_parser_expect(struct fm_parser *parser)
{
    return read_expectation(parser, FM_EXPECT_SEVERITY, "the metric", "METRIC CALLPATH LOCATION");
}

fm_status_t fm_parser_expect_phase(struct fm_parser *parser)
{
    return read_expectation(parser, FM_EXPECT_PHASE, "the name of the value",
                            "NAME REGION ITERATION");
}

fm_status_t fm_parser_expect_problem(struct fm_parser *parser)
{
    return read_expectation(parser, FM_EXPECT_PROBLEM, "the name of the value",
                            "NAME CALLPATH LOCATION");
}

fm_status_t fm_parser_expect_matrix(struct fm_parser *parser)
{
    return read_expectation(parser, FM_EXPECT_MATRIX, "the name of the value", "NAME FROM TO");
}

fm_status_t fm_parser_expect_predicted(struct fm_parser *parser)
{
    return parser->scenario->predictions.count == 0
               ? fm_parser_fail(parser, "expect_predicted without a line \"predict\" before it")
               : read_expectation(parser, FM_EXPECT_PREDICTED, "the metric",
                                  "METRIC CALLPATH LOCATION");
}

fm_status_t fm_parser_predict(struct fm_parser *parser)
{
    while (parser->next < parser->end && strchr(" \t\r", *parser->next) != NULL) {
        parser->next++;
    }
    const struct fm_word changes = {.text = parser->next,
                                    .length = (size_t)(parser->end - parser->next)};
    const uint32_t before = parser->scenario->predictions.count;
    if (changes.length == 0) {
        return fm_parser_fail(parser, "predict needs a change");
    }
    parser->next = parser->end;
    const uint32_t added =
        fm_key_table_add(&parser->scenario->predictions, changes.text, changes.length);
    if (added == FM_KEY_NONE) {
        return fm_parser_no_memory(parser);
    }
    return added == before ? FM_OK : fm_parser_fail(parser, "these changes are predicted twice");
}
