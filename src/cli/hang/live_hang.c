/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/hang/live_hang.h"

#include "base/files/file_tree.h"
#include "base/memory.h"
#include "cli/commands/commands.h"
#include "cli/report/report_file.h"
#include "diagnosis/diagnosis.h"
#include "record/rebuild/look.h"
#include "record/rebuild/rebuild.h"
#include "report/report.h"

#include <limits.h>

bool fm_live_hang_is_due(const char *place)
{
    return fm_rebuild_is_due(place) && fm_look_is_due(place);
}

fm_status_t fm_live_hang_load(const char *place, struct fm_cube **cube, fm_live_threads *threads,
                              struct fm_error *error)
{
    char copy[PATH_MAX], option[] = "--quiet";
    char command[] = "analyze";
    char *arguments[] = {command, option, copy, NULL};
    struct fm_rebuilt rebuilt;
    fm_status_t status = fm_look_copy(place, copy, sizeof copy, error);
    if (status != FM_OK) {
        return status;
    }
    fm_live_threads_read(place, threads);
    status = fm_rebuild(copy, 0, &rebuilt, error);
    if (status == FM_OK && fm_command_analyze(3, arguments) != FM_OK) {
        status = fm_fail(error, FM_ERR_DATA, "%s: the analysis failed", place);
    }
    if (status == FM_OK) {
        status = fm_load_report(copy, cube, error);
    }
    fm_remove_tree(copy);
    return status;
}

fm_status_t fm_hang_print(const struct fm_cube *cube, const fm_live_threads *threads,
                          const struct fm_terminal *terminal, struct fm_error *error)
{
    const struct fm_diagnosis_options wording = {.width = terminal->width, .utf8 = terminal->utf8};
    struct fm_diagnosis diagnosis;
    fm_status_t status = fm_diagnosis_make(&diagnosis, cube, &wording, error);
    if (status == FM_OK) {
        const char **now = fm_allocate(cube->location_count + (size_t)1, sizeof *now);
        for (uint32_t l = 0; l < cube->location_count; l++) {
            now[l] = fm_live_threads_text(threads, cube->locations[l].id);
        }
        fm_report_hang(
            &(struct fm_report){.diagnosis = diagnosis, .terminal = terminal, .now = now});
        fm_free(now);
    }
    if (status == FM_OK && fflush(terminal->stream) != 0) {
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot write: %m");
    }
    return status;
}
