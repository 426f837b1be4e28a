/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/report_detail.h"

#include "cli/report/report_file.h"
#include "cube/model/metric_id.h"
#include "functions/paradigm_names.h"

#include <stdlib.h>
#include <sys/stat.h>

static bool same_numbers(const struct fm_cube *a, const struct fm_cube *b)
{
    if (a->callpath_count != b->callpath_count || a->location_count != b->location_count ||
        a->cell_count != b->cell_count)
        return false;
    for (size_t i = 0; i < a->cell_count; i++) {
        const struct fm_cube_cell *x = &a->cells[i], *y = &b->cells[i];
        if (x->metric != y->metric || x->callpath != y->callpath || x->location != y->location ||
            x->value != y->value)
            return false;
    }
    return true;
}

/* @return whether the analysis itself computes the metric: of the table, or of a counter */
static bool is_of_analysis(fm_metric_t metric)
{
    return metric < FM_METRIC_USER || fm_metric_is_counter(metric);
}

/* Moves what the user's patterns found out of the built-in metrics, as in the report. */
static fm_status_t move_user_metrics(struct fm_cube *cube, const struct fm_cube *report)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < report->cell_count && status == FM_OK; i++) {
        const struct fm_cube_cell *cell = &report->cells[i];
        fm_metric_t metric = (fm_metric_t)cell->metric, whole = metric;
        if (is_of_analysis(metric))
            continue;
        while (whole != FM_METRIC_NONE && whole >= FM_METRIC_USER)
            whole = fm_metric_info(whole)->parent;
        status = fm_cube_add(cube, metric, cell->callpath, cell->location, cell->value, NULL);
        if (status == FM_OK && whole != FM_METRIC_NONE)
            status = fm_cube_add(cube, whole, cell->callpath, cell->location, -cell->value, NULL);
    }
    return status == FM_OK ? fm_cube_seal(cube, NULL) : status;
}

/* @return the partitions that the report was made with */
static struct fm_partitions partitions_of(const struct fm_cube *report)
{
    struct fm_partitions partitions = {0};
    for (uint32_t i = 0; i < report->partition_count; i++)
        fm_vector_push(&partitions.names, fm_copy_string(report->partition_names[i]));
    for (uint32_t i = 0; i < report->location_count && report->partition_count > 0; i++) {
        const struct fm_cube_location *location = &report->locations[i];
        uint32_t partition = report->partition_of[i];
        if (partition == FM_CUBE_NONE)
            continue;
        const struct fm_partition_range range = {partition, location->rank, location->rank,
                                                 location->thread, location->thread};
        fm_vector_push(&partitions.ranges, range);
    }
    return partitions;
}

/* Whether functions of the program are told apart by the lines that call them: those of the C
 * library always are. */
static bool has_callsites(const struct fm_cube *report)
{
    for (uint32_t c = 0; c < report->callpath_count; c++) {
        const char *file = report->regions[report->callpaths[c].region].file;
        if (report->callpaths[c].site != FM_CUBE_NONE &&
            (file == NULL || strcmp(file, FM_C_LIBRARY_FILE) != 0)) {
            return true;
        }
    }
    return false;
}

struct fm_detail *fm_report_detail(const char *archive, const struct fm_cube *report)
{
    struct fm_detail *detail = NULL;
    struct fm_partitions partitions = partitions_of(report);
    /* What was stated of RMA progress is not in the report: the analysis that yields the same
     * numbers is the right one. */
    bool switched_off[FM_METRIC_USER];
    for (int m = 0; m < FM_METRIC_USER; m++)
        switched_off[m] = fm_cube_is_switched_off(report, fm_metric_info((fm_metric_t)m)->id);
    for (unsigned i = 0; i < 3 && detail == NULL; i++) {
        const struct fm_analysis_options options = {
            .clock = (fm_cube_clock_mode_t)report->clock.mode,
            .asynchronous_progress = i == 1,
            .progress_by_targets = i == 2,
            .path_from_init_to_finalize = report->path_from_init_to_finalize,
            .callsites = has_callsites(report),
            .partitions = report->partition_count == 0 ? NULL : &partitions,
            .switched_off = report->switched_off_count == 0 ? NULL : switched_off,
        };
        struct fm_cube *cube = NULL;
        if (fm_analysis_run_in_detail(archive, &options, &cube, &detail, NULL) != FM_OK)
            break;
        if (move_user_metrics(cube, report) != FM_OK || !same_numbers(cube, report)) {
            fm_detail_free(detail);
            detail = NULL;
        }
        fm_cube_free(cube);
    }
    fm_partitions_free(&partitions);
    return detail;
}

char *fm_report_archive(const char *place)
{
    struct stat info;
    char *archive = fm_path_beside_report(place, "traces.otf2");
    if (archive != NULL && stat(archive, &info) != 0) {
        free(archive);
        archive = NULL;
    }
    return archive;
}
