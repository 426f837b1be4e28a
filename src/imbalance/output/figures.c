/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/output/figures.h"

#include "base/files/new_file.h"
#include "imbalance/output/chart.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Draws a chart; `name` and `set` make the name of its file. */
static void draw(fm_figure_list *figures, const struct fm_chart *chart, const char *name,
                 const char *set)
{
    struct fm_figure figure = {.name = NULL};
    FILE *stream = open_memstream(&figure.content, &figure.size);
    if (stream == NULL) {
        fm_memory_exhausted();
    }
    fm_chart_write(chart, stream);
    if (fclose(stream) != 0 ||
        asprintf(&figure.name, "%s%s%s", name, set[0] != '\0' ? "-" : "", set) < 0) {
        fm_memory_exhausted();
    }
    for (char *c = figure.name; *c != '\0'; c++) { /* sets are names of folders, or any text */
        *c = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     *c == '.'
                 ? *c
                 : '-';
    }
    fm_vector_push(figures, figure);
}

static bool is_known(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            return true;
        }
    }
    return false;
}

static void add_series(struct fm_chart *chart, const char *name, const double *values,
                       enum fm_chart_colour colour)
{
    if (is_known(values, chart->count) && chart->series_count < FM_CHART_SERIES) {
        chart->series[chart->series_count++] = (struct fm_chart_series){name, values, colour};
    }
}

static const enum fm_chart_colour colours[FM_LOAD_COUNT] = {
    [FM_LOAD_WORK] = FM_CHART_WORK,           [FM_LOAD_COMPUTATION] = FM_CHART_COMPUTATION,
    [FM_LOAD_MEASURED] = FM_CHART_MEASURED,   [FM_LOAD_ADJUSTED] = FM_CHART_ADJUSTED,
    [FM_LOAD_COMPOSITE] = FM_CHART_COMPOSITE, [FM_LOAD_HYBRID] = FM_CHART_OTHER,
};

/* "Work of each rank: small 131 (modelled)" */
static char *title_of(const char *what, const struct fm_gpu_run *run)
{
    char *title;
    const bool named = run->label[0] != '\0' || run->set[0] != '\0';
    if (asprintf(&title, "%s%s%s%s%s%s", what, named ? ": " : "", run->set,
                 run->set[0] != '\0' && run->label[0] != '\0' ? " " : "", run->label,
                 run->is_modelled ? " (modelled)" : "") < 0) {
        fm_memory_exhausted();
    }
    return title;
}

/* ---- figures of a run ---- */

static void draw_work(fm_figure_list *figures, const struct fm_gpu_run *run)
{
    double *work = fm_gpu_run_series(run, FM_LOAD_WORK);
    const struct fm_load_imbalance *spread = &run->loads[FM_LOAD_WORK];
    char *title = title_of("Work of each rank", run);
    struct fm_chart chart = {.title = title,
                             .x_label = "Rank",
                             .y_label = "Units of work",
                             .count = run->ranks.count,
                             .marks = {{"largest", spread->largest}, {"average", spread->average}},
                             .mark_count = 2};
    add_series(&chart, "Work", work, FM_CHART_COMPUTATION);
    if (chart.series_count > 0) {
        draw(figures, &chart, "work", run->set);
    }
    free(title);
    fm_free(work);
}

/* Loads relative to their largest value, or their differences to the work. */
static void draw_loads(fm_figure_list *figures, const struct fm_gpu_run *run, bool differences)
{
    static const fm_load_t shown[] = {FM_LOAD_WORK, FM_LOAD_MEASURED, FM_LOAD_ADJUSTED,
                                      FM_LOAD_COMPOSITE};
    double *series[sizeof shown / sizeof shown[0]];
    char *title =
        title_of(differences ? "Difference of loads and work" : "Work and loads of each rank", run);
    struct fm_chart chart = {.title = title,
                             .x_label = "Rank",
                             .y_label = differences ? "Load - work, each of its largest"
                                                    : "Share of the largest",
                             .count = run->ranks.count};
    for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++) {
        series[s] = fm_gpu_run_series(run, shown[s]);
        for (size_t i = 0; i < run->ranks.count; i++) {
            series[s][i] = differences ? run->ranks.items[i].difference[shown[s]]
                                       : series[s][i] / run->loads[shown[s]].largest;
        }
        if (!differences || shown[s] != FM_LOAD_WORK) {
            add_series(&chart, fm_load_name(shown[s]), series[s], colours[shown[s]]);
        }
    }
    if (chart.series_count > 0) {
        draw(figures, &chart, differences ? "differences" : "loads", run->set);
    }
    for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++) {
        fm_free(series[s]);
    }
    free(title);
}

static void draw_threads(fm_figure_list *figures, const struct fm_gpu_run *run)
{
    char *title = title_of("Work of each thread of a block", run);
    struct fm_chart chart = {.title = title,
                             .x_label = "Thread",
                             .y_label = "Mean work over all blocks",
                             .count = run->threads.count};
    add_series(&chart, "Work", run->threads.items, FM_CHART_COMPUTATION);
    if (chart.series_count > 0) {
        draw(figures, &chart, "threads", run->set);
    }
    free(title);
}

/* ---- figures of a sweep ---- */

static double *column(const struct fm_sweep *sweep, const struct fm_sweep_set *set,
                      fm_sweep_column_t which)
{
    double *values = fm_allocate(set->end - set->begin + 1, sizeof *values);
    for (size_t i = set->begin; i < set->end; i++) {
        values[i - set->begin] = sweep->rows.items[i].values[which];
    }
    return values;
}

static char *sweep_title(const char *what, const struct fm_sweep_set *set, bool is_modelled)
{
    char *title;
    if (asprintf(&title, "%s%s%s%s", what, set->name[0] != '\0' ? ": " : "", set->name,
                 is_modelled ? " (modelled)" : "") < 0) {
        fm_memory_exhausted();
    }
    return title;
}

static void draw_imbalances(fm_figure_list *figures, const struct fm_sweep *sweep,
                            const struct fm_sweep_set *set, bool is_modelled)
{
    static const struct {
        fm_sweep_column_t column;
        const char *name;
        enum fm_chart_colour colour;
    } shown[] = {{FM_SWEEP_WORK, "Work", FM_CHART_WORK},
                 {FM_SWEEP_COMPUTATION, "Computation", FM_CHART_COMPUTATION},
                 {FM_SWEEP_MEASURED, "Measured time", FM_CHART_MEASURED},
                 {FM_SWEEP_ADJUSTED, "Adjusted time", FM_CHART_ADJUSTED},
                 {FM_SWEEP_COMPOSITE, "Composite", FM_CHART_COMPOSITE}};
    enum { SHOWN = sizeof shown / sizeof shown[0] };
    double *series[SHOWN], *removed = column(sweep, set, FM_SWEEP_REMOVED);
    const bool by_removed = is_known(removed, set->end - set->begin);
    double *work = column(sweep, set, FM_SWEEP_WORK);
    char *title = sweep_title("Imbalance of work and loads", set, is_modelled);
    struct fm_chart chart = {.title = title,
                             .x_label = by_removed ? "Work that is removed [%]"
                                                   : "Imbalance of the work [%]",
                             .y_label = "Imbalance [%]",
                             .is_line = true,
                             .count = set->end - set->begin,
                             .x = by_removed ? removed : work};
    for (size_t s = 0; s < SHOWN; s++) {
        series[s] = column(sweep, set, shown[s].column);
        add_series(&chart, shown[s].name, series[s], shown[s].colour);
    }
    if (chart.series_count > 1) {
        draw(figures, &chart, "imbalance", set->name);
    }
    for (size_t s = 0; s < SHOWN; s++) {
        fm_free(series[s]);
    }
    fm_free(removed);
    fm_free(work);
    free(title);
}

static const struct {
    fm_sweep_column_t column;
    const char *name;
    enum fm_chart_colour colour;
} correlations[] = {{FM_SWEEP_R_MEASURED, "Measured time", FM_CHART_MEASURED},
                    {FM_SWEEP_R_ADJUSTED, "Adjusted time", FM_CHART_ADJUSTED},
                    {FM_SWEEP_R_COMPOSITE, "Composite", FM_CHART_COMPOSITE}};
enum { CORRELATIONS = sizeof correlations / sizeof correlations[0] };

/* The begin of an axis that shows coefficients near 1. */
static double low_end(double *const *series, size_t count)
{
    double low = 1;
    for (size_t s = 0; s < CORRELATIONS; s++) {
        for (size_t i = 0; i < count; i++) {
            low = series[s][i] < low ? series[s][i] : low;
        }
    }
    return floor(low * 20 - 0.2) / 20;
}

static void draw_correlations(fm_figure_list *figures, const struct fm_sweep *sweep,
                              const struct fm_sweep_set *set, bool is_modelled)
{
    double *series[CORRELATIONS], *work = column(sweep, set, FM_SWEEP_WORK);
    char *title = sweep_title("Correlation of loads with the work", set, is_modelled);
    struct fm_chart chart = {.title = title,
                             .x_label = "Imbalance of the work [%]",
                             .y_label = "Pearson's r",
                             .is_line = true,
                             .count = set->end - set->begin,
                             .x = work,
                             .has_low = true};
    for (size_t s = 0; s < CORRELATIONS; s++) {
        series[s] = column(sweep, set, correlations[s].column);
        add_series(&chart, correlations[s].name, series[s], correlations[s].colour);
    }
    chart.low = low_end(series, chart.count);
    if (chart.series_count > 0) {
        draw(figures, &chart, "correlations", set->name);
    }
    for (size_t s = 0; s < CORRELATIONS; s++) {
        fm_free(series[s]);
    }
    fm_free(work);
    free(title);
}

/* The coefficients of one problem of each set. */
static void draw_correlations_of_sets(fm_figure_list *figures, const struct fm_sweep *sweep,
                                      bool is_modelled)
{
    double *series[CORRELATIONS];
    const char **labels = fm_allocate(sweep->sets.count + 1, sizeof *labels);
    struct fm_chart chart = {.title = is_modelled ? "Correlation of loads with the work (modelled)"
                                                  : "Correlation of loads with the work",
                             .x_label = "Problem with the imbalance nearest to 60 %",
                             .y_label = "Pearson's r",
                             .count = sweep->sets.count,
                             .labels = labels,
                             .has_low = true};
    for (size_t s = 0; s < CORRELATIONS; s++) {
        series[s] = fm_allocate(sweep->sets.count + 1, sizeof **series);
        for (size_t i = 0; i < sweep->sets.count; i++) {
            const struct fm_sweep_row *row = &sweep->rows.items[sweep->sets.items[i].focus];
            series[s][i] = row->values[correlations[s].column];
            labels[i] = row->set[0] != '\0' ? row->set : row->problem;
        }
        add_series(&chart, correlations[s].name, series[s], correlations[s].colour);
    }
    chart.low = low_end(series, chart.count);
    if (chart.series_count > 0) {
        draw(figures, &chart, "correlation", "");
    }
    for (size_t s = 0; s < CORRELATIONS; s++) {
        fm_free(series[s]);
    }
    fm_free(labels);
}

/* ---- all ---- */

static void draw_run(fm_figure_list *figures, const struct fm_gpu_run *run)
{
    draw_work(figures, run);
    draw_loads(figures, run, false);
    if (run->loads[FM_LOAD_WORK].count > 0) {
        draw_loads(figures, run, true);
    }
    if (run->threads.count > 0) {
        draw_threads(figures, run);
    }
}

void fm_figures_draw(const struct fm_imbalance_result *result, fm_figure_list *figures)
{
    const struct fm_sweep *sweep = result->sweep;
    bool is_modelled = false;
    for (size_t i = 0; i < result->run_count; i++) {
        is_modelled |= result->runs[i].is_modelled;
    }
    if (sweep == NULL) {
        for (size_t i = 0; i < result->run_count; i++) {
            draw_run(figures, &result->runs[i]);
        }
        return;
    }
    for (size_t s = 0; s < sweep->sets.count; s++) {
        const struct fm_sweep_set *set = &sweep->sets.items[s];
        const struct fm_sweep_row *focus = &sweep->rows.items[set->focus];
        for (size_t i = 0; i < result->run_count; i++) {
            if (strcmp(result->runs[i].set, focus->set) == 0 &&
                strcmp(result->runs[i].label, focus->problem) == 0) {
                draw_run(figures, &result->runs[i]);
                break;
            }
        }
        draw_imbalances(figures, sweep, set, is_modelled);
        draw_correlations(figures, sweep, set, is_modelled);
    }
    draw_correlations_of_sets(figures, sweep, is_modelled);
}

void fm_figures_free(fm_figure_list *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        free(figures->items[i].name);
        free(figures->items[i].content);
    }
    fm_vector_free(figures);
}

static fm_status_t write_figure(const struct fm_figure *figure, const char *directory,
                                struct fm_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%s.svg", directory, figure->name) < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory");
    }
    struct fm_new_file file;
    fm_status_t status = fm_new_file_open(&file, path, error);
    if (status == FM_OK) {
        fwrite(figure->content, 1, figure->size, file.stream);
        status = fm_new_file_commit(&file, error);
    }
    free(path);
    return status;
}

fm_status_t fm_figures_write(const fm_figure_list *figures, const char *directory,
                             struct fm_error *error)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot make the directory %.400s: %m", directory);
    }
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < figures->count && status == FM_OK; i++) {
        status = write_figure(&figures->items[i], directory, error);
    }
    return status;
}
