#include "cli/complete.h"

#include "base/error.h"
#include "cli/safe_text.h"
#include "record/rebuild.h"

#include <jansson.h>
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
    char *path = NULL, *missing = NULL;
    if (asprintf(&path, "%s/environment.json", archive) < 0) {
        return NULL;
    }
    json_t *environment = json_load_file(path, 0, NULL);
    const char *text = json_string_value(json_object_get(environment, "incomplete"));
    if (text != NULL) {
        missing = strdup(text);
    }
    json_decref(environment);
    free(path);
    return missing;
}

void fm_warn_of_missing(const char *archive)
{
    char *missing = fm_missing_of_experiment(archive);
    if (missing != NULL) {
        fprintf(stderr, "fermata: warning: incomplete run: %s\n", fm_safe_text(missing));
    }
    free(missing);
}
