/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/execution.h"

#include "base/memory.h"
#include "cube/model/callpath_text.h"
#include "patterns/language.h"
#include "patterns/lua/declaration.h"
#include "patterns/lua/script_interpreter.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>

/* Keeps the function `key` of the table at the top. @return its reference; LUA_NOREF: none */
static int keep_function(lua_State *state, const char *key)
{
    lua_pushstring(state, key);
    lua_rawget(state, -2);
    if (lua_type(state, -1) != LUA_TFUNCTION) {
        lua_pop(state, 1);
        return LUA_NOREF;
    }
    return luaL_ref(state, LUA_REGISTRYINDEX);
}

/* Called in the interpreter: may raise an error of memory. Argument: the table of the pattern. */
static int keep_functions(lua_State *state)
{
    struct fm_interpreter *execution = fm_sandbox_of(state)->context;
    const struct fm_script *script = execution->base.script;
    execution->finish = keep_function(state, "finish");
    execution->combine = keep_function(state, "combine");
    lua_pushliteral(state, "on");
    lua_rawget(state, -2);
    if (lua_type(state, -1) != LUA_TTABLE) {
        return luaL_error(state, "the script declares something else than before");
    }
    for (int kind = 0; kind < FM_EVENT_KINDS; kind++) {
        execution->functions[kind] = keep_function(state, fm_event_name((fm_event_kind_t)kind));
    }
    for (size_t i = 0; i < script->instances.count; i++) {
        execution->instances[i] = keep_function(state, script->instances.items[i].id);
    }
    return 0;
}

static void close_interpreter(struct fm_execution *execution)
{
    fm_interpreter_close((struct fm_interpreter *)execution);
    fm_free(execution);
}

static fm_status_t open_interpreter(const struct fm_execution *base,
                                    struct fm_execution **execution, struct fm_error *error)
{
    struct fm_interpreter *made = fm_allocate(1, sizeof *made);
    *made = (struct fm_interpreter){.base = *base};
    fm_status_t status = fm_interpreter_open(made, error);
    if (status == FM_OK) {
        lua_pushcfunction(made->sandbox.state, keep_functions);
        lua_insert(made->sandbox.state, -2);
        status = fm_sandbox_call(&made->sandbox, 1, 0, error);
    }
    if (status != FM_OK) {
        close_interpreter(&made->base);
        return status;
    }
    *execution = &made->base;
    return FM_OK;
}

/* Arguments: the function, the event as a light pointer. */
static int call_with_event(lua_State *state)
{
    const struct fm_event *event = lua_touserdata(state, 2);
    lua_settop(state, 1);
    fm_event_object_push(state, event);
    lua_call(state, 1, 0);
    return 0;
}

static fm_status_t call(struct fm_interpreter *execution, int function,
                        const struct fm_event *event, struct fm_error *error)
{
    if (function == LUA_NOREF) {
        return FM_OK;
    }
    lua_State *state = execution->sandbox.state;
    execution->reports = true;
    lua_pushcfunction(state, call_with_event);
    lua_rawgeti(state, LUA_REGISTRYINDEX, function);
    lua_pushlightuserdata(state, (void *)event);
    fm_status_t status = fm_sandbox_call(&execution->sandbox, 2, 0, error);
    execution->reports = false;
    return status;
}

static fm_status_t take_event(struct fm_execution *execution, fm_event_kind_t kind,
                              const struct fm_event *event, struct fm_error *error)
{
    struct fm_interpreter *own = (struct fm_interpreter *)execution;
    return call(own, own->functions[kind], event, error);
}

static fm_status_t take_instance(struct fm_execution *execution, size_t number,
                                 const struct fm_event *event, struct fm_error *error)
{
    struct fm_interpreter *own = (struct fm_interpreter *)execution;
    return call(own, own->instances[number], event, error);
}

static fm_status_t finish_interpreter(struct fm_execution *base, struct fm_error *error)
{
    struct fm_interpreter *execution = (struct fm_interpreter *)base;
    if (execution->finish == LUA_NOREF) {
        return FM_OK;
    }
    execution->reports = true;
    lua_rawgeti(execution->sandbox.state, LUA_REGISTRYINDEX, execution->finish);
    fm_status_t status = fm_sandbox_call(&execution->sandbox, 0, 0, error);
    execution->reports = false;
    return status;
}

/* ---- combine ---- */

struct combination {
    const struct fm_cube *cube;
    struct fm_severity *severities;
    size_t count;
    char *path; /* in use: an error of Lua leaves the function */
};

static void push_severity(lua_State *state, struct combination *combination, size_t i)
{
    const struct fm_severity *severity = &combination->severities[i];
    const struct fm_cube_location *location = &combination->cube->locations[severity->location];
    free(combination->path);
    combination->path = fm_cube_callpath_text(combination->cube, severity->callpath, "/");
    lua_createtable(state, 0, 5);
    lua_pushinteger(state, severity->value);
    lua_setfield(state, -2, "value");
    lua_pushinteger(state, severity->callpath);
    lua_setfield(state, -2, "callpath");
    lua_pushinteger(state, location->rank);
    lua_setfield(state, -2, "rank");
    lua_pushinteger(state, location->thread);
    lua_setfield(state, -2, "thread");
    lua_pushstring(state, combination->path == NULL ? "" : combination->path);
    lua_setfield(state, -2, "path");
}

/* Arguments: the function, the combination as a light pointer. */
static int call_combine(lua_State *state)
{
    struct combination *combination = lua_touserdata(state, 2);
    lua_settop(state, 1);
    lua_createtable(state, (int)combination->count, 0);
    for (size_t i = 0; i < combination->count; i++) {
        push_severity(state, combination, i);
        lua_rawseti(state, 2, (lua_Integer)i + 1);
    }
    lua_pushvalue(state, 2);
    lua_insert(state, 1);
    lua_call(state, 1, 0);
    for (size_t i = 0; i < combination->count; i++) {
        if (lua_rawgeti(state, 1, (lua_Integer)i + 1) != LUA_TTABLE) {
            return luaL_error(state, "combine: element %d is no table any more", (int)i + 1);
        }
        lua_pushliteral(state, "value");
        lua_rawget(state, -2);
        lua_Number value = lua_tonumber(state, -1);
        if (lua_type(state, -1) != LUA_TNUMBER || !(value >= 0 && value < 0x1p62)) {
            return luaL_error(state, "combine: the value of element %d is no severity", (int)i + 1);
        }
        combination->severities[i].value =
            lua_isinteger(state, -1) ? lua_tointeger(state, -1) : llround(value);
        lua_pop(state, 2);
    }
    return 0;
}

static fm_status_t combine(struct fm_execution *base, const struct fm_cube *cube,
                           struct fm_severity *severities, size_t count, struct fm_error *error)
{
    struct fm_interpreter *execution = (struct fm_interpreter *)base;
    struct combination combination = {cube, severities, count, NULL};
    lua_State *state = execution->sandbox.state;
    if (count > INT32_MAX) {
        return fm_fail(error, FM_ERR_DATA, "%s: too many severities for `combine`",
                       execution->base.script->path);
    }
    lua_pushcfunction(state, call_combine);
    lua_rawgeti(state, LUA_REGISTRYINDEX, execution->combine);
    lua_pushlightuserdata(state, &combination);
    fm_status_t status = fm_sandbox_call(&execution->sandbox, 2, 0, error);
    free(combination.path);
    return status;
}

const struct fm_language fm_language_lua = {
    .declare = fm_lua_declare,
    .open = open_interpreter,
    .close = close_interpreter,
    .event = take_event,
    .instance = take_instance,
    .finish = finish_interpreter,
    .combine = combine,
};
