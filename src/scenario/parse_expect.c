/* Lines `expect METRIC CALLPATH LOC VALUE [TOL]`. */
#include "scenario/parser.h"

#include <stdlib.h>
#include <string.h>

#define LAST_WORDS 3

/* The last words of the line, the very last first; the rest of the line is the call path. */
struct tail {
    struct fm_word words[LAST_WORDS];
    struct fm_word rests[LAST_WORDS]; /* what stands before words[i] */
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

static fm_status_t read_location(struct fm_parser *parser, struct fm_word word,
                                 struct fm_scenario_expectation *expectation)
{
    expectation->all_locations = fm_word_is(word, "*");
    return expectation->all_locations
               ? FM_OK
               : fm_parser_location(parser, word, &expectation->rank, &expectation->thread);
}

static fm_status_t store(struct fm_parser *parser, struct fm_word metric, struct fm_word callpath,
                         struct fm_scenario_expectation *expectation)
{
    bool all_callpaths = fm_word_is(callpath, "*");
    expectation->line = parser->line;
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

fm_status_t fm_parser_expect(struct fm_parser *parser)
{
    struct fm_scenario_expectation expectation = {0};
    struct fm_word metric;
    fm_status_t status = fm_parser_need(parser, "the metric", &metric);
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
        return fm_parser_fail(parser,
                              "an expectation is METRIC CALLPATH LOCATION VALUE [TOLERANCE]");
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
        status = read_location(parser, tail.words[first + 1], &expectation);
    }
    return status != FM_OK ? status : store(parser, metric, tail.rests[first + 1], &expectation);
}
