/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/patterns.h"

#include "base/memory.h"
#include "cube/model/metric_id.h"
#include "patterns/selection.h"
#include "patterns/user_patterns.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static fm_status_t load_script(struct fm_user_patterns *patterns, const char *argument,
                               struct fm_error *error)
{
    struct fm_script script;
    fm_status_t status = fm_script_load(&script, argument, error);
    for (size_t i = 0; status == FM_OK && i < patterns->scripts.count; i++) {
        if (strcmp(patterns->scripts.items[i].id, script.id) == 0) {
            status = fm_fail(error, FM_ERR_USAGE, "--pattern: %s and %s have the same id '%s'",
                             patterns->scripts.items[i].path, script.path, script.id);
        }
    }
    if (status != FM_OK) {
        fm_script_free(&script);
        return status;
    }
    fm_vector_push(&patterns->scripts, script);
    return FM_OK;
}

static int is_script(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && end != NULL &&
           (strcmp(end, ".lua") == 0 || strcmp(end, ".so") == 0);
}

static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static fm_status_t load_directory(struct fm_user_patterns *patterns, const char *directory,
                                  struct fm_error *error)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_script, compare_names);
    if (count < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "--pattern: %s: cannot read: %m", directory);
    }
    fm_status_t status =
        count > 0 ? FM_OK
                  : fm_fail(error, FM_ERR_USAGE,
                            "--pattern: %s has no file that ends in .lua or .so", directory);
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (status == FM_OK && asprintf(&path, "%s/%s", directory, entries[i]->d_name) < 0) {
            fm_memory_exhausted();
        }
        if (status == FM_OK) {
            status = load_script(patterns, path, error);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static uint32_t find_script(const struct fm_user_patterns *patterns, const char *id)
{
    for (uint32_t i = 0; i < patterns->scripts.count; i++) {
        if (strcmp(patterns->scripts.items[i].id, id) == 0) {
            return i;
        }
    }
    return FM_SCRIPT_NONE;
}

/* Takes the scripts out that are not selected. */
static void select_scripts(struct fm_user_patterns *patterns,
                           struct fm_pattern_selection *selection)
{
    size_t kept = 0;
    for (size_t i = 0; i < patterns->scripts.count; i++) {
        struct fm_script *script = &patterns->scripts.items[i];
        if (fm_pattern_selection_has(selection, script->id)) {
            patterns->scripts.items[kept++] = *script;
        } else {
            fm_vector_push(&patterns->switched_off, fm_copy_string(script->id));
            fm_script_free(script);
        }
    }
    patterns->scripts.count = kept;
}

static bool is_switched_off(const struct fm_user_patterns *patterns, const bool *off,
                            const char *id)
{
    const fm_metric_t metric = fm_metric_by_id(id);
    bool found = metric < FM_METRIC_USER && off[metric];
    for (size_t i = 0; i < patterns->switched_off.count; i++) {
        found = found || strcmp(patterns->switched_off.items[i], id) == 0;
    }
    return found;
}

/* A script of which something else is needed that is switched off would report too little. */
static fm_status_t check_needs(const struct fm_user_patterns *patterns, const bool *off,
                               struct fm_error *error)
{
    for (size_t s = 0; s < patterns->scripts.count; s++) {
        const struct fm_script *script = &patterns->scripts.items[s];
        const char *missing =
            is_switched_off(patterns, off, script->parent_id) ? script->parent_id : NULL;
        for (size_t i = 0; i < script->instances.count; i++) {
            const char *id = script->instances.items[i].id;
            missing = is_switched_off(patterns, off, id) ? id : missing;
        }
        if (missing != NULL) {
            return fm_fail(error, FM_ERR_USAGE,
                           "%s: the pattern %s needs %.100s, which is switched off", script->path,
                           script->id, missing);
        }
    }
    return FM_OK;
}

/* Finds what the scripts subscribe to, besides kinds of events. */
static fm_status_t resolve_instances(struct fm_user_patterns *patterns, struct fm_error *error)
{
    for (size_t s = 0; s < patterns->scripts.count; s++) {
        struct fm_script *script = &patterns->scripts.items[s];
        for (size_t i = 0; i < script->instances.count; i++) {
            struct fm_script_instances *wanted = &script->instances.items[i];
            wanted->script = find_script(patterns, wanted->id);
            wanted->metric = fm_metric_by_id(wanted->id);
            bool is_wait =
                wanted->metric < FM_METRIC_USER && fm_metric_info(wanted->metric)->is_wait_state;
            if (wanted->script == FM_SCRIPT_NONE && !is_wait) {
                return fm_fail(error, FM_ERR_DATA,
                               "%s: on.%.100s: there is no such event, wait state, or pattern "
                               "given with --pattern",
                               script->path, wanted->id);
            }
        }
    }
    return FM_OK;
}

/* @return whether all scripts that a script needs are among the first `count` */
static bool is_ready(const struct fm_user_patterns *patterns, const struct fm_script *script,
                     size_t count)
{
    bool ready = true;
    for (size_t i = 0; i < script->instances.count; i++) {
        const struct fm_script_instances *wanted = &script->instances.items[i];
        uint32_t at = find_script(patterns, wanted->id);
        ready = ready && (at == FM_SCRIPT_NONE || at < count);
    }
    uint32_t parent = find_script(patterns, script->parent_id);
    return ready && (parent == FM_SCRIPT_NONE || parent < count);
}

/* Sorts the scripts: each behind its parent and those that it subscribes to. */
static fm_status_t sort_scripts(struct fm_user_patterns *patterns, struct fm_error *error)
{
    struct fm_script *scripts = patterns->scripts.items;
    for (size_t count = 0; count < patterns->scripts.count; count++) {
        size_t next = count;
        while (next < patterns->scripts.count && !is_ready(patterns, &scripts[next], count)) {
            next++;
        }
        if (next == patterns->scripts.count) {
            return fm_fail(error, FM_ERR_DATA,
                           "%s: this pattern needs another one that needs this one",
                           scripts[count].path);
        }
        struct fm_script moved = scripts[next];
        memmove(&scripts[count + 1], &scripts[count], (next - count) * sizeof *scripts);
        scripts[count] = moved;
    }
    return FM_OK;
}

/* @return texts put together, to be freed with free() */
static char *put_together(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *put_together(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        fm_memory_exhausted();
    }
    va_end(arguments);
    return text;
}

/* The formula: what the script says, and with which parameters it was executed. */
static char *describe_formula(const struct fm_script *script)
{
    char *text = script->formula[0] != '\0' ? put_together("%s", script->formula)
                                            : put_together("As the script reports.");
    for (size_t i = 0; i < script->parameters.count; i++) {
        char *longer =
            put_together("%s%s%s = %s", text, i == 0 ? " With " : ", ",
                         script->parameters.items[i].name, script->parameters.items[i].text);
        free(text);
        text = longer;
    }
    if (script->parameters.count > 0) {
        char *longer = put_together("%s.", text);
        free(text);
        text = longer;
    }
    return text;
}

static fm_status_t declare(struct fm_script *script, struct fm_error *error)
{
    fm_metric_t parent = FM_METRIC_NONE;
    if (script->parent_id[0] != '\0') {
        parent = fm_metric_by_id(script->parent_id);
        if (parent == FM_METRIC_NONE) {
            return fm_fail(error, FM_ERR_DATA, "%s: parent: there is no metric '%.100s'",
                           script->path, script->parent_id);
        }
        if (fm_metric_info(parent)->unit != script->unit) {
            return fm_fail(error, FM_ERR_DATA, "%s: parent: '%.100s' has another unit",
                           script->path, script->parent_id);
        }
    }
    const char *slash = strrchr(script->path, '/');
    char *formula = describe_formula(script);
    char *description =
        put_together("%s Confidence: %s. A pattern of the user (%s).", script->description,
                     script->confidence, slash == NULL ? script->path : slash + 1);
    script->metric = fm_metric_declare(&(struct fm_metric_info){.id = script->id,
                                                                .parent = parent,
                                                                .name = script->name,
                                                                .unit = script->unit,
                                                                .description = description,
                                                                .formula = formula,
                                                                .advice = script->advice});
    free(description);
    free(formula);
    if (script->metric != FM_METRIC_NONE && !fm_metric_is_counter(script->metric)) {
        return FM_OK;
    }
    return fm_fail(error, FM_ERR_DATA,
                   "%s: '%.100s' is no id of a new metric: lower-case letters, digits and _, at "
                   "most 64, none of `fermata report --explain all`; and at most %d new metrics",
                   script->path, script->id, FM_USER_METRICS);
}

static fm_status_t load(struct fm_user_patterns *patterns, const char *const *files, size_t count,
                        struct fm_pattern_selection *selection, bool *off, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < count; i++) {
        struct stat info;
        bool is_directory = stat(files[i], &info) == 0 && S_ISDIR(info.st_mode);
        status = is_directory ? load_directory(patterns, files[i], error)
                              : load_script(patterns, files[i], error);
    }
    if (status == FM_OK && selection != NULL) {
        select_scripts(patterns, selection);
        status = fm_pattern_selection_built_in(selection, off, error);
    }
    if (status == FM_OK && selection != NULL) {
        status = check_needs(patterns, off, error);
    }
    if (status == FM_OK) {
        status = sort_scripts(patterns, error);
    }
    if (status == FM_OK) {
        status = resolve_instances(patterns, error);
    }
    for (size_t i = 0; status == FM_OK && i < patterns->scripts.count; i++) {
        status = declare(&patterns->scripts.items[i], error);
    }
    return status;
}

fm_status_t fm_user_patterns_load(const char *const *files, size_t count,
                                  struct fm_pattern_selection *selection, bool *off,
                                  struct fm_user_patterns **patterns, struct fm_error *error)
{
    struct fm_user_patterns *made = fm_allocate(1, sizeof *made);
    fm_status_t status = load(made, files, count, selection, off, error);
    if (status != FM_OK) {
        fm_user_patterns_free(made);
        return status;
    }
    *patterns = made;
    return FM_OK;
}

size_t fm_user_patterns_count(const struct fm_user_patterns *patterns)
{
    return patterns->scripts.count;
}

void fm_user_patterns_free(struct fm_user_patterns *patterns)
{
    if (patterns == NULL) {
        return;
    }
    for (size_t i = 0; i < patterns->scripts.count; i++) {
        fm_script_free(&patterns->scripts.items[i]);
    }
    for (size_t i = 0; i < patterns->switched_off.count; i++) {
        fm_free(patterns->switched_off.items[i]);
    }
    fm_vector_free(&patterns->switched_off);
    fm_vector_free(&patterns->scripts);
    fm_free(patterns);
}

static bool same_results(const struct fm_script_result *a, const struct fm_script_result *b)
{
    if (a->failed_location != b->failed_location || a->severities.count != b->severities.count) {
        return false;
    }
    for (size_t i = 0; i < a->severities.count; i++) {
        const struct fm_severity *left = &a->severities.items[i], *right = &b->severities.items[i];
        if (left->callpath != right->callpath || left->location != right->location ||
            left->value != right->value) {
            return false;
        }
    }
    return true;
}

/* Executes the scripts once more, in another order. */
static fm_status_t check_order(const struct fm_user_patterns *patterns,
                               const struct fm_event_index *index,
                               const struct fm_script_result *results, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    struct fm_script_result *others = fm_scripts_execute(patterns, index, 1, true);
    for (size_t i = 0; i < patterns->scripts.count; i++) {
        if (status == FM_OK && !same_results(&results[i], &others[i])) {
            status = fm_fail(error, FM_ERR_FAILED,
                             "invariant violated: %s: the result depends on the order of the "
                             "locations or the number of workers",
                             patterns->scripts.items[i].path);
        }
    }
    fm_script_results_free(others, patterns->scripts.count);
    return status;
}

fm_status_t fm_user_patterns_run(const struct fm_user_patterns *patterns,
                                 const struct fm_detail *detail, unsigned workers, bool check,
                                 struct fm_cube *cube, struct fm_error *error)
{
    bool takes[FM_EVENT_KINDS] = {false};
    for (size_t i = 0; i < patterns->switched_off.count; i++) {
        fm_cube_switch_off(cube, patterns->switched_off.items[i]);
    }
    if (patterns->scripts.count == 0) {
        return FM_OK;
    }
    for (size_t s = 0; s < patterns->scripts.count; s++) {
        for (int kind = 0; kind < FM_EVENT_KINDS; kind++) {
            takes[kind] = takes[kind] || patterns->scripts.items[s].takes[kind];
        }
    }
    struct fm_event_index index;
    struct fm_error failure = {""};
    fm_event_index_open(&index, detail, cube->experiment.begin, takes);
    struct fm_script_result *results = fm_scripts_execute(patterns, &index, workers, false);
    fm_status_t status = check ? check_order(patterns, &index, results, error) : FM_OK;
    if (status == FM_OK) {
        status = fm_script_results_add(patterns, results, &index, cube, &failure, error);
    }
    if (status == FM_OK && check && failure.message[0] != '\0') {
        status = fm_fail(error, FM_ERR_FAILED, "%s", failure.message);
    }
    fm_script_results_free(results, patterns->scripts.count);
    fm_event_index_close(&index);
    return status;
}
