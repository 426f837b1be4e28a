/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The state that the parts of the scenario parser share: the current line and its words.
 */
#ifndef FERMATA_SCENARIO_PARSER_H
#define FERMATA_SCENARIO_PARSER_H

#include "scenario/scenario.h"

/** A piece of the current line, not terminated. */
struct fm_word {
    const char *text;
    size_t length;
};

struct fm_parser {
    const char *name;             /**< of the file */
    uint64_t line;                /**< counted from 1 */
    const char *next;             /**< the unread rest of the line */
    const char *end;              /**< end of the line without comment and trailing blanks */
    struct fm_scenario *scenario; /**< NULL before the `ranks` line */
    uint64_t ticks_per_second;    /**< 0 before the `unit` line */
    uint32_t *stamps;             /**< per rank or thread: number of the last list with it */
    uint32_t last_stamp;          /**< number of lists of ranks and threads so far */
    uint32_t *ranks;              /**< the list of ranks or locations that is being read; as long as
                                       ranks or threads are many */
    struct fm_error *error;
};

/** Describes what is wrong with the current line. @return FM_ERR_DATA */
fm_status_t fm_parser_fail(struct fm_parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/** The same, ending in the word quoted, with unprintable characters replaced. */
fm_status_t fm_parser_fail_at(struct fm_parser *parser, struct fm_word word, const char *reason)
    __attribute__((cold));

/** @return FM_ERR_SYSTEM */
fm_status_t fm_parser_no_memory(struct fm_parser *parser) __attribute__((cold));

/** Takes the next word of the line. @return false at the end of the line. */
bool fm_parser_word(struct fm_parser *parser, struct fm_word *word);

/** Takes the next word, which must exist. `what` names it in the message. */
fm_status_t fm_parser_need(struct fm_parser *parser, const char *what, struct fm_word *word);

/** @return whether the word is `text`. */
bool fm_word_is(struct fm_word word, const char *text);

/** Reads a non-negative integer up to `limit`. `what` names it in the message. */
fm_status_t fm_parser_integer(struct fm_parser *parser, struct fm_word word, const char *what,
                              uint64_t limit, uint64_t *value);

/** Reads `rank` or `rank.thread`. */
fm_status_t fm_parser_location(struct fm_parser *parser, struct fm_word word, uint32_t *rank,
                               uint32_t *thread);

/** As fm_parser_location(), without a message. @return whether the word has that form, whatever the
 * numbers. */
bool fm_word_is_location(struct fm_word word);

/** Reads the rest of the line: a list of distinct ranks below `size` into parser->ranks. */
fm_status_t fm_parser_ranks(struct fm_parser *parser, uint32_t size, uint32_t *count);

/** Reads a time without sign, with at most three decimals, as ticks. */
fm_status_t fm_parser_time(struct fm_parser *parser, struct fm_word word, uint64_t *ticks);

/** Reads a `team`, `object_name` or `stream` line behind its first word. */
fm_status_t fm_parser_team(struct fm_parser *parser);
fm_status_t fm_parser_object_name(struct fm_parser *parser);
fm_status_t fm_parser_stream(struct fm_parser *parser);

/** Finds the parameter of a name; those of different types are different ones.
 * @param kind   FM_SCENARIO_PARAMETER and the like
 * @param index  out */
fm_status_t fm_parser_parameter(struct fm_parser *parser, struct fm_word name,
                                enum fm_scenario_kind kind, uint32_t *index);

/** Appends the parameters for which an event of the text stands: FM_SCENARIO_PROBE, MERGED, LOST,
 * MEMBERS, TARGET, OWNER or OMITTED. */
fm_status_t fm_parser_facts(struct fm_parser *parser, uint32_t location,
                            const struct fm_scenario_event *event);

/** Reads a `job_end`, `ended` or `thread_level` line behind its first word. */
fm_status_t fm_parser_job_end(struct fm_parser *parser);
fm_status_t fm_parser_ended(struct fm_parser *parser);
fm_status_t fm_parser_thread_level(struct fm_parser *parser);

/** Takes the name that a definition introduces.
 * @param names  that it must not be among
 * @param what   names it in the message
 * @param name   out: to be freed with free() */
fm_status_t fm_parser_new_name(struct fm_parser *parser, const struct fm_key_table *names,
                               const char *what, char **name);

/** Adds a sample whose call path, from the root on, is stated.
 * @param path  names of regions, separated by `/` */
fm_status_t fm_parser_sample(struct fm_parser *parser, uint32_t location, uint64_t time,
                             struct fm_word path);

/** Reads an event line; nothing of it has been read. */
fm_status_t fm_parser_event(struct fm_parser *parser);

/** Read an expect, expect_phase, expect_matrix, expect_problem or expect_predicted line behind its
 * first word. */
fm_status_t fm_parser_expect(struct fm_parser *parser);
fm_status_t fm_parser_expect_phase(struct fm_parser *parser);
fm_status_t fm_parser_expect_matrix(struct fm_parser *parser);
fm_status_t fm_parser_expect_problem(struct fm_parser *parser);
fm_status_t fm_parser_expect_predicted(struct fm_parser *parser);

/** Reads a predict line behind its first word. */
fm_status_t fm_parser_predict(struct fm_parser *parser);

#endif
