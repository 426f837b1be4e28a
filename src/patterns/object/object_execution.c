/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/object/object_execution.h"

#include "base/memory.h"
#include "cube/model/callpath_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what an object may call ---- */

static void fail(fermata_location_t *at, const char *reason)
{
    struct fm_object_execution *execution = fm_object_execution_at(at);
    if (execution->status == FM_OK) {
        execution->status =
            fm_fail(&execution->error, FM_ERR_DATA, "%s: %s", execution->base.script->path, reason);
    }
}

static void report(fermata_location_t *at, const fermata_event_t *public, int64_t value)
{
    struct fm_object_execution *execution = fm_object_execution_at(at);
    const struct fm_event event = fm_object_private_event(public);
    char reason[128];
    if (execution->status != FM_OK) {
        return;
    }
    if (!execution->reports) {
        fail(at, "fermata_report: is for functions of subscriptions and for finish");
    } else if (value < 0 || value >= (int64_t)1 << 62) {
        snprintf(reason, sizeof reason, "fermata_report: %lld is no severity", (long long)value);
        fail(at, reason);
    } else if (event.visit == FM_NONE) {
        fail(at, "fermata_report: the event belongs to no call path");
    } else {
        execution->base.report(execution->base.context, &event, value);
    }
}

static int related(fermata_location_t *at, const fermata_event_t *public, int which,
                   fermata_event_t *found)
{
    struct fm_object_execution *execution = fm_object_execution_at(at);
    const struct fm_event event = fm_object_private_event(public);
    struct fm_event other;
    if (!fm_object_related(execution->base.index, &event, which, &other)) {
        return 0;
    }
    fm_object_event(execution, &other, found);
    return 1;
}

static int within(fermata_location_t *at, const fermata_event_t *public, const char *name)
{
    const struct fm_event_index *index = fm_object_execution_at(at)->base.index;
    const struct fm_event event = fm_object_private_event(public);
    return fm_event_is_within(index, &event, name);
}

static size_t path(fermata_location_t *at, const fermata_event_t *public, char *text, size_t size)
{
    const struct fm_event_index *index = fm_object_execution_at(at)->base.index;
    const struct fm_trace *trace = index->trace;
    const struct fm_event event = fm_object_private_event(public);
    FM_VECTOR(const char *) names = {0};
    uint32_t callpath = fm_event_callpath(index, &event);
    for (; callpath != FM_CUBE_NONE; callpath = trace->callpaths.items[callpath].parent) {
        fm_vector_push(&names, trace->regions[trace->callpaths.items[callpath].region].name);
    }
    size_t length = 0;
    for (size_t i = names.count; i-- > 0;) {
        const char *end = i > 0 ? "/" : "";
        length += (size_t)snprintf(length < size ? text + length : NULL,
                                   length < size ? size - length : 0, "%s%s", names.items[i], end);
    }
    if (names.count == 0 && size > 0) {
        *text = '\0';
    }
    fm_vector_free(&names);
    return length;
}

static const char *text_of(fermata_location_t *at, const char *name)
{
    const struct fm_object_execution *execution = fm_object_execution_at(at);
    const struct fm_script *script = execution->base.script;
    for (size_t i = 0; i < script->parameters.count; i++) {
        if (strcmp(script->parameters.items[i].name, name) == 0) {
            return script->parameters.items[i].text;
        }
    }
    const fermata_parameter_t *known = execution->object->pattern->parameters;
    for (; known != NULL && known->name != NULL; known++) {
        if (strcmp(known->name, name) == 0) {
            return known->otherwise == NULL ? "" : known->otherwise;
        }
    }
    return "";
}

static double number_of(fermata_location_t *at, const char *name)
{
    double number = 0;
    char reason[160];
    if (!fm_script_number(text_of(at, name), &number)) {
        snprintf(reason, sizeof reason, "fermata_number: the parameter '%.100s' is no number",
                 name);
        fail(at, reason);
        return 0;
    }
    return number;
}

static const struct fermata_functions functions = {
    .report = report,
    .related = related,
    .within = within,
    .path = path,
    .number = number_of,
    .text = text_of,
    .fail = fail,
};

/* ---- what is called of an object ---- */

/* Ends a call of the object. */
static fm_status_t end_call(struct fm_object_execution *execution, struct fm_error *error)
{
    execution->reports = false;
    for (size_t i = 0; i < execution->texts.count; i++) {
        fm_free(execution->texts.items[i]);
    }
    execution->texts.count = 0;
    if (execution->status != FM_OK) {
        *error = execution->error;
    }
    return execution->status;
}

static fm_status_t call(struct fm_object_execution *execution, fermata_take_t *take,
                        const struct fm_event *event, struct fm_error *error)
{
    if (take == NULL) {
        return FM_OK;
    }
    fermata_event_t public;
    fm_object_event(execution, event, &public);
    execution->reports = true;
    take(&execution->at, &public);
    return end_call(execution, error);
}

static void close_object(struct fm_execution *base)
{
    struct fm_object_execution *execution = (struct fm_object_execution *)base;
    if (execution->object->pattern->release != NULL && base->location != FM_NONE) {
        execution->object->pattern->release(&execution->at);
    }
    fm_vector_free(&execution->texts);
    fm_free(execution->at.memory);
    fm_free(execution);
}

static fm_status_t open_object(const struct fm_execution *base, struct fm_execution **execution,
                               struct fm_error *error)
{
    struct fm_object_execution *made = fm_allocate(1, sizeof *made);
    made->base = *base;
    made->object = base->script->declared;
    const fermata_pattern_t *pattern = made->object->pattern;
    made->at = (fermata_location_t){
        .functions = &functions,
        .memory = fm_allocate(pattern->memory_size + 1, 1),
        .ticks_per_second = (double)base->index->trace->ticks_per_second,
    };
    if (base->location != FM_NONE) {
        made->at.rank = (int)base->index->trace->locations[base->location].process;
        made->at.thread = (int)base->index->trace->locations[base->location].thread;
    }
    if (pattern->begin != NULL && base->location != FM_NONE) {
        pattern->begin(&made->at);
    }
    const fm_status_t status = end_call(made, error);
    if (status != FM_OK) {
        close_object(&made->base);
        return status;
    }
    *execution = &made->base;
    return FM_OK;
}

static fm_status_t take_event(struct fm_execution *base, fm_event_kind_t kind,
                              const struct fm_event *event, struct fm_error *error)
{
    struct fm_object_execution *execution = (struct fm_object_execution *)base;
    return call(execution, execution->object->events[kind], event, error);
}

static fm_status_t take_instance(struct fm_execution *base, size_t number,
                                 const struct fm_event *event, struct fm_error *error)
{
    struct fm_object_execution *execution = (struct fm_object_execution *)base;
    return call(execution, execution->object->instances.items[number], event, error);
}

static fm_status_t finish_object(struct fm_execution *base, struct fm_error *error)
{
    struct fm_object_execution *execution = (struct fm_object_execution *)base;
    if (execution->object->pattern->finish == NULL) {
        return FM_OK;
    }
    execution->reports = true;
    execution->object->pattern->finish(&execution->at);
    return end_call(execution, error);
}

static fm_status_t combine(struct fm_execution *base, const struct fm_cube *cube,
                           struct fm_severity *severities, size_t count, struct fm_error *error)
{
    const struct fm_object_execution *execution = (const struct fm_object_execution *)base;
    fermata_severity_t *all = fm_allocate(count + 1, sizeof *all);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < count; i++) {
        const struct fm_cube_location *location = &cube->locations[severities[i].location];
        all[i] = (fermata_severity_t){
            .value = severities[i].value,
            .rank = (int)location->rank,
            .thread = (int)location->thread,
            .callpath = severities[i].callpath,
            .path = fm_cube_callpath_text(cube, severities[i].callpath, "/"),
        };
    }
    char **paths = fm_allocate(count + 1, sizeof *paths);
    for (size_t i = 0; i < count; i++) {
        paths[i] = (char *)all[i].path; /* the object may change what it is given */
    }
    execution->object->pattern->combine(all, count);
    for (size_t i = 0; i < count; i++) {
        if (status == FM_OK && (all[i].value < 0 || all[i].value >= (int64_t)1 << 62)) {
            status = fm_fail(error, FM_ERR_DATA, "%s: combine: %lld is no severity",
                             base->script->path, (long long)all[i].value);
        }
        severities[i].value = all[i].value;
        free(paths[i]);
    }
    fm_free(paths);
    fm_free(all);
    return status;
}

const struct fm_language fm_language_object = {
    .declare = fm_object_declare,
    .release = fm_object_release,
    .open = open_object,
    .close = close_object,
    .event = take_event,
    .instance = take_instance,
    .finish = finish_object,
    .combine = combine,
};
