/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/constructs/construct_names.h"

#include "functions/function_kind.h"
#include "record/constructs/construct.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 512 };

static const char implicit[] = "!$omp implicit barrier";

/* ---- directives in source lines ---- */

/* Whatever the program's locale. */
static char in_lower_case(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The text behind the sentinel of a directive, in lower case; "": the line is none. */
static const char *directive_of(const char *text, char *copy, size_t room)
{
    size_t length = 0;
    for (; text[length] != '\0' && length + 1 < room; length++) {
        copy[length] = in_lower_case(text[length]);
    }
    copy[length] = '\0';
    const char *omp = strstr(copy, "omp");
    bool is_directive =
        omp != NULL && (strstr(copy, "pragma") != NULL || (omp > copy && omp[-1] == '$'));
    return is_directive ? omp + strlen("omp") : "";
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a word stands in a text. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == text || !is_in_word(at[-1])) && !is_in_word(at[length])) {
            return true;
        }
    }
    return false;
}

/* Whether a text begins with a word, behind blanks and parentheses (of _Pragma). */
static bool begins_with_word(const char *text, const char *word)
{
    while (*text != '\0' && !is_in_word(*text)) {
        text++;
    }
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && !is_in_word(text[length]);
}

static bool begins_with_any(const char *directive, const char *const *words)
{
    for (; *words != NULL; words++) {
        if (begins_with_word(directive, *words)) {
            return true;
        }
    }
    return false;
}

/* Whether a directive begins a parallel region: parallel, teams distribute parallel. */
static bool opens_parallel(const char *directive)
{
    static const char *const around[] = {"teams", "target", "distribute", NULL};
    return begins_with_word(directive, "parallel") ||
           (begins_with_any(directive, around) && has_word(directive, "parallel"));
}

/* Whether a directive `parallel` also stands for the construct inside: parallel for. */
static bool is_combined(const char *directive, enum fm_construct construct)
{
    return (construct == FM_CONSTRUCT_LOOP &&
            (has_word(directive, "for") || has_word(directive, "do"))) ||
           (construct == FM_CONSTRUCT_SECTIONS && has_word(directive, "sections")) ||
           (construct == FM_CONSTRUCT_WORKSHARE && has_word(directive, "workshare"));
}

enum fm_directive_line fm_directive_in_line(const char *text, enum fm_construct construct)
{
    static const char *const closed[] = {"for",       "do",   "sections", "single",
                                         "workshare", "loop", "scope",    NULL};
    static const char *const words[FM_CONSTRUCT_COUNT][5] = {
        [FM_CONSTRUCT_PARALLEL] = {"parallel"},
        [FM_CONSTRUCT_TEAMS] = {"teams"},
        [FM_CONSTRUCT_TASK_CREATE] = {"task", "taskloop"},
        [FM_CONSTRUCT_TASK] = {"task", "taskloop"},
        [FM_CONSTRUCT_TASKLOOP] = {"taskloop"},
        [FM_CONSTRUCT_LOOP] = {"for", "do", "loop"},
        [FM_CONSTRUCT_SECTIONS] = {"sections"},
        [FM_CONSTRUCT_SINGLE] = {"single"},
        [FM_CONSTRUCT_SINGLE_SBLOCK] = {"single"},
        [FM_CONSTRUCT_ORDERED] = {"ordered"},
        [FM_CONSTRUCT_ORDERED_SBLOCK] = {"ordered"},
        [FM_CONSTRUCT_ORDERED_DEPEND] = {"ordered"},
        [FM_CONSTRUCT_CRITICAL] = {"critical"},
        [FM_CONSTRUCT_CRITICAL_SBLOCK] = {"critical"},
        [FM_CONSTRUCT_BARRIER] = {"barrier"},
        [FM_CONSTRUCT_TASKWAIT] = {"taskwait", "taskgroup", "taskloop"},
        [FM_CONSTRUCT_TASKGROUP] = {"taskgroup", "taskloop"},
        [FM_CONSTRUCT_ATOMIC] = {"atomic"},
        [FM_CONSTRUCT_MASTER] = {"master", "masked"},
        [FM_CONSTRUCT_WORKSHARE] = {"workshare"},
    };
    char copy[NAME_MOST];
    const char *directive = directive_of(text, copy, sizeof copy);
    bool is_closed = construct == FM_CONSTRUCT_IMPLICIT_BARRIER;
    if (begins_with_any(directive, is_closed ? closed : words[construct]) &&
        !(is_closed && has_word(directive, "nowait"))) {
        return FM_SOURCE_DIRECTIVE;
    }
    if (!opens_parallel(directive)) {
        return FM_SOURCE_OTHER;
    }
    return construct == FM_CONSTRUCT_PARALLEL || is_combined(directive, construct)
               ? FM_SOURCE_DIRECTIVE
               : FM_SOURCE_BEGIN;
}

/* ---- source files ---- */

/* A source file as an array of lines. */
struct source {
    char *path, **lines;
    uint32_t count;
};

static void close_source(struct source *source)
{
    for (uint32_t i = 0; i < source->count; i++) {
        free(source->lines[i]);
    }
    free(source->lines);
    free(source->path);
    *source = (struct source){0};
}

/* Reads a file, unless it is the one that was read last. An unreadable file has no lines. */
static void read_source(struct source *source, const char *path)
{
    if (source->path != NULL && strcmp(source->path, path) == 0) {
        return;
    }
    close_source(source);
    source->path = strdup(path);
    FILE *file = fopen(path, "re");
    size_t room = 0, length = 0;
    char *text = NULL;
    while (file != NULL && getline(&text, &length, file) >= 0) {
        if (source->count == room) {
            room = 2 * room + 256;
            char **lines = realloc(source->lines, room * sizeof *lines);
            if (lines == NULL) {
                break;
            }
            source->lines = lines;
        }
        source->lines[source->count++] = text;
        text = NULL;
        length = 0;
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
}

static enum fm_directive_line look_at(const struct source *source, uint32_t line,
                                      enum fm_construct construct)
{
    return fm_directive_in_line(source->lines[line - 1], construct);
}

/* The line of a construct's directive, if its call is attributed to `line`: the nearest one above
 * it in the parallel region, else the first one in the region. 0: none is found. */
static uint32_t directive_in_region(const struct source *source, uint32_t line,
                                    enum fm_construct construct)
{
    enum { FURTHEST = 1000 };
    if (line == 0 || line > source->count) {
        return 0;
    }
    uint32_t begin = line;
    for (uint32_t i = line; i > 0 && line - i < FURTHEST; i--) {
        enum fm_directive_line found = look_at(source, i, construct);
        if (found == FM_SOURCE_DIRECTIVE) {
            return i;
        }
        begin = i;
        if (found == FM_SOURCE_BEGIN) {
            break;
        }
    }
    for (uint32_t i = begin + 1; i <= source->count && i - begin < FURTHEST; i++) {
        enum fm_directive_line found = look_at(source, i, construct);
        if (found == FM_SOURCE_DIRECTIVE) {
            return i;
        }
        if (found == FM_SOURCE_BEGIN) {
            break;
        }
    }
    return 0;
}

/* The line of the directive that a function was made of which begins at `line`: that of its
 * directive, or of the first statement behind it. 0: none is found. */
static uint32_t directive_of_function(const struct source *source, uint32_t line,
                                      enum fm_construct construct)
{
    enum { FURTHEST = 8 };
    for (uint32_t i = line; i > 0 && i <= source->count && line - i < FURTHEST; i--) {
        enum fm_directive_line found = look_at(source, i, construct);
        if (found != FM_SOURCE_OTHER) {
            return i;
        }
    }
    return 0;
}

/* ---- names ---- */

/* The line of a call site, in the innermost function that is inlined there.
 * @return number of the LINE; FM_DEFINE_NONE: not known */
static uint32_t line_of(const struct fm_callsites *sites, uint32_t site)
{
    uint32_t levels = 0;
    if (site == 0 || site >= sites->count) {
        return FM_DEFINE_NONE;
    }
    const struct fm_callsite_frame *frames = fm_callsite_frames(sites, site, &levels);
    return levels != 0 ? frames[levels - 1].line : FM_DEFINE_NONE;
}

/* The construct that a region without a line is one of. */
static enum fm_construct construct_of(const char *name)
{
    static const char *const names[FM_CONSTRUCT_COUNT] = {
#define FM_CONSTRUCT_ROW(symbol, text) "!$omp " text,
#include "record/constructs/constructs.def"
#undef FM_CONSTRUCT_ROW
    };
    int i = 0;
    while (i + 1 < FM_CONSTRUCT_COUNT && strcmp(names[i], name) != 0) {
        i++;
    }
    return (enum fm_construct)i;
}

/* Corrects the construct and the line by the text of the source. Compilers give the calls at
 * directives that synchronize the directive's line, those that they add the line of any statement
 * before: so a barrier that is not called at a barrier directive is implicit. */
static uint32_t correct(const struct source *source, uint32_t line, enum fm_construct construct,
                        char *name, size_t room)
{
    bool is_readable = line <= source->count;
    if (construct == FM_CONSTRUCT_BARRIER && is_readable &&
        look_at(source, line, construct) != FM_SOURCE_DIRECTIVE) {
        construct = FM_CONSTRUCT_IMPLICIT_BARRIER;
        snprintf(name, room, "%s", implicit);
    }
    uint32_t found = is_readable ? directive_in_region(source, line, construct) : 0;
    return found != 0 ? found : line;
}

static void name_region(struct fm_definitions *set, const struct fm_callsites *sites,
                        uint32_t region, struct source *source)
{
    char name[NAME_MOST], path[NAME_MOST * 4];
    const uint32_t *words = fm_defined(set, FM_DEFINE_REGION, region, NULL);
    uint32_t line = line_of(sites, words[5]), file = FM_DEFINE_NONE, number = 0;
    bool is_begin = (words[3] & FM_REGION_AT_BEGIN) != 0;
    snprintf(name, sizeof name, "%s", fm_defined_string(set, words[0]));
    enum fm_construct construct = construct_of(name);
    if (line != FM_DEFINE_NONE) {
        const uint32_t *place = fm_defined(set, FM_DEFINE_LINE, line, NULL);
        file = place[0];
        number = place[1];
    }
    if (file != FM_DEFINE_NONE && number != 0) {
        snprintf(path, sizeof path, "%s", fm_defined_string(set, file));
        read_source(source, path);
        if (is_begin) {
            uint32_t found = directive_of_function(source, number, construct);
            number = found != 0 ? found : number;
        } else {
            number = correct(source, number, construct, name, sizeof name);
        }
        const char *slash = strrchr(path, '/');
        size_t length = strlen(name);
        snprintf(name + length, sizeof name - length, " @%.200s:%u",
                 slash != NULL ? slash + 1 : path, number);
    }
    uint32_t string = fm_define_string(set, name);
    uint32_t *own = fm_defined(set, FM_DEFINE_REGION, region, NULL);
    own[0] = string != FM_DEFINE_NONE ? string : own[0];
    own[1] = fm_function_kind(FM_PARADIGM_OPENMP, name).role;
    own[3] &= ~(FM_REGION_AT_SITE | FM_REGION_AT_BEGIN);
    own[4] = number != 0 ? file : FM_DEFINE_NONE;
    own[5] = number;
}

void fm_constructs_name(struct fm_definitions *set, const struct fm_callsites *sites)
{
    struct source source = {0};
    for (uint32_t i = 0; i < set->tables[FM_DEFINE_REGION].count; i++) {
        if ((fm_defined(set, FM_DEFINE_REGION, i, NULL)[3] & FM_REGION_AT_SITE) != 0) {
            name_region(set, sites, i, &source);
        }
    }
    close_source(&source);
}
