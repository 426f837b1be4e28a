/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/lua/declaration.h"

#include "patterns/lua/script_interpreter.h"

#include <stdlib.h>
#include <string.h>

static fm_status_t wrong(const struct fm_script *script, struct fm_error *error, const char *what,
                         const char *key)
{
    return fm_fail(error, FM_ERR_DATA, "%s: the table of the pattern: '%.100s' %s", script->path,
                   key, what);
}

/* Takes the text `key` of the table at the top. @param otherwise  NULL: it must be there */
static fm_status_t take_text(struct fm_script *script, lua_State *state, const char *key,
                             const char *otherwise, char **text, struct fm_error *error)
{
    lua_pushstring(state, key);
    lua_rawget(state, -2);
    fm_status_t status = FM_OK;
    if (lua_type(state, -1) == LUA_TSTRING) {
        *text = fm_copy_string(lua_tostring(state, -1));
        status =
            **text == '\0' && otherwise == NULL ? wrong(script, error, "is empty", key) : FM_OK;
    } else if (!lua_isnil(state, -1)) {
        status = wrong(script, error, "is no text", key);
    } else if (otherwise == NULL) {
        status = wrong(script, error, "is missing", key);
    } else {
        *text = fm_copy_string(otherwise);
    }
    lua_pop(state, 1);
    return status;
}

static fm_status_t take_unit(struct fm_script *script, lua_State *state, struct fm_error *error)
{
    char *text = NULL;
    fm_status_t status = take_text(script, state, "unit", NULL, &text, error);
    if (status == FM_OK && !fm_script_set_unit(script, text)) {
        status = wrong(script, error, "is none of time, occurrences, bytes", "unit");
    }
    fm_free(text);
    return status;
}

static fm_status_t take_confidence(struct fm_script *script, lua_State *state,
                                   struct fm_error *error)
{
    char *text = NULL;
    fm_status_t status = take_text(script, state, "confidence", NULL, &text, error);
    if (status == FM_OK && !fm_script_set_confidence(script, text)) {
        status = wrong(script, error, "is none of low, medium, high", "confidence");
    }
    fm_free(text);
    return status;
}

static int compare_instances(const void *left, const void *right)
{
    const struct fm_script_instances *a = left, *b = right;
    return strcmp(a->id, b->id);
}

/* Takes the subscriptions from the table at the top. */
static fm_status_t take_subscriptions(struct fm_script *script, lua_State *state,
                                      struct fm_error *error)
{
    lua_pushnil(state);
    while (lua_next(state, -2) != 0) {
        if (lua_type(state, -2) != LUA_TSTRING || lua_type(state, -1) != LUA_TFUNCTION) {
            return wrong(script, error, "is not a table of functions", "on");
        }
        fm_script_subscribe(script, lua_tostring(state, -2));
        lua_pop(state, 1);
    }
    if (script->instances.count > 1) { /* the order of a table differs */
        qsort(script->instances.items, script->instances.count, sizeof *script->instances.items,
              compare_instances);
    }
    return FM_OK;
}

static fm_status_t take_functions(struct fm_script *script, lua_State *state,
                                  struct fm_error *error)
{
    lua_pushliteral(state, "on");
    lua_rawget(state, -2);
    fm_status_t status = lua_type(state, -1) != LUA_TTABLE
                             ? wrong(script, error, "is not a table of functions", "on")
                             : take_subscriptions(script, state, error);
    if (status != FM_OK) {
        return status;
    }
    lua_pop(state, 1);
    static const char *const optional[] = {"combine", "finish"};
    for (int i = 0; i < 2; i++) {
        lua_pushstring(state, optional[i]);
        lua_rawget(state, -2);
        if (!lua_isnil(state, -1) && lua_type(state, -1) != LUA_TFUNCTION) {
            return wrong(script, error, "is no function", optional[i]);
        }
        script->combines = script->combines || (i == 0 && !lua_isnil(state, -1));
        lua_pop(state, 1);
    }
    return FM_OK;
}

/* A misspelt key would be ignored without a message. */
static fm_status_t check_keys(struct fm_script *script, lua_State *state, struct fm_error *error)
{
    static const char *const keys[] = {"id",          "name",    "unit",      "parent",
                                       "description", "formula", "on",        "finish",
                                       "combine",     "advice",  "confidence"};
    lua_pushnil(state);
    while (lua_next(state, -2) != 0) {
        lua_pop(state, 1);
        const char *key = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1) : "?";
        bool known = false;
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            known = known || strcmp(key, keys[i]) == 0;
        }
        if (!known) {
            return wrong(script, error, "is no key of a pattern", key);
        }
    }
    return FM_OK;
}

static fm_status_t take_declaration(struct fm_script *script, lua_State *state,
                                    struct fm_error *error)
{
    fm_status_t status = check_keys(script, state, error);
    if (status == FM_OK) {
        status = take_text(script, state, "id", NULL, &script->id, error);
    }
    if (status == FM_OK) {
        status = take_text(script, state, "name", NULL, &script->name, error);
    }
    if (status == FM_OK) {
        status = take_text(script, state, "description", NULL, &script->description, error);
    }
    if (status == FM_OK) {
        status = take_text(script, state, "formula", "", &script->formula, error);
    }
    if (status == FM_OK) {
        status = take_text(script, state, "advice", "", &script->advice, error);
    }
    if (status == FM_OK) {
        status = take_text(script, state, "parent", "", &script->parent_id, error);
    }
    if (status == FM_OK) {
        status = take_unit(script, state, error);
    }
    if (status == FM_OK) {
        status = take_confidence(script, state, error);
    }
    return status == FM_OK ? take_functions(script, state, error) : status;
}

fm_status_t fm_lua_declare(struct fm_script *script, struct fm_error *error)
{
    struct fm_interpreter execution = {.base.script = script};
    fm_status_t status = fm_script_read(script, error);
    if (status != FM_OK) {
        return status;
    }
    status = fm_interpreter_open(&execution, error);
    for (size_t i = 0; status == FM_OK && i < script->parameters.count; i++) {
        if (!execution.asked[i]) {
            status = fm_fail(error, FM_ERR_USAGE, "--pattern: %s has no parameter '%s'",
                             script->path, script->parameters.items[i].name);
        }
    }
    if (status == FM_OK) {
        status = take_declaration(script, execution.sandbox.state, error);
    }
    fm_interpreter_close(&execution);
    return status;
}
