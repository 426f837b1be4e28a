/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines about the end of the job and of its processes: `job_end TIME`, `ended RANK...`,
 * `thread_level LEVEL RANK...`. */
#include "scenario/parser.h"

fm_status_t fm_parser_job_end(struct fm_parser *parser)
{
    struct fm_word word;
    fm_status_t status = fm_parser_need(parser, "the time", &word);
    return status == FM_OK ? fm_parser_time(parser, word, &parser->scenario->job_end) : status;
}

fm_status_t fm_parser_ended(struct fm_parser *parser)
{
    struct fm_scenario *scenario = parser->scenario;
    uint32_t count = 0;
    fm_status_t status = fm_parser_ranks(parser, scenario->rank_count, &count);
    for (uint32_t i = 0; status == FM_OK && i < count; i++) {
        scenario->processes[parser->ranks[i]].has_ended = true;
    }
    return status;
}

fm_status_t fm_parser_thread_level(struct fm_parser *parser)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    struct fm_scenario *scenario = parser->scenario;
    struct fm_word word;
    uint32_t count = 0;
    uint8_t level = 0;
    fm_status_t status = fm_parser_need(parser, "the level", &word);
    if (status != FM_OK) {
        return status;
    }
    while (level < sizeof levels / sizeof *levels && !fm_word_is(word, levels[level])) {
        level++;
    }
    if (level == sizeof levels / sizeof *levels) {
        return fm_parser_fail_at(parser, word,
                                 "a level is single, funneled, serialized or multiple, not");
    }
    status = fm_parser_ranks(parser, scenario->rank_count, &count);
    for (uint32_t i = 0; status == FM_OK && i < count; i++) {
        scenario->processes[parser->ranks[i]].thread_level = (uint8_t)(level + 1);
    }
    return status;
}
