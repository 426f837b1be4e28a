/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of threads: teams, the names of what they synchronize by, and which of them are
 * streams of accelerators. */
#include "scenario/parser.h"

#include <stdlib.h>
#include <string.h>

/* The locations that the rest of the line lists, distinct ones of one process, into parser->ranks.
 */
static fm_status_t read_members(struct fm_parser *parser, uint32_t *count)
{
    const struct fm_scenario *scenario = parser->scenario;
    const uint32_t stamp = ++parser->last_stamp;
    struct fm_word word;
    uint32_t process = 0;
    *count = 0;
    while (fm_parser_word(parser, &word)) {
        uint32_t rank;
        uint32_t thread;
        fm_status_t status = fm_parser_location(parser, word, &rank, &thread);
        if (status != FM_OK) {
            return status;
        }
        if (*count > 0 && rank != process) {
            return fm_parser_fail_at(parser, word, "not of the process of the team's first thread");
        }
        process = rank;
        if (parser->stamps[thread] == stamp) {
            return fm_parser_fail_at(parser, word, "the thread is listed twice");
        }
        parser->stamps[thread] = stamp;
        parser->ranks[(*count)++] = rank * scenario->thread_count + thread;
    }
    return *count > 0 ? FM_OK : fm_parser_fail(parser, "the threads of the team are missing");
}

fm_status_t fm_parser_team(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    char *name = NULL;
    uint32_t count = 0;
    fm_status_t status =
        fm_parser_new_name(parser, &scenario->team_names, "the name of the team", &name);
    if (status == FM_OK) {
        status = read_members(parser, &count);
    }
    if (status == FM_OK &&
        fm_scenario_add_team(scenario, name, parser->ranks, count) == FM_SCENARIO_NONE) {
        status = fm_parser_no_memory(parser);
    }
    free(name);
    return status;
}

/* `object_name RANK ID NAME`, the name being the rest of the line */
fm_status_t fm_parser_object_name(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    uint64_t rank = 0;
    uint64_t object = 0;
    fm_status_t status = fm_parser_need(parser, "the rank", &word);
    if (status == FM_OK) {
        status = fm_parser_integer(parser, word, "the rank", scenario->rank_count - 1, &rank);
    }
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the object", &word);
    }
    if (status == FM_OK) {
        status = fm_parser_integer(parser, word, "the object", UINT32_MAX - 1, &object);
    }
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the name of the object", &word);
    }
    if (status != FM_OK) {
        return status;
    }
    parser->next = parser->end;
    return fm_scenario_name_object(scenario, (uint32_t)rank, object, word.text,
                                   (size_t)(parser->end - word.text))
               ? FM_OK
               : fm_parser_no_memory(parser);
}

/* `stream LOCATION...` */
fm_status_t fm_parser_stream(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    fm_status_t status = fm_parser_need(parser, "the location", &word);
    while (status == FM_OK) {
        uint32_t rank, thread;
        status = fm_parser_location(parser, word, &rank, &thread);
        if (status == FM_OK && thread == 0) {
            status = fm_parser_fail_at(parser, word, "a rank's first thread is no stream");
        }
        if (status == FM_OK) {
            scenario->locations[rank * scenario->thread_count + thread].is_stream = true;
        }
        if (status != FM_OK || !fm_parser_word(parser, &word)) {
            break;
        }
    }
    return status;
}
