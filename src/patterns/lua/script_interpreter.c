/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/lua/script_interpreter.h"

#include "base/memory.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct fm_interpreter *execution_of(lua_State *state)
{
    return fm_sandbox_of(state)->context;
}

/* report(event, value) */
static int report(lua_State *state)
{
    struct fm_interpreter *execution = execution_of(state);
    const struct fm_event *event = fm_event_object_check(state, 1);
    lua_Number value = luaL_checknumber(state, 2);
    if (!execution->reports) {
        return luaL_error(state, "report: is for functions of `on` and for `finish`");
    }
    if (!(value >= 0 && value < 0x1p62)) {
        return luaL_error(state, "report: %f is no severity", value);
    }
    int64_t whole = lua_isinteger(state, 2) ? lua_tointeger(state, 2) : llround(value);
    if (event->visit == FM_NONE) {
        return luaL_error(state, "report: the event belongs to no call path");
    }
    execution->base.report(execution->base.context, event, whole);
    return 0;
}

static void push_number(lua_State *state, double number)
{
    if (number == floor(number) && fabs(number) < 0x1p53) {
        lua_pushinteger(state, (lua_Integer)number);
    } else {
        lua_pushnumber(state, number);
    }
}

/* parameter(name, otherwise): the value given with --pattern, of the type of the other one */
static int parameter(lua_State *state)
{
    struct fm_interpreter *execution = execution_of(state);
    const char *name = luaL_checkstring(state, 1);
    int type = lua_type(state, 2);
    luaL_argcheck(state, type == LUA_TNUMBER || type == LUA_TSTRING, 2,
                  "a number or a text is needed");
    lua_settop(state, 2);
    for (size_t i = 0; i < execution->base.script->parameters.count; i++) {
        const struct fm_script_parameter *given = &execution->base.script->parameters.items[i];
        if (strcmp(given->name, name) != 0) {
            continue;
        }
        double number;
        execution->asked[i] = true;
        if (type == LUA_TSTRING) {
            lua_pushstring(state, given->text);
        } else if (fm_script_number(given->text, &number)) {
            push_number(state, number);
        } else {
            return luaL_error(state, "parameter %s: '%s' is no number", name, given->text);
        }
    }
    return 1;
}

/* seconds(ticks) */
static int seconds(lua_State *state)
{
    const struct fm_interpreter *execution = execution_of(state);
    lua_Number ticks = luaL_checknumber(state, 1);
    uint64_t per_second = execution->base.index == NULL
                              ? 1000000000U
                              : execution->base.index->trace->ticks_per_second;
    lua_pushnumber(state, ticks / (lua_Number)per_second);
    return 1;
}

void fm_interpreter_set_functions(struct fm_interpreter *execution)
{
    lua_State *state = execution->sandbox.state;
    lua_rawgeti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    static const luaL_Reg functions[] = {
        {"report", report}, {"parameter", parameter}, {"seconds", seconds}, {NULL, NULL}};
    luaL_setfuncs(state, functions, 0);
    lua_pop(state, 1);
    fm_event_object_register(state);
}

static int set_functions(lua_State *state)
{
    fm_interpreter_set_functions(execution_of(state));
    return 0;
}

fm_status_t fm_interpreter_open(struct fm_interpreter *execution, struct fm_error *error)
{
    const struct fm_script *script = execution->base.script;
    if (!fm_sandbox_open(&execution->sandbox, script->path)) {
        return fm_fail(error, FM_ERR_SYSTEM, "%s: no memory for an interpreter", script->path);
    }
    lua_State *state = execution->sandbox.state;
    execution->sandbox.context = execution;
    execution->asked = fm_allocate(script->parameters.count + 1, sizeof *execution->asked);
    execution->instances = fm_allocate(script->instances.count + 1, sizeof *execution->instances);
    lua_pushcfunction(state, set_functions);
    fm_status_t status = fm_sandbox_call(&execution->sandbox, 0, 0, error);
    if (status == FM_OK) {
        status = fm_sandbox_compile(&execution->sandbox, script->text, script->size, error);
    }
    if (status == FM_OK) {
        status = fm_sandbox_call(&execution->sandbox, 0, 1, error);
    }
    if (status == FM_OK && lua_type(state, -1) != LUA_TTABLE) {
        status = fm_fail(error, FM_ERR_DATA,
                         "%s: the script does not return the table of a pattern", script->path);
    }
    return status;
}

void fm_interpreter_close(struct fm_interpreter *execution)
{
    fm_sandbox_close(&execution->sandbox);
    fm_free(execution->asked);
    fm_free(execution->instances);
}
