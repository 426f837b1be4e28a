/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/gpu_run.h"

#include "cube/view/view.h"
#include "diagnosis/efficiency/load_levels.h"
#include "imbalance/model/run_kernels.h"
#include "imbalance/model/run_streams.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ids[] = {
#define FM_LOAD(symbol, id, name, meaning) id,
    FM_LOADS(FM_LOAD)
#undef FM_LOAD
};
static const char *const names[] = {
#define FM_LOAD(symbol, id, name, meaning) name,
    FM_LOADS(FM_LOAD)
#undef FM_LOAD
};
static const char *const meanings[] = {
#define FM_LOAD(symbol, id, name, meaning) meaning,
    FM_LOADS(FM_LOAD)
#undef FM_LOAD
};

const char *fm_load_id(fm_load_t load)
{
    return ids[load];
}

const char *fm_load_name(fm_load_t load)
{
    return names[load];
}

const char *fm_load_meaning(fm_load_t load)
{
    return meanings[load];
}

void fm_gpu_run_warn(struct fm_gpu_run *run, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fm_vector_push(&run->warnings, fm_copy_string(text));
}

/* Values of tables of ranks, and of an experiment, by rank. */
struct rank_values {
    uint32_t rank;
    double values[FM_RANK_COLUMN_COUNT];
    double threads; /* efficiency of the threads inside of the rank; NAN: it has one, or unknown */
    const struct fm_rank_kernels *streams; /* kernels of an experiment; NULL: it has no streams */
};
typedef FM_VECTOR(struct rank_values) rank_list;

/* ---- tables of ranks, experiments ---- */

static struct rank_values *find_rank(rank_list *list, uint32_t rank)
{
    size_t i = 0;
    while (i < list->count && list->items[i].rank < rank) {
        i++;
    }
    if (i == list->count || list->items[i].rank != rank) {
        struct rank_values added = {.rank = rank, .threads = NAN};
        for (size_t c = 0; c < FM_RANK_COLUMN_COUNT; c++) {
            added.values[c] = NAN;
        }
        fm_vector_push(list, added);
        memmove(&list->items[i + 1], &list->items[i], (list->count - 1 - i) * sizeof *list->items);
        list->items[i] = added;
    }
    return &list->items[i];
}

static fm_status_t add_rank_table(rank_list *list, const struct fm_input_file *file,
                                  struct fm_error *error)
{
    for (size_t i = 0; i < file->ranks.count; i++) {
        const struct fm_rank_row *row = &file->ranks.items[i];
        struct rank_values *rank = find_rank(list, row->rank);
        for (size_t c = 0; c < FM_RANK_COLUMN_COUNT; c++) {
            if (isnan(row->values[c])) {
                continue;
            }
            if (!isnan(rank->values[c])) {
                return fm_fail(error, FM_ERR_DATA,
                               "%.400s:%lu: another table has a %s of rank %u, too", file->path,
                               row->line, fm_rank_column_name((fm_rank_column_t)c), row->rank);
            }
            rank->values[c] = row->values[c];
        }
    }
    return FM_OK;
}

/* Ranks with streams of accelerators: their kernels, and the thread's time in calls of CUDA. */
static void add_streams(rank_list *list, const struct fm_cube *cube,
                        const struct fm_load_levels *levels, const struct fm_run_kernels *streams)
{
    const double tick = 1 / (double)cube->experiment.ticks_per_second;
    double *calls = fm_allocate(cube->location_count, sizeof *calls);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (fm_metric_is_within((fm_metric_t)cell->metric, FM_METRIC_CUDA_TIME)) {
            calls[cell->location] += (double)cell->value * tick;
        }
    }
    for (uint32_t i = 0; i < levels->counts[FM_LEVEL_THREAD]; i++) {
        const struct fm_level_unit *thread = &levels->units[FM_LEVEL_THREAD][i];
        struct rank_values *rank = find_rank(list, cube->locations[thread->first].rank);
        rank->streams = &streams->ranks[i];
        if (isnan(rank->values[FM_RANK_CUDA])) {
            rank->values[FM_RANK_CUDA] = calls[thread->first];
        }
    }
    fm_free(calls);
}

/* Times of an experiment: what tables of ranks state, counts more. */
static fm_status_t add_experiment(rank_list *list, const struct fm_cube *cube, const char *path,
                                  const struct fm_run_kernels *streams, struct fm_error *error)
{
    uint32_t callpath = FM_CUBE_NONE;
    if (path != NULL) {
        callpath = fm_cube_find_callpath(cube, path);
        if (callpath == FM_CUBE_NONE) {
            return fm_fail(error, FM_ERR_USAGE, "the experiment has no call path %.400s", path);
        }
    }
    struct fm_load_levels run, selected;
    fm_load_levels_make(cube, FM_CUBE_NONE, &run);
    fm_load_levels_make(cube, callpath, &selected);
    const double tick = 1 / (double)cube->experiment.ticks_per_second;
    for (uint32_t i = 0; i < run.counts[FM_LEVEL_PROCESS]; i++) {
        const struct fm_level_unit *process = &run.units[FM_LEVEL_PROCESS][i];
        struct rank_values *rank = find_rank(list, cube->locations[process->first].rank);
        double *values = rank->values;
        if (isnan(values[FM_RANK_TOTAL]) && isnan(values[FM_RANK_MPI])) {
            values[FM_RANK_TOTAL] = process->total * tick;
            values[FM_RANK_MPI] = (process->total - process->time) * tick;
        }
        if (path != NULL && isnan(values[FM_RANK_TIME])) {
            values[FM_RANK_TIME] = selected.units[FM_LEVEL_PROCESS][i].time * tick;
        }
        if (process->parts > 1) {
            rank->threads = fm_level_efficiency(&selected.units[FM_LEVEL_PROCESS][i]);
        }
    }
    add_streams(list, cube, &run, streams);
    fm_load_levels_free(&run);
    fm_load_levels_free(&selected);
    return FM_OK;
}

static fm_status_t read_ranks(const struct fm_gpu_sources *sources,
                              const struct fm_gpu_request *request, rank_list *list,
                              const struct fm_run_kernels *streams, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < sources->files.count && status == FM_OK; i++) {
        status = add_rank_table(list, sources->files.items[i], error);
    }
    if (status == FM_OK && sources->experiments.count > 0) {
        status =
            add_experiment(list, sources->experiments.items[0], request->callpath, streams, error);
    }
    return status;
}

/* ---- loads ---- */

static double first_known(double first, double second)
{
    return isnan(first) ? second : first;
}

static double positive(double value)
{
    return value < 0 ? 0 : value;
}

/* Fills the loads of a rank. What profiles state of its kernels counts more than what the
 * experiment does. Without kernels and streams, its efficiency is that of its threads.
 * @param kernels  NULL: no profile has kernels of it */
static void fill_rank(struct fm_gpu_rank *rank, const double *values, double threads,
                      const struct fm_rank_kernels *streams, const struct fm_rank_kernels *kernels)
{
    double *loads = rank->loads;
    const bool is_profiled = kernels != NULL && (streams == NULL || !isnan(kernels->efficiency));
    const struct fm_rank_kernels *measured = is_profiled ? kernels : streams;
    double kernel_time = streams != NULL ? streams->time : NAN;
    *rank = (struct fm_gpu_rank){.rank = rank->rank,
                                 .sm = NAN,
                                 .warp = NAN,
                                 .efficiency = threads,
                                 .unweighted = NAN,
                                 .composite = NAN,
                                 .sm_imbalance = NAN};
    if (measured != NULL) {
        rank->launches = measured->launches;
        rank->sm = measured->sm;
        rank->warp = measured->warp;
        rank->efficiency = measured->efficiency;
        rank->unweighted = measured->unweighted;
        rank->composite = measured->composite;
        rank->sm_imbalance = measured->sm_imbalance;
    }
    if (kernels != NULL) {
        rank->launches = kernels->launches;
        kernel_time = first_known(kernels->time, kernel_time);
    }
    loads[FM_LOAD_WORK] = values[FM_RANK_WORK];
    loads[FM_LOAD_COMPUTATION] = positive(values[FM_RANK_TOTAL] - values[FM_RANK_MPI]);
    loads[FM_LOAD_MEASURED] = first_known(values[FM_RANK_TIME], kernel_time);
    if (kernels == NULL) {
        loads[FM_LOAD_MEASURED] = first_known(loads[FM_LOAD_MEASURED], loads[FM_LOAD_COMPUTATION]);
    }
    loads[FM_LOAD_ADJUSTED] = loads[FM_LOAD_MEASURED] * rank->efficiency;
    loads[FM_LOAD_COMPOSITE] = loads[FM_LOAD_MEASURED] * rank->composite;
    /* The host waits for its kernels, unless it is stated for how long. */
    const double waiting = first_known(values[FM_RANK_CUDA], loads[FM_LOAD_MEASURED]);
    loads[FM_LOAD_HYBRID] =
        positive(loads[FM_LOAD_COMPUTATION] - waiting) + loads[FM_LOAD_ADJUSTED];
}

static void fill_ranks(struct fm_gpu_run *run, const rank_list *values,
                       const struct fm_run_kernels *kernels)
{
    static const double unknown[] = {
#define FM_RANK_COLUMN(symbol, column, meaning) NAN,
        FM_RANK_COLUMNS(FM_RANK_COLUMN)
#undef FM_RANK_COLUMN
    };
    for (size_t v = 0, k = 0; v < values->count || k < kernels->count;) {
        const struct rank_values *item = &values->items[v];
        const uint32_t by_values = v < values->count ? item->rank : FM_RANK_NONE;
        const uint32_t by_kernels = k < kernels->count ? kernels->ranks[k].rank : FM_RANK_NONE;
        struct fm_gpu_rank rank = {.rank = by_values < by_kernels ? by_values : by_kernels};
        const bool known = rank.rank == by_values;
        fill_rank(&rank, known ? item->values : unknown, known ? item->threads : NAN,
                  known ? item->streams : NULL,
                  rank.rank == by_kernels ? &kernels->ranks[k] : NULL);
        fm_vector_push(&run->ranks, rank);
        v += rank.rank == by_values;
        k += rank.rank == by_kernels;
    }
}

double *fm_gpu_run_series(const struct fm_gpu_run *run, fm_load_t load)
{
    double *series = fm_allocate(run->ranks.count + 1, sizeof *series);
    for (size_t i = 0; i < run->ranks.count; i++) {
        series[i] = run->ranks.items[i].loads[load];
    }
    return series;
}

static void compare_loads(struct fm_gpu_run *run)
{
    double *work = fm_gpu_run_series(run, FM_LOAD_WORK);
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        double *series = fm_gpu_run_series(run, (fm_load_t)l);
        run->loads[l] = fm_load_imbalance_of(series, run->ranks.count);
        run->correlation[l] =
            l == FM_LOAD_WORK ? NAN : fm_correlation(series, work, run->ranks.count);
        for (size_t i = 0; i < run->ranks.count; i++) {
            run->ranks.items[i].difference[l] =
                series[i] / run->loads[l].largest - work[i] / run->loads[FM_LOAD_WORK].largest;
        }
        fm_free(series);
    }
    fm_free(work);
}

double fm_gpu_improvement(double measured, double adjusted)
{
    return measured != 0 ? (adjusted - measured) / measured : NAN;
}

/* ---- what is to be known about the data ---- */

/* Writes some of a list of ranks. */
struct rank_names {
    char text[160];
    size_t length, count;
};

static void add_name(struct rank_names *list, uint32_t rank)
{
    if (list->count < 10) {
        list->length +=
            (size_t)snprintf(list->text + list->length, sizeof list->text - list->length, "%s%u",
                             list->count > 0 ? ", " : "", rank);
    } else if (list->count == 10) {
        snprintf(list->text + list->length, sizeof list->text - list->length, ", ...");
    }
    list->count++;
}

static void warn_of_ranks(struct fm_gpu_run *run)
{
    struct rank_names absent = {.count = 0}, without_time = {.count = 0}, partly = {.count = 0};
    uint32_t next = 0;
    bool hides_spread = false;
    for (size_t i = 0; i < run->ranks.count; i++) {
        const struct fm_gpu_rank *rank = &run->ranks.items[i];
        for (; next < rank->rank && absent.count < 11; next++) {
            add_name(&absent, next);
        }
        next = rank->rank + 1;
        if (isnan(rank->loads[FM_LOAD_MEASURED])) {
            add_name(&without_time, rank->rank);
        }
        if (isnan(rank->efficiency) && run->loads[FM_LOAD_ADJUSTED].count > 0) {
            add_name(&partly, rank->rank);
        }
        hides_spread |= rank->launches > 0 && !isnan(rank->efficiency) && isnan(rank->sm_imbalance);
    }
    if (absent.count > 0) {
        fm_gpu_run_warn(run, "Nothing is known of rank%s %s: the average is that of the others.",
                        absent.count == 1 ? "" : "s", absent.text);
    }
    if (without_time.count > 0) {
        fm_gpu_run_warn(run, "There is no time of rank%s %s.", without_time.count == 1 ? "" : "s",
                        without_time.text);
    }
    if (partly.count > 0) {
        fm_gpu_run_warn(
            run, "There is no efficiency of rank%s %s: adjusted times are those of the others.",
            partly.count == 1 ? "" : "s", partly.text);
    }
    if (hides_spread) {
        fm_gpu_run_warn(run,
                        "Efficiencies are means over time and multiprocessors: they hide single "
                        "launches and multiprocessors that are slow.");
    }
}

/* @param measured  share of the measured kernels in the time of an experiment's kernels; NAN or 0:
 * none was measured */
static void warn_of_measuring(struct fm_gpu_run *run, double measured)
{
    if (measured > 0) {
        fm_gpu_run_warn(run, "The kernels of the experiment were measured while they ran, one at a "
                             "time: they did not overlap.");
    }
    if (measured > 0 && measured < 0.9995) {
        fm_gpu_run_warn(
            run,
            "Of %.1f %% of the kernels' time in the experiment it is not known what was "
            "active inside of accelerators: it counts like the rest of its rank.",
            100 * (1 - measured));
    }
}

static void take_file_warnings(struct fm_gpu_run *run, const struct fm_gpu_sources *sources)
{
    for (size_t i = 0; i < sources->files.count; i++) {
        const struct fm_input_file *file = sources->files.items[i];
        for (size_t w = 0; w < file->warnings.count; w++) {
            fm_vector_push(&run->warnings, fm_copy_string(file->warnings.items[w]));
        }
        if (file->table.missing > file->warnings.count) {
            fm_gpu_run_warn(run, "%s: %llu values were not measured", file->path,
                            (unsigned long long)file->table.missing);
        }
        if (file->threads.count > 0 && run->threads.count == 0) {
            fm_vector_reserve(&run->threads, file->threads.count);
            memcpy(run->threads.items, file->threads.items,
                   file->threads.count * sizeof *file->threads.items);
            run->threads.count = file->threads.count;
        }
    }
}

fm_status_t fm_gpu_run_make(const struct fm_gpu_sources *sources,
                            const struct fm_gpu_request *request, const char *label,
                            const char *set, struct fm_gpu_run *run, struct fm_error *error)
{
    struct fm_gpu_run made = {.label = fm_copy_string(label), .set = fm_copy_string(set)};
    rank_list values = {0};
    struct fm_run_kernels kernels = {0}, streams = {0};
    double measured = NAN;
    if (sources->experiments.count > 0) {
        measured = fm_run_streams_make(sources->experiments.items[0], request->kernels, &streams);
    }
    fm_status_t status = read_ranks(sources, request, &values, &streams, error);
    if (status == FM_OK) {
        status = fm_run_kernels_make(sources, request, &kernels, &made, error);
    }
    if (status == FM_OK && kernels.count == 0 && streams.count > 0 && streams.names == 0 &&
        request->kernels != NULL) {
        status = fm_fail(error, FM_ERR_DATA, "no name of a kernel matches --kernel");
    }
    if (status == FM_OK) {
        take_file_warnings(&made, sources);
        warn_of_measuring(&made, measured);
        fill_ranks(&made, &values, &kernels);
        made.kernels = kernels.names > 0 ? kernels.names : streams.names;
        compare_loads(&made);
        warn_of_ranks(&made);
    }
    if (status == FM_OK && made.ranks.count == 0 && made.threads.count == 0) {
        status = fm_fail(error, FM_ERR_DATA, "%s: there are no times, kernels or work of ranks",
                         label[0] != '\0' ? label : "the files");
    }
    fm_run_kernels_free(&kernels);
    fm_run_kernels_free(&streams);
    fm_vector_free(&values);
    if (status == FM_OK) {
        *run = made;
    } else {
        fm_gpu_run_free(&made);
    }
    return status;
}

void fm_gpu_run_free(struct fm_gpu_run *run)
{
    for (size_t i = 0; i < run->warnings.count; i++) {
        fm_free(run->warnings.items[i]);
    }
    fm_vector_free(&run->warnings);
    fm_vector_free(&run->ranks);
    fm_vector_free(&run->threads);
    fm_free(run->label);
    fm_free(run->set);
    *run = (struct fm_gpu_run){.label = NULL};
}

void fm_gpu_sources_free(struct fm_gpu_sources *sources)
{
    for (size_t i = 0; i < sources->files.count; i++) {
        fm_input_file_free(sources->files.items[i]);
    }
    for (size_t i = 0; i < sources->experiments.count; i++) {
        fm_cube_free(sources->experiments.items[i]);
    }
    fm_vector_free(&sources->files);
    fm_vector_free(&sources->experiments);
}
