/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/change.h"

#include "base/quantity.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Digits behind the point of a factor. */
#define MOST_DECIMALS 9

static const struct {
    const char *name;
    fm_change_kind_t kind;
    const char *only; /* instead of WHERE; NULL: a WHERE */
    bool has_value;
    bool of_all_ranks; /* a change of some ranks only makes no sense */
} kinds[] = {
    {"scale", FM_CHANGE_SCALE, NULL, true, false},
    {"cap", FM_CHANGE_CAP, NULL, true, false},
    {"level", FM_CHANGE_LEVEL, NULL, false, false},
    {"balance", FM_CHANGE_BALANCE, NULL, false, false},
    {"remove", FM_CHANGE_REMOVE, NULL, false, true},
    {"narrow", FM_CHANGE_NARROW, NULL, false, true},
    {"nolock", FM_CHANGE_NO_LOCK, NULL, false, false},
    {"noprogress-wait", FM_CHANGE_NO_PROGRESS, "", false, false},
    {"network", FM_CHANGE_NETWORK, "ideal", false, false},
    {"init", FM_CHANGE_INIT, "0", false, false},
    {"nowait", FM_CHANGE_NO_WAIT, NULL, true, false},
    {"split-lock", FM_CHANGE_SPLIT_LOCK, NULL, true, false},
    {"latency", FM_CHANGE_LATENCY, "", false, false},
    {"bandwidth", FM_CHANGE_BANDWIDTH, "", false, false},
};

#define KINDS (sizeof kinds / sizeof *kinds)

bool fm_ranges_have(const fm_number_ranges *ranges, uint64_t number)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->items[i].first <= number && number <= ranges->items[i].last) {
            return true;
        }
    }
    return ranges->count == 0;
}

bool fm_change_concerns(const struct fm_run_change *change, const struct fm_trace *trace,
                        uint32_t location)
{
    return fm_ranges_have(&change->ranks, fm_trace_process(trace, location)) &&
           fm_ranges_have(&change->threads, trace->locations[location].thread);
}

/* Reads "0-3,7". @return false: it is none */
static bool read_ranges(const char *text, fm_number_ranges *ranges)
{
    for (;;) {
        char *end = NULL;
        struct fm_number_range range;
        if (!isdigit((unsigned char)*text)) {
            return false;
        }
        range.first = range.last = strtoull(text, &end, 10);
        if (*end == '-') {
            text = end + 1;
            if (!isdigit((unsigned char)*text)) {
                return false;
            }
            range.last = strtoull(text, &end, 10);
        }
        if (range.last < range.first) {
            return false;
        }
        fm_vector_push(ranges, range);
        if (*end == '\0') {
            return true;
        }
        if (*end != ',') {
            return false;
        }
        text = end + 1;
    }
}

/* Cuts a selection off the end of the text. @return false: it is wrong */
static bool take_selection(char *text, const char *name, fm_number_ranges *ranges)
{
    char *found = NULL;
    for (char *at = text; (at = strstr(at, name)) != NULL; at++) {
        found = at;
    }
    if (found == NULL) {
        return true;
    }
    *found = '\0';
    return read_ranges(found + strlen(name), ranges);
}

/* Reads a decimal number that is not negative. @return what follows it; NULL: it is none */
static const char *read_number(const char *text, uint64_t *numerator, uint64_t *denominator)
{
    uint64_t value = 0, scale = 1;
    bool has_digits = false;
    for (; isdigit((unsigned char)*text) && value < 1000000000; text++, has_digits = true) {
        value = value * 10 + (uint64_t)(*text - '0');
    }
    if (*text == '.') {
        text++;
        for (unsigned n = 0; isdigit((unsigned char)*text) && n < MOST_DECIMALS; n++, text++) {
            value = value * 10 + (uint64_t)(*text - '0');
            scale *= 10;
            has_digits = true;
        }
    }
    *numerator = value;
    *denominator = scale;
    return has_digits && !isdigit((unsigned char)*text) ? text : NULL;
}

static bool read_duration(const char *text, struct fm_run_change *change)
{
    change->denominator = 1000000000;
    return fm_duration_read_with_unit(text, &change->numerator);
}

/* Cuts the completing call off the text. @return whether there is one: names may contain "::" */
static bool take_completion(struct fm_run_change *change, char *where)
{
    for (char *at = strchr(where, ':'); at != NULL; at = strchr(at + 1, ':')) {
        if (at[1] == ':') {
            at++;
        } else if (at > where && at[1] != '\0') {
            *at = '\0';
            change->at = fm_copy_string(at + 1);
            return true;
        }
    }
    return false;
}

static fm_status_t read_value(struct fm_run_change *change, char *where, struct fm_error *error)
{
    if (change->kind == FM_CHANGE_NO_WAIT) {
        return take_completion(change, where)
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE,
                             "%.200s: name the call that waits for it, as in "
                             "nowait=MPI_Recv:MPI_Barrier",
                             change->text);
    }
    char *colon = strrchr(where, ':');
    if (colon == NULL || colon == where) {
        return fm_fail(error, FM_ERR_USAGE, "%.200s: give a value, as in %s", change->text,
                       change->kind == FM_CHANGE_CAP ? "cap=WHERE:5ms" : "scale=WHERE:0.5");
    }
    *colon = '\0';
    if (change->kind == FM_CHANGE_CAP) {
        return read_duration(colon + 1, change)
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE,
                             "%.200s: not a duration, as 1.5s, 5ms, 20us or 100ns", change->text);
    }
    const char *end = read_number(colon + 1, &change->numerator, &change->denominator);
    if (change->kind == FM_CHANGE_SPLIT_LOCK) {
        const bool is_count = end != NULL && *end == '\0' && change->denominator == 1;
        return is_count && change->numerator >= 2
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE, "%.200s: not a number of locks, as 2",
                             change->text);
    }
    return end != NULL && *end == '\0'
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE, "%.200s: not a factor, as 0.5 or 2", change->text);
}

/* Reads "x0.5". Transfers at bandwidth 0 would never end. */
static fm_status_t read_network_factor(struct fm_run_change *change, struct fm_error *error)
{
    const char *end = change->where[0] == 'x'
                          ? read_number(change->where + 1, &change->numerator, &change->denominator)
                          : NULL;
    const bool is_positive = change->kind == FM_CHANGE_LATENCY || change->numerator > 0;
    return end != NULL && *end == '\0' && is_positive
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE, "%.200s: give a factor, as in %s=x0.5", change->text,
                         change->kind == FM_CHANGE_LATENCY ? "latency" : "bandwidth");
}

/* @return the kind that a text begins with; KINDS: none. `*where` is what follows it. */
static size_t find_kind(const char *text, const char **where)
{
    const size_t length = strcspn(text, "=,");
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (strncmp(kinds[kind].name, text, length) == 0 && kinds[kind].name[length] == '\0') {
            const bool has_where = kinds[kind].kind != FM_CHANGE_NO_PROGRESS;
            *where = text + length + (text[length] == '=');
            return (text[length] == '=') == has_where ? kind : KINDS;
        }
    }
    return KINDS;
}

static fm_status_t read_change(struct fm_run_change *change, const char *text,
                               struct fm_error *error)
{
    const char *where = NULL;
    const size_t kind = find_kind(text, &where);
    if (kind == KINDS) {
        return fm_fail(error, FM_ERR_USAGE,
                       "%.200s is no change: give scale=WHERE:FACTOR, cap=WHERE:DURATION, "
                       "level=WHERE, balance=WHERE, remove=WHERE, narrow=WHERE, nolock=WHERE, "
                       "split-lock=WHERE:2, "
                       "nowait=CALL:CALL, noprogress-wait, network=ideal, latency=xFACTOR, "
                       "bandwidth=xFACTOR or init=0",
                       text);
    }
    change->kind = kinds[kind].kind;
    change->text = fm_copy_string(text);
    change->where = fm_copy_string(where);
    if (!take_selection(change->where, ",iterations=", &change->iterations) ||
        !take_selection(change->where, ",threads=", &change->threads) ||
        !take_selection(change->where, ",ranks=", &change->ranks)) {
        return fm_fail(error, FM_ERR_USAGE,
                       "%.200s: select with ,ranks=0-3,7 and then ,threads=1 and then "
                       ",iterations=10-20",
                       text);
    }
    if (kinds[kind].of_all_ranks && (change->ranks.count != 0 || change->threads.count != 0)) {
        return fm_fail(error, FM_ERR_USAGE,
                       "%.200s: barriers and fences can be changed for all of their ranks only",
                       text);
    }
    if (kinds[kind].has_value) {
        fm_status_t status = read_value(change, change->where, error);
        if (status != FM_OK) {
            return status;
        }
    }
    if (change->kind == FM_CHANGE_LATENCY || change->kind == FM_CHANGE_BANDWIDTH) {
        return read_network_factor(change, error);
    }
    if (kinds[kind].only != NULL) {
        return strcmp(change->where, kinds[kind].only) == 0
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE, "%.200s: give %s%s%s", text, kinds[kind].name,
                             kinds[kind].only[0] == '\0' ? "" : "=", kinds[kind].only);
    }
    return change->where[0] != '\0'
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE, "%.200s: name a function or a call path", text);
}

static void free_change(struct fm_run_change *change)
{
    fm_free(change->text);
    fm_free(change->where);
    fm_free(change->at);
    fm_vector_free(&change->ranks);
    fm_vector_free(&change->threads);
    fm_vector_free(&change->iterations);
}

fm_status_t fm_changes_add(fm_changes *changes, const char *text, struct fm_error *error)
{
    struct fm_run_change change = {.denominator = 1};
    fm_status_t status = read_change(&change, text, error);
    if (status == FM_OK) {
        fm_vector_push(changes, change);
    } else {
        free_change(&change);
    }
    return status;
}

void fm_changes_free(fm_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        free_change(&changes->items[i]);
    }
    fm_vector_free(changes);
}
