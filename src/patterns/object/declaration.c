/* SPDX-License-Identifier: BSD-3-Clause */
/* What a shared object declares. */
#include "base/memory.h"
#include "patterns/object/object_execution.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* More than a location needs, and less than all locations together would not have. */
#define LARGEST_MEMORY ((size_t)1 << 30)

static fm_status_t wrong(const struct fm_script *script, struct fm_error *error, const char *field,
                         const char *what)
{
    return fm_fail(error, FM_ERR_DATA, "%s: fermata_pattern: '%s' %s", script->path, field, what);
}

static fm_status_t load(struct fm_script *script, struct fm_shared_object *object,
                        struct fm_error *error)
{
    char *path = realpath(script->path, NULL);
    if (path == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "--pattern: %s: cannot open: %m", script->path);
    }
    object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    if (object->handle == NULL) {
        return fm_fail(error, FM_ERR_DATA, "--pattern: cannot load: %s", dlerror());
    }
    object->pattern = dlsym(object->handle, "fermata_pattern");
    if (object->pattern == NULL) {
        return fm_fail(error, FM_ERR_DATA, "%s: it does not define fermata_pattern", script->path);
    }
    const int version = object->pattern->version;
    if (version < 1 || version > FERMATA_PATTERN_VERSION) {
        return fm_fail(error, FM_ERR_DATA,
                       "%s: it is made for version %d of fermata/pattern.h, this fermata has %d",
                       script->path, version, FERMATA_PATTERN_VERSION);
    }
    return FM_OK;
}

static fm_status_t take_texts(struct fm_script *script, const fermata_pattern_t *pattern,
                              struct fm_error *error)
{
    const struct {
        const char *field, *given;
        char **text;
        bool is_optional;
    } texts[] = {
        {"id", pattern->id, &script->id, false},
        {"name", pattern->name, &script->name, false},
        {"description", pattern->description, &script->description, false},
        {"formula", pattern->formula, &script->formula, true},
        {"advice", pattern->advice, &script->advice, true},
        {"parent", pattern->parent, &script->parent_id, true},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *given = texts[i].given == NULL ? "" : texts[i].given;
        if (*given == '\0' && !texts[i].is_optional) {
            return wrong(script, error, texts[i].field, "is missing");
        }
        *texts[i].text = fm_copy_string(given);
    }
    if (pattern->unit == NULL || !fm_script_set_unit(script, pattern->unit)) {
        return wrong(script, error, "unit", "is none of time, occurrences, bytes");
    }
    if (pattern->confidence == NULL || !fm_script_set_confidence(script, pattern->confidence)) {
        return wrong(script, error, "confidence", "is none of low, medium, high");
    }
    script->combines = pattern->combine != NULL;
    return pattern->memory_size <= LARGEST_MEMORY
               ? FM_OK
               : wrong(script, error, "memory_size", "is more than 1 GiB");
}

/* @return the kind of events with this name; FM_EVENT_KINDS: none */
static int find_kind(const char *name)
{
    int kind = 0;
    while (kind < FM_EVENT_KINDS && strcmp(name, fm_event_name((fm_event_kind_t)kind)) != 0) {
        kind++;
    }
    return kind;
}

static fm_status_t take_subscriptions(struct fm_script *script, struct fm_shared_object *object,
                                      struct fm_error *error)
{
    const fermata_subscription_t *next = object->pattern->subscriptions;
    if (next == NULL) {
        return wrong(script, error, "subscriptions", "is missing");
    }
    for (; next->to != NULL; next++) {
        if (next->take == NULL) {
            return wrong(script, error, "subscriptions", "has an element without a function");
        }
        const int kind = find_kind(next->to);
        bool is_new = kind == FM_EVENT_KINDS || object->events[kind] == NULL;
        for (size_t i = 0; i < script->instances.count; i++) {
            is_new = is_new && strcmp(script->instances.items[i].id, next->to) != 0;
        }
        if (!is_new) {
            return wrong(script, error, "subscriptions", "has a name twice");
        }
        fm_script_subscribe(script, next->to);
        if (kind < FM_EVENT_KINDS) {
            object->events[kind] = next->take;
        } else {
            fm_vector_push(&object->instances, next->take);
        }
    }
    return FM_OK;
}

static fm_status_t check_parameters(const struct fm_script *script,
                                    const fermata_pattern_t *pattern, struct fm_error *error)
{
    for (size_t i = 0; i < script->parameters.count; i++) {
        const struct fm_script_parameter *given = &script->parameters.items[i];
        const fermata_parameter_t *known = pattern->parameters;
        while (known != NULL && known->name != NULL && strcmp(known->name, given->name) != 0) {
            known++;
        }
        if (known == NULL || known->name == NULL) {
            return fm_fail(error, FM_ERR_USAGE, "--pattern: %s has no parameter '%s'", script->path,
                           given->name);
        }
        double number;
        if (known->otherwise != NULL && fm_script_number(known->otherwise, &number) &&
            !fm_script_number(given->text, &number)) {
            return fm_fail(error, FM_ERR_DATA, "%s: parameter %s: '%s' is no number", script->path,
                           given->name, given->text);
        }
    }
    return FM_OK;
}

fm_status_t fm_object_declare(struct fm_script *script, struct fm_error *error)
{
    struct fm_shared_object *object = fm_allocate(1, sizeof *object);
    script->declared = object;
    fm_status_t status = load(script, object, error);
    if (status == FM_OK) {
        status = take_texts(script, object->pattern, error);
    }
    if (status == FM_OK) {
        status = take_subscriptions(script, object, error);
    }
    return status == FM_OK ? check_parameters(script, object->pattern, error) : status;
}

void fm_object_release(struct fm_script *script)
{
    struct fm_shared_object *object = script->declared;
    if (object == NULL) {
        return;
    }
    if (object->handle != NULL) {
        dlclose(object->handle);
    }
    fm_vector_free(&object->instances);
    fm_free(object);
    script->declared = NULL;
}
