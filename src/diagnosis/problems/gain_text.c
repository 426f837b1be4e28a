/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/gain_text.h"

#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/problems/idle/idle_text.h"
#include "diagnosis/problems/machine_load.h"
#include "diagnosis/uncertainty.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Predicted gains below this share of the run time are called none. */
#define NO_GAIN 0.0005

static struct fm_location_set locations_of(const struct fm_cube_problem *cause)
{
    return (struct fm_location_set){cause->locations, cause->location_count};
}

static uint64_t run_time(const struct fm_cube *cube)
{
    return cube->experiment.end - cube->experiment.begin;
}

/* @return whether a prediction is about other work in the problem's call path */
static bool is_of_work(const struct fm_cube_prediction *prediction)
{
    return prediction->change <= FM_PREDICTED_BALANCED;
}

bool fm_gain_is_small(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const double least = FM_SMALLEST_GAIN * (double)run_time(cube);
    bool is_predicted = false;
    for (uint32_t i = 0; i < cause->prediction_count; i++) {
        if (!fm_predicted_of_call(cause->predictions[i].change)) {
            is_predicted = true;
            if ((double)cause->predictions[i].saved >= least) {
                return false;
            }
        }
    }
    return is_predicted || (cause->gain.is_known && (double)cause->gain.removed < least &&
                            (double)cause->gain.balanced < least);
}

/* ---- predictions ---- */

/* Writes the function of a call path, and its caller if it has one: "MPI_Barrier in `step`". */
static void write_call(FILE *stream, const struct fm_diagnosis *diagnosis, uint32_t callpath)
{
    const struct fm_cube *cube = diagnosis->cube;
    const uint32_t parent = cube->callpaths[callpath].parent;
    char *name = fm_place_name(diagnosis, cube->regions[cube->callpaths[callpath].region].name);
    fputs(name, stream);
    free(name);
    if (parent != FM_CUBE_NONE) {
        char *caller = fm_place_level(diagnosis, parent);
        fprintf(stream, " in `%s`", caller);
        free(caller);
    }
}

/* Writes what is changed: "if its work were spread evenly". */
static void write_change(FILE *stream, const struct fm_diagnosis *diagnosis,
                         const struct fm_cube_problem *cause,
                         const struct fm_cube_prediction *prediction)
{
    char *where = NULL;
    if (cause->kind == FM_CAUSE_IDLE) {
        fputs(prediction->change == FM_PREDICTED_BALANCED ? "if all threads took part in it"
                                                          : "if it took no time",
              stream);
        return;
    }
    switch ((enum fm_predicted_change)prediction->change) {
    case FM_PREDICTED_AS_OTHERS:
        where = fm_location_set_text(diagnosis, locations_of(cause), NULL);
        fprintf(stream, "if it took on %s what it takes on the others", where);
        break;
    case FM_PREDICTED_ABSENT:
        where = fm_location_set_text(diagnosis, locations_of(cause), NULL);
        fprintf(stream, "if it took no time on %s", where);
        break;
    case FM_PREDICTED_MEDIAN:
        fputs("if it took nowhere longer than its median", stream);
        break;
    case FM_PREDICTED_BALANCED:
        fputs("if its work were spread evenly", stream);
        break;
    case FM_PREDICTED_NO_LOCK:
        fputs(cause->kind == FM_CAUSE_CONTENTION ? "if nobody waited for it"
                                                 : "if it needed no lock",
              stream);
        break;
    case FM_PREDICTED_SPLIT_LOCK:
        fprintf(stream, "with %d locks instead of each", FM_CUBE_SPLIT_LOCKS);
        break;
    case FM_PREDICTED_SHORTER:
        fputs("if it took half the time", stream);
        break;
    case FM_PREDICTED_PROGRESS:
        fputs("if all partners made progress at any time", stream);
        break;
    case FM_PREDICTED_PARTNERS:
        fputs("if ", stream);
        write_call(stream, diagnosis, prediction->callpath);
        fputs(" waited for its partners only", stream);
        break;
    case FM_PREDICTED_NO_BARRIER:
    default:
        fputs("without ", stream);
        write_call(stream, diagnosis, prediction->callpath);
        fputs(" alone", stream);
        break;
    }
    free(where);
}

/* @return whether a gain or loss is called none */
static bool is_none(int64_t saved, int64_t run)
{
    return fabs((double)saved) < NO_GAIN * (double)run;
}

/* @return the time of a cause on the critical path, ticks */
static double time_on_path(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    static const fm_metric_t parts[] = {FM_METRIC_CRITICAL_PATH, FM_METRIC_CRITICAL_PATH_IMBALANCE,
                                        FM_METRIC_CRITICAL_PATH_SERIALIZATION};
    int64_t sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += fm_cause_value(cube, parts[i], cause);
    }
    return (double)fm_cause_ticks(cube, sum);
}

/* Writes where waiting goes, if at least half of what is freed does, or why there is no gain:
 * ", because ...", behind a gain ": no more, because ...". */
static void write_reason(FILE *stream, const struct fm_diagnosis *diagnosis,
                         const struct fm_cube_problem *cause,
                         const struct fm_cube_prediction *prediction, bool is_useless)
{
    const struct fm_cube *cube = diagnosis->cube;
    char longer[FM_FORMAT_SIZE];
    if (prediction->instead == FM_CUBE_NONE || prediction->moved < prediction->freed / 2 ||
        prediction->moved == 0) {
        const double least = FM_SMALLEST_GAIN * (double)run_time(cube);
        if (is_useless && is_of_work(prediction) && time_on_path(cube, cause) < least) {
            fputs(", because little or none of it is on the critical path", stream);
        } else if (is_useless && prediction->change == FM_PREDICTED_NO_LOCK) {
            fputs(", because the waiting for it is beside the critical path", stream);
        }
        return;
    }
    fprintf(stream, "%s, because then ", !is_useless && prediction->saved > 0 ? ": no more" : "");
    write_call(stream, diagnosis, prediction->instead);
    fprintf(stream, " waits %s longer", fm_format_ticks(longer, cube, (int64_t)prediction->moved));
}

static void write_prediction(FILE *stream, const struct fm_diagnosis *diagnosis,
                             const struct fm_cube_problem *cause,
                             const struct fm_cube_prediction *prediction, bool is_first)
{
    const struct fm_cube *cube = diagnosis->cube;
    const int64_t run = (int64_t)run_time(cube);
    const int64_t saved = prediction->saved < run ? prediction->saved : run;
    char after[FM_FORMAT_SIZE], now[FM_FORMAT_SIZE], share[FM_UNCERTAIN_SIZE];
    const int64_t size = saved < 0 ? -saved : saved;
    fputs(is_first ? "" : "; ", stream);
    if (is_none(saved, run)) {
        fputs("no gain ", stream);
    } else {
        fputs(fm_format_ticks(after, cube, run - saved), stream);
        if (is_first) {
            fprintf(stream, " instead of %s", fm_format_ticks(now, cube, run));
        }
        fprintf(
            stream, " (%s%s) ", saved < 0 ? "+" : "-",
            fm_format_uncertain(share, diagnosis, size, fm_error_of_cause(cube, cause, size), run));
    }
    write_change(stream, diagnosis, cause, prediction);
    write_reason(stream, diagnosis, cause, prediction, is_none(saved, run));
}

char *fm_gain_change_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                          const struct fm_cube_prediction *prediction)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    write_change(stream, diagnosis, cause, prediction);
    write_reason(stream, diagnosis, cause, prediction,
                 is_none(prediction->saved, (int64_t)run_time(diagnosis->cube)));
    if (fclose(stream) != 0) {
        abort();
    }
    return text;
}

static void add_predictions(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    for (uint32_t i = 0; i < problem->cause->prediction_count; i++) {
        write_prediction(stream, diagnosis, problem->cause, &problem->cause->predictions[i],
                         i == 0);
    }
    if (fclose(stream) != 0) {
        abort();
    }
    /* What is replayed takes as long as measured, with the processors shared as they were, and on
     * the same thread: a program that deals out its tasks anew gains more. */
    const bool has_tasks = diagnosis->metrics[FM_METRIC_OMP_TASK_STARVATION] > 0;
    fm_sentences_add(&problem->lines, "Gain", "predicted%s%s: %s",
                     fm_load_is_notable(diagnosis) ? " for processors as scarce as in this run"
                                                   : "",
                     has_tasks ? " if each thread keeps its tasks" : "", text);
    free(text);
}

/* ---- bounds ---- */

/** @return a gain without what lack of processors contributes, at most the run time */
static uint64_t own_gain(const struct fm_cause_text *problem, uint64_t gain, uint64_t run)
{
    uint64_t own = problem->load == 0 ? gain : (uint64_t)((double)gain * (1 - problem->load));
    return own < run ? own : run;
}

/** @return whether little or nothing of a cause is on the critical path, as far as that is known */
static bool is_beside_path(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause)
{
    const double least = FM_SMALLEST_GAIN * (double)run_time(diagnosis->cube);
    return diagnosis->metrics[FM_METRIC_CRITICAL_PATH] > 0 &&
           time_on_path(diagnosis->cube, cause) < least;
}

/** @return whether other locations spend time in what a cause spends it in, as far as is known */
static bool is_seen_elsewhere(const struct fm_cube_problem *cause)
{
    return !cause->excess.is_known || cause->excess.elsewhere != 0;
}

/** Adds that no fix of the cause shortens the run, and why. */
static void add_small_gain(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    if (cause->kind == FM_CAUSE_SERIALIZATION || cause->kind == FM_CAUSE_CONTENTION) {
        fm_sentences_add(&problem->lines, "Gain",
                         "less than 0.5%% of the run time if it needed no lock: the waiting for "
                         "the lock is beside the critical path");
    } else if (is_beside_path(diagnosis, cause)) { /* no matter how late other locations are */
        fm_sentences_add(
            &problem->lines, "Gain",
            "less than 0.5%% of the run time: little or none of it is on the critical path");
    } else if (cause->location_count == cube->location_count) {
        fm_sentences_add(&problem->lines, "Gain",
                         "less than 0.5%% of the run time by other shares of the work: over the "
                         "run all do about as much of it, only not at the same time");
    } else {
        fm_sentences_add(&problem->lines, "Gain",
                         "less than 0.5%% of the run time: %s are nearly as late",
                         fm_location_set_others(diagnosis, 2));
    }
}

/** Writes the run time without a gain, with the gain's error. */
static void format_shortened(char buffer[FM_UNCERTAIN_SIZE], const struct fm_diagnosis *diagnosis,
                             const struct fm_cube_problem *cause, uint64_t run, uint64_t gain)
{
    fm_format_uncertain_time(buffer, diagnosis, (int64_t)(run - gain),
                             fm_error_of_cause(diagnosis->cube, cause, (int64_t)gain),
                             (int64_t)run);
}

static void add_bounds(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_problem *cause = problem->cause;
    uint64_t run = cube->experiment.end - cube->experiment.begin;
    uint64_t removed = own_gain(problem, cause->gain.removed, run);
    uint64_t balanced = own_gain(problem, cause->gain.balanced, run);
    double least = FM_SMALLEST_GAIN * (double)run;
    char now[FM_FORMAT_SIZE], without[FM_UNCERTAIN_SIZE], even[FM_UNCERTAIN_SIZE];
    if (!cause->gain.is_known || run == 0) {
        return;
    }
    fm_format_ticks(now, cube, (int64_t)run);
    format_shortened(without, diagnosis, cause, run, removed);
    format_shortened(even, diagnosis, cause, run, balanced);
    if ((double)removed < least && (double)balanced < least) {
        add_small_gain(diagnosis, problem);
    } else if (cause->kind == FM_CAUSE_SERIALIZATION || cause->kind == FM_CAUSE_CONTENTION) {
        fm_sentences_add(&problem->lines, "Gain", "%s -> %s at best if %s no lock", now, without,
                         cause->kind == FM_CAUSE_CONTENTION ? "its users needed" : "it needed");
    } else if (strcmp(without, even) == 0) {
        fm_sentences_add(&problem->lines, "Gain", "%s -> %s at best if it took as long everywhere",
                         now, without);
    } else if (cause->location_count == cube->location_count || (double)removed < least) {
        fm_sentences_add(&problem->lines, "Gain", "%s -> %s at best if its work were spread evenly",
                         now, even);
    } else {
        fm_sentences_add(&problem->lines, "Gain",
                         "%s -> %s at best if it took %s; %s at best if its work were spread "
                         "evenly",
                         now, without,
                         is_seen_elsewhere(cause) ? "as long there as elsewhere" : "no time there",
                         even);
    }
}

void fm_gain_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem)
{
    if (problem->cause->prediction_count > 0 && problem->load == 0) {
        add_predictions(diagnosis, problem);
    } else if (problem->cause->kind == FM_CAUSE_IDLE) {
        fm_idle_bounds_add(diagnosis, problem);
    } else {
        add_bounds(diagnosis, problem);
    }
}
