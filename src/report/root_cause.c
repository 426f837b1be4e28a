/* Why it waits: the call paths and ranks that the costs of a wait state lead to. */
#include "cube/delay_kind.h"
#include "report/format.h"
#include "report/report.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Below this part of a kind's waiting time, a call path is no cause to speak of. */
#define SMALLEST_CAUSE 0.05

/** Sum of a COST metric and all below it at one call path (FM_CUBE_NONE: everywhere), in ticks. */
static double cost_at(const struct fm_report *report, fm_metric_t metric, uint32_t callpath)
{
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = metric;
    selection.callpath = callpath;
    selection.callpath_exclusive = callpath != FM_CUBE_NONE;
    if (fm_view_prepare(&view, report->cube, &selection, NULL) != FM_OK)
        return 0;
    double sum = (double)fm_view_total(&view);
    fm_view_release(&view);
    return ldexp(sum, -(int)report->cube->experiment.cost_shift);
}

/** @return the call path with the highest costs of the view, or FM_CUBE_NONE */
static uint32_t costliest_callpath(const struct fm_cube *cube, const struct fm_view *view)
{
    int64_t *values = fm_allocate(cube->callpath_count, sizeof *values);
    uint32_t costliest = FM_CUBE_NONE;
    fm_view_callpaths(view, values, NULL);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (values[i] > 0 && (costliest == FM_CUBE_NONE || values[i] > values[costliest]))
            costliest = i;
    }
    fm_free(values);
    return costliest;
}

/** Average time of the call path on the ranks that cause, less that on all others, in ticks. */
static double excess_time(const struct fm_report *report, const struct fm_view *costs,
                          uint32_t callpath)
{
    const struct fm_cube *cube = report->cube;
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = FM_METRIC_TIME;
    selection.callpath = callpath;
    selection.callpath_exclusive = true;
    if (fm_view_prepare(&view, cube, &selection, NULL) != FM_OK)
        return 0;
    int64_t *time = fm_allocate(cube->location_count, sizeof *time);
    int64_t *cost = fm_allocate(cube->location_count, sizeof *cost);
    fm_view_locations(&view, time);
    fm_view_locations(costs, cost);
    fm_view_release(&view);
    double whole = 0, weighted = 0, all = 0;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        whole += (double)cost[i];
        weighted += (double)cost[i] * (double)time[i];
        all += (double)time[i];
    }
    fm_free(time);
    fm_free(cost);
    return whole == 0 ? 0 : weighted / whole - all / (double)cube->location_count;
}

static void describe_saving(const struct fm_report *report, uint32_t callpath,
                            struct fm_lines *lines)
{
    double saving = cost_at(report, FM_METRIC_CRITICAL_PATH_IMBALANCE, callpath);
    double run = (double)(report->cube->experiment.end - report->cube->experiment.begin);
    if (saving < 0.005 * run)
        return;
    char time[FM_FORMAT_SIZE];
    char percent[FM_FORMAT_SIZE];
    fm_lines_add(lines, "Gain", "Perfect balance of it would make the run up to %s shorter (%s).",
                 fm_format_ticks(time, report->cube, (int64_t)saving),
                 fm_format_percent(percent, (int64_t)saving, (int64_t)run));
}

uint32_t fm_report_root_cause(const struct fm_report *report, fm_metric_t wait,
                              struct fm_lines *lines)
{
    const struct fm_cube *cube = report->cube;
    fm_delay_kind_t kind = fm_delay_kind(wait);
    bool contention = fm_delay_is_contention(kind);
    fm_metric_t short_term = fm_delay_cost_metric(kind, false);
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    selection.metric = fm_metric_info(short_term)->parent;
    if (fm_view_prepare(&view, cube, &selection, NULL) != FM_OK)
        return FM_CUBE_NONE;
    uint32_t callpath = costliest_callpath(cube, &view);
    double whole = cost_at(report, selection.metric, FM_CUBE_NONE);
    if (callpath == FM_CUBE_NONE ||
        cost_at(report, selection.metric, callpath) < SMALLEST_CAUSE * whole) {
        fm_view_release(&view);
        return FM_CUBE_NONE;
    }
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        view.callpaths[i] = i == callpath;
    char *path = fm_report_callpath_placed(report, callpath);
    char *ranks = fm_report_ranks(report, &view);
    char direct[FM_FORMAT_SIZE], stems[FM_FORMAT_SIZE], excess[FM_FORMAT_SIZE];
    fm_format_percent(direct, (int64_t)cost_at(report, short_term, callpath),
                      (int64_t)cost_at(report, short_term, FM_CUBE_NONE));
    fm_format_percent(stems,
                      (int64_t)(cost_at(report, FM_METRIC_DELAY, callpath) +
                                cost_at(report, FM_METRIC_INTERVAL_DELAY, callpath)),
                      report->waiting);
    double longer = excess_time(report, &view, callpath);
    if (contention)
        fm_lines_add(lines, "Why",
                     "The owners on %s spend their time in %s before they pass the lock on: "
                     "%s of what this waiting directly goes back to. %s of all waiting of "
                     "the run stems from it.",
                     ranks, path, direct, stems);
    else if (longer > 0 && strncmp(ranks, "all ", 4) != 0)
        fm_lines_add(lines, "Why",
                     "Because %s takes %s longer on %s than on average: %s of what this "
                     "waiting directly goes back to. %s of all waiting of the run stems from "
                     "it.",
                     path, fm_format_ticks(excess, cube, (int64_t)longer), ranks, direct, stems);
    else
        fm_lines_add(lines, "Why",
                     "Because %s takes now longer on one rank, now on another (%s): %s of "
                     "what this waiting directly goes back to. %s of all waiting "
                     "of the run stems from it.",
                     path, ranks, direct, stems);
    free(ranks);
    free(path);
    describe_saving(report, callpath, lines);
    fm_view_release(&view);
    return callpath;
}
