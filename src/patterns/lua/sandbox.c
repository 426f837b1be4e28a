/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/lua/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Steps between two calls of the hook. */
#define HOOK_STEPS 1000

/** Bytes that count as a step: copying memory takes time that steps of the interpreter do not show.
 */
#define BYTES_OF_STEP 64

/** The last resort against calls that take long in few steps. */
#define SECONDS_OF_CALL 60

/** Name of the script within the interpreter; replaced by its path in messages. */
#define CHUNK_NAME   "@F"
#define CHUNK_PREFIX "F:"

static uint64_t processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Memory is refused without an error that has a line: finds the line. */
static void note_refusal(struct fm_sandbox *sandbox)
{
    lua_Debug frame;
    for (int level = 0; sandbox->state != NULL && lua_getstack(sandbox->state, level, &frame) != 0;
         level++) {
        if (lua_getinfo(sandbox->state, "l", &frame) != 0 && frame.currentline > 0) {
            sandbox->refused_line = frame.currentline;
            return;
        }
    }
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size)
{
    struct fm_sandbox *sandbox = context;
    size_t before = block == NULL ? 0 : old_size;
    if (new_size == 0) {
        sandbox->memory -= before;
        free(block);
        return NULL;
    }
    if (new_size > before && sandbox->memory - before + new_size > FM_SANDBOX_MEMORY) {
        note_refusal(sandbox);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved == NULL) {
        return NULL;
    }
    sandbox->steps -= (int64_t)(new_size / BYTES_OF_STEP);
    sandbox->memory = sandbox->memory - before + new_size;
    return moved;
}

struct fm_sandbox *fm_sandbox_of(lua_State *state)
{
    struct fm_sandbox *sandbox;
    memcpy(&sandbox, lua_getextraspace(state), sizeof sandbox);
    return sandbox;
}

static void stop_long_call(lua_State *state, lua_Debug *frame)
{
    struct fm_sandbox *sandbox = fm_sandbox_of(state);
    sandbox->steps -= HOOK_STEPS;
    bool late = false;
    if (++sandbox->ticks % 64 == 0) {
        uint64_t now = processor_time();
        if (sandbox->deadline == 0) {
            sandbox->deadline = now + SECONDS_OF_CALL * UINT64_C(1000000000);
        }
        late = now > sandbox->deadline;
    }
    if (sandbox->steps >= 0 && !late) {
        return;
    }
    lua_getinfo(state, "l", frame);
    if (late) {
        lua_pushfstring(state, CHUNK_PREFIX "%d: stopped after %d s", frame->currentline,
                        SECONDS_OF_CALL);
    } else {
        lua_pushfstring(state, CHUNK_PREFIX "%d: stopped after %d steps in one call",
                        frame->currentline, FM_SANDBOX_STEPS);
    }
    lua_error(state);
}

void fm_sandbox_charge(lua_State *state, uint64_t steps)
{
    struct fm_sandbox *sandbox = fm_sandbox_of(state);
    sandbox->steps -= steps > FM_SANDBOX_STEPS ? FM_SANDBOX_STEPS : (int64_t)steps;
    if (sandbox->steps < 0) {
        luaL_error(state, "stopped after %d steps in one call", FM_SANDBOX_STEPS);
    }
}

static int open_library(lua_State *state)
{
    fm_sandbox_open_library(state);
    return 0;
}

static void begin_call(struct fm_sandbox *sandbox)
{
    sandbox->steps = FM_SANDBOX_STEPS;
    sandbox->deadline = 0; /* set by the hook: most calls are short */
    sandbox->refused_line = 0;
}

bool fm_sandbox_open(struct fm_sandbox *sandbox, const char *path)
{
    *sandbox = (struct fm_sandbox){.path = path};
    begin_call(sandbox);
    lua_State *state = lua_newstate(allocate, sandbox);
    if (state == NULL) {
        return false;
    }
    sandbox->state = state;
    memcpy(lua_getextraspace(state), &sandbox, sizeof sandbox);
    lua_pushcfunction(state, open_library);
    if (lua_pcall(state, 0, 0, 0) != LUA_OK) {
        fm_sandbox_close(sandbox);
        return false;
    }
    lua_sethook(state, stop_long_call, LUA_MASKCOUNT, HOOK_STEPS);
    return true;
}

void fm_sandbox_close(struct fm_sandbox *sandbox)
{
    if (sandbox->state != NULL) {
        lua_State *state = sandbox->state;
        sandbox->state = NULL;
        lua_close(state);
    }
}

/* Takes the error from the stack. */
static fm_status_t describe(struct fm_sandbox *sandbox, int status, struct fm_error *error)
{
    lua_State *state = sandbox->state;
    fm_status_t failed;
    if (status == LUA_ERRMEM) {
        failed = fm_fail(error, FM_ERR_DATA, "%s:%d: stopped: more than %zu MiB of memory",
                         sandbox->path, sandbox->refused_line, FM_SANDBOX_MEMORY >> 20);
    } else {
        const char *message = lua_type(state, -1) == LUA_TSTRING ? lua_tostring(state, -1)
                                                                 : "an error that is no text";
        bool placed = strncmp(message, CHUNK_PREFIX, strlen(CHUNK_PREFIX)) == 0;
        failed = fm_fail(error, FM_ERR_DATA, "%s:%s%.700s", sandbox->path, placed ? "" : " ",
                         placed ? message + strlen(CHUNK_PREFIX) : message);
    }
    lua_pop(state, 1);
    return failed;
}

fm_status_t fm_sandbox_compile(struct fm_sandbox *sandbox, const char *text, size_t size,
                               struct fm_error *error)
{
    begin_call(sandbox);
    int status = luaL_loadbufferx(sandbox->state, text, size, CHUNK_NAME, "t");
    return status == LUA_OK ? FM_OK : describe(sandbox, status, error);
}

fm_status_t fm_sandbox_call(struct fm_sandbox *sandbox, int arguments, int results,
                            struct fm_error *error)
{
    begin_call(sandbox);
    int status = lua_pcall(sandbox->state, arguments, results, 0);
    return status == LUA_OK ? FM_OK : describe(sandbox, status, error);
}
