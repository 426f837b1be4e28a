/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/environment.h"

#include "base/recorder_costs.h"
#include "base/text.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Path of a file in the folder of an archive, to be freed; NULL without memory. */
static char *path_beside(const char *archive, const char *name)
{
    struct stat status;
    char *path = NULL;
    if (stat(archive, &status) == 0 && !S_ISDIR(status.st_mode)) {
        const char *slash = strrchr(archive, '/');
        int length = slash == NULL ? 0 : (int)(slash - archive + 1);
        return asprintf(&path, "%.*s%s", length, archive, name) < 0 ? NULL : path;
    }
    return asprintf(&path, "%s/%s", archive, name) < 0 ? NULL : path;
}

json_t *fm_environment_load(const char *archive)
{
    char *path = path_beside(archive, "environment.json");
    json_t *environment = path == NULL ? NULL : json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    free(path);
    if (environment != NULL && !json_is_object(environment)) {
        json_decref(environment);
        environment = NULL;
    }
    return environment;
}

char *fm_environment_damage(const char *archive)
{
    char *path = path_beside(archive, "environment.json"), *damage = NULL;
    json_error_t reason = {.line = -1, .text = "it is no object"};
    struct stat status;
    if (path != NULL && stat(path, &status) == 0) {
        json_t *content = json_load_file(path, JSON_REJECT_DUPLICATES, &reason);
        if (!json_is_object(content) &&
            asprintf(&damage,
                     "environment.json cannot be read (%s): not known are the command, whether the "
                     "run is complete, doubts about its clocks and what recording has cost",
                     content != NULL ? "it is no object" : reason.text) < 0) {
            damage = NULL;
        }
        json_decref(content);
    }
    free(path);
    return damage;
}

fm_status_t fm_environment_warn(const char *archive, struct fm_cube *cube, struct fm_error *error)
{
    char *damage = fm_environment_damage(archive);
    bool is_known = damage == NULL;
    for (uint32_t i = 0; i < cube->warning_count && !is_known; i++) {
        is_known = strncmp(cube->warnings[i], damage, strlen(damage)) == 0;
    }
    fm_status_t status = is_known ? FM_OK : fm_cube_warn_omission(cube, error, "%s.", damage);
    free(damage);
    return status;
}

uint32_t fm_environment_overhead(const json_t *environment)
{
    const json_t *recorder = json_object_get(environment, "recorder");
    const json_t *percent = json_object_get(recorder, "overhead_percent");
    const double millionths = json_is_number(percent) ? 1e4 * json_number_value(percent) : -1;
    return millionths < 0 ? 0 : (uint32_t)fmax(1, fmin(millionths, UINT32_MAX));
}

bool fm_environment_overhead_is_least(const json_t *environment)
{
    return json_is_true(
        json_object_get(json_object_get(environment, "recorder"), "overhead_is_least"));
}

uint32_t fm_environment_costliest(const json_t *environment)
{
    static const char *const names[] = {
#define FM_COST_NAME(symbol, name, noun, advice) name,
        FM_RECORDER_COSTS(FM_COST_NAME)
#undef FM_COST_NAME
    };
    const json_t *costs = json_object_get(json_object_get(environment, "recorder"), "costs");
    uint32_t costliest = 0;
    double most = 0;
    for (uint32_t i = 0; i < FM_RECORDER_COST_COUNT; i++) {
        const double seconds = json_number_value(json_object_get(costs, names[i]));
        if (seconds > most) {
            most = seconds;
            costliest = i + 1;
        }
    }
    return costliest;
}

uint32_t fm_environment_sample_rate(const json_t *environment)
{
    const json_t *sampling = json_object_get(environment, "sampling");
    const json_t *rate = json_object_get(sampling, "obtained_hertz");
    const double thousandths = json_is_number(rate) ? 1e3 * json_number_value(rate) : 0;
    return thousandths > 0 ? (uint32_t)fmax(1, fmin(thousandths, UINT32_MAX)) : 0;
}

char *fm_environment_command(const json_t *environment)
{
    const json_t *words = json_object_get(environment, "command");
    char *command = NULL;
    size_t index, length = 0;
    json_t *value;
    json_array_foreach(words, index, value)
    {
        const char *text = json_string_value(value);
        char *word = text == NULL ? NULL : fm_text_shell_word(text);
        char *longer =
            word == NULL ? NULL : realloc(command, length + strlen(word) + 2 /* blank, end */);
        if (longer == NULL) {
            free(word);
            free(command);
            return NULL;
        }
        command = longer;
        length += (size_t)sprintf(command + length, index == 0 ? "%s" : " %s", word);
        free(word);
    }
    return command;
}

/* Writes a new file, never what a link leads to, and puts it in place of the old one. */
static fm_status_t replace(const char *path, json_t *environment, struct fm_error *error)
{
    char *next = NULL;
    if (asprintf(&next, "%s.new", path) < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    unlink(next);
    int file = open(next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = file >= 0 && json_dumpfd(environment, file, JSON_INDENT(2)) == 0;
    if (file >= 0 && close(file) != 0) {
        good = false;
    }
    fm_status_t status = FM_OK;
    if (!good || rename(next, path) != 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write %s: %m", path);
        unlink(next);
    }
    free(next);
    return status;
}

fm_status_t fm_environment_set(const char *archive, const char *key, const char *text,
                               struct fm_error *error)
{
    fm_status_t status = FM_OK;
    json_t *environment = fm_environment_load(archive);
    const char *before = json_string_value(json_object_get(environment, key));
    char *path = path_beside(archive, "environment.json");
    if (environment != NULL && path != NULL && (before == NULL || strcmp(before, text) != 0)) {
        json_object_set_new(environment, key, json_string(text));
        status = replace(path, environment, error);
    }
    free(path);
    json_decref(environment);
    return status;
}
