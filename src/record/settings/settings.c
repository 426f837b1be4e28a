/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/settings/settings.h"

#include "base/memory.h"
#include "counters/catalogue.h"
#include "record/gpu_option.h"
#include "record/sampling/sample_rate.h"
#include "record/selection/thinning.h"
#include "record/settings/configuration_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const struct fm_setting fm_settings_known[FM_SETTING_COUNT] = {
#define FM_SETTING(identifier, name, letter, argument, variable, otherwise, refuse, help)          \
    {name, letter, argument, "FERMATA_" variable, otherwise, refuse, help},
#include "record/settings/settings.def"
#undef FM_SETTING
};

/* The canonical text of a switch; NULL: neither yes nor no. */
static const char *switched(const char *text)
{
    static const char *const words[][2] = {
        {"1", "0"}, {"yes", "no"}, {"true", "false"}, {"on", "off"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (size_t off = 0; off < 2; off++) {
            if (strcasecmp(text, words[i][off]) == 0) {
                return words[0][off];
            }
        }
    }
    return NULL;
}

/* The origin of a value of a file is a line; all other origins name the setting. */
static bool is_of_file(enum fm_setting_source source)
{
    return source == FM_SET_BY_FILE || source == FM_SET_BY_USER_FILE;
}

fm_status_t fm_settings_set(struct fm_settings *settings, enum fm_setting_id id, const char *text,
                            enum fm_setting_source source, const char *origin,
                            struct fm_error *error)
{
    const struct fm_setting *setting = &fm_settings_known[id];
    struct fm_setting_value *value = &settings->values[id];
    const char *wanted = text[0] == '\0'           ? "a value"
                         : setting->refuse != NULL ? setting->refuse(text)
                                                   : NULL;
    if (setting->argument == NULL && wanted == NULL) {
        text = switched(text);
        wanted = text == NULL ? "yes or no" : NULL;
    }
    if (wanted != NULL) {
        return is_of_file(source)
                   ? fm_fail(error, FM_ERR_USAGE, "%s: %s needs %s", origin, setting->name, wanted)
                   : fm_fail(error, FM_ERR_USAGE, "%s needs %s", origin, wanted);
    }
    if (source >= value->source) {
        fm_free(value->text);
        fm_free(value->origin);
        *value = (struct fm_setting_value){fm_copy_string(text), fm_copy_string(origin), source};
    }
    return FM_OK;
}

enum fm_setting_id fm_setting_named(const char *name, size_t length)
{
    int id = 0;
    while (id < FM_SETTING_COUNT && (strlen(fm_settings_known[id].name) != length ||
                                     memcmp(fm_settings_known[id].name, name, length) != 0)) {
        id++;
    }
    return (enum fm_setting_id)id;
}

static fm_status_t load_environment(struct fm_settings *settings, struct fm_error *error)
{
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        const char *variable = fm_settings_known[id].variable;
        const char *text = getenv(variable);
        if (text != NULL && text[0] != '\0') {
            fm_status_t status = fm_settings_set(settings, (enum fm_setting_id)id, text,
                                                 FM_SET_BY_ENVIRONMENT, variable, error);
            if (status != FM_OK) {
                return status;
            }
        }
    }
    return FM_OK;
}

/* Path of the user's configuration file, to be freed; NULL: neither variable gives a folder. */
static char *user_file(void)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    bool good =
        folder != NULL && folder[0] == '/' ? asprintf(&path, "%s/fermata/config", folder) >= 0
        : home != NULL && home[0] == '/'   ? asprintf(&path, "%s/.config/fermata/config", home) >= 0
                                           : false;
    return good ? path : NULL;
}

static fm_status_t load_if_there(struct fm_settings *settings, const char *path,
                                 enum fm_setting_source source, struct fm_error *error)
{
    return path != NULL && access(path, F_OK) == 0
               ? fm_configuration_read(path, settings, source, error)
               : FM_OK;
}

fm_status_t fm_settings_load(struct fm_settings *settings, const char *file, struct fm_error *error)
{
    const char *named = file != NULL ? file : getenv("FERMATA_CONFIG");
    fm_status_t status = load_environment(settings, error);
    if (status != FM_OK) {
        return status;
    }
    if (named != NULL && (file != NULL || named[0] != '\0')) {
        return fm_configuration_read(named, settings, FM_SET_BY_FILE, error);
    }
    status = load_if_there(settings, ".fermata.conf", FM_SET_BY_FILE, error);
    if (status == FM_OK) {
        char *path = user_file();
        status = load_if_there(settings, path, FM_SET_BY_USER_FILE, error);
        free(path);
    }
    return status;
}

/* How messages name a setting and its value. */
struct named_value {
    char text[160];
};

/* Names a setting, and its value if `with_text`: `--counters none`, `counters none (run.conf:1)`.
 */
static struct named_value name_value(const struct fm_settings *settings, enum fm_setting_id id,
                                     bool with_text)
{
    const struct fm_setting_value *value = &settings->values[id];
    struct named_value named;
    bool is_file = is_of_file(value->source);
    snprintf(named.text, sizeof named.text, "%.60s%s%.40s%s%.50s%s",
             is_file ? fm_settings_known[id].name : value->origin, with_text ? " " : "",
             with_text ? value->text : "", is_file ? " (" : "", is_file ? value->origin : "",
             is_file ? ")" : "");
    return named;
}

fm_status_t fm_settings_agree(const struct fm_settings *settings, struct fm_error *error)
{
    const struct fm_setting_value *sample = &settings->values[FM_SETTING_SAMPLE];
    const struct fm_setting_value *callpath = &settings->values[FM_SETTING_CALLPATH];
    uint64_t limit;
    bool samples = sample->text != NULL && fm_sample_rate(sample->text) > 0;
    if (samples && callpath->text != NULL && strcmp(callpath->text, "flat") == 0) {
        return fm_fail(error, FM_ERR_USAGE, "samples (%s) need call paths: remove %s",
                       sample->origin, name_value(settings, FM_SETTING_CALLPATH, true).text);
    }
    const struct fm_setting_value *only = &settings->values[FM_SETTING_COUNTERS_ONLY];
    const struct fm_setting_value *list = &settings->values[FM_SETTING_COUNTERS];
    const struct fm_setting_value *ring = &settings->values[FM_SETTING_FLIGHT_RECORDER];
    bool is_only = only->text != NULL && strcmp(only->text, "1") == 0;
    if (is_only && list->text != NULL && fm_counter_list_is_none(list->text)) {
        return fm_fail(error, FM_ERR_USAGE, "%s needs counters: remove %s",
                       name_value(settings, FM_SETTING_COUNTERS_ONLY, false).text,
                       name_value(settings, FM_SETTING_COUNTERS, true).text);
    }
    if (is_only && ring->text != NULL) {
        return fm_fail(error, FM_ERR_USAGE, "%s keeps no records: remove %s",
                       name_value(settings, FM_SETTING_COUNTERS_ONLY, false).text,
                       name_value(settings, FM_SETTING_FLIGHT_RECORDER, false).text);
    }
    const struct fm_setting_value *gpu = &settings->values[FM_SETTING_GPU];
    if (fm_gpu_is_selected(gpu->text) && ring->text != NULL) {
        return fm_fail(error, FM_ERR_USAGE, "%s keeps no work of accelerators: remove %s",
                       name_value(settings, FM_SETTING_FLIGHT_RECORDER, false).text,
                       name_value(settings, FM_SETTING_GPU, false).text);
    }
    const struct fm_setting_value *snapshot = &settings->values[FM_SETTING_SNAPSHOT];
    if (snapshot->text != NULL && !is_only && fm_counter_list_is_none(list->text)) {
        return fm_fail(error, FM_ERR_USAGE, "%s needs counters: add --counters",
                       name_value(settings, FM_SETTING_SNAPSHOT, false).text);
    }
    const enum fm_setting_id users[] = {FM_SETTING_HOOKS, FM_SETTING_COUNTERS_MPIT,
                                        FM_SETTING_COUNTERS_SDE, FM_SETTING_SIZE_BINS};
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        const struct fm_setting_value *user = &settings->values[users[i]];
        bool is_used = user->text != NULL &&
                       (users[i] == FM_SETTING_SIZE_BINS || strcmp(user->text, "1") == 0);
        if (is_used && !is_only && fm_counter_list_is_none(list->text)) {
            return fm_fail(error, FM_ERR_USAGE, "%s needs counters: add --counters",
                           name_value(settings, users[i], false).text);
        }
    }
    const struct fm_setting_value *size = &settings->values[FM_SETTING_MAX_SIZE];
    const struct fm_setting_value *flight = &settings->values[FM_SETTING_FLIGHT_RECORDER];
    bool is_limited =
        size->text != NULL && fm_max_size_read(size->text, &limit) && limit != UINT64_MAX;
    if (is_limited && flight->text != NULL && size->source >= flight->source) {
        return fm_fail(error, FM_ERR_USAGE,
                       "the size of the flight recorder (%s) is the limit: remove %s",
                       flight->origin, name_value(settings, FM_SETTING_MAX_SIZE, false).text);
    }
    return FM_OK;
}

void fm_settings_export(const struct fm_settings *settings)
{
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        if (settings->values[id].text != NULL) {
            setenv(fm_settings_known[id].variable, settings->values[id].text, 1);
        }
    }
}

void fm_settings_free(struct fm_settings *settings)
{
    for (int id = 0; id < FM_SETTING_COUNT; id++) {
        fm_free(settings->values[id].text);
        fm_free(settings->values[id].origin);
    }
    *settings = (struct fm_settings){0};
}
