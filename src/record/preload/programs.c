/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/programs.h"

#include "record/experiment/experiment_note.h"
#include "record/experiment/obstacle.h"
#include "record/preload/start.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char variable[] = "LD_PRELOAD=";
static const char own_name[] = "libfermata-preload.so";

/* ---- the environment of the new program ---- */

static const char *const *find_preload(const char *const *items)
{
    while (items != NULL && *items != NULL && strncmp(*items, variable, sizeof variable - 1) != 0) {
        items++;
    }
    return items != NULL && *items != NULL ? items : NULL;
}

/* The word of LD_PRELOAD at the start of this process that names this library; NULL: the library
 * was loaded in another way, which the new program has nothing to do with. */
static const char *own_path(size_t *length)
{
    const char *const *item = find_preload((const char *const *)fm_preload_variables());
    const char *found = item != NULL ? strstr(*item, own_name) : NULL;
    if (found == NULL) {
        return NULL;
    }
    const char *begin = found;
    while (begin > *item + sizeof variable - 1 && begin[-1] != ':' && begin[-1] != ' ') {
        begin--;
    }
    *length = (size_t)(found - begin) + sizeof own_name - 1;
    return begin;
}

/* @return the items with this library behind the others in LD_PRELOAD; NULL without memory. The
 * memory is left to the new program, or lost if it cannot be started. */
static const char **with_own(const char *const *items, const char *const *preload)
{
    size_t length, count = 0;
    const char *path = own_path(&length);
    while (items[count] != NULL) {
        count++;
    }
    const size_t text = strlen(*preload) + length + 2;
    const char **copy = mmap(NULL, (count + 1) * sizeof *copy + text, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) {
        return NULL;
    }
    char *both = (char *)(copy + count + 1);
    memcpy(copy, items, count * sizeof *copy);
    snprintf(both, text, "%s:%.*s", *preload, (int)length, path);
    copy[preload - items] = both;
    return copy;
}

/* ---- why a program has no recorder ---- */

/* Notes why a program will not be recorded, if it will not. */
static void note(const char *name, bool is_searched, const char *const *preload)
{
    char path[PATH_MAX], text[PATH_MAX + 128];
    fm_program_find(name, is_searched, fm_preload_variable("PATH"), path);
    const char *reason =
        preload == NULL ? "LD_PRELOAD was removed from its environment" : fm_program_obstacle(path);
    if (reason != NULL) {
        snprintf(text, sizeof text, FM_NOTE_STARTED_WITHOUT, path, reason);
        fm_experiment_note(fm_preload_variable(FM_RESULT_FILE_VARIABLE), text);
    }
}

/* ---- the functions ---- */

static const struct {
    const char *name;
    const char *with_environment; /* the same function with one more argument, the environment */
    int program, environment;     /* the numbers of these arguments */
    bool is_searched;             /* the program is searched for in PATH */
} functions[] = {
    [FM_START_execve] = {"execve", "execve", 0, 2, false},
    [FM_START_execv] = {"execv", "execve", 0, -1, false},
    [FM_START_execvp] = {"execvp", "execvpe", 0, -1, true},
    [FM_START_execvpe] = {"execvpe", "execvpe", 0, 2, true},
    [FM_START_posix_spawn] = {"posix_spawn", "posix_spawn", 1, 5, false},
    [FM_START_posix_spawnp] = {"posix_spawnp", "posix_spawnp", 1, 5, true},
};

const char *fm_programs_start(enum fm_start_function function, uintptr_t *arguments)
{
    const int place = functions[function].environment;
    const char *const *items =
        place >= 0 ? (const char *const *)arguments[place] : (const char *const *)environ;
    const char *program = (const char *)arguments[functions[function].program];
    size_t length;
    if (program == NULL || own_path(&length) == NULL) {
        return functions[function].name;
    }
    const char *const *preload = find_preload(items);
    const bool is_empty = preload != NULL && (*preload)[sizeof variable - 1] == '\0';
    note(program, functions[function].is_searched, is_empty ? NULL : preload);
    if (preload == NULL || is_empty || strstr(*preload, own_name) != NULL) {
        return functions[function].name;
    }
    const char **changed = with_own(items, preload);
    if (changed == NULL) {
        return functions[function].name;
    }
    arguments[place >= 0 ? place : 2] = (uintptr_t)changed;
    return functions[function].with_environment;
}
