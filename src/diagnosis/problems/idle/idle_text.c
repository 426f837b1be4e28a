/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/idle/idle_text.h"

#include "base/memory.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/gain_text.h"
#include "diagnosis/uncertainty.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Means that differ by less from an integer are printed as that. */
#define NEARLY_INTEGER 0.05

static bool begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

enum fm_idle_reason fm_idle_reason(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const struct fm_cube_region *region = &cube->regions[cube->callpaths[cause->callpath].region];
    return begins_with(region->name, "!$omp parallel") ? FM_IDLE_LIMITED
           : cause->gain.is_known                      ? FM_IDLE_SERIAL
                                                       : FM_IDLE_IN_A_CALL;
}

/* ---- numbers ---- */

/* @return whether a metric is time of a thread in its call paths, without waiting */
static bool is_busy_time(fm_metric_t metric)
{
    return fm_metric_root(metric) == FM_METRIC_TIME &&
           fm_wait_state_kind(metric) == FM_METRIC_NONE &&
           !fm_metric_is_within(metric, FM_METRIC_OMP_IDLE_THREADS) &&
           !fm_metric_is_within(metric, FM_METRIC_OVERHEAD);
}

/* @return the time of the masters in the call paths of a problem, without waiting, ticks */
static int64_t busy_time(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    bool *is_of_cause = fm_allocate(cube->callpath_count, sizeof *is_of_cause);
    bool *is_master = fm_allocate(cube->location_count, sizeof *is_master);
    for (uint32_t i = 0; i < cause->symptom_count; i++) {
        is_of_cause[cause->symptoms[i].callpath] = true;
    }
    for (uint32_t i = 0; i < cause->location_count; i++) {
        is_master[cause->locations[i]] = true;
    }
    int64_t busy = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (is_master[cell->location] && is_of_cause[cell->callpath] &&
            is_busy_time((fm_metric_t)cell->metric)) {
            busy += cell->value;
        }
    }
    fm_free(is_of_cause);
    fm_free(is_master);
    return busy;
}

/* @return how many threads the process of a location has */
static uint32_t count_threads(const struct fm_cube *cube, uint32_t location)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < cube->location_count; l++) {
        count += cube->locations[l].rank == cube->locations[location].rank &&
                 !cube->locations[l].is_stream;
    }
    return count;
}

/* @return how many threads each process of a problem has; 0: not all have as many */
static uint32_t threads_of_each(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const uint32_t threads = count_threads(cube, cause->locations[0]);
    for (uint32_t i = 1; i < cause->location_count; i++) {
        if (count_threads(cube, cause->locations[i]) != threads) {
            return 0;
        }
    }
    return threads;
}

/* ---- headline ---- */

/* Writes how many threads are idle, and their verb: "3 of 4 threads", "are". */
static void write_threads(FILE *stream, const struct fm_cube *cube,
                          const struct fm_cube_problem *cause, bool *is_one)
{
    const int64_t busy = busy_time(cube, cause);
    const double idle = busy > 0 ? (double)fm_cause_ticks(cube, cause->cost) / (double)busy : 0;
    const double nearest = round(idle);
    const uint32_t threads = threads_of_each(cube, cause);
    *is_one = false;
    if (busy == 0 || idle < 0.1) {
        fputs("threads", stream);
    } else if (threads == 0) {
        fprintf(stream, "on average %.1f threads", idle);
    } else if (nearest >= 1 && fabs(idle - nearest) <= NEARLY_INTEGER) {
        *is_one = nearest == 1;
        fprintf(stream, "%.0f of %u threads", nearest, threads);
    } else {
        fprintf(stream, "on average %.1f of %u threads", idle, threads);
    }
}

/* Writes the processes of a problem: " of each rank", " of ranks 0-3"; nothing if there is one. */
static void write_processes(FILE *stream, const struct fm_diagnosis *diagnosis,
                            const struct fm_cube_problem *cause)
{
    const struct fm_cube *cube = diagnosis->cube;
    if (fm_location_set_is_one_process(cube)) {
        return;
    }
    if (cause->location_count == cube->experiment.process_count) {
        fprintf(stream, " of each %s", diagnosis->process.one);
        return;
    }
    uint32_t *locations = fm_allocate(cube->location_count, sizeof *locations);
    struct fm_location_set set = {locations, 0};
    for (uint32_t l = 0, next = 0; l < cube->location_count; l++) {
        const uint32_t rank = cube->locations[l].rank;
        while (next < cause->location_count &&
               cube->locations[cause->locations[next]].rank < rank) {
            next++;
        }
        if (next < cause->location_count && cube->locations[cause->locations[next]].rank == rank) {
            locations[set.count++] = l;
        }
    }
    char *text = fm_location_set_text(diagnosis, set, NULL);
    fprintf(stream, " of %s", text);
    free(text);
    fm_free(locations);
}

void fm_idle_headline_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    char time[FM_FORMAT_SIZE], percent[FM_UNCERTAIN_SIZE];
    char *text = NULL;
    size_t size = 0;
    bool is_one;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    write_threads(stream, cube, cause, &is_one);
    write_processes(stream, diagnosis, cause);
    char *function = fm_place_function(diagnosis, cause->callpath);
    fputs(is_one ? " is idle while " : " are idle while ", stream);
    switch (fm_idle_reason(cube, cause)) {
    case FM_IDLE_LIMITED:
        fprintf(stream, "%s, which has fewer threads, runs", function);
        break;
    case FM_IDLE_IN_A_CALL:
        fprintf(stream, "the master thread is in %s", function);
        break;
    case FM_IDLE_SERIAL:
    default:
        fprintf(stream, "%s runs serially", function);
        break;
    }
    free(function);
    if (fclose(stream) != 0) {
        abort();
    }
    fm_sentences_add(&problem->headline, "", "%c%s: %s, %s of all time.",
                     text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0], text + 1,
                     fm_format_ticks(time, cube, problem->cost),
                     fm_format_uncertain(percent, diagnosis, problem->cost, 0, diagnosis->time));
    free(text);
}

/* ---- where ---- */

/* At most so many functions are named, each with at least a tenth of the cost. */
enum { NAMED_PARTS = 3, TENTH = 10 };

/* @return the call path below that of a cause which leads to a call path, or is it; FM_CUBE_NONE:
 * the call path is not below that of the cause */
static uint32_t part_of(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                        uint32_t callpath)
{
    while (callpath != FM_CUBE_NONE && cube->callpaths[callpath].parent != cause->callpath) {
        callpath = cube->callpaths[callpath].parent;
    }
    return callpath;
}

void fm_idle_where_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    if (fm_idle_reason(cube, cause) != FM_IDLE_SERIAL) {
        return;
    }
    int64_t *costs = fm_allocate(cube->callpath_count, sizeof *costs);
    for (uint32_t i = 0; i < cause->symptom_count; i++) {
        const uint32_t part = part_of(cube, cause, cause->symptoms[i].callpath);
        if (part != FM_CUBE_NONE) {
            costs[part] += cause->symptoms[i].cost;
        }
    }
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    for (unsigned named = 0; named < NAMED_PARTS; named++) {
        uint32_t largest = 0;
        for (uint32_t c = 1; c < cube->callpath_count; c++) {
            largest = costs[c] > costs[largest] ? c : largest;
        }
        if (costs[largest] == 0 || costs[largest] < cause->cost / TENTH) {
            break;
        }
        char time[FM_FORMAT_SIZE];
        char *function = fm_place_function(diagnosis, largest);
        fprintf(stream, "%s%s%s in %s", named == 0 ? "" : ", ",
                fm_format_ticks(time, cube, fm_cause_ticks(cube, costs[largest])),
                named == 0 ? " of it" : "", function);
        free(function);
        costs[largest] = 0;
    }
    fm_free(costs);
    if (fclose(stream) != 0) {
        abort();
    }
    if (text[0] != '\0') {
        fm_sentences_add(&problem->lines, "Where", "%s", text);
    }
    free(text);
}

/* ---- how ---- */

void fm_idle_how_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    const int64_t busy = busy_time(cube, cause);
    char mean[FM_FORMAT_SIZE], path[FM_FORMAT_SIZE], critical[3 * FM_FORMAT_SIZE] = "";
    if (busy == 0) {
        return;
    }
    const int64_t removed = (int64_t)cause->gain.removed;
    if (fm_idle_reason(cube, cause) == FM_IDLE_SERIAL && removed >= busy - busy / 1000) {
        snprintf(critical, sizeof critical, ", all of it on the critical path");
    } else if (fm_idle_reason(cube, cause) == FM_IDLE_SERIAL) {
        snprintf(critical, sizeof critical, ", together %s on the critical path",
                 fm_format_ticks(path, cube, removed));
    }
    fm_sentences_add(
        &problem->lines, "How", "%s spends %s in it%s%s",
        cause->location_count == 1 ? "the master thread" : "each master thread, on average,",
        fm_format_ticks(mean, cube, busy / (int64_t)cause->location_count),
        fm_idle_reason(cube, cause) == FM_IDLE_IN_A_CALL ? " without waiting" : "", critical);
}

/* ---- gain ---- */

void fm_idle_bounds_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_gain *gain = &problem->cause->gain;
    const uint64_t run = cube->experiment.end - cube->experiment.begin;
    char now[FM_FORMAT_SIZE], shared[FM_FORMAT_SIZE], without[FM_FORMAT_SIZE];
    if (!gain->is_known || run == 0) {
        return;
    }
    if ((double)gain->removed < FM_SMALLEST_GAIN * (double)run) {
        fm_sentences_add(
            &problem->lines, "Gain",
            "less than 0.5%% of the run time: little or none of it is on the critical path");
        return;
    }
    const uint64_t removed = gain->removed < run ? gain->removed : run;
    const uint64_t balanced = gain->balanced < run ? gain->balanced : run;
    fm_sentences_add(&problem->lines, "Gain",
                     "%s -> %s at best if all threads took part in it; %s at best if it took no "
                     "time",
                     fm_format_ticks(now, cube, (int64_t)run),
                     fm_format_ticks(shared, cube, (int64_t)(run - balanced)),
                     fm_format_ticks(without, cube, (int64_t)(run - removed)));
}

/* ---- advice ---- */

void fm_idle_advice_add(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                        struct fm_sentences *lines)
{
    switch (fm_idle_reason(diagnosis->cube, cause)) {
    case FM_IDLE_LIMITED:
        fm_sentences_add(lines, "Try", "%s",
                         fm_metric_info(FM_METRIC_OMP_LIMITED_PARALLELISM)->advice);
        break;
    case FM_IDLE_IN_A_CALL:
        fm_sentences_add(lines, "Try",
                         "Let the other threads compute meanwhile: make the call nonblocking, or "
                         "execute it in a task.");
        break;
    case FM_IDLE_SERIAL:
    default:
        fm_sentences_add(lines, "Try",
                         "Put its loops into a parallel region (parallel for), or let the other "
                         "threads do independent work meanwhile (tasks).");
        break;
    }
}
