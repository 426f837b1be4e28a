/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/script.h"

#include "patterns/language.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SCRIPT ((size_t)1 << 20)

const char *fm_event_name(fm_event_kind_t kind)
{
    static const char *const names[FM_EVENT_KINDS] = {
        [FM_EVENT_CALL] = "call",           [FM_EVENT_SEND] = "send",
        [FM_EVENT_RECEIVE] = "receive",     [FM_EVENT_COLLECTIVE] = "collective",
        [FM_EVENT_PHASE] = "phase",         [FM_EVENT_SAMPLE] = "sample",
        [FM_EVENT_OPERATION] = "operation", [FM_EVENT_LOCK] = "lock",
        [FM_EVENT_THREAD] = "thread",
    };
    return names[kind];
}

fm_status_t fm_script_read(struct fm_script *script, struct fm_error *error)
{
    FILE *file = fopen(script->path, "rb");
    if (file == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "--pattern: %s: cannot open: %m", script->path);
    }
    script->text = fm_allocate(LARGEST_SCRIPT + 1, 1);
    script->size = fread(script->text, 1, LARGEST_SCRIPT + 1, file);
    bool failed = ferror(file) != 0;
    fm_status_t status =
        failed ? fm_fail(error, FM_ERR_SYSTEM, "--pattern: %s: cannot read: %m", script->path)
               : FM_OK;
    fclose(file);
    if (status == FM_OK && script->size > LARGEST_SCRIPT) {
        status = fm_fail(error, FM_ERR_DATA, "--pattern: %s: longer than %zu bytes: no script",
                         script->path, LARGEST_SCRIPT);
    }
    return status;
}

/* @return the ':' before the parameters, or NULL. It is followed by a name and "=". */
static const char *find_parameters(const char *argument)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *colon = strchr(argument, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        size_t length = strspn(colon + 1, name);
        if (length > 0 && colon[1 + length] == '=') {
            return colon;
        }
    }
    return NULL;
}

static fm_status_t take_parameters(struct fm_script *script, const char *text,
                                   struct fm_error *error)
{
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        const char *equals = memchr(text, '=', length);
        if (equals == NULL || equals == text) {
            return fm_fail(error, FM_ERR_USAGE, "--pattern: %s: '%.*s' is not NAME=VALUE",
                           script->path, (int)length, text);
        }
        char *copy = strndup(text, length);
        if (copy == NULL) {
            fm_memory_exhausted();
        }
        copy[equals - text] = '\0';
        fm_vector_push(&script->parameters,
                       (struct fm_script_parameter){fm_copy_string(copy),
                                                    fm_copy_string(copy + (equals - text) + 1)});
        free(copy);
        text += length + (text[length] == ',');
    }
    return FM_OK;
}

fm_status_t fm_script_load(struct fm_script *script, const char *argument, struct fm_error *error)
{
    *script = (struct fm_script){.metric = FM_METRIC_NONE};
    const char *parameters = find_parameters(argument);
    script->path = fm_copy_string(argument);
    fm_status_t status = FM_OK;
    if (parameters != NULL) {
        script->path[parameters - argument] = '\0';
        status = take_parameters(script, parameters + 1, error);
    }
    const size_t length = strlen(script->path);
    const bool is_object = length > 3 && strcmp(script->path + length - 3, ".so") == 0;
    script->language = is_object ? &fm_language_object : &fm_language_lua;
    return status == FM_OK ? script->language->declare(script, error) : status;
}

bool fm_script_set_unit(struct fm_script *script, const char *name)
{
    static const struct {
        const char *name;
        fm_unit_t unit;
    } units[] = {
        {"time", FM_UNIT_TICKS}, {"occurrences", FM_UNIT_OCCURRENCES}, {"bytes", FM_UNIT_BYTES}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(name, units[i].name) == 0) {
            script->unit = units[i].unit;
            return true;
        }
    }
    return false;
}

bool fm_script_set_confidence(struct fm_script *script, const char *name)
{
    script->confidence = fm_copy_string(name);
    return strcmp(name, "low") == 0 || strcmp(name, "medium") == 0 || strcmp(name, "high") == 0;
}

void fm_script_subscribe(struct fm_script *script, const char *name)
{
    for (int kind = 0; kind < FM_EVENT_KINDS; kind++) {
        if (strcmp(name, fm_event_name((fm_event_kind_t)kind)) == 0) {
            script->takes[kind] = true;
            return;
        }
    }
    fm_vector_push(&script->instances, (struct fm_script_instances){
                                           fm_copy_string(name), FM_METRIC_NONE, FM_SCRIPT_NONE});
}

bool fm_script_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text) {
        return false;
    }
    static const char units[] = "KMG";
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    for (long i = unit == NULL ? -1 : unit - units; i >= 0; i--) {
        *number *= 1024;
    }
    end += unit != NULL;
    return *end == '\0' && isfinite(*number);
}

void fm_script_free(struct fm_script *script)
{
    if (script->language != NULL && script->language->release != NULL) {
        script->language->release(script);
    }
    for (size_t i = 0; i < script->parameters.count; i++) {
        fm_free(script->parameters.items[i].name);
        fm_free(script->parameters.items[i].text);
    }
    fm_vector_free(&script->parameters);
    for (size_t i = 0; i < script->instances.count; i++) {
        fm_free(script->instances.items[i].id);
    }
    fm_vector_free(&script->instances);
    char *texts[] = {script->path,   script->text,        script->id,
                     script->name,   script->description, script->formula,
                     script->advice, script->confidence,  script->parent_id};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fm_free(texts[i]);
    }
}
