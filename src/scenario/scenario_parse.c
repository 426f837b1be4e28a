/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines, comments and definitions of the scenario language. */
#include "scenario/parser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SIZE_LIMIT (1u << 30)

static fm_status_t parse_unit(struct fm_parser *parser)
{
    struct fm_word word;
    fm_decimal unit;
    fm_status_t status = fm_parser_need(parser, "the unit", &word);
    if (status != FM_OK) {
        return status;
    }
    if (parser->ticks_per_second != 0) {
        return fm_parser_fail(parser, "the unit is given twice");
    }
    if (!fm_decimal_parse(word.text, word.length, &unit) || unit <= 0) {
        return fm_parser_fail_at(parser, word, "the unit is a positive number of seconds, not");
    }
    const fm_decimal ticks = fm_decimal_from_integer(FM_SCENARIO_TICKS_PER_UNIT);
    if (ticks % unit != 0) {
        return fm_parser_fail_at(
            parser, word, "1000 ticks per unit give no integer number of ticks per second; unit");
    }
    if (ticks / unit > INT64_MAX) {
        return fm_parser_fail_at(parser, word, "the unit is too small");
    }
    parser->ticks_per_second = (uint64_t)(ticks / unit);
    return FM_OK;
}

static fm_status_t parse_size(struct fm_parser *parser)
{
    struct fm_word word;
    uint64_t ranks = 0;
    uint64_t threads = 1;
    if (parser->scenario != NULL) {
        return fm_parser_fail(parser, "the number of ranks is given twice");
    }
    fm_status_t status = fm_parser_need(parser, "the number of ranks", &word);
    if (status == FM_OK) {
        status = fm_parser_integer(parser, word, "the number of ranks", FM_SCENARIO_LOCATION_LIMIT,
                                   &ranks);
    }
    if (status == FM_OK && fm_parser_word(parser, &word)) {
        if (!fm_word_is(word, "threads")) {
            return fm_parser_fail_at(parser, word, "expected \"threads\", not");
        }
        status = fm_parser_need(parser, "the number of threads", &word);
        if (status == FM_OK) {
            status = fm_parser_integer(parser, word, "the number of threads",
                                       FM_SCENARIO_LOCATION_LIMIT, &threads);
        }
    }
    if (status != FM_OK) {
        return status;
    }
    if (ranks * threads == 0 || ranks * threads > FM_SCENARIO_LOCATION_LIMIT) {
        return fm_parser_fail(parser, "the number of locations must be from 1 to %u",
                              FM_SCENARIO_LOCATION_LIMIT);
    }
    parser->scenario = fm_scenario_create(parser->name, 1, (uint32_t)ranks, (uint32_t)threads);
    uint64_t longest = ranks > threads ? ranks : threads;
    parser->stamps = calloc(longest, sizeof *parser->stamps);
    parser->ranks = calloc(longest, sizeof *parser->ranks);
    return parser->scenario != NULL && parser->stamps != NULL && parser->ranks != NULL
               ? FM_OK
               : fm_parser_no_memory(parser);
}

static fm_status_t parse_comm(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    char *name = NULL;
    uint32_t count = 0;
    fm_status_t status =
        fm_parser_new_name(parser, &scenario->comm_names, "the name of the communicator", &name);
    if (status == FM_OK) {
        status = fm_parser_ranks(parser, scenario->rank_count, &count);
    }
    if (status == FM_OK &&
        fm_scenario_add_comm(scenario, name, parser->ranks, count) == FM_SCENARIO_NONE) {
        status = fm_parser_no_memory(parser);
    }
    free(name);
    return status;
}

/* `intercomm NAME COUNT RANK...`: the first COUNT ranks are the first group. */
static fm_status_t parse_intercomm(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    char *name = NULL;
    uint32_t count = 0;
    uint64_t first = 0;
    fm_status_t status =
        fm_parser_new_name(parser, &scenario->comm_names, "the name of the communicator", &name);
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the size of the first group", &word);
    }
    if (status == FM_OK) {
        status = fm_parser_integer(parser, word, "the size of the first group",
                                   scenario->rank_count, &first);
    }
    if (status == FM_OK) {
        status = fm_parser_ranks(parser, scenario->rank_count, &count);
    }
    if (status == FM_OK && (first == 0 || first >= count)) {
        status = fm_parser_fail(parser, "both groups of an inter-communicator have members");
    }
    if (status == FM_OK && fm_scenario_add_intercomm(scenario, name, parser->ranks, count,
                                                     (uint32_t)first) == FM_SCENARIO_NONE) {
        status = fm_parser_no_memory(parser);
    }
    free(name);
    return status;
}

static fm_status_t parse_window(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    char *name = NULL;
    fm_status_t status =
        fm_parser_new_name(parser, &scenario->window_names, "the name of the window", &name);
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the communicator of the window", &word);
    }
    if (status == FM_OK) {
        uint32_t comm = fm_key_table_find(&scenario->comm_names, word.text, word.length);
        if (comm == FM_KEY_NONE) {
            status = fm_parser_fail_at(parser, word, "no such communicator");
        } else if (scenario->comms[comm].first_size != scenario->comms[comm].size) {
            status = fm_parser_fail_at(parser, word, "windows are not on inter-communicators");
        } else if (fm_scenario_add_window(scenario, name, comm) == FM_SCENARIO_NONE) {
            status = fm_parser_no_memory(parser);
        }
    }
    free(name);
    return status;
}

/* `node NAME RANK...` */
static fm_status_t parse_node(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    uint32_t count = 0;
    fm_status_t status = fm_parser_need(parser, "the name of the node", &word);
    if (status != FM_OK) {
        return status;
    }
    uint32_t node = fm_key_table_add(&scenario->nodes, word.text, word.length);
    if (node == FM_KEY_NONE) {
        return fm_parser_no_memory(parser);
    }
    status = fm_parser_ranks(parser, scenario->rank_count, &count);
    for (uint32_t i = 0; status == FM_OK && i < count; i++) {
        scenario->node_of_rank[parser->ranks[i]] = node;
    }
    return status;
}

/* `world NUMBER RANK...` */
static fm_status_t parse_world(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    uint64_t number = 0;
    uint32_t count = 0;
    fm_status_t status = fm_parser_need(parser, "the number of the world", &word);
    if (status == FM_OK) {
        status = fm_parser_integer(parser, word, "the number of the world",
                                   scenario->rank_count - 1, &number);
    }
    if (status == FM_OK) {
        status = fm_parser_ranks(parser, scenario->rank_count, &count);
    }
    for (uint32_t i = 0; status == FM_OK && i < count; i++) {
        scenario->world_of_rank[parser->ranks[i]] = (uint32_t)number;
        scenario->has_worlds = true;
    }
    return status;
}

/* A region whose instances are phases; its name is the rest of the line. */
static fm_status_t parse_phase(struct fm_parser *parser)
{
    struct fm_word word;
    fm_status_t status = fm_parser_need(parser, "the region", &word);
    if (status != FM_OK) {
        return status;
    }
    size_t length = (size_t)(parser->end - word.text);
    parser->next = parser->end;
    return fm_key_table_add(&parser->scenario->phases, word.text, length) != FM_KEY_NONE
               ? FM_OK
               : fm_parser_no_memory(parser);
}

/* Options of the analysis, each `--NAME=VALUE`. */
static fm_status_t parse_analyze(struct fm_parser *parser)
{
    struct fm_word word;
    fm_status_t status = fm_parser_need(parser, "the option", &word);
    while (status == FM_OK) {
        if (word.length < 3 || memcmp(word.text, "--", 2) != 0 ||
            memchr(word.text, '=', word.length) == NULL) {
            return fm_parser_fail_at(parser, word, "an option is --NAME=VALUE, not");
        }
        if (fm_key_table_add(&parser->scenario->options, word.text, word.length) == FM_KEY_NONE) {
            return fm_parser_no_memory(parser);
        }
        if (!fm_parser_word(parser, &word)) {
            break;
        }
    }
    return status;
}

/* `clock_offset RANK TIME OFFSET` */
static fm_status_t parse_clock_offset(struct fm_parser *parser)
{
    struct fm_word word;
    uint64_t rank = 0, time = 0, offset = 0;
    bool is_negative = false;
    fm_status_t status = fm_parser_need(parser, "the rank", &word);
    if (status == FM_OK) {
        status =
            fm_parser_integer(parser, word, "the rank", parser->scenario->rank_count - 1, &rank);
    }
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the time", &word);
    }
    if (status == FM_OK) {
        status = fm_parser_time(parser, word, &time);
    }
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the offset", &word);
    }
    if (status == FM_OK) {
        is_negative = word.text[0] == '-';
        word.text += is_negative;
        word.length -= is_negative;
        status = fm_parser_time(parser, word, &offset);
    }
    if (status != FM_OK) {
        return status;
    }
    return fm_scenario_add_clock_offset(parser->scenario, (uint32_t)rank, time,
                                        is_negative ? -(int64_t)offset : (int64_t)offset)
               ? FM_OK
               : fm_parser_no_memory(parser);
}

static fm_status_t parse_statement(struct fm_parser *parser)
{
    static const struct {
        const char *name;
        fm_status_t (*parse)(struct fm_parser *parser);
        bool needs_size; /* must follow the `ranks` line */
    } statements[] = {
        {"unit", parse_unit, false},
        {"ranks", parse_size, false},
        {"comm", parse_comm, true},
        {"intercomm", parse_intercomm, true},
        {"window", parse_window, true},
        {"node", parse_node, true},
        {"world", parse_world, true},
        {"team", fm_parser_team, true},
        {"object_name", fm_parser_object_name, true},
        {"stream", fm_parser_stream, true},
        {"clock_offset", parse_clock_offset, true},
        {"job_end", fm_parser_job_end, true},
        {"ended", fm_parser_ended, true},
        {"thread_level", fm_parser_thread_level, true},
        {"phase", parse_phase, true},
        {"analyze", parse_analyze, true},
        {"expect", fm_parser_expect, true},
        {"expect_phase", fm_parser_expect_phase, true},
        {"expect_matrix", fm_parser_expect_matrix, true},
        {"expect_problem", fm_parser_expect_problem, true},
        {"predict", fm_parser_predict, true},
        {"expect_predicted", fm_parser_expect_predicted, true},
    };
    const char *begin = parser->next;
    struct fm_word word;
    if (!fm_parser_word(parser, &word)) {
        return FM_OK;
    }
    fm_status_t (*parse)(struct fm_parser * parser) = NULL;
    bool needs_size = true;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (fm_word_is(word, statements[i].name)) {
            parse = statements[i].parse;
            needs_size = statements[i].needs_size;
        }
    }
    if (parse == NULL && strchr("0123456789.+-", word.text[0]) != NULL) {
        parser->next = begin;
        parse = fm_parser_event;
    }
    if (parse == NULL) {
        return fm_parser_fail_at(parser, word, "no such statement");
    }
    if (needs_size && parser->scenario == NULL) {
        return fm_parser_fail(parser, "the line \"ranks N\" must come first");
    }
    fm_status_t status = parse(parser);
    if (status == FM_OK && fm_parser_word(parser, &word)) {
        status = fm_parser_fail_at(parser, word, "unexpected word at the end of the line");
    }
    return status;
}

/* Cuts off the comment and trailing blanks; rejects control characters. */
static fm_status_t trim_line(struct fm_parser *parser)
{
    const char *next = parser->next;
    const char *end = parser->end;
    for (const char *character = next; character < end; character++) {
        if (((unsigned char)*character < ' ' && *character != '\t' && *character != '\r') ||
            *character == 0x7f) {
            return fm_parser_fail(parser, "control character 0x%02x", (unsigned char)*character);
        }
    }
    for (const char *character = next; character < end; character++) {
        if (*character == '#' && (character == next || strchr(" \t\r", character[-1]) != NULL)) {
            end = character;
        }
    }
    while (end > next && strchr(" \t\r", end[-1]) != NULL) {
        end--;
    }
    parser->end = end;
    return FM_OK;
}

fm_status_t fm_scenario_parse(const char *name, const char *text, size_t length,
                              struct fm_scenario **scenario, struct fm_error *error)
{
    struct fm_parser parser = {.name = name, .error = error};
    fm_status_t status = FM_OK;
    const char *text_end = text + length;
    while (status == FM_OK && text < text_end) {
        const char *end = memchr(text, '\n', (size_t)(text_end - text));
        parser.line++;
        parser.next = text;
        parser.end = end != NULL ? end : text_end;
        text = end != NULL ? end + 1 : text_end;
        status = trim_line(&parser);
        if (status == FM_OK) {
            status = parse_statement(&parser);
        }
    }
    if (status == FM_OK && parser.scenario == NULL) {
        status = fm_fail(error, FM_ERR_DATA, "%s: the line \"ranks N\" is missing", name);
    }
    if (status == FM_OK && !fm_scenario_finish_open_calls(parser.scenario)) {
        status = fm_parser_no_memory(&parser);
    }
    free(parser.stamps);
    free(parser.ranks);
    if (status != FM_OK) {
        fm_scenario_free(parser.scenario);
        return status;
    }
    if (parser.ticks_per_second == 0) {
        parser.ticks_per_second = FM_SCENARIO_TICKS_PER_UNIT; /* a unit is a second */
    }
    parser.scenario->ticks_per_second = parser.ticks_per_second;
    *scenario = parser.scenario;
    return FM_OK;
}

/* Reads a whole file. A NUL ends reading: text files contain none, devices without an end may. */
static fm_status_t read_file(FILE *file, const char *path, char **text, size_t *length,
                             struct fm_error *error)
{
    size_t capacity = 1u << 14;
    size_t filled = 0;
    char *buffer = malloc(capacity);
    while (buffer != NULL) {
        size_t taken = fread(buffer + filled, 1, capacity - filled, file);
        const char *nul = memchr(buffer + filled, '\0', taken);
        filled += taken;
        if (nul != NULL) {
            break; /* the parser reports the line */
        }
        if (filled < capacity) {
            break;
        }
        if (capacity >= FILE_SIZE_LIMIT) {
            free(buffer);
            return fm_fail(error, FM_ERR_DATA, "%s: larger than %u bytes", path, FILE_SIZE_LIMIT);
        }
        char *grown = realloc(buffer, capacity * 2);
        if (grown == NULL) {
            free(buffer);
        }
        buffer = grown;
        capacity *= 2;
    }
    if (buffer == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: out of memory", path);
    }
    if (ferror(file)) {
        free(buffer);
        return fm_fail(error, FM_ERR_SYSTEM, "%s: cannot read: %m", path);
    }
    *text = buffer;
    *length = filled;
    return FM_OK;
}

fm_status_t fm_scenario_read(const char *path, struct fm_scenario **scenario,
                             struct fm_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: cannot open: %m", path);
    }
    fm_status_t status = read_file(file, path, &text, &length, error);
    fclose(file);
    if (status == FM_OK) {
        status = fm_scenario_parse(path, text, length, scenario, error);
        free(text);
    }
    return status;
}
