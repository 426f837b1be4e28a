/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/analysis_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT (1u << 24)

/* @return the content of a text file, to be freed with fm_free(); NULL: `*status` is the reason */
static char *read_text(const char *path, fm_status_t *status, struct fm_error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        *status = fm_fail(error, FM_ERR_SYSTEM, "--partition: %s: cannot open: %m", path);
        return NULL;
    }
    FM_VECTOR(char) text = {0};
    size_t taken;
    do {
        fm_vector_reserve(&text, 4097);
        taken = fread(text.items + text.count, 1, 4096, file);
        text.count += taken;
    } while (taken > 0 && text.count < FILE_LIMIT);
    bool failed = ferror(file) != 0;
    fclose(file);
    text.items[text.count] = '\0';
    if (failed || text.count >= FILE_LIMIT || strlen(text.items) != text.count) {
        *status = failed ? fm_fail(error, FM_ERR_SYSTEM, "--partition: %s: cannot read: %m", path)
                         : fm_fail(error, FM_ERR_DATA, "--partition: %s: no text file", path);
        fm_vector_free(&text);
        return NULL;
    }
    return text.items;
}

static fm_status_t set_partitions(struct fm_chosen_options *chosen, const char *value,
                                  struct fm_error *error)
{
    struct fm_error reason;
    char *text = NULL;
    fm_status_t status = FM_OK;
    fm_partitions_free(&chosen->partitions);
    if (value[0] == '@') {
        text = read_text(value + 1, &status, error);
        if (text == NULL) {
            return status;
        }
    }
    status = fm_partitions_parse(text != NULL ? text : value, &chosen->partitions, &reason);
    if (status != FM_OK) {
        fm_fail(error, status, "--partition: %s%s%.900s", text != NULL ? value + 1 : "",
                text != NULL ? ": " : "", reason.message);
        status = text != NULL ? FM_ERR_DATA : status;
    }
    chosen->options.partitions = &chosen->partitions;
    fm_free(text);
    return status;
}

static fm_status_t set_clock(struct fm_chosen_options *chosen, const char *value,
                             struct fm_error *error)
{
    static const char *const modes[] = {
        [FM_CUBE_CLOCK_LINEAR] = "linear",
        [FM_CUBE_CLOCK_LOGICAL] = "clc",
        [FM_CUBE_CLOCK_NONE] = "none",
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(value, modes[i]) == 0) {
            chosen->options.clock = (fm_cube_clock_mode_t)i;
            return FM_OK;
        }
    }
    return fm_fail(error, FM_ERR_USAGE, "--clock needs linear, clc or none");
}

fm_status_t fm_chosen_options_set(struct fm_chosen_options *chosen, const char *name,
                                  const char *value, struct fm_error *error)
{
    if (strcmp(name, "partition") == 0) {
        return set_partitions(chosen, value, error);
    }
    if (strcmp(name, "critical-path") == 0) {
        chosen->options.path_from_init_to_finalize = strcmp(value, "init-finalize") == 0;
        return chosen->options.path_from_init_to_finalize || strcmp(value, "run") == 0
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE, "--critical-path needs run or init-finalize");
    }
    if (strcmp(name, "progress") == 0) {
        chosen->options.asynchronous_progress = strcmp(value, "async") == 0;
        chosen->options.progress_by_targets = strcmp(value, "target") == 0;
        return chosen->options.asynchronous_progress || chosen->options.progress_by_targets ||
                       strcmp(value, "evidence") == 0
                   ? FM_OK
                   : fm_fail(error, FM_ERR_USAGE, "--progress needs evidence, target or async");
    }
    if (strcmp(name, "clock") == 0) {
        return set_clock(chosen, value, error);
    }
    return fm_fail(error, FM_ERR_USAGE, "there is no option --%.100s", name);
}

void fm_chosen_options_free(struct fm_chosen_options *chosen)
{
    fm_partitions_free(&chosen->partitions);
}
