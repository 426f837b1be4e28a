/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/selection.h"

#include "base/memory.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

fm_status_t fm_pattern_selection_add(struct fm_pattern_selection *selection, bool is_only,
                                     const char *names, struct fm_error *error)
{
    for (;;) {
        const size_t length = strcspn(names, ",");
        char *name = strndup(names, length);
        if (name == NULL) {
            fm_memory_exhausted();
        }
        const struct fm_selected_name selected = {fm_copy_string(name), false};
        free(name);
        if (is_only) {
            fm_vector_push(&selection->only, selected);
        } else {
            fm_vector_push(&selection->without, selected);
        }
        if (length == 0) {
            return fm_fail(error, FM_ERR_USAGE, "%s: a name is empty",
                           is_only ? "--only" : "--without");
        }
        if (names[length] == '\0') {
            return FM_OK;
        }
        names += length + 1;
    }
}

static bool is_named(struct fm_selected_name *names, size_t count, const char *id)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(names[i].name, id, 0) == 0) {
            names[i].is_used = found = true;
        }
    }
    return found;
}

bool fm_pattern_selection_has(struct fm_pattern_selection *selection, const char *id)
{
    if (selection == NULL) {
        return true;
    }
    const bool is_wanted = is_named(selection->only.items, selection->only.count, id);
    const bool is_unwanted = is_named(selection->without.items, selection->without.count, id);
    return (is_wanted || selection->only.count == 0) && !is_unwanted;
}

/* Whether a wait state, or one of which it is a case, is named. */
static bool is_within_named(struct fm_selected_name *names, size_t count, fm_metric_t metric)
{
    bool found = false;
    for (; metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state;
         metric = fm_metric_info(metric)->parent) {
        found = is_named(names, count, fm_metric_info(metric)->id) || found;
    }
    return found;
}

static fm_status_t check_used(const struct fm_selected_name *names, size_t count,
                              const char *option, struct fm_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!names[i].is_used) {
            return fm_fail(error, FM_ERR_USAGE,
                           "%s: there is no wait state, and no pattern given with --pattern, with "
                           "the id '%.100s'; see fermata report --explain all",
                           option, names[i].name);
        }
    }
    return FM_OK;
}

fm_status_t fm_pattern_selection_built_in(struct fm_pattern_selection *selection, bool *off,
                                          struct fm_error *error)
{
    for (int m = 0; m < FM_METRIC_USER; m++) {
        const fm_metric_t metric = (fm_metric_t)m;
        const bool is_wanted =
            is_within_named(selection->only.items, selection->only.count, metric);
        const bool is_unwanted =
            is_within_named(selection->without.items, selection->without.count, metric);
        off[m] = fm_metric_info(metric)->is_wait_state &&
                 ((selection->only.count > 0 && !is_wanted) || is_unwanted);
    }
    fm_status_t status = check_used(selection->only.items, selection->only.count, "--only", error);
    return status == FM_OK
               ? check_used(selection->without.items, selection->without.count, "--without", error)
               : status;
}

void fm_pattern_selection_free(struct fm_pattern_selection *selection)
{
    for (size_t i = 0; i < selection->only.count; i++) {
        fm_free(selection->only.items[i].name);
    }
    for (size_t i = 0; i < selection->without.count; i++) {
        fm_free(selection->without.items[i].name);
    }
    fm_vector_free(&selection->only);
    fm_vector_free(&selection->without);
}
