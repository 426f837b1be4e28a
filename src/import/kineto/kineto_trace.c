/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_trace.h"

#include "import/kineto/kineto_event.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Microseconds with three digits are nanoseconds. */
#define TIME_DIGITS 3
#define MOST_TIME   ((int64_t)1 << 61)

struct reading {
    struct fm_kineto_trace *trace;
    struct fm_key_table *names;
    struct fm_json_reader json;
    struct fm_kineto_element element;
    struct fm_error *error;
};

bool fm_kineto_is_trace(const char *path)
{
    static const char *const keys[] = {"\"traceEvents\"", "\"deviceProperties\"",
                                       "\"distributedInfo\"", "\"schemaVersion\""};
    enum { HEAD = 1 << 16 };
    gzFile file = gzopen(path, "rbe");
    if (file == NULL) {
        return false;
    }
    char *text = fm_allocate(HEAD + 1, 1);
    const int count = gzread(file, text, HEAD);
    bool found = false;
    gzclose(file);
    if (count > 0) {
        const char *begin = text + strspn(text, " \t\r\n");
        for (size_t i = 0; i < sizeof keys / sizeof *keys && *begin == '{'; i++) {
            found = found || strstr(begin, keys[i]) != NULL;
        }
    }
    fm_free(text);
    return found;
}

static uint32_t add_name(struct reading *reading, const char *text)
{
    return text[0] == '\0' ? FM_KINETO_NONE : fm_key_table_add(reading->names, text, strlen(text));
}

static int64_t number(const char *text, int64_t otherwise)
{
    char *end = NULL;
    const long long value = strtoll(text, &end, 10);
    return end == text ? otherwise : value;
}

static uint64_t unsigned_number(const char *text)
{
    const int64_t value = number(text, 0);
    return value > 0 ? (uint64_t)value : 0;
}

/* @return the lane of an event, which is added if it is new */
static struct fm_kineto_lane *lane_of(struct fm_kineto_trace *trace, bool is_stream,
                                      int64_t process, int64_t thread)
{
    const int64_t key[] = {is_stream, process, thread};
    const uint32_t index = fm_key_table_add(&trace->lane_keys, key, sizeof key);
    if (index == trace->lanes.count) {
        fm_vector_push(&trace->lanes,
                       ((struct fm_kineto_lane){
                           .process = process, .thread = thread, .is_stream = is_stream}));
    }
    return &trace->lanes.items[index];
}

/* @return the number of elements of all tensors of a text "[[2,3],[4]]" */
static uint64_t elements_of(const char *dims)
{
    uint64_t sum = 0, product = 1;
    bool has_number = false;
    for (const char *at = dims; *at != '\0';) {
        if (isdigit((unsigned char)*at)) {
            char *end = NULL;
            product *= strtoull(at, &end, 10);
            has_number = true;
            at = end;
            continue;
        }
        if (*at == ']' && has_number) {
            sum += product;
        }
        if (*at == '[' || *at == ']') {
            product = 1;
            has_number = false;
        }
        at++;
    }
    return sum;
}

/* @return the bytes of an element of a type, as torch prints it; 0: not known */
static uint64_t bytes_of_type(const char *type)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {{"Float8", 1}, {"Float", 4},  {"Double", 8}, {"Half", 2},        {"BFloat16", 2},
                 {"Long", 8},   {"Int", 4},    {"Short", 2},  {"Byte", 1},        {"Char", 1},
                 {"Bool", 1},   {"UInt32", 4}, {"UInt64", 8}, {"ComplexFloat", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strncasecmp(type, types[i].name, strlen(types[i].name)) == 0) {
            return types[i].bytes;
        }
    }
    return 0;
}

/* @return the collective that an event is part of; FM_KINETO_NONE: none */
static uint32_t add_collective(struct reading *reading)
{
    static const char *const backends[] = {"nccl:", "rccl:", "gloo:", "c10d::"};
    char(*fields)[48] = reading->element.fields;
    const char *name = fields[FM_KINETO_COLLECTIVE];
    for (size_t i = 0; i < sizeof backends / sizeof *backends && name[0] == '\0'; i++) {
        const size_t length = strlen(backends[i]);
        if (strncmp(reading->element.name.items, backends[i], length) == 0) {
            name = reading->element.name.items + length;
        }
    }
    if (name[0] == '\0' && fields[FM_KINETO_GROUP][0] == '\0') {
        return FM_KINETO_NONE;
    }
    const uint64_t in = unsigned_number(fields[FM_KINETO_ELEMENTS_IN]);
    const uint64_t out = unsigned_number(fields[FM_KINETO_ELEMENTS_OUT]);
    const uint64_t bytes = bytes_of_type(fields[FM_KINETO_DTYPE]);
    struct fm_kineto_collective collective = {
        .name = add_name(reading, name),
        .group = add_name(reading, fields[FM_KINETO_GROUP]),
        .ranks = add_name(reading, reading->element.ranks.items),
        .sequence = number(fields[FM_KINETO_SEQUENCE], -1),
        .elements = in > out ? in : out,
        .sent = in * bytes,
        .received = out * bytes,
    };
    if (collective.elements == 0) {
        collective.elements = elements_of(reading->element.dims.items);
    }
    fm_vector_push(&reading->trace->collectives, collective);
    return (uint32_t)reading->trace->collectives.count - 1;
}

/* ---- events ---- */

/* Categories of events. */
static const struct {
    const char *name;
    int kind; /* enum fm_kineto_kind; -1: states nothing else */
} categories[] = {
    {"cpu_op", FM_KINETO_OPERATOR},
    {"user_annotation", FM_KINETO_OPERATOR},
    {"python_function", FM_KINETO_OPERATOR},
    {"cuda_runtime", FM_KINETO_CALL},
    {"cuda_driver", FM_KINETO_CALL},
    {"hip_runtime", FM_KINETO_CALL},
    {"kernel", FM_KINETO_KERNEL},
    {"gpu_memcpy", FM_KINETO_COPY},
    {"gpu_memset", FM_KINETO_SET},
    {"gpu_user_annotation", -1},
    {"Trace", -1},
    {"overhead", -1},
    {"cpu_instant_event", -1},
    {"", -1},
    /* names of older versions */
    {"Operator", FM_KINETO_OPERATOR},
    {"Runtime", FM_KINETO_CALL},
    {"Kernel", FM_KINETO_KERNEL},
    {"Memcpy", FM_KINETO_COPY},
    {"Memset", FM_KINETO_SET},
};

static void add_sync(struct reading *reading)
{
    char(*fields)[48] = reading->element.fields;
    const char *name = reading->element.name.items;
    const uint64_t record = unsigned_number(fields[FM_KINETO_AWAITED_RECORD]);
    const bool is_of_stream = strcmp(name, "Stream Wait Event") == 0;
    const bool is_of_event = is_of_stream || strncmp(name, "Event Sync", 10) == 0;
    const bool is_of_all = strncmp(name, "Context Sync", 12) == 0;
    fm_vector_push(
        &reading->trace->syncs,
        ((struct fm_kineto_sync){
            .correlation = unsigned_number(fields[FM_KINETO_CORRELATION]),
            .device = number(fields[FM_KINETO_DEVICE], number(fields[FM_KINETO_PID], -1)),
            .stream = is_of_all || (is_of_event && !is_of_stream)
                          ? -1
                          : number(fields[FM_KINETO_STREAM], number(fields[FM_KINETO_TID], -1)),
            .record_stream = number(fields[FM_KINETO_AWAITED_STREAM], -1),
            .record = is_of_event ? record : 0,
            .is_of_stream = is_of_stream,
        }));
}

static void add_event(struct reading *reading)
{
    struct fm_kineto_trace *trace = reading->trace;
    char(*fields)[48] = reading->element.fields;
    const char *category = fields[FM_KINETO_CAT];
    if (strcmp(fields[FM_KINETO_PH], "X") != 0) {
        return;
    }
    if (strcmp(category, "cuda_sync") == 0) {
        add_sync(reading);
        return;
    }
    size_t i = 0;
    while (i < sizeof categories / sizeof *categories &&
           strcmp(categories[i].name, category) != 0) {
        i++;
    }
    if (i == sizeof categories / sizeof *categories) {
        if (trace->of_other_kinds++ == 0) {
            snprintf(trace->other_kind, sizeof trace->other_kind, "%s", category);
        }
        return;
    }
    if (categories[i].kind < 0) {
        return;
    }
    int64_t begin = 0, length = 0;
    if (!fm_json_decimal(fields[FM_KINETO_TS], TIME_DIGITS, &begin) ||
        !fm_json_decimal(fields[FM_KINETO_DUR], TIME_DIGITS, &length) || length < 0 ||
        length > MOST_TIME || begin > MOST_TIME || begin < -MOST_TIME) {
        trace->without_times++;
        return;
    }
    const enum fm_kineto_kind kind = (enum fm_kineto_kind)categories[i].kind;
    const bool is_stream = kind >= FM_KINETO_KERNEL;
    const char *name = reading->element.name.items;
    const struct fm_kineto_event event = {
        .begin = begin,
        .end = begin + length,
        .correlation =
            kind == FM_KINETO_OPERATOR ? 0 : unsigned_number(fields[FM_KINETO_CORRELATION]),
        .bytes = unsigned_number(fields[FM_KINETO_BYTES]),
        .name = add_name(reading, name[0] == '\0' ? "(no name)" : name),
        .collective = add_collective(reading),
        .kind = (uint8_t)kind,
    };
    trace->is_hip = trace->is_hip || (kind == FM_KINETO_CALL && strncmp(name, "hip", 3) == 0);
    struct fm_kineto_lane *lane = lane_of(trace, is_stream, number(fields[FM_KINETO_PID], 0),
                                          number(fields[FM_KINETO_TID], 0));
    fm_vector_push(&lane->events, event);
}

static fm_status_t read_events(struct reading *reading)
{
    struct fm_json_reader *json = &reading->json;
    if (json->token != FM_JSON_ARRAY) {
        return fm_json_skip(json, reading->error);
    }
    reading->trace->has_events = true;
    for (;;) {
        fm_status_t status = fm_json_next(json, reading->error);
        if (status != FM_OK || json->token == FM_JSON_ARRAY_END) {
            return status;
        }
        if (json->token != FM_JSON_OBJECT) {
            status = fm_json_skip(json, reading->error);
        } else {
            status = fm_kineto_element_read(json, &reading->element, reading->error);
            if (status == FM_OK) {
                add_event(reading);
            }
        }
        if (status != FM_OK) {
            return status;
        }
    }
}

/* ---- what else the file states ---- */

/* A function for each member of an object. */
typedef fm_status_t member_function(struct reading *reading, const char *key);

static fm_status_t each_member(struct reading *reading, member_function *take)
{
    struct fm_json_reader *json = &reading->json;
    for (;;) {
        fm_status_t status = fm_json_next(json, reading->error);
        if (status != FM_OK || json->token == FM_JSON_OBJECT_END) {
            return status;
        }
        char key[64];
        snprintf(key, sizeof key, "%s", json->text);
        status = fm_json_next(json, reading->error);
        if (status == FM_OK) {
            status = take(reading, key);
        }
        if (status != FM_OK) {
            return status;
        }
    }
}

static fm_status_t take_of_group(struct reading *reading, const char *key)
{
    struct fm_json_reader *json = &reading->json;
    if (strcmp(key, "ranks") == 0) {
        return fm_kineto_array_text(json, &reading->element.ranks, reading->error);
    }
    if (strcmp(key, "pg_name") == 0 &&
        (json->token == FM_JSON_STRING || json->token == FM_JSON_NUMBER)) {
        snprintf(reading->element.fields[FM_KINETO_GROUP], sizeof *reading->element.fields, "%s",
                 json->text);
    }
    return fm_json_skip(json, reading->error);
}

static fm_status_t read_groups(struct reading *reading)
{
    struct fm_kineto_trace *trace = reading->trace;
    fm_status_t status = FM_OK;
    if (reading->json.token != FM_JSON_ARRAY) {
        return fm_json_skip(&reading->json, reading->error);
    }
    while ((status = fm_json_next(&reading->json, reading->error)) == FM_OK &&
           reading->json.token != FM_JSON_ARRAY_END) {
        if (reading->json.token != FM_JSON_OBJECT) {
            status = fm_json_skip(&reading->json, reading->error);
        } else {
            reading->element.fields[FM_KINETO_GROUP][0] = '\0';
            reading->element.ranks.count = 0;
            status = each_member(reading, take_of_group);
            const char *name = reading->element.fields[FM_KINETO_GROUP];
            if (status == FM_OK && reading->element.ranks.count != 0 &&
                fm_key_table_add(&trace->groups, name, strlen(name)) == trace->members.count) {
                fm_vector_push(&trace->members, add_name(reading, reading->element.ranks.items));
            }
        }
        if (status != FM_OK) {
            return status;
        }
    }
    return status;
}

static fm_status_t take_of_job(struct reading *reading, const char *key)
{
    if (strcmp(key, "rank") == 0 && reading->json.token == FM_JSON_NUMBER) {
        reading->trace->rank = number(reading->json.text, -1);
    } else if (strcmp(key, "world_size") == 0 && reading->json.token == FM_JSON_NUMBER) {
        reading->trace->world_size = number(reading->json.text, -1);
    } else if (strcmp(key, "pg_config") == 0) {
        return read_groups(reading);
    }
    return fm_json_skip(&reading->json, reading->error);
}

static fm_status_t take_of_file(struct reading *reading, const char *key)
{
    if (strcmp(key, "traceEvents") == 0) {
        return read_events(reading);
    }
    if (strcmp(key, "distributedInfo") == 0 && reading->json.token == FM_JSON_OBJECT) {
        return each_member(reading, take_of_job);
    }
    if (strcmp(key, "baseTimeNanoseconds") == 0 && reading->json.token == FM_JSON_NUMBER) {
        const int64_t base = number(reading->json.text, 0);
        reading->trace->base = base < MOST_TIME && base > -MOST_TIME ? base : 0;
    }
    return fm_json_skip(&reading->json, reading->error);
}

fm_status_t fm_kineto_trace_read(const char *path, struct fm_key_table *names,
                                 struct fm_kineto_trace *trace, struct fm_error *error)
{
    struct reading reading = {.trace = trace, .names = names, .error = error};
    *trace = (struct fm_kineto_trace){.path = path, .rank = -1, .world_size = -1};
    fm_status_t status = fm_json_reader_open(&reading.json, path, error);
    if (status == FM_OK) {
        status = fm_json_next(&reading.json, error);
    }
    if (status == FM_OK && reading.json.token != FM_JSON_OBJECT) {
        status = fm_fail(error, FM_ERR_DATA,
                         "%s: not a trace of PyTorch's profiler: no JSON object", path);
    }
    if (status == FM_OK) {
        status = each_member(&reading, take_of_file);
    }
    if (status == FM_OK && !trace->has_events) {
        status = fm_fail(error, FM_ERR_DATA,
                         "%s: not a trace of PyTorch's profiler: no array traceEvents", path);
    }
    fm_kineto_element_free(&reading.element);
    fm_json_reader_close(&reading.json);
    return status;
}

void fm_kineto_trace_free(struct fm_kineto_trace *trace)
{
    for (size_t i = 0; i < trace->lanes.count; i++) {
        fm_vector_free(&trace->lanes.items[i].events);
    }
    fm_vector_free(&trace->lanes);
    fm_vector_free(&trace->collectives);
    fm_vector_free(&trace->syncs);
    fm_vector_free(&trace->members);
    fm_key_table_clear(&trace->lane_keys);
    fm_key_table_clear(&trace->groups);
}
