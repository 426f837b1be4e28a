/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/rebuild/missing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMED = 6 /* processes that are named; the others are counted */ };

static int compare(const void *left, const void *right)
{
    const struct fm_process_end *a = left, *b = right;
    if (a->known != b->known) {
        return a->known ? 1 : -1;
    }
    if (a->seconds != b->seconds) {
        return a->seconds < b->seconds ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static void append(char *text, size_t size, size_t *length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void append(char *text, size_t size, size_t *length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = *length < size ? vsnprintf(text + *length, size - *length, format, arguments) : 0;
    va_end(arguments);
    *length += more > 0 ? (size_t)more : 0;
}

void fm_missing_describe(struct fm_process_end *ends, size_t count,
                         const struct fm_process_noun *noun, bool partly, const char *last_call,
                         const char *failure, char *text, size_t size)
{
    size_t length = 0, named = 0, lost = 0;
    last_call = last_call != NULL ? last_call : "the end of its recording";
    for (size_t i = 0; i < count; i++) {
        lost += !ends[i].saved;
    }
    if (lost == 0 && failure != NULL) {
        append(text, size, &length, "%s failed for the recorder; all before is there: %s",
               last_call, failure);
        return;
    }
    if (lost == 0) {
        append(text, size, &length, "the program ended without %s%s", last_call,
               partly ? "" : "; all before is there");
        return;
    }
    qsort(ends, count, sizeof *ends, compare);
    append(text, size, &length, "not all of the run was recorded; missing are");
    for (size_t i = 0; i < count && named < NAMED; i++) {
        if (!ends[i].saved) {
            const char *comma = named++ == 0 ? "" : ",";
            append(text, size, &length, "%s %s %u", comma, noun->one, ends[i].rank + noun->first);
            if (ends[i].known) {
                append(text, size, &length, " after %.3f s", ends[i].seconds);
            } else {
                append(text, size, &length, " entirely");
            }
        }
    }
    if (lost > named) {
        append(text, size, &length, " and %zu more %s after later times", lost - named, noun->many);
    }
}
