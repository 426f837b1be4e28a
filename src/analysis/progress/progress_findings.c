/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/progress_findings.h"

#include "analysis/collective/progress/collective_names.h"
#include "analysis/progress/progress_evidence.h"
#include "base/containers/sort.h"
#include "cube/model/cube_finding.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* At most so many kinds are stated. */
#define STATED_KINDS 6

/* So many pieces show whether a kind needs progress; fewer may do so by chance. */
#define CLEAR_PIECES 3

#define TEXT_SIZE 512

/* What calls do, in the order of the bits FM_NEEDS_FOR_... */
static const char *const deeds[] = {"puts",    "gets",  "accumulates", "locks",    "unlocks",
                                    "flushes", "sends", "receives",    "completes"};

static uint64_t pieces(const struct fm_progress_kind *kind)
{
    return kind->passed + kind->held;
}

static int compare_kinds(const void *a, const void *b)
{
    const struct fm_progress_kind *left = a, *right = b;
    if (pieces(left) != pieces(right)) {
        return pieces(left) > pieces(right) ? -1 : 1;
    }
    return left->key < right->key ? -1 : left->key > right->key;
}

/* Appends to a text of TEXT_SIZE bytes, which is cut where it does not fit. */
__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, TEXT_SIZE - length, format, arguments);
    va_end(arguments);
}

/* Appends the sizes of a class of messages. */
static void append_sizes(char *text, uint8_t size_class)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (size_class <= 2) {
        append(text, " of %u B", size_class - 1U);
        return;
    }
    const unsigned exponent = size_class - 2U;
    const unsigned unit = exponent / 10 < 4 ? exponent / 10 : 4;
    const uint64_t first = (uint64_t)1 << (exponent - 10 * unit);
    if (unit == 0) {
        append(text, " of %" PRIu64 "-%" PRIu64 " B", first, 2 * first - 1);
    } else {
        append(text, " of %" PRIu64 "-%" PRIu64 " %s", first, 2 * first, units[unit]);
    }
}

static bool are_collectives(const struct fm_needed *why)
{
    return !fm_needs_is_function(why->what) && (why->what & FM_NEEDS_FOR_COLLECTIVES) != 0;
}

/* Names the collectives that calls complete: "Ibarriers and Iallreduces". */
static void append_collectives(char *text, const struct fm_needed *why)
{
    const char *separator = why->epoch == FM_NEEDS_OF_PERSISTENT ? "persistent " : "I";
    for (unsigned i = 0; i < FM_COLLECTIVE_NAMES; ++i) {
        if ((why->what >> i & 1) != 0) {
            append(text, "%s%s", separator, fm_collective_plural(i));
            separator = why->epoch == FM_NEEDS_OF_PERSISTENT ? " and " : " and I";
        }
    }
}

static void append_window(const struct fm_trace *trace, uint32_t window, char *text)
{
    const char *name = window < trace->window_count ? trace->windows[window].name : NULL;
    if (window >= trace->window_count) {
        return;
    }
    if (name == NULL || name[0] == '\0') {
        append(text, " on window %" PRIu32, window);
    } else if (strncmp(name, "window ", 7) == 0) { /* fm_window_names_complete() */
        append(text, " on %s", name);
    } else {
        append(text, " on window %s", name);
    }
}

/* Names the calls of a kind. @param text  of TEXT_SIZE bytes */
static void name_kind(const struct fm_trace *trace, const struct fm_progress_kind *kind, char *text)
{
    const struct fm_needed why = fm_need_of_key(kind->key);
    text[0] = '\0';
    if (fm_needs_is_function(why.what)) {
        append(text, "calls of %s", trace->regions[fm_needs_region(why.what)].name);
    } else if (are_collectives(&why)) {
        append_collectives(text, &why);
    } else {
        append(text, "%s", why.is_later ? "completions of " : "");
        const char *separator = "";
        for (size_t i = 0; i < sizeof deeds / sizeof *deeds; ++i) {
            if ((why.what >> i & 1) != 0) {
                append(text, "%s%s", separator, deeds[i]);
                separator = " and ";
            }
        }
    }
    if (why.size_class != 0) {
        append_sizes(text, why.size_class);
        append(text, "%s", are_collectives(&why) ? " a rank" : "");
    }
    append_window(trace, why.window, text);
    if (why.epoch == FM_NEEDS_IN_ACCESS_EPOCH) {
        append(text, " in access epochs");
    }
    if (fm_need_key_is_far(kind->key)) {
        append(text, ", to other nodes");
    }
    text[0] = (char)toupper((unsigned char)text[0]);
}

/* @return whether what most pieces of a kind show is no chance: at least three quarters of them, of
 * three or more, show it */
static bool is_clear(const struct fm_progress_kind *kind)
{
    const uint64_t most = kind->waits ? kind->held : kind->passed;
    return pieces(kind) >= CLEAR_PIECES && 4 * most >= 3 * pieces(kind);
}

static void add_kind(const struct fm_trace *trace, const struct fm_progress_kind *kind,
                     struct fm_cube *cube)
{
    char name[TEXT_SIZE], statement[2 * TEXT_SIZE];
    name_kind(trace, kind, name);
    const struct fm_needed why = fm_need_of_key(kind->key);
    const bool are_of_several = are_collectives(&why);
    if (kind->waits) {
        snprintf(statement, sizeof statement,
                 "%s: %" PRIu64 " of %" PRIu64 " ended only after the next call of %s partner: %s.",
                 name, kind->held, pieces(kind), are_of_several ? "a" : "their",
                 is_clear(kind) ? "they need its progress" : "taken to need its progress");
    } else {
        snprintf(statement, sizeof statement,
                 "%s: %" PRIu64 " of %" PRIu64 " ended while %s made no call: %s.", name,
                 kind->passed, pieces(kind), are_of_several ? "a partner" : "their partner",
                 is_clear(kind) ? "no progress needed" : "no wait for progress is counted");
    }
    fm_cube_add_finding(cube, &(struct fm_cube_finding){
                                  .id = "progress-evidence", .statement = statement, .advice = ""});
}

static void add_kinds(const struct fm_analysis *analysis, const struct fm_evidence *evidence,
                      struct fm_cube *cube)
{
    if (evidence == NULL || evidence->is_stated) {
        return;
    }
    const size_t count = evidence->kinds.count;
    struct fm_progress_kind *kinds = fm_allocate(count + 1, sizeof *kinds);
    for (size_t i = 0; i < count; ++i) {
        kinds[i] = evidence->kinds.items[i];
    }
    fm_sort(kinds, count, sizeof *kinds, compare_kinds);
    for (size_t i = 0; i < count && i < STATED_KINDS && pieces(&kinds[i]) != 0; ++i) {
        add_kind(analysis->trace, &kinds[i], cube);
    }
    fm_free(kinds);
}

void fm_progress_findings_add(const struct fm_analysis *analysis, struct fm_cube *cube)
{
    add_kinds(analysis, analysis->evidence, cube);
    add_kinds(analysis, analysis->message_evidence, cube);
    add_kinds(analysis, analysis->collective_evidence, cube);
}
