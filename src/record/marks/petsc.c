/* SPDX-License-Identifier: BSD-3-Clause */
/* PETSc up to version 3.19: events and stages are regions. The preload library reports their names
 * (preload/petsc.h). */
#include "record/preload/petsc.h"

#include "record/capture/hot.h"
#include "record/marks/marks.h"

#include <stddef.h>
#include <string.h>

enum { MOST_EVENTS = 4096, MOST_STAGES = 256 };

/* Numbers of events and stages are small: the addresses of their names are their owners. */
static struct fm_mark_name *events[MOST_EVENTS], *stages[MOST_STAGES];

/* The handlers that were there before. */
static fm_petsc_handler_t *next_begin, *next_end;

/* The stages that are pushed; further ones have no region. */
enum { DEEPEST = 64 };
static int pushed[DEEPEST];
static int depth;

/* Some names of PETSc end with blanks. */
static struct fm_mark_name *named(const char *name)
{
    size_t length = name != NULL ? strlen(name) : 0;
    while (length > 1 && name[length - 1] == ' ') {
        length--;
    }
    return fm_mark_name(FM_MARKS_PETSC, NULL, (struct fm_text){name, length});
}

static bool is_event(int event)
{
    return event >= 0 && event < MOST_EVENTS && events[event] != NULL;
}

static int begin_event(int event, int unused, void *a, void *b, void *c, void *d)
{
    if (is_event(event)) {
        fm_mark_begin(events[event], (uintptr_t)&events[event]);
    }
    return next_begin != NULL ? next_begin(event, unused, a, b, c, d) : 0;
}

static int end_event(int event, int unused, void *a, void *b, void *c, void *d)
{
    const int error = next_end != NULL ? next_end(event, unused, a, b, c, d) : 0;
    if (is_event(event)) {
        fm_mark_end((uintptr_t)&events[event]);
    }
    return error;
}

static void connect_handlers(fm_petsc_handler_t **begin, fm_petsc_handler_t **end)
{
    if (*begin != begin_event) {
        next_begin = *begin;
        *begin = begin_event;
    }
    if (*end != end_event) {
        next_end = *end;
        *end = end_event;
    }
}

static void event_registered(const char *name, int event)
{
    if (event >= 0 && event < MOST_EVENTS) {
        events[event] = named(name);
    }
}

static void stage_registered(const char *name, int stage)
{
    if (stage >= 0 && stage < MOST_STAGES) {
        stages[stage] = named(name);
    }
}

static void stage_pushed(int stage)
{
    if (depth < DEEPEST) {
        pushed[depth] = stage;
        if (stage >= 0 && stage < MOST_STAGES && stages[stage] != NULL) {
            fm_mark_begin(stages[stage], (uintptr_t)&stages[stage]);
        }
    }
    depth++;
}

static void stage_popped(void)
{
    if (depth == 0) {
        return;
    }
    depth--;
    const int stage = depth < DEEPEST ? pushed[depth] : -1;
    if (stage >= 0 && stage < MOST_STAGES && stages[stage] != NULL) {
        fm_mark_end((uintptr_t)&stages[stage]);
    }
}

FM_API extern const struct fm_petsc_marks fermata_petsc_marks;
const struct fm_petsc_marks fermata_petsc_marks = {.connect = connect_handlers,
                                                   .event_registered = event_registered,
                                                   .stage_registered = stage_registered,
                                                   .stage_pushed = stage_pushed,
                                                   .stage_popped = stage_popped};
