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
    static const struct {
        const char *name;
        fm_unit_t unit;
    } units[] = {
        {"time", FM_UNIT_TICKS}, {"occurrences", FM_UNIT_OCCURRENCES}, {"bytes", FM_UNIT_BYTES}};
    char *text = NULL;
    fm_status_t status = take_text(script, state, "unit", NULL, &text, error);
    bool found = false;
    for (size_t i = 0; status == FM_OK && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].name) == 0) {
            script->unit = units[i].unit;
            found = true;
        }
    }
    if (status == FM_OK && !found) {
        status = wrong(script, error, "is none of time, occurrences, bytes", "unit");
    }
    fm_free(text);
    return status;
}

static fm_status_t take_confidence(struct fm_script *script, lua_State *state,
                                   struct fm_error *error)
{
    fm_status_t status = take_text(script, state, "confidence", NULL, &script->confidence, error);
    if (status == FM_OK && strcmp(script->confidence, "low") != 0 &&
        strcmp(script->confidence, "medium") != 0 && strcmp(script->confidence, "high") != 0) {
        status = wrong(script, error, "is none of low, medium, high", "confidence");
    }
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
        const char *key = lua_tostring(state, -2);
        int kind = 0;
        while (kind < FM_EVENT_KINDS && strcmp(key, fm_event_name((fm_event_kind_t)kind)) != 0) {
            kind++;
        }
        if (kind < FM_EVENT_KINDS) {
            script->takes[kind] = true;
        } else {
            fm_vector_push(
                &script->instances,
                (struct fm_script_instances){fm_copy_string(key), FM_METRIC_NONE, FM_SCRIPT_NONE});
        }
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

fm_status_t fm_script_declare(struct fm_script *script, struct fm_error *error)
{
    struct fm_execution execution = {.script = script};
    fm_status_t status = fm_interpreter_open(&execution, error);
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
