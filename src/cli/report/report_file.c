/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/report_file.h"

#include "cli/archive/environment.h"
#include "import/cubex/cubex_import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPORT_FILE "report.fer"

char *fm_path_beside_report(const char *place, const char *name)
{
    struct stat info;
    char *path = NULL;
    int length = (int)strlen(place);
    if (stat(place, &info) == 0 && !S_ISDIR(info.st_mode)) {
        const char *slash = strrchr(place, '/');
        length = slash == NULL ? 0 : (int)(slash - place);
        if (length == 0) {
            return asprintf(&path, "%s%s", slash == NULL ? "" : "/", name) < 0 ? NULL : path;
        }
    }
    return asprintf(&path, "%.*s/%s", length, place, name) < 0 ? NULL : path;
}

/* @return the report of other tools in a directory without a trace, to be freed; NULL: there is
 * none. Of several the one with wait states. */
static char *find_foreign(const char *directory)
{
    static const char *const names[] = {"trace.cubex", "scout.cubex", "summary.cubex",
                                        "profile.cubex"};
    struct stat info;
    char *path = fm_path_beside_report(directory, "traces.otf2");
    if (path == NULL || stat(path, &info) == 0) {
        free(path);
        return NULL;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        free(path);
        path = fm_path_beside_report(directory, names[i]);
        if (path != NULL && stat(path, &info) == 0) {
            return path;
        }
    }
    free(path);
    return NULL;
}

static fm_status_t read_file(const char *path, struct fm_cube **cube, struct fm_error *error)
{
    return fm_cubex_is_one(path) ? fm_cubex_import(path, cube, error)
                                 : fm_cube_read(path, cube, error);
}

bool fm_lacks_report(const char *place)
{
    struct stat info;
    if (stat(place, &info) != 0) {
        return false;
    }
    if (!S_ISDIR(info.st_mode)) {
        const char *ending = strrchr(place, '.');
        return ending != NULL && strcmp(ending, ".otf2") == 0;
    }
    char *path = fm_path_beside_report(place, REPORT_FILE);
    const bool lacks = path != NULL && stat(path, &info) != 0 && errno == ENOENT;
    char *foreign = lacks ? find_foreign(place) : NULL;
    const bool has_foreign = foreign != NULL;
    free(foreign);
    free(path);
    return lacks && !has_foreign;
}

fm_status_t fm_load_report(const char *place, struct fm_cube **cube, struct fm_error *error)
{
    struct stat info;
    if (stat(place, &info) != 0) {
        return fm_fail(error, FM_ERR_DATA, "%s: %m", place);
    }
    if (!S_ISDIR(info.st_mode)) {
        return read_file(place, cube, error);
    }
    char *path = fm_path_beside_report(place, REPORT_FILE);
    if (path == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    fm_status_t status;
    if (stat(path, &info) != 0 && errno == ENOENT) {
        char *foreign = find_foreign(place);
        status = foreign != NULL
                     ? read_file(foreign, cube, error)
                     : fm_fail(error, FM_ERR_DATA,
                               "%s: no report yet; run `fermata analyze` on it first", place);
        free(foreign);
    } else {
        status = fm_cube_read(path, cube, error);
        /* The experiment's file may have been damaged after the analysis. */
        if (status == FM_OK) {
            status = fm_environment_warn(place, *cube, error);
            if (status != FM_OK) {
                fm_cube_free(*cube);
            }
        }
    }
    free(path);
    return status;
}
