/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter/filter.h"

#include "filter/name_pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 16 * 1024 * 1024 };

/* A rule for one pattern. */
struct rule {
    bool exclude, mangled;
    char *pattern;
};

struct rules {
    struct rule *items;
    size_t count, room;
};

struct fm_filter {
    struct rules names, files;
};

/* ---- the text ---- */

struct parser {
    const char *next, *end;
    unsigned line;
    const char *name;
    struct fm_filter *filter;
    char *word; /* the last one; has room for the whole text */
    unsigned word_line;
};

/* The next word; backslashes stay where they are. @return false: the text is over */
static bool next_word(struct parser *p)
{
    size_t length = 0;
    bool comment = false;
    while (p->next < p->end && *p->next != '\0' &&
           (comment || strchr(" \t\r\v\f\n#", *p->next) != NULL)) {
        comment = *p->next == '#' || (comment && *p->next != '\n');
        p->line += *p->next++ == '\n';
    }
    p->word_line = p->line;
    while (p->next < p->end && *p->next != '\0' && strchr(" \t\r\v\f\n#", *p->next) == NULL) {
        if (*p->next == '\\' && p->next + 1 < p->end && p->next[1] != '\0') {
            p->word[length++] = *p->next++;
            p->line += *p->next == '\n';
        }
        p->word[length++] = *p->next++;
    }
    p->word[length] = '\0';
    return length > 0;
}

static bool is_word(const struct parser *p, const char *word)
{
    return strcmp(p->word, word) == 0;
}

/* Whether the word is the begin or end of a block, with or without Score-P's prefix. */
static bool is_block_word(const struct parser *p, const char *word)
{
    static const char prefix[] = "SCOREP_";
    const char *text = p->word;
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
        text += sizeof prefix - 1;
    }
    return strcmp(text, word) == 0;
}

static fm_status_t no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_SYSTEM, "no memory for the filter");
}

static fm_status_t wrong(const struct parser *p, const char *what, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_DATA, "%s:%u: %s, not \"%.60s\"", p->name, p->word_line, what,
                   p->word);
}

static fm_status_t add(const struct parser *p, struct rules *rules, bool exclude, bool mangled,
                       struct fm_error *error)
{
    if (rules->count == rules->room) {
        size_t room = rules->room != 0 ? 2 * rules->room : 64;
        struct rule *items = realloc(rules->items, room * sizeof *items);
        if (items == NULL) {
            return no_memory(error);
        }
        rules->items = items;
        rules->room = room;
    }
    char *pattern = strdup(p->word);
    if (pattern == NULL) {
        return no_memory(error);
    }
    rules->items[rules->count++] = (struct rule){exclude, mangled, pattern};
    return FM_OK;
}

/* The rules up to the end of a block. */
static fm_status_t parse_block(struct parser *p, struct rules *rules, const char *end,
                               struct fm_error *error)
{
    enum { NONE, EXCLUDE, INCLUDE } rule = NONE;
    bool mangled = false, first = false;
    unsigned begin = p->word_line;
    while (next_word(p)) {
        if (is_block_word(p, end)) {
            return first ? wrong(p, "a rule needs a pattern", error) : FM_OK;
        }
        if (is_word(p, "EXCLUDE") || is_word(p, "INCLUDE")) {
            if (first) {
                return wrong(p, "a rule needs a pattern", error);
            }
            rule = is_word(p, "EXCLUDE") ? EXCLUDE : INCLUDE;
            mangled = false;
            first = true;
        } else if (first && !mangled && is_word(p, "MANGLED") && rules == &p->filter->names) {
            mangled = true;
        } else if (rule == NONE) {
            return wrong(p, "a rule begins with EXCLUDE or INCLUDE", error);
        } else {
            fm_status_t status = add(p, rules, rule == EXCLUDE, mangled, error);
            if (status != FM_OK) {
                return status;
            }
            first = false;
        }
    }
    return fm_fail(error, FM_ERR_DATA, "%s:%u: the block that begins here has no %s", p->name,
                   begin, end);
}

static fm_status_t parse_blocks(struct parser *p, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    while (status == FM_OK && next_word(p)) {
        if (is_block_word(p, "REGION_NAMES_BEGIN")) {
            status = parse_block(p, &p->filter->names, "REGION_NAMES_END", error);
        } else if (is_block_word(p, "FILE_NAMES_BEGIN")) {
            status = parse_block(p, &p->filter->files, "FILE_NAMES_END", error);
        } else {
            status = wrong(p, "a block begins with REGION_NAMES_BEGIN or FILE_NAMES_BEGIN", error);
        }
    }
    if (status == FM_OK && p->next < p->end) {
        status =
            fm_fail(error, FM_ERR_DATA, "%s:%u: a zero byte: this is no text", p->name, p->line);
    }
    return status;
}

fm_status_t fm_filter_parse(const char *text, size_t length, const char *name,
                            struct fm_filter **filter, struct fm_error *error)
{
    struct parser parser = {.next = text, .end = text + length, .line = 1, .name = name};
    parser.filter = calloc(1, sizeof *parser.filter);
    parser.word = malloc(length + 1);
    fm_status_t status = parser.filter != NULL && parser.word != NULL ? parse_blocks(&parser, error)
                                                                      : no_memory(error);
    free(parser.word);
    if (status == FM_OK) {
        *filter = parser.filter;
    } else {
        fm_filter_free(parser.filter);
    }
    return status;
}

fm_status_t fm_filter_read(const char *path, struct fm_filter **filter, struct fm_error *error)
{
    FILE *file = fopen(path, "re");
    char *text = malloc(LARGEST + 1);
    if (file == NULL || text == NULL) {
        int reason = errno;
        if (file != NULL) {
            fclose(file);
        }
        free(text);
        return fm_fail(error, FM_ERR_USAGE, "cannot read the filter %s: %s", path,
                       strerror(reason));
    }
    size_t length = fread(text, 1, LARGEST + 1, file);
    bool failed = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    fm_status_t status = FM_OK;
    if (failed || length > LARGEST) {
        status = fm_fail(error, FM_ERR_USAGE, "cannot read the filter %s: %s", path,
                         failed ? strerror(reason) : "it is too large");
    } else {
        status = fm_filter_parse(text, length, path, filter, error);
    }
    free(text);
    return status;
}

void fm_filter_free(struct fm_filter *filter)
{
    struct rules *const kinds[] = {filter != NULL ? &filter->names : NULL,
                                   filter != NULL ? &filter->files : NULL};
    for (size_t k = 0; filter != NULL && k < 2; k++) {
        for (size_t i = 0; i < kinds[k]->count; i++) {
            free(kinds[k]->items[i].pattern);
        }
        free(kinds[k]->items);
    }
    free(filter);
}

/* ---- decisions ---- */

/* Whether a pattern matches a path, or what of it follows one of its folders: that may be how the
 * compiler was given the file. */
static bool matches_path(const char *pattern, const char *path)
{
    while (path != NULL && !fm_pattern_matches(pattern, path)) {
        path = strchr(path, '/');
        path = path != NULL ? path + 1 : NULL;
    }
    return path != NULL;
}

static bool excludes_file(const struct rules *rules, const char *file)
{
    for (size_t i = rules->count; file != NULL && i-- > 0;) {
        const char *pattern = rules->items[i].pattern;
        if (matches_path(pattern, file)) {
            return rules->items[i].exclude;
        }
    }
    return false;
}

static bool excludes_name(const struct rules *rules, const char *name, const char *symbol)
{
    for (size_t i = rules->count; i-- > 0;) {
        const char *text = rules->items[i].mangled ? symbol : name;
        if (text != NULL && fm_pattern_matches(rules->items[i].pattern, text)) {
            return rules->items[i].exclude;
        }
    }
    return false;
}

bool fm_filter_excludes(const struct fm_filter *filter, const char *name, const char *symbol,
                        const char *file)
{
    return excludes_file(&filter->files, file) || excludes_name(&filter->names, name, symbol);
}

bool fm_filter_has_files(const struct fm_filter *filter)
{
    return filter->files.count != 0;
}

/* Whether a name is read as a word of the format. */
static bool is_word_of_format(const char *name)
{
    static const char *const words[] = {"EXCLUDE", "INCLUDE", "MANGLED"};
    static const char end[] = "REGION_NAMES_END";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(name, words[i]) == 0) {
            return true;
        }
    }
    return strcmp(name, end) == 0 ||
           (strncmp(name, "SCOREP_", 7) == 0 && strcmp(name + 7, end) == 0);
}

void fm_filter_write_name(FILE *file, const char *name)
{
    if (is_word_of_format(name)) {
        putc('\\', file);
    }
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name < ' ' || *name == 0x7f) {
            putc('?', file);
        } else {
            if (strchr(" #*?[]\\", *name) != NULL) {
                putc('\\', file);
            }
            putc(*name, file);
        }
    }
}
