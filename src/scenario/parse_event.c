/* SPDX-License-Identifier: BSD-3-Clause */
/* Event lines: TIME LOC EVENT FIELD... */
#include "base/kernel_activity.h"
#include "scenario/archive_records.h"
#include "scenario/decimal.h"
#include "scenario/parser.h"

#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

/* The fields behind the name of an event, one letter each; `?`: the rest may be missing. */
struct event_form {
    const char *name;
    enum fm_scenario_kind kind;
    const char *fields;
};

#define FIELD_REGION        'R' /* the rest of the line */
#define FIELD_PEER          'p' /* rank in the communicator */
#define FIELD_TARGET_OR_ALL 'a' /* the same, or `all` */
#define FIELD_ROOT          'r' /* the same, or `-` */
#define FIELD_TAG           't'
#define FIELD_SOURCE_OR_ANY 'y' /* rank in the communicator, or `any` */
#define FIELD_TAG_OR_ANY    'Y'
#define FIELD_BYTES         'b'
#define FIELD_RECEIVED      'v'
#define FIELD_ID            'i' /* request, operation or lock: 64 bits */
#define FIELD_THREAD_LOCK   'l' /* lock: 32 bits */
#define FIELD_COUNT         'n' /* number of threads or acquisition order: 32 bits */
#define FIELD_COMM          'c'
#define FIELD_WINDOW        'w'
#define FIELD_TEAM          'm'
#define FIELD_SEQUENCE      'q' /* number of a thread in its team: 64 bits */
#define FIELD_GENERATION    'G' /* of a task: 32 bits */
#define FIELD_ACQUIRED_AT   'A'
#define FIELD_ACQUIRED_IN   'I' /* the rest of the line: `s`, a region, or both */
#define FIELD_FLUSHED       'F' /* when a flush ends; ticks of the gaps between merged calls */
#define FIELD_PERSISTENT    'N' /* number of a persistent collective: 32 bits */
#define FIELD_INIT          'z' /* the region that initialized it: the rest of the line */
#define FIELD_OBJECT        'O' /* value of the parameter FM_SCENARIO_OBJECT_PARAMETER */
#define FIELD_CORRELATION   'C' /* likewise FM_SCENARIO_CORRELATION_PARAMETER */
#define FIELD_STREAM        'S' /* likewise FM_SCENARIO_STREAM_PARAMETER: a location */
#define FIELD_EVENT         'E' /* likewise FM_SCENARIO_EVENT_PARAMETER */
#define FIELD_ACTIVITY      'k' /* of a kernel: fm_kernel_activity_t */
#define FIELD_VALUE         'V' /* decimal number */
#define FIELD_CALLPATH      'K' /* of a sample: the rest of the line */
#define FIELD_OPERATION     'o'
#define FIELD_LOCK_TYPE     'x'
#define FIELD_GROUP         'g' /* the rest of the line: ranks in the window's communicator */
#define FIELD_PARAMETER     'P'
#define FIELD_SIGNED        's'
#define FIELD_UNSIGNED      'u'
#define FIELD_TEXT          'T' /* the rest of the line */
#define OPTIONAL            '?'

static const struct event_form event_forms[] = {
    {"enter", FM_SCENARIO_ENTER, "R"},
    {"leave", FM_SCENARIO_LEAVE, "R"},
    {"send", FM_SCENARIO_SEND, "ptb?c"},
    {"recv", FM_SCENARIO_RECV, "ptb?c"},
    {"isend", FM_SCENARIO_ISEND, "ptbi?c"},
    {"isend_complete", FM_SCENARIO_ISEND_COMPLETE, "i"},
    {"irecv_request", FM_SCENARIO_IRECV_REQUEST, "i"},
    {"irecv", FM_SCENARIO_IRECV, "ptbi?c"},
    {"probe", FM_SCENARIO_PROBE, "yY?c"},
    {"failed", FM_SCENARIO_FAILED, "?i"},
    {"merged", FM_SCENARIO_MERGED, "nF"},
    {"lost", FM_SCENARIO_LOST, ""},
    {"members", FM_SCENARIO_MEMBERS, "c?r"},
    {"target", FM_SCENARIO_TARGET, "w?a"},
    {"owner", FM_SCENARIO_OWNER, "n?T"},
    {"omitted", FM_SCENARIO_OMITTED, "n"},
    {"heartbeat", FM_SCENARIO_HEARTBEAT, ""},
    {"request_cancelled", FM_SCENARIO_REQUEST_CANCELLED, "i"},
    {"coll_begin", FM_SCENARIO_COLL_BEGIN, ""},
    {"coll_end", FM_SCENARIO_COLL_END, "ocrbv"},
    {"nb_coll_request", FM_SCENARIO_NB_COLL_REQUEST, "i"},
    {"nb_coll_complete", FM_SCENARIO_NB_COLL_COMPLETE, "ocrbvi?Nz"},
    {"io_read", FM_SCENARIO_IO_READ, "bi"},
    {"io_write", FM_SCENARIO_IO_WRITE, "bi"},
    {"io_complete", FM_SCENARIO_IO_COMPLETE, "bi"},
    {"win_create", FM_SCENARIO_WIN_CREATE, "w"},
    {"win_destroy", FM_SCENARIO_WIN_DESTROY, "w"},
    {"rma_coll_begin", FM_SCENARIO_RMA_COLL_BEGIN, ""},
    {"rma_coll_end", FM_SCENARIO_RMA_COLL_END, "ow?rbv"},
    {"group_sync", FM_SCENARIO_GROUP_SYNC, "wg"},
    {"put", FM_SCENARIO_PUT, "wpbi"},
    {"get", FM_SCENARIO_GET, "wpbi"},
    {"atomic", FM_SCENARIO_ATOMIC, "wpbi"},
    {"done_blocking", FM_SCENARIO_DONE_BLOCKING, "wi"},
    {"done_nonblocking", FM_SCENARIO_DONE_NONBLOCKING, "wi"},
    {"done_remote", FM_SCENARIO_DONE_REMOTE, "wi"},
    {"lock_request", FM_SCENARIO_LOCK_REQUEST, "wai?x"},
    {"lock_acquire", FM_SCENARIO_LOCK_ACQUIRE, "wai?x"},
    {"lock_try", FM_SCENARIO_LOCK_TRY, "wai?x"},
    {"lock_release", FM_SCENARIO_LOCK_RELEASE, "wai?x"},
    {"sync", FM_SCENARIO_SYNC, "wp"},
    {"wait_change", FM_SCENARIO_WAIT_CHANGE, "w"},
    {"parameter", FM_SCENARIO_PARAMETER, "Ps"},
    {"parameter_unsigned", FM_SCENARIO_PARAMETER_UNSIGNED, "Pu"},
    {"parameter_text", FM_SCENARIO_PARAMETER_TEXT, "PT"},
    {"fork", FM_SCENARIO_FORK, "n"},
    {"join", FM_SCENARIO_JOIN, ""},
    {"acquire_lock", FM_SCENARIO_ACQUIRE_LOCK, "ln"},
    {"release_lock", FM_SCENARIO_RELEASE_LOCK, "ln?A?I"},
    {"object", FM_SCENARIO_PARAMETER_UNSIGNED, "O"},
    {"correlation", FM_SCENARIO_PARAMETER_UNSIGNED, "C"},
    {"waits_for", FM_SCENARIO_PARAMETER_UNSIGNED, "S"},
    {"on_stream", FM_SCENARIO_PARAMETER_UNSIGNED, "S"},
    {"event", FM_SCENARIO_PARAMETER_UNSIGNED, "E"},
    {"activity", FM_SCENARIO_ACTIVITY, "kV"},
    {"sample", FM_SCENARIO_SAMPLE, "?K"},
    {"team_begin", FM_SCENARIO_TEAM_BEGIN, "m"},
    {"team_end", FM_SCENARIO_TEAM_END, "m"},
    {"task_create", FM_SCENARIO_TASK_CREATE, "mnG"},
    {"task_switch", FM_SCENARIO_TASK_SWITCH, "mnG"},
    {"task_complete", FM_SCENARIO_TASK_COMPLETE, "mnG"},
    {"thread_create", FM_SCENARIO_THREAD_CREATE, "mq"},
    {"thread_begin", FM_SCENARIO_THREAD_BEGIN, "mq"},
    {"thread_wait", FM_SCENARIO_THREAD_WAIT, "mq"},
    {"thread_end", FM_SCENARIO_THREAD_END, "mq"},
    {"buffer_flush", FM_SCENARIO_BUFFER_FLUSH, "F"},
    {"recording_off", FM_SCENARIO_RECORDING_OFF, ""},
    {"recording_on", FM_SCENARIO_RECORDING_ON, ""},
};

static const struct {
    const char *name;
    OTF2_CollectiveOp operation;
} operations[] = {
    {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"gather", OTF2_COLLECTIVE_OP_GATHER},
    {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"scan", OTF2_COLLECTIVE_OP_SCAN},
    {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
    {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"create_handle", OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {"destroy_handle", OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
    {"allocate", OTF2_COLLECTIVE_OP_ALLOCATE},
    {"deallocate", OTF2_COLLECTIVE_OP_DEALLOCATE},
    {"create_handle_and_allocate", OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE},
    {"destroy_handle_and_deallocate", OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE},
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* An event being read. The communicator is known only when all fields have been read. */
struct reading {
    struct fm_parser *parser;
    struct fm_scenario_event event;
    uint32_t rank; /* of the location, in world */
    uint32_t comm; /* that `peer` belongs to; FM_SCENARIO_NONE: none */
    struct fm_word peer;
    bool has_peer;
    struct fm_word path; /* of a sample; no text: none is stated */
};

fm_status_t fm_parser_time(struct fm_parser *parser, struct fm_word word, uint64_t *ticks)
{
    fm_decimal time;
    for (size_t i = 0; i < word.length; i++) {
        if (strchr("0123456789.", word.text[i]) == NULL) {
            return fm_parser_fail_at(parser, word, "a time is a plain decimal number, not");
        }
    }
    const char *point = memchr(word.text, '.', word.length);
    if (point != NULL && word.text + word.length - point > 4) {
        return fm_parser_fail_at(parser, word, "a time has at most three decimals");
    }
    if (!fm_decimal_parse(word.text, word.length, &time) ||
        time > fm_decimal_from_ticks(FM_SCENARIO_TIME_LIMIT)) {
        return fm_parser_fail_at(parser, word, "not a time from 0 to 10^15 units");
    }
    *ticks = (uint64_t)(time / fm_decimal_from_ticks(1));
    return FM_OK;
}

static fm_status_t read_region(struct reading *reading)
{
    struct fm_parser *parser = reading->parser;
    struct fm_word name;
    fm_status_t status = fm_parser_need(parser, "the name of the region", &name);
    if (status != FM_OK) {
        return status;
    }
    parser->next = parser->end;
    reading->event.object =
        fm_key_table_add(&parser->scenario->regions, name.text, (size_t)(parser->end - name.text));
    return reading->event.object != FM_KEY_NONE ? FM_OK : fm_parser_no_memory(parser);
}

static fm_status_t read_acquired_in(struct reading *reading)
{
    struct fm_parser *parser = reading->parser;
    const char *begin = parser->next;
    struct fm_word word;
    if (fm_parser_word(parser, &word) && fm_word_is(word, "s")) {
        reading->event.detail |= FM_SCENARIO_ACQUIRED_SHARED;
        if (parser->next == parser->end) {
            return FM_OK;
        }
    } else {
        parser->next = begin;
    }
    reading->event.detail |= FM_SCENARIO_ACQUIRED_IN;
    return read_region(reading);
}

static fm_status_t read_init(struct reading *reading)
{
    const uint32_t object = reading->event.object;
    fm_status_t status = read_region(reading);
    reading->event.init = reading->event.object + 1;
    reading->event.object = object;
    return status;
}

static fm_status_t read_team(struct reading *reading, struct fm_word word)
{
    const struct fm_scenario *scenario = reading->parser->scenario;
    reading->event.object = fm_key_table_find(&scenario->team_names, word.text, word.length);
    return reading->event.object != FM_KEY_NONE
               ? FM_OK
               : fm_parser_fail_at(reading->parser, word, "no such team");
}

static fm_status_t read_parameter(struct reading *reading, struct fm_word word)
{
    return fm_parser_parameter(reading->parser, word, (enum fm_scenario_kind)reading->event.kind,
                               &reading->event.object);
}

static fm_status_t imply_parameter(struct reading *reading, const char *parameter)
{
    return read_parameter(reading, (struct fm_word){parameter, strlen(parameter)});
}

/* A number that is the value of a parameter which the event implies. */
static fm_status_t read_value_of(struct reading *reading, const char *parameter,
                                 struct fm_word word, const char *what)
{
    fm_status_t status = imply_parameter(reading, parameter);
    return status != FM_OK
               ? status
               : fm_parser_integer(reading->parser, word, what, UINT32_MAX - 1, &reading->event.id);
}

static fm_status_t read_stream(struct reading *reading, struct fm_word word)
{
    const struct fm_scenario *scenario = reading->parser->scenario;
    uint32_t rank, thread;
    fm_status_t status = imply_parameter(reading, FM_SCENARIO_STREAM_PARAMETER);
    if (status == FM_OK) {
        status = fm_parser_location(reading->parser, word, &rank, &thread);
    }
    if (status == FM_OK) {
        const uint32_t location = rank * scenario->thread_count + thread;
        if (!scenario->locations[location].is_stream) {
            return fm_parser_fail_at(reading->parser, word, "not a stream");
        }
        reading->event.id = fm_archive_location_id(scenario, location);
    }
    return status;
}

static fm_status_t read_activity(struct reading *reading, struct fm_word word)
{
    static const char *const names[FM_KERNEL_ACTIVITY_COUNT] = {
        [FM_KERNEL_SM] = "sm", [FM_KERNEL_WARP] = "warp", [FM_KERNEL_MEMORY] = "memory"};
    for (uint8_t i = 0; i < FM_KERNEL_ACTIVITY_COUNT; i++) {
        if (fm_word_is(word, names[i])) {
            reading->event.detail = i;
            return FM_OK;
        }
    }
    return fm_parser_fail_at(reading->parser, word, "an activity is sm, warp or memory, not");
}

static fm_status_t read_value(struct reading *reading, struct fm_word word)
{
    fm_decimal number;
    if (!fm_decimal_parse(word.text, word.length, &number)) {
        return fm_parser_fail_at(reading->parser, word, "not a decimal number");
    }
    const double value = (double)number / (double)fm_decimal_from_integer(1);
    memcpy(&reading->event.id, &value, sizeof value);
    return FM_OK;
}

static fm_status_t read_signed(struct reading *reading, struct fm_word word)
{
    bool negative = word.text[0] == '-';
    uint64_t number = 0;
    word.text += negative;
    word.length -= negative;
    fm_status_t status = fm_parser_integer(reading->parser, word, "the value", INT64_MAX, &number);
    reading->event.id = negative ? -number : number;
    return status;
}

static fm_status_t read_text(struct reading *reading)
{
    struct fm_parser *parser = reading->parser;
    struct fm_word text;
    fm_status_t status = fm_parser_need(parser, "the value", &text);
    if (status != FM_OK) {
        return status;
    }
    parser->next = parser->end;
    uint32_t index =
        fm_key_table_add(&parser->scenario->texts, text.text, (size_t)(parser->end - text.text));
    reading->event.id = index;
    return index != FM_KEY_NONE ? FM_OK : fm_parser_no_memory(parser);
}

static fm_status_t read_callpath(struct reading *reading)
{
    struct fm_parser *parser = reading->parser;
    fm_status_t status = fm_parser_need(parser, "the call path", &reading->path);
    reading->path.length = (size_t)(parser->end - reading->path.text);
    parser->next = parser->end;
    return status;
}

static fm_status_t read_comm(struct reading *reading, struct fm_word word)
{
    const struct fm_scenario *scenario = reading->parser->scenario;
    reading->comm = fm_key_table_find(&scenario->comm_names, word.text, word.length);
    reading->event.object = reading->comm;
    return reading->comm != FM_KEY_NONE
               ? FM_OK
               : fm_parser_fail_at(reading->parser, word, "no such communicator");
}

static fm_status_t read_window(struct reading *reading, struct fm_word word)
{
    const struct fm_scenario *scenario = reading->parser->scenario;
    uint32_t window = fm_key_table_find(&scenario->window_names, word.text, word.length);
    if (window == FM_KEY_NONE) {
        return fm_parser_fail_at(reading->parser, word, "no such window");
    }
    reading->event.object = window;
    reading->comm = scenario->windows[window].comm;
    return FM_OK;
}

static fm_status_t read_operation(struct reading *reading, struct fm_word word)
{
    for (size_t i = 0; i < LENGTH(operations); i++) {
        if (fm_word_is(word, operations[i].name)) {
            reading->event.detail = operations[i].operation;
            return FM_OK;
        }
    }
    return fm_parser_fail_at(reading->parser, word, "no such collective operation");
}

static fm_status_t read_lock_type(struct reading *reading, struct fm_word word)
{
    reading->event.detail = fm_word_is(word, "s");
    return fm_word_is(word, "s") || fm_word_is(word, "x")
               ? FM_OK
               : fm_parser_fail_at(reading->parser, word, "the type of a lock is x or s, not");
}

/* The peers of a group_sync, as world ranks, become a group of the scenario. */
static fm_status_t read_group(struct reading *reading)
{
    struct fm_parser *parser = reading->parser;
    struct fm_scenario *scenario = parser->scenario;
    const struct fm_scenario_comm *comm = &scenario->comms[reading->comm];
    uint32_t count;
    fm_status_t status = fm_parser_ranks(parser, comm->size, &count);
    if (status != FM_OK) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        parser->ranks[i] =
            fm_scenario_world_rank(scenario, reading->comm, parser->ranks[i], reading->rank);
    }
    reading->event.peer =
        fm_key_table_add(&scenario->groups, parser->ranks, count * sizeof *parser->ranks);
    return reading->event.peer != FM_KEY_NONE ? FM_OK : fm_parser_no_memory(parser);
}

static fm_status_t read_number(struct reading *reading, struct fm_word word, char field)
{
    struct fm_scenario_event *event = &reading->event;
    struct fm_parser *parser = reading->parser;
    uint64_t number = 0;
    fm_status_t status = FM_OK;
    switch (field) {
    case FIELD_TAG_OR_ANY:
        event->tag = FM_SCENARIO_NONE;
        if (fm_word_is(word, "any")) {
            return FM_OK;
        }
        /* fall through */
    case FIELD_TAG:
        status = fm_parser_integer(parser, word, "the tag", INT32_MAX, &number);
        event->tag = (uint32_t)number;
        return status;
    case FIELD_BYTES:
        return fm_parser_integer(parser, word, "the number of bytes", INT64_MAX, &event->bytes);
    case FIELD_RECEIVED:
        return fm_parser_integer(parser, word, "the number of bytes", INT64_MAX, &event->received);
    case FIELD_UNSIGNED:
        return fm_parser_integer(parser, word, "the value", UINT64_MAX, &event->id);
    case FIELD_ID:
        return fm_parser_integer(parser, word, "the id", INT64_MAX, &event->id);
    case FIELD_SEQUENCE:
        return fm_parser_integer(parser, word, "the number of the thread", INT64_MAX, &event->id);
    case FIELD_GENERATION:
        status = fm_parser_integer(parser, word, "the generation", UINT32_MAX - 1, &number);
        event->tag = (uint32_t)number;
        return status;
    case FIELD_PERSISTENT:
        status = fm_parser_integer(parser, word, "the number", UINT32_MAX - 1, &number);
        event->tag = (uint32_t)number;
        return status;
    case FIELD_ACQUIRED_AT:
        event->detail |= FM_SCENARIO_ACQUIRED_AT;
        return fm_parser_time(parser, word, &event->bytes);
    case FIELD_FLUSHED:
        return fm_parser_time(parser, word, &event->bytes);
    case FIELD_THREAD_LOCK:
        return fm_parser_integer(parser, word, "the lock", UINT32_MAX - 1, &event->id);
    default: /* FIELD_COUNT */
        status = fm_parser_integer(parser, word, "the number", UINT32_MAX - 1, &number);
        event->peer = (uint32_t)number;
        return status;
    }
}

static fm_status_t read_field(struct reading *reading, char field)
{
    struct fm_word word;
    if (field == FIELD_REGION) {
        return read_region(reading);
    }
    if (field == FIELD_GROUP) {
        return read_group(reading);
    }
    if (field == FIELD_TEXT) {
        return read_text(reading);
    }
    if (field == FIELD_ACQUIRED_IN) {
        return read_acquired_in(reading);
    }
    if (field == FIELD_INIT) {
        return read_init(reading);
    }
    if (field == FIELD_CALLPATH) {
        return read_callpath(reading);
    }
    fm_status_t status = fm_parser_need(reading->parser, "a field of the event", &word);
    if (status != FM_OK) {
        return status;
    }
    switch (field) {
    case FIELD_COMM:
        return read_comm(reading, word);
    case FIELD_WINDOW:
        return read_window(reading, word);
    case FIELD_TEAM:
        return read_team(reading, word);
    case FIELD_OBJECT:
        return read_value_of(reading, FM_SCENARIO_OBJECT_PARAMETER, word, "the object");
    case FIELD_CORRELATION:
        return read_value_of(reading, FM_SCENARIO_CORRELATION_PARAMETER, word, "the correlation");
    case FIELD_STREAM:
        return read_stream(reading, word);
    case FIELD_EVENT:
        return read_value_of(reading, FM_SCENARIO_EVENT_PARAMETER, word, "the event");
    case FIELD_ACTIVITY:
        return read_activity(reading, word);
    case FIELD_VALUE:
        return read_value(reading, word);
    case FIELD_OPERATION:
        return read_operation(reading, word);
    case FIELD_LOCK_TYPE:
        return read_lock_type(reading, word);
    case FIELD_PARAMETER:
        return read_parameter(reading, word);
    case FIELD_SIGNED:
        return read_signed(reading, word);
    case FIELD_ROOT:
    case FIELD_TARGET_OR_ALL:
    case FIELD_SOURCE_OR_ANY:
    case FIELD_PEER:
        reading->peer = word;
        reading->has_peer = !(field == FIELD_ROOT && fm_word_is(word, "-")) &&
                            !(field == FIELD_TARGET_OR_ALL && fm_word_is(word, "all")) &&
                            !(field == FIELD_SOURCE_OR_ANY && fm_word_is(word, "any"));
        reading->event.peer = FM_SCENARIO_NONE;
        return FM_OK;
    default:
        return read_number(reading, word, field);
    }
}

static fm_status_t read_fields(struct reading *reading, const char *fields)
{
    struct fm_parser *parser = reading->parser;
    struct fm_word word;
    for (; *fields != '\0'; fields++) {
        if (*fields == OPTIONAL) {
            if (parser->next == parser->end) {
                break;
            }
            continue;
        }
        fm_status_t status = read_field(reading, *fields);
        if (status != FM_OK) {
            return status;
        }
    }
    return fm_parser_word(parser, &word)
               ? fm_parser_fail_at(parser, word, "unexpected word behind the event")
               : FM_OK;
}

/* Ranks in the communicator can be checked only now that it is known. */
static fm_status_t check_ranks(struct reading *reading)
{
    struct fm_parser *parser = reading->parser;
    if (reading->comm == FM_SCENARIO_NONE) {
        return FM_OK;
    }
    if (!fm_scenario_comm_has(parser->scenario, reading->comm, reading->rank)) {
        char reason[64];
        const char *name = parser->scenario->comm_names.keys[reading->comm].bytes;
        snprintf(reason, sizeof reason, "rank %u is not in the communicator", reading->rank);
        return fm_parser_fail_at(parser, (struct fm_word){name, strlen(name)}, reason);
    }
    if (reading->has_peer) {
        uint64_t peer;
        uint32_t size = fm_scenario_peers(parser->scenario, reading->comm, reading->rank);
        fm_status_t status = fm_parser_integer(parser, reading->peer, "the rank", size - 1, &peer);
        if (status != FM_OK) {
            return status;
        }
        reading->event.peer = (uint32_t)peer;
    }
    return FM_OK;
}

static fm_status_t find_form(struct fm_parser *parser, const struct event_form **form)
{
    struct fm_word name;
    fm_status_t status = fm_parser_need(parser, "the event", &name);
    if (status != FM_OK) {
        return status;
    }
    for (size_t i = 0; i < LENGTH(event_forms); i++) {
        if (fm_word_is(name, event_forms[i].name)) {
            *form = &event_forms[i];
            return FM_OK;
        }
    }
    return fm_parser_fail_at(parser, name, "no such event");
}

/* Presets the fields that may be missing. */
static void preset_fields(struct reading *reading, const struct event_form *form)
{
    reading->event.kind = (uint8_t)form->kind;
    if (strstr(form->fields, "?c") != NULL) {
        reading->comm = 0; /* world, unless named */
    }
    if (form->kind == FM_SCENARIO_RMA_COLL_END || form->kind == FM_SCENARIO_MEMBERS ||
        form->kind == FM_SCENARIO_TARGET) {
        reading->event.peer = FM_SCENARIO_NONE; /* no root, all targets, unless named */
    }
    if (form->kind == FM_SCENARIO_FAILED || form->kind == FM_SCENARIO_OWNER) {
        reading->event.id = UINT64_MAX; /* no record, no place, unless it is named */
    }
}

static void note_heartbeat(struct reading *reading)
{
    uint64_t *last = &reading->parser->scenario->processes[reading->rank].heartbeat;
    if (*last == FM_SCENARIO_NO_TIME || *last < reading->event.time) {
        *last = reading->event.time;
    }
}

/* Appends what a line stands for to its location. */
static fm_status_t append_event(struct reading *reading, uint32_t location)
{
    struct fm_parser *parser = reading->parser;
    switch ((enum fm_scenario_kind)reading->event.kind) {
    case FM_SCENARIO_PROBE:
    case FM_SCENARIO_MERGED:
    case FM_SCENARIO_LOST:
    case FM_SCENARIO_MEMBERS:
    case FM_SCENARIO_TARGET:
    case FM_SCENARIO_OWNER:
    case FM_SCENARIO_OMITTED:
        return fm_parser_facts(parser, location, &reading->event);
    case FM_SCENARIO_HEARTBEAT:
        note_heartbeat(reading);
        return FM_OK;
    case FM_SCENARIO_FAILED:
        if (reading->event.id == UINT64_MAX) {
            return FM_OK;
        }
        break;
    default:
        break;
    }
    if (reading->path.text != NULL) {
        return fm_parser_sample(parser, location, reading->event.time, reading->path);
    }
    return fm_scenario_append(parser->scenario, location, &reading->event)
               ? FM_OK
               : fm_parser_no_memory(parser);
}

fm_status_t fm_parser_event(struct fm_parser *parser)
{
    struct reading reading = {.parser = parser, .comm = FM_SCENARIO_NONE};
    const struct event_form *form = NULL;
    struct fm_word word;
    uint32_t thread = 0;
    fm_status_t status = fm_parser_need(parser, "the time", &word);
    if (status == FM_OK) {
        status = fm_parser_time(parser, word, &reading.event.time);
    }
    if (status == FM_OK) {
        status = fm_parser_need(parser, "the location", &word);
    }
    if (status == FM_OK) {
        status = fm_parser_location(parser, word, &reading.rank, &thread);
    }
    if (status == FM_OK) {
        status = find_form(parser, &form);
    }
    if (status != FM_OK) {
        return status;
    }
    preset_fields(&reading, form);
    status = read_fields(&reading, form->fields);
    if (status == FM_OK) {
        status = check_ranks(&reading);
    }
    if (status != FM_OK) {
        return status;
    }
    uint32_t location = reading.rank * parser->scenario->thread_count + thread;
    const struct fm_scenario_location *timeline = &parser->scenario->locations[location];
    if (timeline->count > 0 && timeline->events[timeline->count - 1].time > reading.event.time) {
        return fm_parser_fail(parser, "the time is earlier than that of the location's last event");
    }
    return append_event(&reading, location);
}
