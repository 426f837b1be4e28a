/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_objects.h"

#include "record/archive/object_definitions.h"
#include "record/journal/journal.h"
#include "record/session/session.h"
#include "record/session/session_paradigms.h"
#include "record/stack/modules.h"
#include "record/stack/resolve.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- at the end of the run ---- */

/* The objects that were reported. */
struct naming {
    struct fm_variable *variables;
    uint32_t *ids;
    size_t count, room;
    bool failed;
};

static void collect(void *context, uint32_t id, uint64_t address)
{
    struct naming *naming = context;
    if (naming->count == naming->room) {
        size_t room = naming->room != 0 ? 2 * naming->room : 64;
        struct fm_variable *variables = realloc(naming->variables, room * sizeof *variables);
        naming->variables = variables != NULL ? variables : naming->variables;
        uint32_t *ids = realloc(naming->ids, room * sizeof *ids);
        naming->ids = ids != NULL ? ids : naming->ids;
        if (variables == NULL || ids == NULL) {
            naming->failed = true;
            return;
        }
        naming->room = room;
    }
    int module = fm_modules_find(address);
    naming->variables[naming->count] = (struct fm_variable){
        .address = address,
        .file = module >= 0 ? (uint32_t)module : FM_VARIABLE_NO_FILE,
        .base = module >= 0 ? fm_modules_get((uint32_t)module)->base : 0,
    };
    naming->ids[naming->count++] = id;
}

/* @return the loaded files, to be freed; NULL: no memory */
static struct fm_variable_file *list_files(uint32_t *count)
{
    *count = fm_modules_count();
    struct fm_variable_file *files = calloc(*count + (size_t)1, sizeof *files);
    for (uint32_t i = 0; files != NULL && i < *count; i++) {
        const struct fm_module *module = fm_modules_get(i);
        files[i] =
            (struct fm_variable_file){module->path, module->build_id, module->build_id_length};
    }
    return files;
}

bool fm_session_define_objects(struct fm_definitions *set, uint32_t rank)
{
    char helper[PATH_MAX];
    uint32_t file_count;
    struct naming naming = {.variables = NULL};
    fm_session_report_objects(collect, &naming, false);
    struct fm_variable_file *files = list_files(&file_count);
    bool good = files != NULL && !naming.failed;
    if (good) {
        fm_resolve_own_helper(helper, sizeof helper);
        fm_variables_name(naming.variables, naming.count, files, file_count, helper);
        fm_variables_search(naming.variables, naming.count, files);
        good = fm_objects_define(set, rank, naming.ids, naming.variables, naming.count);
    }
    for (size_t i = 0; i < naming.count; i++) {
        free(naming.variables[i].name);
    }
    free(naming.variables);
    free(naming.ids);
    free(files);
    return good;
}

/* ---- to the journal ---- */

/* New objects. Guarded by the session's lock. */
static struct {
    bool has_module[FM_MODULES_MOST]; /* the journal has the file */
    struct fm_journal_object items[256];
    size_t count;
    bool failed;
} saving;

static void write_items(void)
{
    saving.failed =
        saving.failed || (saving.count != 0 && !fm_journal_objects(saving.items, saving.count));
    saving.count = 0;
}

static void save_module(uint32_t number)
{
    const struct fm_module *module = fm_modules_get(number);
    struct fm_journal_module block = {.number = number, .build_id_length = module->build_id_length};
    memcpy(block.build_id, module->build_id, module->build_id_length);
    if (!saving.has_module[number]) {
        saving.has_module[number] =
            fm_journal_module(&block, module->path != NULL ? module->path : "");
        saving.failed = saving.failed || !saving.has_module[number];
    }
}

static void save(void *context, uint32_t id, uint64_t address)
{
    (void)context;
    int module = fm_modules_find(address);
    struct fm_journal_object *item = &saving.items[saving.count++];
    *item = (struct fm_journal_object){.id = id, .module = FM_DEFINE_NONE, .address = address};
    if (module >= 0) {
        item->module = (uint32_t)module;
        item->base = fm_modules_get((uint32_t)module)->base;
        save_module((uint32_t)module);
    }
    if (saving.count == sizeof saving.items / sizeof saving.items[0]) {
        write_items();
    }
}

bool fm_session_note_object(uint32_t id, uint64_t address)
{
    bool good = false;
    if (fm_journal_takes_notes() && fm_lock_try(&fm_session.lock)) {
        saving.failed = false;
        save(NULL, id, address);
        write_items();
        good = !saving.failed;
        fm_unlock(&fm_session.lock);
    }
    return good;
}

bool fm_session_journal_objects(void)
{
    saving.failed = false;
    fm_session_report_objects(save, NULL, true);
    write_items();
    return !saving.failed;
}
