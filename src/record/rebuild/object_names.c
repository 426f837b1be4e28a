/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the objects by which threads of a process have synchronized. */
#include "record/archive/object_definitions.h"
#include "record/rebuild/journal_load.h"
#include "record/rebuild/rebuild_run.h"

#include <stdlib.h>

/* @return the position of a file in the journal, or FM_VARIABLE_NO_FILE */
static uint32_t file_of(const struct fm_process_journal *journal, uint32_t module)
{
    for (size_t i = 0; i < journal->file_count; i++) {
        if (journal->files[i].module.number == module) {
            return (uint32_t)i;
        }
    }
    return FM_VARIABLE_NO_FILE;
}

bool fm_rebuild_define_objects(struct fm_process_journal *journal, const char *helper)
{
    size_t count = journal->object_count;
    struct fm_variable *variables = calloc(count + 1, sizeof *variables);
    uint32_t *ids = calloc(count + 1, sizeof *ids);
    struct fm_variable_file *files = calloc(journal->file_count + 1, sizeof *files);
    bool good = variables != NULL && ids != NULL && files != NULL;
    if (good) {
        for (size_t i = 0; i < journal->file_count; i++) {
            const struct fm_loaded_file *file = &journal->files[i];
            files[i] = (struct fm_variable_file){file->path, file->module.build_id,
                                                 file->module.build_id_length};
        }
        for (size_t i = 0; i < count; i++) {
            const struct fm_journal_object *object = &journal->objects[i];
            ids[i] = object->id;
            variables[i] = (struct fm_variable){.address = object->address,
                                                .file = file_of(journal, object->module),
                                                .base = object->base};
        }
        fm_variables_name(variables, count, files, journal->file_count, helper);
        good =
            fm_objects_define(&journal->definitions, journal->process.rank, ids, variables, count);
        for (size_t i = 0; i < count; i++) {
            free(variables[i].name);
        }
    }
    free(variables);
    free(ids);
    free(files);
    return good;
}
