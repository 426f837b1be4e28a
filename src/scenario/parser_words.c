/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_CHARACTERS 60

fm_status_t fm_parser_fail(struct fm_parser *parser, const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fm_fail(parser->error, FM_ERR_DATA, "%s:%llu: %s", parser->name,
                   (unsigned long long)parser->line, reason);
}

fm_status_t fm_parser_fail_at(struct fm_parser *parser, struct fm_word word, const char *reason)
{
    char shown[SHOWN_CHARACTERS + 4];
    size_t length = word.length < SHOWN_CHARACTERS ? word.length : SHOWN_CHARACTERS;
    for (size_t i = 0; i < length; i++) {
        unsigned char character = (unsigned char)word.text[i];
        shown[i] = character >= ' ' && character < 0x7f ? (char)character : '?';
    }
    strcpy(shown + length, length < word.length ? "..." : "");
    return fm_parser_fail(parser, "%s: \"%s\"", reason, shown);
}

fm_status_t fm_parser_no_memory(struct fm_parser *parser)
{
    return fm_fail(parser->error, FM_ERR_SYSTEM, "%s:%llu: out of memory", parser->name,
                   (unsigned long long)parser->line);
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t' || character == '\r';
}

bool fm_parser_word(struct fm_parser *parser, struct fm_word *word)
{
    while (parser->next < parser->end && is_blank(*parser->next)) {
        parser->next++;
    }
    word->text = parser->next;
    while (parser->next < parser->end && !is_blank(*parser->next)) {
        parser->next++;
    }
    word->length = (size_t)(parser->next - word->text);
    return word->length > 0;
}

fm_status_t fm_parser_need(struct fm_parser *parser, const char *what, struct fm_word *word)
{
    return fm_parser_word(parser, word) ? FM_OK : fm_parser_fail(parser, "%s is missing", what);
}

bool fm_word_is(struct fm_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

static bool parse_integer(struct fm_word word, uint64_t *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < word.length; i++) {
        char character = word.text[i];
        if (character < '0' || character > '9' || __builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(character - '0'), &sum)) {
            return false;
        }
    }
    *value = sum;
    return word.length > 0;
}

fm_status_t fm_parser_integer(struct fm_parser *parser, struct fm_word word, const char *what,
                              uint64_t limit, uint64_t *value)
{
    uint64_t parsed;
    if (!parse_integer(word, &parsed) || parsed > limit) {
        char reason[128];
        snprintf(reason, sizeof reason, "%s must be an integer from 0 to %llu", what,
                 (unsigned long long)limit);
        return fm_parser_fail_at(parser, word, reason);
    }
    *value = parsed;
    return FM_OK;
}

static void split_location(struct fm_word word, struct fm_word *rank, struct fm_word *thread)
{
    const char *point = memchr(word.text, '.', word.length);
    *rank = word;
    *thread = (struct fm_word){.text = "0", .length = 1};
    if (point != NULL) {
        rank->length = (size_t)(point - word.text);
        thread->text = point + 1;
        thread->length = word.length - rank->length - 1;
    }
}

bool fm_word_is_location(struct fm_word word)
{
    struct fm_word rank;
    struct fm_word thread;
    uint64_t number;
    split_location(word, &rank, &thread);
    return fm_word_is(word, "*") ||
           (parse_integer(rank, &number) && parse_integer(thread, &number));
}

fm_status_t fm_parser_location(struct fm_parser *parser, struct fm_word word, uint32_t *rank,
                               uint32_t *thread)
{
    const struct fm_scenario *scenario = parser->scenario;
    struct fm_word rank_word;
    struct fm_word thread_word;
    uint64_t rank_number;
    uint64_t thread_number;
    split_location(word, &rank_word, &thread_word);
    if (!parse_integer(rank_word, &rank_number) || !parse_integer(thread_word, &thread_number)) {
        return fm_parser_fail_at(parser, word, "a location is RANK or RANK.THREAD, not");
    }
    if (rank_number >= scenario->rank_count || thread_number >= scenario->thread_count) {
        char reason[128];
        snprintf(reason, sizeof reason, "no such location among %u ranks with %u threads",
                 scenario->rank_count, scenario->thread_count);
        return fm_parser_fail_at(parser, word, reason);
    }
    *rank = (uint32_t)rank_number;
    *thread = (uint32_t)thread_number;
    return FM_OK;
}

fm_status_t fm_parser_ranks(struct fm_parser *parser, uint32_t size, uint32_t *count)
{
    struct fm_word word;
    uint32_t stamp = ++parser->last_stamp;
    uint32_t listed = 0;
    while (fm_parser_word(parser, &word)) {
        uint64_t rank;
        fm_status_t status = fm_parser_integer(parser, word, "a rank", size - 1, &rank);
        if (status != FM_OK) {
            return status;
        }
        if (parser->stamps[rank] == stamp) {
            return fm_parser_fail_at(parser, word, "the rank is listed twice");
        }
        parser->stamps[rank] = stamp;
        parser->ranks[listed++] = (uint32_t)rank;
    }
    if (listed == 0) {
        return fm_parser_fail(parser, "a list of ranks is missing");
    }
    *count = listed;
    return FM_OK;
}

fm_status_t fm_parser_new_name(struct fm_parser *parser, const struct fm_key_table *names,
                               const char *what, char **name)
{
    struct fm_word word;
    fm_status_t status = fm_parser_need(parser, what, &word);
    if (status != FM_OK) {
        return status;
    }
    if (fm_key_table_find(names, word.text, word.length) != FM_KEY_NONE) {
        return fm_parser_fail_at(parser, word, "the name is defined twice");
    }
    *name = strndup(word.text, word.length);
    return *name != NULL ? FM_OK : fm_parser_no_memory(parser);
}
