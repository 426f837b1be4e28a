/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/complete.h"

#include "base/error.h"
#include "cli/archive/environment.h"
#include "cli/text/safe_text.h"
#include "record/rebuild/rebuild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fm_complete_experiment(const char *command, const char *archive)
{
    struct fm_rebuilt result;
    struct fm_error error;
    if (!fm_rebuild_is_due(archive)) {
        return FM_OK;
    }
    fm_status_t status = fm_rebuild(archive, &result, &error);
    if (status != FM_OK) {
        fprintf(stderr, "fermata %s: %s\n", command, fm_safe_text(error.message));
    }
    return (int)status;
}

char *fm_missing_of_experiment(const char *archive)
{
    json_t *environment = fm_environment_load(archive);
    const char *text = json_string_value(json_object_get(environment, "incomplete"));
    char *missing = text != NULL ? strdup(text) : NULL;
    json_decref(environment);
    return missing;
}

char *fm_clock_doubt_of_experiment(const char *archive)
{
    json_t *environment = fm_environment_load(archive);
    const json_t *clock = json_object_get(environment, "clock");
    const char *text = json_string_value(json_object_get(clock, "doubt"));
    char *doubt = text != NULL ? strdup(text) : NULL;
    json_decref(environment);
    return doubt;
}

char *fm_unseen_of_experiment(const char *archive)
{
    json_t *environment = fm_environment_load(archive);
    const char *text = json_string_value(json_object_get(environment, "unseen"));
    char *unseen = text != NULL ? strdup(text) : NULL;
    json_decref(environment);
    return unseen;
}

char *fm_rate_shortfall_of_experiment(const char *archive)
{
    json_t *environment = fm_environment_load(archive);
    const json_t *sampling = json_object_get(environment, "sampling");
    const char *text = json_string_value(json_object_get(sampling, "shortfall"));
    char *shortfall = text != NULL ? strdup(text) : NULL;
    json_decref(environment);
    return shortfall;
}

void fm_warn_of_experiment(const char *archive)
{
    char *missing = fm_missing_of_experiment(archive);
    char *doubt = fm_clock_doubt_of_experiment(archive);
    char *unseen = fm_unseen_of_experiment(archive);
    char *shortfall = fm_rate_shortfall_of_experiment(archive);
    if (missing != NULL) {
        fprintf(stderr, "fermata: warning: incomplete run: %s\n", fm_safe_text(missing));
    }
    if (doubt != NULL) {
        fprintf(stderr, "fermata: warning: " FM_CLOCK_DOUBT "%s\n", fm_safe_text(doubt));
    }
    if (unseen != NULL) {
        fprintf(stderr, "fermata: warning: %s\n", fm_safe_text(unseen));
    }
    if (shortfall != NULL) {
        fprintf(stderr, "fermata: warning: %s\n", fm_safe_text(shortfall));
    }
    free(missing);
    free(doubt);
    free(unseen);
    free(shortfall);
}
