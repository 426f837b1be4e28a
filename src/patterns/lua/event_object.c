/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as values of Lua, with fields that are computed when they are read. */
#include "patterns/lua/script_interpreter.h"

#include "analysis/locks/kept_holds.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_NAME "fermata event"

/* Name, and the kinds of events that have the field. */
#define MESSAGES (1U << FM_OBJECT_SEND | 1U << FM_OBJECT_RECEIVE)
#define PART     (1U << FM_OBJECT_COLLECTIVE)
#define PHASE    (1U << FM_OBJECT_PHASE)
#define SAMPLE   (1U << FM_OBJECT_SAMPLE)
#define WAIT     (1U << FM_OBJECT_WAIT)
#define REPORT   (1U << FM_OBJECT_REPORT)
#define TARGET   (1U << FM_OBJECT_OPERATION)
#define LOCK     (1U << FM_OBJECT_LOCK)
#define THREAD   (1U << FM_OBJECT_THREAD)
#define ALL      (~0U)
#define TIMED    (ALL & ~(SAMPLE | THREAD))
#define PLACED   (ALL & ~SAMPLE)
#define IN_CALL  (ALL & ~(PHASE | SAMPLE | THREAD))

#define FIELDS(ROW)                                                                                \
    ROW(kind, ALL)                                                                                 \
    ROW(rank, ALL)                                                                                 \
    ROW(thread, ALL)                                                                               \
    ROW(enter, TIMED)                                                                              \
    ROW(leave, TIMED)                                                                              \
    ROW(duration, TIMED)                                                                           \
    ROW(region, PLACED)                                                                            \
    ROW(path, PLACED)                                                                              \
    ROW(within, PLACED)                                                                            \
    ROW(class, IN_CALL)                                                                            \
    ROW(call, IN_CALL)                                                                             \
    ROW(previous, IN_CALL)                                                                         \
    ROW(number, IN_CALL)                                                                           \
    ROW(bytes, MESSAGES | TARGET)                                                                  \
    ROW(tag, MESSAGES)                                                                             \
    ROW(peer, MESSAGES | TARGET)                                                                   \
    ROW(partner, MESSAGES)                                                                         \
    ROW(posted, MESSAGES)                                                                          \
    ROW(communicator, MESSAGES | PART)                                                             \
    ROW(members, PART)                                                                             \
    ROW(first_enter, PART)                                                                         \
    ROW(last_enter, PART)                                                                          \
    ROW(first_leave, PART)                                                                         \
    ROW(last_rank, PART)                                                                           \
    ROW(metric, WAIT)                                                                              \
    ROW(waited, WAIT | LOCK)                                                                       \
    ROW(own, WAIT)                                                                                 \
    ROW(cause, WAIT)                                                                               \
    ROW(time, SAMPLE | THREAD)                                                                     \
    ROW(action, THREAD | TARGET)                                                                   \
    ROW(id, THREAD)                                                                                \
    ROW(lock, LOCK)                                                                                \
    ROW(requested, LOCK)                                                                           \
    ROW(acquired, LOCK)                                                                            \
    ROW(released, LOCK)                                                                            \
    ROW(exclusive, LOCK)                                                                           \
    ROW(before, LOCK)                                                                              \
    ROW(blocked_by, LOCK)                                                                          \
    ROW(counter, SAMPLE)                                                                           \
    ROW(unit, SAMPLE)                                                                              \
    ROW(value, SAMPLE | REPORT)

enum field {
#define ROW(name, kinds) FIELD_##name,
    FIELDS(ROW)
#undef ROW
        FIELD_COUNT
};

static const struct {
    const char *name;
    unsigned kinds;
} fields[] = {
#define ROW(name, kinds) {#name, kinds},
    FIELDS(ROW)
#undef ROW
};

static const char *const kind_names[] = {
    [FM_OBJECT_CALL] = "call",           [FM_OBJECT_SEND] = "send",
    [FM_OBJECT_RECEIVE] = "receive",     [FM_OBJECT_COLLECTIVE] = "collective",
    [FM_OBJECT_PHASE] = "phase",         [FM_OBJECT_SAMPLE] = "sample",
    [FM_OBJECT_WAIT] = "wait",           [FM_OBJECT_REPORT] = "report",
    [FM_OBJECT_OPERATION] = "operation", [FM_OBJECT_LOCK] = "lock",
    [FM_OBJECT_THREAD] = "thread",
};

static const struct fm_event_index *index_of(lua_State *state)
{
    const struct fm_interpreter *execution = fm_sandbox_of(state)->context;
    return execution->base.index;
}

void fm_event_object_push(lua_State *state, const struct fm_event *event)
{
    struct fm_event *copy = lua_newuserdatauv(state, sizeof *copy, 0);
    *copy = *event;
    luaL_setmetatable(state, TYPE_NAME);
}

const struct fm_event *fm_event_object_check(lua_State *state, int position)
{
    return luaL_checkudata(state, position, TYPE_NAME);
}

/* ---- fields of all events ---- */

static void push_ticks(lua_State *state, uint64_t time)
{
    lua_pushinteger(state, (lua_Integer)(time - index_of(state)->begin));
}

static uint64_t begin_of(const struct fm_event_index *index, const struct fm_event *event)
{
    if (event->kind == FM_OBJECT_PHASE) {
        return ((const struct fm_phase *)event->data)->begin;
    }
    return event->activity == FM_NONE
               ? index->begin
               : index->trace->locations[event->location].enter.items[event->activity];
}

static uint64_t end_of(const struct fm_event_index *index, const struct fm_event *event)
{
    if (event->kind == FM_OBJECT_PHASE) {
        return ((const struct fm_phase *)event->data)->end;
    }
    return event->activity == FM_NONE
               ? index->begin
               : index->trace->locations[event->location].leave.items[event->activity];
}

static const struct fm_region *region_of(const struct fm_event_index *index,
                                         const struct fm_event *event)
{
    const struct fm_location *location = &index->trace->locations[event->location];
    return &index->trace->regions[location->profile.items[event->visit].region];
}

/* Pushes the names of the call path's nodes, from the root on, separated by "/". */
static void push_path(lua_State *state, const struct fm_event_index *index, uint32_t callpath)
{
    const struct fm_trace *trace = index->trace;
    int count = 0;
    for (; callpath != FM_NONE; callpath = trace->callpaths.items[callpath].parent) {
        const struct fm_callpath *node = &trace->callpaths.items[callpath];
        luaL_checkstack(state, 4, NULL);
        lua_pushstring(state, trace->regions[node->region].name);
        if (count++ > 0) { /* name/rest */
            lua_pushliteral(state, "/");
            lua_rotate(state, -3, -1);
            lua_concat(state, 3);
        }
    }
}

/* event:within(name) */
static int within(lua_State *state)
{
    const struct fm_event_index *index = index_of(state);
    const struct fm_event *event = fm_event_object_check(state, 1);
    const char *name = luaL_checkstring(state, 2);
    lua_pushboolean(state, fm_event_is_within(index, event, name));
    return 1;
}

static void push_call(lua_State *state, uint32_t location, uint32_t activity)
{
    const struct fm_event call = fm_event_of_call(index_of(state), location, activity);
    fm_event_object_push(state, &call);
}

/* ---- fields of some events ---- */

static void push_message_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_trace *trace = index_of(state)->trace;
    const struct fm_detail_message *message = event->data;
    bool sends = event->kind == FM_OBJECT_SEND;
    uint32_t partner = sends ? message->receive_location : message->send_location;
    uint32_t post_location = message->record_location;
    const struct fm_message_end *record =
        &trace->locations[post_location].receives.items[message->record_row];
    switch (field) {
    case FIELD_bytes:
        lua_pushinteger(state, message->bytes);
        break;
    case FIELD_tag:
        lua_pushinteger(state, record->tag);
        break;
    case FIELD_peer:
        lua_pushinteger(state, fm_trace_process(trace, partner));
        break;
    case FIELD_communicator:
        lua_pushinteger(state, record->communicator);
        break;
    case FIELD_posted: {
        uint32_t post = fm_trace_post(trace, &post_location, message->record_row);
        push_ticks(state, trace->locations[post_location].enter.items[post]);
        break;
    }
    default: /* FIELD_partner */
        push_call(state, partner, sends ? message->receive_activity : message->send_activity);
    }
}

static void push_part_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_event_index *index = index_of(state);
    const struct fm_collective_part *part = event->data;
    const struct fm_collective_instance *instance =
        &index->collectives.instances.items[part->instance];
    switch (field) {
    case FIELD_communicator:
        lua_pushinteger(state, instance->communicator);
        break;
    case FIELD_members:
        lua_pushinteger(state, instance->members);
        break;
    case FIELD_first_enter:
        push_ticks(state, instance->first_enter);
        break;
    case FIELD_last_enter:
        push_ticks(state, instance->last_enter);
        break;
    case FIELD_first_leave:
        push_ticks(state, instance->first_leave);
        break;
    default: /* FIELD_last_rank */
        lua_pushinteger(state, fm_trace_process(index->trace, instance->last_location));
    }
}

static void push_wait_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_event_index *index = index_of(state);
    const struct fm_candidate *wait = event->data;
    switch (field) {
    case FIELD_metric:
        lua_pushstring(state, fm_metric_info((fm_metric_t)wait->metric)->id);
        break;
    case FIELD_waited:
        lua_pushinteger(state, (lua_Integer)fm_event_waited(index, event));
        break;
    case FIELD_own:
        lua_pushinteger(state, event->value);
        break;
    default: /* FIELD_cause */
        if (wait->cause_activity == FM_NONE) {
            lua_pushnil(state);
        } else {
            push_call(state, wait->cause_location, wait->cause_activity);
        }
    }
}

static void push_sample_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_sample_ref *sample = event->data;
    const struct fm_counter *counter = &index_of(state)->trace->counters[sample->counter];
    switch (field) {
    case FIELD_time:
        push_ticks(state, sample->sample->time);
        break;
    case FIELD_counter:
        lua_pushstring(state, counter->name);
        break;
    case FIELD_unit:
        lua_pushstring(state, counter->unit);
        break;
    default: /* FIELD_value */
        lua_pushnumber(state, sample->sample->value);
    }
}

static void push_operation_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_trace *trace = index_of(state)->trace;
    const struct fm_operation_ref *operation = event->data;
    if (field == FIELD_action) {
        lua_pushstring(state, fm_rma_kind(operation->record));
    } else if (field == FIELD_bytes) {
        lua_pushinteger(state, (lua_Integer)operation->bytes);
    } else { /* FIELD_peer */
        const uint32_t peer =
            fm_trace_member(trace, trace->windows[operation->record->window].communicator,
                            operation->record->peer, fm_trace_process(trace, event->location));
        if (peer == FM_NONE) {
            lua_pushnil(state);
        } else {
            lua_pushinteger(state, peer);
        }
    }
}

/* Pushes a hold; NULL: nil. */
static void push_hold(lua_State *state, const struct fm_kept_hold *kept)
{
    if (kept == NULL) {
        lua_pushnil(state);
    } else {
        const struct fm_event hold = fm_event_of_hold(index_of(state), kept);
        fm_event_object_push(state, &hold);
    }
}

static void push_lock_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_kept_hold *kept = event->data;
    const fm_kept_holds *holds = &index_of(state)->detail->holds;
    char name[FM_LOCK_NAME_SIZE];
    switch (field) {
    case FIELD_lock:
        fm_kept_hold_name(index_of(state)->trace, kept, name);
        lua_pushstring(state, name);
        break;
    case FIELD_requested:
        push_ticks(state, kept->hold.requested);
        break;
    case FIELD_acquired:
        push_ticks(state, kept->hold.held_from);
        break;
    case FIELD_released:
        push_ticks(state, kept->hold.released);
        break;
    case FIELD_waited:
        lua_pushinteger(state, (lua_Integer)(kept->hold.queued_until - kept->hold.queued_from));
        break;
    case FIELD_exclusive:
        lua_pushboolean(state, kept->hold.exclusive);
        break;
    case FIELD_before:
        push_hold(state, fm_hold_before(holds, kept));
        break;
    default: /* FIELD_blocked_by */
        push_hold(state,
                  kept->hold.blocked_by == FM_NONE ? NULL : &holds->items[kept->hold.blocked_by]);
    }
}

static void push_thread_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_thread_record *record = event->data;
    if (field == FIELD_time) {
        push_ticks(state, record->time);
    } else if (field == FIELD_action) {
        lua_pushstring(state, fm_thread_event_name(record));
    } else { /* FIELD_id */
        lua_pushinteger(state, (lua_Integer)record->id);
    }
}

static void push_field(lua_State *state, const struct fm_event *event, enum field field)
{
    const struct fm_event_index *index = index_of(state);
    switch (field) {
    case FIELD_kind:
        lua_pushstring(state, kind_names[event->kind]);
        return;
    case FIELD_rank:
        lua_pushinteger(state, fm_trace_process(index->trace, event->location));
        return;
    case FIELD_thread:
        lua_pushinteger(state, index->trace->locations[event->location].thread);
        return;
    case FIELD_enter:
        push_ticks(state, begin_of(index, event));
        return;
    case FIELD_leave:
        push_ticks(state, end_of(index, event));
        return;
    case FIELD_duration:
        lua_pushinteger(state, (lua_Integer)(end_of(index, event) - begin_of(index, event)));
        return;
    case FIELD_region:
        lua_pushstring(state, region_of(index, event)->name);
        return;
    case FIELD_path:
        push_path(state, index, fm_event_callpath(index, event));
        return;
    case FIELD_within:
        lua_pushcfunction(state, within);
        return;
    case FIELD_class:
        lua_pushstring(state, fm_call_class_name(region_of(index, event)->call));
        return;
    default:
        break;
    }
    switch (event->kind) {
    case FM_OBJECT_SEND:
    case FM_OBJECT_RECEIVE:
        push_message_field(state, event, field);
        break;
    case FM_OBJECT_COLLECTIVE:
        push_part_field(state, event, field);
        break;
    case FM_OBJECT_WAIT:
        push_wait_field(state, event, field);
        break;
    case FM_OBJECT_SAMPLE:
        push_sample_field(state, event, field);
        break;
    case FM_OBJECT_OPERATION:
        push_operation_field(state, event, field);
        break;
    case FM_OBJECT_LOCK:
        push_lock_field(state, event, field);
        break;
    case FM_OBJECT_THREAD:
        push_thread_field(state, event, field);
        break;
    default: /* FM_OBJECT_REPORT: FIELD_value */
        lua_pushinteger(state, event->value);
    }
}

/* The fields of events that lead to calls. @return false: it is another field */
static bool push_related_call(lua_State *state, const struct fm_event *event, enum field field)
{
    if (field == FIELD_number && event->activity != FM_NONE) {
        lua_pushinteger(state, event->activity);
    } else if (field == FIELD_call && event->activity != FM_NONE) {
        push_call(state, event->location, event->activity);
    } else if (field == FIELD_previous && event->activity != FM_NONE && event->activity > 0) {
        push_call(state, event->location, event->activity - 1);
    } else if (field == FIELD_number || field == FIELD_call || field == FIELD_previous) {
        lua_pushnil(state);
    } else {
        return false;
    }
    return true;
}

/* event.field; upvalue: the number of each field */
static int event_field(lua_State *state)
{
    const struct fm_event *event = fm_event_object_check(state, 1);
    lua_pushvalue(state, 2);
    lua_rawget(state, lua_upvalueindex(1));
    if (lua_type(state, -1) != LUA_TNUMBER) {
        return luaL_error(state, "an event has no field '%s'",
                          lua_type(state, 2) == LUA_TSTRING ? lua_tostring(state, 2) : "?");
    }
    enum field field = (enum field)lua_tointeger(state, -1);
    bool in_call_path = field == FIELD_region || field == FIELD_path || field == FIELD_class;
    if ((fields[field].kinds & 1U << event->kind) == 0) {
        return luaL_error(state, "a %s has no field '%s'", kind_names[event->kind],
                          fields[field].name);
    }
    bool is_timed = event->activity != FM_NONE || event->kind == FM_OBJECT_PHASE;
    bool needs_time = field == FIELD_enter || field == FIELD_leave || field == FIELD_duration;
    if ((in_call_path && event->visit == FM_NONE) || (needs_time && !is_timed)) {
        lua_pushnil(state);
    } else if (!push_related_call(state, event, field)) {
        push_field(state, event, field);
    }
    return 1;
}

static int refuse_assignment(lua_State *state)
{
    return luaL_error(state, "the fields of an event cannot be changed");
}

void fm_event_object_register(lua_State *state)
{
    luaL_newmetatable(state, TYPE_NAME);
    lua_createtable(state, 0, FIELD_COUNT);
    for (int i = 0; i < FIELD_COUNT; i++) {
        lua_pushinteger(state, i);
        lua_setfield(state, -2, fields[i].name);
    }
    lua_pushcclosure(state, event_field, 1);
    lua_setfield(state, -2, "__index");
    lua_pushcfunction(state, refuse_assignment);
    lua_setfield(state, -2, "__newindex");
    lua_pop(state, 1);
}
