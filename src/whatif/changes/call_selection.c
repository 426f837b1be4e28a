/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/call_selection.h"

#include "analysis/dependencies/dependencies.h"
#include "analysis/locks/kept_holds.h"
#include "analysis/locks/lock_names.h"
#include "base/memory.h"
#include "whatif/changes/callpath_selection.h"

#include <stdlib.h>
#include <string.h>

/* @return whether the name of a lock is the wanted one, its place in the sources, its rank or
 * "of process" behind that not counted: "table_lock (cache.c:17)", "table, rank 2" */
static bool fits(const char *name, const char *wanted)
{
    const size_t length = strlen(wanted);
    return length != 0 && strncmp(name, wanted, length) == 0 &&
           (name[length] == '\0' || name[length] == ',' || strncmp(name + length, " (", 2) == 0 ||
            strncmp(name + length, " of ", 4) == 0);
}

/* Locks of windows and of other one-sided libraries. `lock` names the latter: the row before. */
static bool is_lock_wanted(const struct fm_trace *trace, const struct fm_location *location,
                           const struct fm_rma *request, const struct fm_rma *lock,
                           const char *wanted)
{
    char name[FM_LOCK_NAME_SIZE];
    struct fm_kept_hold hold = {
        .hold = {.target = request->peer,
                 .paradigm =
                     (uint8_t)fm_trace_called(trace, location, request->activity)->paradigm},
        .window = request->window,
    };
    if (lock != NULL && lock->activity == request->activity) {
        hold.hold.lock = lock->id;
        hold.hold.target = lock->peer;
    }
    fm_kept_hold_name(trace, &hold, name);
    return fits(name, wanted);
}

static void select_of_location(const struct fm_trace *trace, uint32_t l, const char *wanted,
                               fm_activity_vector *requesting)
{
    const struct fm_location *location = &trace->locations[l];
    const struct fm_rma *lock = NULL;
    for (size_t i = 0; i < location->rma.count; i++) {
        const struct fm_rma *row = &location->rma.items[i];
        if (row->type == FM_RMA_LOCK_NAME) {
            lock = row;
        } else if (row->type == FM_RMA_LOCK_REQUEST &&
                   is_lock_wanted(trace, location, row, lock, wanted)) {
            fm_vector_push(requesting, row->activity);
        }
    }
    for (size_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *row = &location->threads.items[i];
        if (row->type != FM_THREAD_LOCK_ACQUIRE || row->activity == FM_NONE) {
            continue;
        }
        char name[FM_LOCK_NAME_SIZE];
        const struct fm_named_lock named = {
            .id = row->id,
            .process = fm_trace_process(trace, l),
            .region = fm_trace_region(location, row->activity),
            .paradigm = row->id > UINT32_MAX ? FM_PARADIGM_PTHREAD : FM_PARADIGM_OPENMP,
            .is_of_threads = true,
        };
        fm_lock_name(trace, &named, name, sizeof name);
        if (fits(name, wanted)) {
            fm_vector_push(requesting, row->activity);
        }
    }
}

static int compare_activities(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

uint64_t fm_locks_select(const struct fm_trace *trace, const char *name,
                         struct fm_call_selection *selection)
{
    uint64_t count = 0;
    fm_activity_vector *requesting = fm_allocate(trace->location_count, sizeof *requesting);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        select_of_location(trace, l, name, &requesting[l]);
        count += requesting[l].count;
        if (requesting[l].count > 1) {
            qsort(requesting[l].items, requesting[l].count, sizeof *requesting[l].items,
                  compare_activities);
        }
    }
    if (count != 0) {
        selection->requesting = requesting;
    } else {
        fm_free(requesting);
    }
    return count;
}

uint32_t fm_requesting_call(const struct fm_trace *trace, uint32_t l, uint32_t activity)
{
    const struct fm_location *location = &trace->locations[l];
    for (uint32_t a = activity + 1; a-- > 0;) {
        const fm_call_t call = trace->regions[fm_trace_region(location, a)].call;
        if (call == FM_CALL_LOCK) {
            return a;
        }
        if (call == FM_CALL_UNLOCK && a != activity) {
            return FM_NONE; /* of the epoch before */
        }
    }
    return FM_NONE;
}

bool fm_call_is_selected(const struct fm_call_selection *selection, const struct fm_trace *trace,
                         uint32_t l, const struct fm_dependency *dependency)
{
    const struct fm_location *location = &trace->locations[l];
    if (selection == NULL) {
        return true;
    }
    if (selection->requesting != NULL) {
        const fm_activity_vector *requesting = &selection->requesting[l];
        const uint32_t call = dependency->rule == FM_DEPENDS_ON_LOCK
                                  ? fm_requesting_call(trace, l, dependency->activity)
                                  : dependency->activity;
        return requesting->count != 0 && bsearch(&call, requesting->items, requesting->count,
                                                 sizeof call, compare_activities) != NULL;
    }
    const uint32_t callpath =
        location->profile.items[location->visit.items[dependency->activity]].callpath;
    return callpath != FM_NONE && (selection->callpaths[callpath] & FM_SELECTED_WITHIN) != 0;
}

void fm_call_selection_free(struct fm_call_selection *selection, const struct fm_trace *trace)
{
    for (uint32_t l = 0; selection->requesting != NULL && l < trace->location_count; l++) {
        fm_vector_free(&selection->requesting[l]);
    }
    fm_free(selection->requesting);
    fm_free(selection->callpaths);
    *selection = (struct fm_call_selection){0};
}
