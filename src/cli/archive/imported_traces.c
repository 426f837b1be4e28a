/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/imported_traces.h"

#include "base/process/launcher.h"
#include "import/kineto/kineto_import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @return DIR.fermata of DIR/, or of DIR.json.gz; NULL without memory */
static char *directory_beside(const char *path)
{
    static const char *const endings[] = {"/", ".gz", ".json", ".trace", ".pt"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t ending = strlen(endings[i]);
        while (length > ending && strncmp(path + length - ending, endings[i], ending) == 0) {
            length -= ending;
        }
    }
    char *directory = NULL;
    const bool is_here = length == 1 && path[0] == '.';
    return asprintf(&directory, "%.*s%s.fermata", (int)length, path, is_here ? "/traces" : "") < 0
               ? NULL
               : directory;
}

fm_status_t fm_imported_traces(const char *path, const char *wanted, bool quiet, char **experiment,
                               struct fm_error *error)
{
    uint32_t ranks = 0;
    *experiment = NULL;
    if (!fm_kineto_is_one(path)) {
        return FM_OK;
    }
    if (fm_launch_read().size > 1) {
        return fm_fail(error, FM_ERR_USAGE,
                       "%s: traces of PyTorch's profiler are read by one process: run fermata "
                       "analyze without a launcher",
                       path);
    }
    char *directory = wanted != NULL ? strdup(wanted) : directory_beside(path);
    if (directory == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    const fm_status_t status = fm_kineto_import(path, directory, &ranks, error);
    if (status != FM_OK) {
        free(directory);
        return status;
    }
    if (!quiet) {
        printf("fermata: read profiler traces of %" PRIu32 " rank%s: %s\n", ranks,
               ranks == 1 ? "" : "s", directory);
        fflush(stdout);
    }
    *experiment = directory;
    return FM_OK;
}
