/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/worlds/join_environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

json_t *fm_join_environment_load(const char *folder)
{
    char path[PATH_MAX + 64];
    json_error_t reason;
    snprintf(path, sizeof path, "%s/environment.json", folder);
    return json_load_file(path, 0, &reason);
}

/* Appends a sentence to others. */
static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    if (length != 0) {
        snprintf(text + length, size - length, "; ");
        length = strlen(text);
    }
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* Collects the sentences that the worlds have under one key. */
static void collect(const struct fm_join_run *run, const char *object, const char *key, char *text,
                    size_t size)
{
    for (uint32_t w = 0; w < run->count; w++) {
        const json_t *from = run->worlds[w].environment;
        from = object != NULL ? json_object_get(from, object) : from;
        const char *sentence = json_string_value(json_object_get(from, key));
        if (sentence != NULL && run->count == 1) {
            append(text, size, "%s", sentence);
        } else if (sentence != NULL) {
            append(text, size, "world %u: %s", w, sentence);
        }
    }
}

static void describe_missing(const struct fm_join_run *run, uint32_t lost, char *text, size_t size)
{
    collect(run, NULL, "incomplete", text, size);
    if (lost != 0) {
        append(text, size, "%u more %s of spawned processes left nothing that can be read", lost,
               lost == 1 ? "world" : "worlds");
    }
}

static void describe_clock(const struct fm_join_run *run, char *text, size_t size)
{
    collect(run, "clock", "doubt", text, size);
    for (uint32_t w = 1; w < run->count; w++) {
        if (run->worlds[w].is_dated) {
            append(text, size,
                   "the clock of world %u was compared with that of world 0 by the time of day, "
                   "because they have no node in common",
                   w);
        }
    }
}

/* Names the connections whose other side was not found. */
static void describe_unknown(const struct fm_join_run *run, char *text, size_t size)
{
    static const char *const who[FM_LINKS] = {
        [FM_LINK_SPAWN] = "the processes that %s spawned",
        [FM_LINK_PARENT] = "the processes that spawned %s",
        [FM_LINK_ACCEPT] = "the processes whose connection %s accepted",
        [FM_LINK_CONNECT] = "the processes that %s connected to",
        [FM_LINK_JOIN] = "the processes that %s joined"};
    enum { NAMED = 4 };
    uint32_t unknown = 0;
    char rank[64], processes[128];
    text[0] = '\0';
    for (uint32_t i = 0; i < run->side_count; i++) {
        const struct fm_link_side *side = &run->sides[i];
        if (!side->is_root || side->partner != FM_DEFINE_NONE || ++unknown > NAMED) {
            continue;
        }
        int length = snprintf(rank, sizeof rank, "rank %u", side->rank);
        if (run->count > 1) {
            snprintf(rank + length, sizeof rank - (size_t)length, " of world %u", side->world);
        }
        const char *format = who[side->how], *place = strstr(format, "%s");
        snprintf(processes, sizeof processes, "%.*s%s%s", (int)(place - format), format, rank,
                 place + 2);
        append(text, size,
               "%s are not in this experiment, or it is not certain which ones they are: waiting "
               "for them is not analysed",
               processes);
    }
    if (unknown > NAMED) {
        append(text, size, "the same holds for %u more connections", unknown - NAMED);
    }
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0') {
        json_object_set_new(object, key, json_string(text));
    }
}

static json_t *describe_worlds(const struct fm_join_run *run)
{
    static const char *const keys[] = {"command", "host", "start", "complete"};
    json_t *all = json_array();
    for (uint32_t w = 0; w < run->count; w++) {
        json_t *world = json_object();
        json_object_set_new(world, "ranks", json_integer(run->worlds[w].size));
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            json_object_set(world, keys[i], json_object_get(run->worlds[w].environment, keys[i]));
        }
        json_array_append_new(all, world);
    }
    return all;
}

static fm_status_t write_file(const struct fm_join_run *run, const json_t *environment,
                              struct fm_error *error)
{
    char path[PATH_MAX + 64], final[PATH_MAX + 64];
    snprintf(final, sizeof final, "%s/environment.json", run->directory);
    snprintf(path, sizeof path, "%s/environment.json", run->folder);
    return json_dump_file(environment, path, JSON_INDENT(2)) == 0 && chmod(path, 0600) == 0 &&
                   rename(path, final) == 0
               ? FM_OK
               : fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", final);
}

fm_status_t fm_join_environment_write(const struct fm_join_run *run, uint32_t lost,
                                      struct fm_rebuilt *result, struct fm_error *error)
{
    static char unseen[8192];
    char doubt[1024] = "";
    json_t *environment = run->worlds[0].environment != NULL
                              ? json_deep_copy(run->worlds[0].environment)
                              : json_object();
    result->missing[0] = unseen[0] = '\0';
    for (uint32_t w = 0; w < run->count; w++) {
        result->processes += run->worlds[w].size;
    }
    result->locations = run->locations;
    result->events = run->events;
    describe_missing(run, lost, result->missing, sizeof result->missing);
    describe_clock(run, doubt, sizeof doubt);
    describe_unknown(run, result->unknown, sizeof result->unknown);
    collect(run, NULL, "unseen", unseen, sizeof unseen);
    if (result->unknown[0] != '\0') {
        append(unseen, sizeof unseen, "%s", result->unknown);
    }
    json_object_set_new(environment, "ranks", json_integer((json_int_t)result->processes));
    json_object_set_new(environment, "locations", json_integer((json_int_t)result->locations));
    json_object_set_new(environment, "events", json_integer((json_int_t)result->events));
    json_object_set_new(environment, "complete", json_boolean(result->missing[0] == '\0'));
    set_text(environment, "incomplete", result->missing);
    set_text(environment, "unseen", unseen);
    json_t *clock = json_object_get(environment, "clock");
    if (clock != NULL) {
        set_text(clock, "doubt", doubt);
    }
    if (run->count > 1) {
        json_object_set_new(environment, "worlds", describe_worlds(run));
    }
    fm_status_t status = write_file(run, environment, error);
    json_decref(environment);
    return status;
}
