/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of Lua that scripts may use. */
#include "patterns/lua/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

static const char *const base_functions[] = {"assert", "error",    "ipairs", "select",
                                             "type",   "tonumber", NULL};
static const char *const string_functions[] = {"byte", "char",    "len",   "lower",
                                               "sub",  "reverse", "upper", NULL};
static const char *const table_functions[] = {"unpack", NULL};
static const char *const math_functions[] = {
    "abs",  "ceil",       "cos",        "exp",  "floor", "fmod",      "huge",
    "log",  "max",        "maxinteger", "min",  "modf",  "pi",        "sin",
    "sqrt", "mininteger", "tan",        "type", "ult",   "tointeger", NULL};

/* Text of a value that does not depend on addresses. */
static int value_to_text(lua_State *state)
{
    luaL_checkany(state, 1);
    int type = lua_type(state, 1);
    if (type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN || type == LUA_TNIL) {
        luaL_tolstring(state, 1, NULL);
    } else {
        lua_pushstring(state, lua_typename(state, type));
    }
    return 1;
}

/* string.format, whose original is the upvalue, of values without addresses. */
static int format_text(lua_State *state)
{
    const char *format = luaL_checkstring(state, 1);
    int count = lua_gettop(state);
    if (strstr(format, "%p") != NULL || strstr(format, "p") != NULL) {
        for (const char *c = format; *c != '\0'; c++) {
            if (*c == '%') {
                c += 1 + strspn(c + 1, "-+ #0123456789.");
                if (*c == 'p') {
                    return luaL_error(state, "%%p is not available");
                }
                if (*c == '\0') {
                    break;
                }
            }
        }
    }
    for (int i = 2; i <= count; i++) {
        int type = lua_type(state, i);
        luaL_argcheck(state,
                      type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN ||
                          type == LUA_TNIL,
                      i, "a number, a text, true, false or nil is needed");
    }
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    lua_call(state, count, 1);
    return 1;
}

/* A function on a list, whose original is the upvalue: its time is in proportion to the length. */
static int call_on_list(lua_State *state)
{
    luaL_checktype(state, 1, LUA_TTABLE);
    fm_sandbox_charge(state, 1 + lua_rawlen(state, 1) / 8);
    int count = lua_gettop(state);
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    lua_call(state, count, LUA_MULTRET);
    return lua_gettop(state);
}

/* contains(text, part): plain, without patterns. */
static int contains(lua_State *state)
{
    size_t length, part_length;
    const char *text = luaL_checklstring(state, 1, &length);
    const char *part = luaL_checklstring(state, 2, &part_length);
    fm_sandbox_charge(state, 1 + length / 64);
    lua_pushboolean(state, memmem(text, length, part, part_length) != NULL);
    return 1;
}

/* Order of the keys of a table: numbers, then texts, then false and true. */
static bool precedes(lua_State *state, int left, int right)
{
    int a = lua_type(state, left), b = lua_type(state, right);
    if (a != b) {
        static const int rank[] = {[LUA_TNUMBER] = 0, [LUA_TSTRING] = 1, [LUA_TBOOLEAN] = 2};
        return rank[a] < rank[b];
    }
    if (a == LUA_TBOOLEAN) {
        return lua_toboolean(state, left) < lua_toboolean(state, right);
    }
    return lua_compare(state, left, right, LUA_OPLT) != 0;
}

/* Moves the key at `at` down the heap of the first `count` keys of the list at `list`. */
static void sift(lua_State *state, int list, lua_Integer at, lua_Integer count)
{
    for (lua_Integer child; (child = 2 * at) <= count; at = child) {
        lua_rawgeti(state, list, child);
        if (child < count) {
            lua_rawgeti(state, list, child + 1);
            if (precedes(state, -2, -1)) {
                child++;
                lua_remove(state, -2);
            } else {
                lua_pop(state, 1);
            }
        }
        lua_rawgeti(state, list, at);
        if (!precedes(state, -1, -2)) {
            lua_pop(state, 2);
            return;
        }
        lua_rawseti(state, list, child);
        lua_rawseti(state, list, at);
    }
}

/* Next key of pairs(): upvalues: keys in their order, number of the last one. */
static int next_of_keys(lua_State *state)
{
    lua_Integer number = lua_tointeger(state, lua_upvalueindex(2)) + 1;
    lua_pushinteger(state, number);
    lua_replace(state, lua_upvalueindex(2));
    lua_rawgeti(state, lua_upvalueindex(1), number);
    if (lua_isnil(state, -1)) {
        return 1;
    }
    lua_pushvalue(state, -1);
    lua_rawget(state, 1);
    return 2;
}

/* pairs(table): in the order of the keys, as of the begin of the loop. */
static int pairs_in_order(lua_State *state)
{
    luaL_checktype(state, 1, LUA_TTABLE);
    lua_settop(state, 1);
    lua_newtable(state);
    lua_Integer count = 0;
    lua_pushnil(state);
    while (lua_next(state, 1) != 0) {
        lua_pop(state, 1);
        int type = lua_type(state, -1);
        if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN) {
            return luaL_error(state, "pairs: a key is a %s, which has no order",
                              lua_typename(state, type));
        }
        lua_pushvalue(state, -1);
        lua_rawseti(state, 2, ++count);
    }
    fm_sandbox_charge(state, (uint64_t)count * 2);
    luaL_checkstack(state, 8, NULL);
    for (lua_Integer i = count / 2; i > 0; i--) {
        sift(state, 2, i, count);
    }
    for (lua_Integer end = count; end > 1; end--) {
        lua_rawgeti(state, 2, 1);
        lua_rawgeti(state, 2, end);
        lua_rawseti(state, 2, 1);
        lua_rawseti(state, 2, end);
        sift(state, 2, 1, end - 1);
    }
    lua_pushinteger(state, 0);
    lua_pushcclosure(state, next_of_keys, 2);
    lua_pushvalue(state, 1);
    lua_pushnil(state);
    return 3;
}

/* Copies functions of the table at the top to the table below it. */
static void copy_functions(lua_State *state, const char *const *names)
{
    for (; *names != NULL; names++) {
        lua_getfield(state, -1, *names);
        lua_setfield(state, -3, *names);
    }
}

/* Wraps the function `name` of the table at the top: sets it in the table below. */
static void wrap(lua_State *state, const char *name, lua_CFunction function)
{
    lua_getfield(state, -1, name);
    lua_pushcclosure(state, function, 1);
    lua_setfield(state, -3, name);
}

/* Opens a library: pushes a new table and the complete library. */
static void open_original(lua_State *state, const char *name, lua_CFunction open)
{
    lua_newtable(state);
    luaL_requiref(state, name, open, 0);
}

void fm_sandbox_open_library(lua_State *state)
{
    lua_newtable(state); /* the globals */
    luaL_requiref(state, LUA_GNAME, luaopen_base, 0);
    copy_functions(state, base_functions);
    lua_pop(state, 1);
    lua_pushcfunction(state, value_to_text);
    lua_setfield(state, -2, "tostring");
    lua_pushcfunction(state, pairs_in_order);
    lua_setfield(state, -2, "pairs");
    lua_pushcfunction(state, contains);
    lua_setfield(state, -2, "contains");

    open_original(state, LUA_STRLIBNAME, luaopen_string);
    copy_functions(state, string_functions);
    wrap(state, "format", format_text);
    lua_pop(state, 1);
    lua_pushliteral(state, ""); /* ("x"):len() finds the same functions */
    if (lua_getmetatable(state, -1)) {
        lua_pushvalue(state, -3);
        lua_setfield(state, -2, "__index");
        lua_pop(state, 1);
    }
    lua_pop(state, 1);
    lua_setfield(state, -2, LUA_STRLIBNAME);

    open_original(state, LUA_TABLIBNAME, luaopen_table);
    copy_functions(state, table_functions);
    wrap(state, "concat", call_on_list);
    wrap(state, "insert", call_on_list);
    wrap(state, "remove", call_on_list);
    lua_pop(state, 1);
    lua_setfield(state, -2, LUA_TABLIBNAME);

    open_original(state, LUA_MATHLIBNAME, luaopen_math);
    copy_functions(state, math_functions);
    lua_pop(state, 1);
    lua_setfield(state, -2, LUA_MATHLIBNAME);

    /* The globals of the complete libraries become unreachable. */
    lua_rawseti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    lua_pushnil(state);
    lua_setfield(state, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}
