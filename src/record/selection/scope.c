/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/scope.h"

#include "base/decimal_text.h"
#include "base/quantity.h"
#include "record/experiment/kept_variables.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variables[FM_SCOPE_KINDS] = {
    [FM_SCOPE_RANKS] = "FERMATA_RANKS",
    [FM_SCOPE_WINDOW] = "FERMATA_WINDOW",
    [FM_SCOPE_PHASE] = "FERMATA_PHASE",
    [FM_SCOPE_SIGNAL] = "FERMATA_SIGNAL",
};

struct fm_scope fm_scope_all(void)
{
    return (struct fm_scope){.end = INFINITY, .last = UINT64_MAX};
}

const char *fm_scope_variable(enum fm_scope_kind kind)
{
    return variables[kind];
}

/* Reads a number without a sign. @return the text behind it; NULL: there is none */
static const char *read_number(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++) {
        if (value > (UINT64_MAX - 9) / 10) {
            return NULL;
        }
        value = 10 * value + (uint64_t)(*c - '0');
    }
    *number = value;
    return c != text ? c : NULL;
}

/* Reads `N` or `FIRST-LAST`. @return the text behind it; NULL: there is none */
static const char *read_range(const char *text, uint64_t *first, uint64_t *last)
{
    text = read_number(text, first);
    *last = *first;
    if (text != NULL && *text == '-') {
        text = read_number(text + 1, last);
    }
    return text != NULL && *first <= *last ? text : NULL;
}

/* Reads the next range of a list. @return false: there is none, or the list is invalid (then
 * `*list` is NULL) */
static bool next_range(const char **list, uint64_t *first, uint64_t *last)
{
    if (**list == '\0') {
        return false;
    }
    *list = read_range(*list, first, last);
    if (*list != NULL && (*list)[0] == ',' && (*list)[1] != '\0') {
        (*list)++;
    } else if (*list != NULL && **list != '\0') {
        *list = NULL;
    }
    return *list != NULL;
}

static bool set_ranks(struct fm_scope *selection, const char *text)
{
    uint64_t first, last;
    const char *rest = text;
    while (next_range(&rest, &first, &last)) {
    }
    selection->ranks = text;
    return rest != NULL && text[0] != '\0';
}

static const char *read_seconds(const char *text, double *seconds)
{
    uint64_t nanoseconds = 0;
    const char *behind = fm_duration_part(text, &nanoseconds);
    *seconds = (double)nanoseconds / 1e9;
    return behind;
}

static bool set_window(struct fm_scope *selection, const char *text)
{
    if (*text != ':') {
        text = read_seconds(text, &selection->begin);
    }
    if (text == NULL || *text++ != ':') {
        return false;
    }
    if (*text != '\0') {
        text = read_seconds(text, &selection->end);
    }
    return text != NULL && *text == '\0' && selection->begin < selection->end;
}

/* Names may contain colons: the text behind the last colon counts only if it is a range. */
static bool set_phase(struct fm_scope *selection, const char *text)
{
    const char *colon = strrchr(text, ':'), *end = NULL;
    selection->phase = text;
    selection->phase_length = strlen(text);
    if (colon != NULL) {
        uint64_t first, last;
        end = read_range(colon + 1, &first, &last);
        if (end != NULL && *end == '\0') {
            selection->first = first;
            selection->last = last;
            selection->phase_length = (size_t)(colon - text);
        }
    }
    return selection->phase_length != 0;
}

static bool set_signal(struct fm_scope *selection, const char *text)
{
    text += strncmp(text, "SIG", 3) == 0 ? 3 : 0;
    selection->signal = strcmp(text, "USR1") == 0   ? SIGUSR1
                        : strcmp(text, "USR2") == 0 ? SIGUSR2
                                                    : 0;
    return selection->signal != 0;
}

const char *fm_scope_set(struct fm_scope *selection, enum fm_scope_kind kind, const char *text)
{
    struct fm_scope next = *selection;
    bool good = false;
    const char *wanted = "";
    switch (kind) {
    case FM_SCOPE_RANKS:
        good = set_ranks(&next, text);
        wanted = "a list of ranks, as in 0-3,7";
        break;
    case FM_SCOPE_WINDOW:
        good = set_window(&next, text);
        wanted =
            "times after initialization (MPI_Init, ...), BEGIN:END, as in 2:10, 500ms: or :10s";
        break;
    case FM_SCOPE_PHASE:
        good = set_phase(&next, text);
        wanted = "the name of a phase, and which visits of it, as in solve or solve:10-12";
        break;
    default:
        good = set_signal(&next, text);
        wanted = "USR1 or USR2";
        break;
    }
    if (good) {
        *selection = next;
    }
    return good ? NULL : wanted;
}

enum fm_scope_kind fm_scope_read(struct fm_scope *selection)
{
    enum fm_scope_kind wrong = FM_SCOPE_KINDS;
    *selection = fm_scope_all();
    for (int kind = 0; kind < FM_SCOPE_KINDS; kind++) {
        const char *text = fm_variable(variables[kind]);
        if (text != NULL && text[0] != '\0' &&
            fm_scope_set(selection, (enum fm_scope_kind)kind, text) != NULL) {
            wrong = (enum fm_scope_kind)kind;
        }
    }
    return wrong;
}

bool fm_scope_has_rank(const struct fm_scope *selection, uint32_t rank)
{
    uint64_t first, last;
    const char *rest = selection->ranks;
    while (rest != NULL && next_range(&rest, &first, &last)) {
        if (rank >= first && rank <= last) {
            return true;
        }
    }
    return selection->ranks == NULL;
}

bool fm_scope_is_phase(const struct fm_scope *selection, const char *name, size_t length)
{
    return selection->phase != NULL && length == selection->phase_length &&
           memcmp(name, selection->phase, length) == 0;
}

static void append(char *text, size_t size, const char *part)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length != 0 ? ", " : "", part);
}

static void describe_window(const struct fm_scope *selection, char *part, size_t size)
{
    const struct fm_decimal begin = fm_decimal_short(selection->begin, 6);
    const struct fm_decimal end = fm_decimal_short(selection->end, 6);
    if (selection->begin > 0 && selection->end < INFINITY) {
        snprintf(part, size, "%s s to %s s after initialization", begin.text, end.text);
    } else if (selection->begin > 0) {
        snprintf(part, size, "from %s s after initialization on", begin.text);
    } else {
        snprintf(part, size, "to %s s after initialization", end.text);
    }
}

bool fm_scope_describe(const struct fm_scope *selection, const struct fm_process_noun *noun,
                       char *text, size_t size)
{
    char part[512];
    text[0] = '\0';
    if (selection->ranks != NULL) {
        bool one = selection->ranks[strspn(selection->ranks, "0123456789")] == '\0';
        noun = noun->first == 0 ? noun : fm_process_noun(FM_NOUN_RANK);
        snprintf(part, sizeof part, "%s %s only", one ? noun->one : noun->many, selection->ranks);
        append(text, size, part);
    }
    if (selection->begin > 0 || selection->end < INFINITY) {
        describe_window(selection, part, sizeof part);
        append(text, size, part);
    }
    if (selection->phase != NULL) {
        int length = selection->phase_length < 200 ? (int)selection->phase_length : 200;
        int end = snprintf(part, sizeof part, "visits of the phase %.*s", length, selection->phase);
        if (selection->last != UINT64_MAX) {
            snprintf(part + end, sizeof part - (size_t)end, ", number %llu to %llu",
                     (unsigned long long)selection->first, (unsigned long long)selection->last);
        }
        append(text, size, part);
    }
    if (selection->signal != 0) {
        append(text, size,
               selection->signal == SIGUSR1 ? "switched by SIGUSR1" : "switched by SIGUSR2");
    }
    return text[0] != '\0';
}
