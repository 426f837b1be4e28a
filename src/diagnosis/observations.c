/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/observations.h"

#include "base/memory.h"
#include "base/recorder_costs.h"
#include "base/text.h"
#include "diagnosis/efficiency/exposed_communication.h"
#include "diagnosis/efficiency/idle_threads.h"
#include "diagnosis/file_access.h"
#include "diagnosis/hang/open_time.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/startup.h"
#include "functions/function_kind.h"

#include <stdlib.h>
#include <string.h>

/** Minimum shares of all time (NOTABLE_UNNEEDED: of all synchronizations) that are reported. */
#define COSTLY_CALLS       0.10
#define NOTABLE_OVERHEAD   0.02
#define NOTABLE_UNNEEDED   0.25
#define NOTABLE_PROGRESS   0.005
#define NOTABLE_STARVATION 0.05
#define NOTABLE_STARTS     0.05

/** From how many millionths of the run on recording makes its times others than the program's. */
#define NOTABLE_RECORDING 100000

/** Fewer threads are not worth a pool. */
#define MANY_THREADS 50

/** @return whether a region is a call of a thread: streams are idle, and copy, too */
static bool is_threads(const struct fm_cube_region *region)
{
    const fm_paradigm_t paradigm = fm_paradigm_named(region->paradigm);
    const fm_call_t call = fm_function_kind(paradigm, region->name).call;
    return !fm_paradigm_is_of_accelerators(paradigm) ||
           (call != FM_CALL_USER && call != FM_CALL_STREAM_IDLE);
}

/** What calls do while they do not wait for others of the trace.
 * @param metric  of the calls, below `of` */
static const char *work_of_calls(fm_metric_t of, fm_metric_t metric)
{
    return of == FM_METRIC_CUDA_TIME ? "work of accelerators that the trace does not show, copies, "
                                       "the library's own work"
           : metric == FM_METRIC_MPI_POINT2POINT
               ? "data transfer, the library's own work, sends for which the receiver has no "
                 "buffers left"
               : "data transfer, the library's own work";
}

/** Finds the function of a library with the longest time without waiting, in calls that were left.
 * @param of  time of the library */
static void find_costly_calls(const struct fm_diagnosis *diagnosis, fm_metric_t of,
                              struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_view view;
    struct fm_selection selection = fm_selection_all();
    if (cube->is_profile)
        return; /* what of the calls is waiting is not known */
    selection.metric = of;
    if (fm_view_prepare(&view, cube, &selection, NULL) != FM_OK)
        return;
    for (unsigned i = 0; i < fm_metric_end(); i++)
        view.metrics[i] = view.metrics[i] && !fm_metric_info((fm_metric_t)i)->is_wait_state &&
                          !fm_is_startup((fm_metric_t)i);
    int64_t *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    int64_t *regions = fm_allocate(cube->region_count, sizeof *regions);
    fm_view_callpaths(&view, callpaths, NULL);
    uint32_t hottest = FM_CUBE_NONE;
    int64_t *open = fm_open_times(cube);
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        regions[cube->callpaths[i].region] += callpaths[i] - (open != NULL ? open[i] : 0);
    fm_free(open);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        if ((hottest == FM_CUBE_NONE || regions[i] > regions[hottest]) &&
            is_threads(&cube->regions[i]))
            hottest = i;
    }
    if (hottest != FM_CUBE_NONE && fm_fraction(regions[hottest], diagnosis->time) >= COSTLY_CALLS) {
        for (uint32_t i = 0; i < cube->callpath_count; i++)
            view.callpaths[i] = cube->callpaths[i].region == hottest;
        int64_t metrics[FM_METRIC_COUNT];
        fm_view_metrics(&view, metrics, NULL);
        fm_metric_t metric = of;
        for (unsigned i = 0; i < fm_metric_end(); i++) {
            if (metrics[i] > metrics[metric])
                metric = (fm_metric_t)i;
        }
        char percent[FM_FORMAT_SIZE];
        char value[FM_FORMAT_SIZE];
        char *name = fm_place_name(diagnosis, cube->regions[hottest].name);
        fm_sentences_add(lines, "",
                         "%s of all time (%s) is spent in %s without waiting that the trace shows: "
                         "%s. %s",
                         fm_format_percent(percent, regions[hottest], diagnosis->time),
                         fm_format_ticks(value, cube, regions[hottest]), name,
                         work_of_calls(of, metric), fm_metric_info(metric)->advice);
        free(name);
    }
    fm_free(regions);
    fm_free(callpaths);
    fm_view_release(&view);
}

bool fm_overhead_text(const struct fm_cube *cube, char text[FM_TEXT_NUMBER])
{
    const uint32_t overhead = cube->experiment.overhead;
    fm_text_longer(text, overhead / 1e6, cube->experiment.overhead_is_least);
    return overhead != 0;
}

bool fm_overhead_warn(const struct fm_cube *cube, struct fm_sentences *sentences)
{
    static const struct {
        const char *noun, *advice;
    } costs[] = {
#define FM_COST_TEXTS(symbol, name, noun, advice) {noun, advice},
        FM_RECORDER_COSTS(FM_COST_TEXTS)
#undef FM_COST_TEXTS
    };
    const uint32_t costliest = cube->experiment.costliest;
    char longer[FM_TEXT_NUMBER];
    if (cube->experiment.overhead < NOTABLE_RECORDING) {
        return false;
    }
    fm_overhead_text(cube, longer);
    if (costliest == 0) {
        fm_sentences_add(sentences, "Recording",
                         "makes the run %s: its times are not those of the program.", longer);
    } else {
        fm_sentences_add(sentences, "Recording",
                         "makes the run %s, mostly by %s: its times are not those of the program. "
                         "%s",
                         longer, costs[costliest - 1].noun, costs[costliest - 1].advice);
    }
    return true;
}

static void find_overhead(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    int64_t overhead = diagnosis->metrics[FM_METRIC_OVERHEAD];
    if (fm_fraction(overhead, diagnosis->time) < NOTABLE_OVERHEAD)
        return;
    char percent[FM_FORMAT_SIZE];
    fm_sentences_add(lines, "", "%s of all time is the recorder's own. %s",
                     fm_format_percent(percent, overhead, diagnosis->time),
                     fm_metric_info(FM_METRIC_OVERHEAD)->advice);
}

static void find_unneeded(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    int64_t unneeded = diagnosis->metrics[FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT];
    int64_t all = diagnosis->metrics[FM_METRIC_MPI_RMA_PAIRSYNC_COUNT];
    if (unneeded == 0 || fm_fraction(unneeded, all) < NOTABLE_UNNEEDED)
        return;
    char percent[FM_FORMAT_SIZE];
    char count[FM_FORMAT_SIZE];
    fm_sentences_add(lines, "",
                     "%s of the %s pair-wise one-sided synchronizations join processes between "
                     "which nothing was transferred. %s",
                     fm_format_percent(percent, unneeded, all), fm_format_count(count, all),
                     fm_metric_info(FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT)->advice);
}

static void find_partial_fences(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    int64_t partial = diagnosis->metrics[FM_METRIC_MPI_RMA_FENCE_PARTIAL];
    if (partial == 0)
        return;
    char count[FM_FORMAT_SIZE];
    fm_sentences_add(lines, "",
                     "%s fence %s did not synchronize all processes of the window; no waiting "
                     "time is counted for them.",
                     fm_format_count(count, partial), partial == 1 ? "call" : "calls");
}

/** States how much of messages in partitions could be transferred early. */
static void find_early_partitions(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    int64_t all = diagnosis->metrics[FM_METRIC_MPI_PARTITIONS];
    int64_t early = diagnosis->metrics[FM_METRIC_MPI_PARTITIONS_EARLY];
    if (early == 0)
        return;
    char count[FM_FORMAT_SIZE];
    char total[FM_FORMAT_SIZE];
    char percent[FM_FORMAT_SIZE];
    char lead[FM_FORMAT_SIZE];
    fm_sentences_add(lines, "",
                     "%s of %s partitions of messages (%s) were ready before the last one of their "
                     "message, on average %s before: a library that sends them at once transfers "
                     "them in this time.",
                     fm_format_count(count, early), fm_format_count(total, all),
                     fm_format_percent(percent, early, all),
                     fm_format_ticks(lead, diagnosis->cube,
                                     diagnosis->metrics[FM_METRIC_MPI_PARTITION_LEAD] / early));
}

/** Estimates the benefit of a progress thread from the bounds of Wait for Progress. */
static void find_progress(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    static const fm_metric_t bounds_of[][2] = {
        {FM_METRIC_MPI_P2P_WAIT_FOR_PROGRESS, FM_METRIC_MPI_P2P_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_MPI_COLL_WAIT_FOR_PROGRESS, FM_METRIC_MPI_COLL_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_MPI_RMA_ACTIVE_WAIT_FOR_PROGRESS,
         FM_METRIC_MPI_RMA_ACTIVE_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS, FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS, FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_SHMEM_SYNC_WAIT_FOR_PROGRESS, FM_METRIC_SHMEM_SYNC_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_SHMEM_COMM_WAIT_FOR_PROGRESS, FM_METRIC_SHMEM_COMM_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_ARMCI_SYNC_WAIT_FOR_PROGRESS, FM_METRIC_ARMCI_SYNC_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_ARMCI_COMM_WAIT_FOR_PROGRESS, FM_METRIC_ARMCI_COMM_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_CAF_SYNC_WAIT_FOR_PROGRESS, FM_METRIC_CAF_SYNC_WAIT_FOR_PROGRESS_LOWER},
        {FM_METRIC_CAF_COMM_WAIT_FOR_PROGRESS, FM_METRIC_CAF_COMM_WAIT_FOR_PROGRESS_LOWER},
    };
    int64_t upper = 0, lower = 0;
    for (size_t i = 0; i < sizeof bounds_of / sizeof bounds_of[0]; i++) {
        upper += diagnosis->metrics[bounds_of[i][0]];
        lower += diagnosis->metrics[bounds_of[i][1]];
    }
    int64_t whole = diagnosis->time;
    if (upper == 0)
        return;
    char bounds[2][FM_FORMAT_SIZE];
    fm_format_percent(bounds[0], lower, whole);
    fm_format_percent(bounds[1], upper, whole);
    bool same = strcmp(bounds[0], bounds[1]) == 0;
    if (fm_fraction(upper, whole) < NOTABLE_PROGRESS) {
        fm_sentences_add(lines, "",
                         "At most %s of all time is lost because partners of communication make no "
                         "progress while they compute: a progress thread or process would hardly "
                         "pay.",
                         bounds[1]);
        return;
    }
    fm_sentences_add(lines, "",
                     "%s%s%s%s of all time is lost because partners of communication make no "
                     "progress while they compute: a progress thread or process pays if it costs "
                     "less than that. (If one runs already: fermata analyze --progress=async.)",
                     same ? "" : "Between ", same ? "" : bounds[0], same ? "" : " and ", bounds[1]);
}

/** Where the masters of idle threads are. */
static void find_idle_threads(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_idle_threads idle = fm_idle_threads_find(diagnosis);
    if (!idle.is_notable || idle.has_problems)
        return;
    char percent[FM_FORMAT_SIZE], value[FM_FORMAT_SIZE], most[FM_FORMAT_SIZE], next[FM_FORMAT_SIZE];
    char *first = fm_place_callpath_with_line(diagnosis, idle.most.callpath);
    char *second = NULL;
    if (10 * idle.second.ticks >= idle.ticks)
        second = fm_place_callpath_with_line(diagnosis, idle.second.callpath);
    fm_sentences_add(lines, "",
                     "In %s of all time (%s) threads have nothing to do because their masters are "
                     "outside of parallel regions: most in `%s` (%s)%s%s%s%s%s. %s",
                     fm_format_percent(percent, idle.ticks, diagnosis->time),
                     fm_format_ticks(value, cube, idle.ticks), first,
                     fm_format_ticks(most, cube, idle.most.ticks),
                     second != NULL ? ", then in `" : "", second != NULL ? second : "",
                     second != NULL ? "` (" : "",
                     second != NULL ? fm_format_ticks(next, cube, idle.second.ticks) : "",
                     second != NULL ? ")" : "", fm_metric_info(FM_METRIC_OMP_IDLE_THREADS)->advice);
    free(first);
    free(second);
}

/** @return the call path with the largest value of the metric */
static uint32_t place_of_most(const struct fm_cube *cube, fm_metric_t metric)
{
    int64_t *values = fm_allocate(cube->callpath_count, sizeof *values);
    uint32_t most = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->metric == metric)
            values[cell->callpath] += cell->value;
    }
    for (uint32_t c = 0; c < cube->callpath_count; c++)
        most = values[c] > values[most] ? c : most;
    fm_free(values);
    return most;
}

int64_t fm_starved_time(const struct fm_diagnosis *diagnosis)
{
    int64_t starved = diagnosis->metrics[FM_METRIC_OMP_TASK_STARVATION];
    return fm_fraction(starved, diagnosis->time) < NOTABLE_STARVATION ? 0 : starved;
}

/** Threads that wait for tasks that others execute. */
static void find_task_starvation(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    int64_t starved = fm_starved_time(diagnosis);
    if (starved == 0)
        return;
    char percent[FM_FORMAT_SIZE], value[FM_FORMAT_SIZE];
    char *place =
        fm_place_callpath_with_line(diagnosis, place_of_most(cube, FM_METRIC_OMP_TASK_STARVATION));
    fm_sentences_add(
        lines, "",
        "In %s of all time (%s) threads have no task while others execute theirs: most "
        "in `%s`. %s",
        fm_format_percent(percent, starved, diagnosis->time), fm_format_ticks(value, cube, starved),
        place, fm_metric_info(FM_METRIC_OMP_TASK_STARVATION)->advice);
    free(place);
}

/** @return how many threads the calls have created that created those that began late */
static int64_t count_created(const struct fm_cube *cube)
{
    bool *creates = fm_allocate(cube->callpath_count, sizeof *creates);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->metric == FM_METRIC_THREAD_START_DELAY)
            creates[cell->callpath] = true;
    }
    int64_t count = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->metric == FM_METRIC_VISITS && creates[cell->callpath])
            count += cell->value;
    }
    fm_free(creates);
    return count;
}

/** Threads whose creation takes a notable part of the time: there are too many of them for their
 * work. */
static void find_thread_starts(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    int64_t delay = diagnosis->metrics[FM_METRIC_THREAD_START_DELAY];
    if (fm_fraction(delay, diagnosis->time) < NOTABLE_STARTS)
        return;
    int64_t created = count_created(cube);
    if (created < MANY_THREADS)
        return;
    char count[FM_FORMAT_SIZE], mean[FM_FORMAT_SIZE], value[FM_FORMAT_SIZE];
    char *place =
        fm_place_callpath_with_line(diagnosis, place_of_most(cube, FM_METRIC_THREAD_START_DELAY));
    fm_sentences_add(lines, "",
                     "From its creation until it begins, a thread takes %s on average; %s threads "
                     "together %s: most of those that `%s` creates. %s",
                     fm_format_ticks(mean, cube, delay / created), fm_format_count(count, created),
                     fm_format_ticks(value, cube, delay), place,
                     fm_metric_info(FM_METRIC_THREAD_START_DELAY)->advice);
    free(place);
}

/** What counters of the run show. */
static void add_findings(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    for (uint32_t i = 0; i < diagnosis->cube->finding_count; i++) {
        const struct fm_cube_finding *finding = &diagnosis->cube->findings[i];
        char *statement = fm_place_name(diagnosis, finding->statement);
        char *advice = fm_place_name(diagnosis, finding->advice);
        fm_sentences_add(lines, "", "%s%s%s", statement, advice[0] != '\0' ? " " : "", advice);
        free(statement);
        free(advice);
    }
}

void fm_observations_find(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines)
{
    add_findings(diagnosis, lines);
    find_costly_calls(diagnosis, FM_METRIC_MPI, lines);
    find_costly_calls(diagnosis, FM_METRIC_CUDA_TIME, lines);
    fm_exposed_communication_find(diagnosis, lines);
    find_idle_threads(diagnosis, lines);
    find_task_starvation(diagnosis, lines);
    find_thread_starts(diagnosis, lines);
    find_progress(diagnosis, lines);
    find_unneeded(diagnosis, lines);
    find_partial_fences(diagnosis, lines);
    find_early_partitions(diagnosis, lines);
    fm_file_accesses_find(diagnosis, lines);
    find_overhead(diagnosis, lines);
}
