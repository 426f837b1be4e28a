/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/whatif/predicted_experiment.h"

#include "base/files/file_tree.h"
#include "whatif/archive/predicted_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_partner_fences(const fm_changes *changes)
{
    for (size_t c = 0; c < changes->count; c++) {
        if (changes->items[c].kind == FM_CHANGE_NARROW) {
            return true;
        }
    }
    return false;
}

/* The first warning of the report. */
static fm_status_t state_prediction(struct fm_cube *cube, const fm_changes *changes,
                                    const char *measured, struct fm_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    for (size_t c = 0; c < changes->count; c++) {
        fprintf(stream, "%s%.300s", c == 0 ? "" : " ", changes->items[c].text);
    }
    if (fclose(stream) != 0) {
        free(text);
        return fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    fm_status_t status =
        fm_cube_warn(cube, error, "predicted from %.300s with %s: no time here was measured.",
                     measured, changes->count == 0 ? "no change" : text);
    free(text);
    if (status == FM_OK) {
        char *last = cube->warnings[cube->warning_count - 1];
        memmove(&cube->warnings[1], &cube->warnings[0],
                (cube->warning_count - 1) * sizeof *cube->warnings);
        cube->warnings[0] = last;
    }
    return status;
}

/* OTF2 does not report a write that fails when a file is closed: the archive is then too short. */
static fm_status_t analyze(const char *directory, const struct fm_analysis_options *options,
                           struct fm_cube **cube, struct fm_error *error)
{
    struct fm_error reason;
    fm_status_t status = fm_analysis_run(directory, options, cube, &reason);
    if (status == FM_ERR_DATA) {
        return fm_fail(error, FM_ERR_SYSTEM,
                       "%.300s: cannot write the archive: it is incomplete (disk full, quota or "
                       "file size limit?): %.500s",
                       directory, reason.message);
    }
    return status == FM_OK ? FM_OK : fm_fail(error, status, "%.900s", reason.message);
}

fm_status_t fm_predicted_experiment_write(const struct fm_detail *detail,
                                          const struct fm_prediction *prediction,
                                          const fm_changes *changes, const char *measured,
                                          const struct fm_analysis_options *options,
                                          const char *directory, struct fm_cube **cube,
                                          struct fm_error *error)
{
    struct fm_cube *made = NULL;
    char *report = NULL;
    fm_status_t status = fm_predicted_archive_write(detail, prediction, has_partner_fences(changes),
                                                    directory, error);
    if (status != FM_OK) {
        return status;
    }
    status = analyze(directory, options, &made, error);
    if (status == FM_OK) {
        status = state_prediction(made, changes, measured, error);
    }
    if (status == FM_OK && asprintf(&report, "%s/report.fer", directory) < 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    if (status == FM_OK) {
        status = fm_cube_write(made, report, error);
        free(report);
    }
    if (status != FM_OK) {
        fm_remove_tree(directory);
    }
    if (status == FM_OK && cube != NULL) {
        *cube = made;
    } else {
        fm_cube_free(made);
    }
    return status;
}
