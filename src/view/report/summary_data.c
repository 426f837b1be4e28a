/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/report/summary_data.h"

#include "diagnosis/efficiency/efficiency.h"
#include "diagnosis/efficiency/hybrid_efficiency.h"
#include "diagnosis/hang/hang_text.h"
#include "diagnosis/observations.h"
#include "diagnosis/problems/answer.h"
#include "diagnosis/problems/gain_text.h"
#include "diagnosis/problems/machine_load.h"
#include "diagnosis/problems/wait_groups.h"
#include "diagnosis/time_shares.h"
#include "diagnosis/uncertainty.h"

#include <math.h>
#include <stdlib.h>

/** Number of problems in the page, which has more space than a terminal. */
#define PROBLEMS 8

static void put_shares(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_time_share shares[FM_TIME_SHARE_COUNT];
    fm_time_shares(diagnosis, shares);
    fm_json_array(json, "shares");
    for (unsigned i = 0; i < FM_TIME_SHARE_COUNT; i++) {
        if (shares[i].ticks == 0) {
            continue;
        }
        fm_json_object(json, NULL);
        fm_json_string(json, "name", shares[i].name);
        fm_json_signed(json, "ticks", shares[i].ticks);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_ratio(struct fm_json *json, const char *key, double value)
{
    fm_json_object(json, key);
    fm_json_double(json, "value", value);
    fm_json_string(json, "verdict", fm_efficiency_verdict(value));
    fm_json_end(json);
}

/** Writes "hybrid": the efficiencies of processes and threads; empty if they are not defined. */
static void put_hybrid(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_hybrid_efficiency hybrid;
    fm_json_array(json, "hybrid");
    if (fm_hybrid_efficiency(diagnosis->cube, &hybrid)) {
        struct fm_hybrid_row rows[FM_HYBRID_ROWS];
        fm_hybrid_rows(&hybrid, rows);
        for (unsigned i = 0; i < FM_HYBRID_ROWS; i++) {
            fm_json_object(json, NULL);
            fm_json_string(json, "name", rows[i].name);
            fm_json_string(json, "meaning", rows[i].meaning);
            fm_json_unsigned(json, "depth", rows[i].depth);
            fm_json_double(json, "value", rows[i].value);
            fm_json_string(json, "verdict", fm_efficiency_verdict(rows[i].value));
            fm_json_end(json);
        }
    }
    fm_json_end(json);
}

static void put_efficiency(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_efficiency efficiency;
    if (!fm_diagnosis_efficiency(diagnosis, &efficiency)) {
        fm_json_null(json, "efficiency");
        return;
    }
    fm_json_object(json, "efficiency");
    put_ratio(json, "parallel", efficiency.parallel);
    put_ratio(json, "load_balance", efficiency.load_balance);
    put_ratio(json, "communication", efficiency.communication);
    if (!isnan(efficiency.transfer)) {
        put_ratio(json, "serialization", efficiency.serialization);
        put_ratio(json, "transfer", efficiency.transfer);
    }
    if (!isnan(efficiency.offload)) {
        put_ratio(json, "offload", efficiency.offload);
    }
    put_hybrid(json, diagnosis);
    fm_json_end(json);
}

/* Writes "headline" and "lines", the sentences from `first` on. */
static void put_sentences(struct fm_json *json, const struct fm_sentences *headline,
                          const struct fm_sentences *lines, size_t first)
{
    fm_json_string(json, "headline", headline->items[0].text);
    fm_json_array(json, "lines");
    for (size_t i = first; i < lines->count; i++) {
        fm_json_object(json, NULL);
        fm_json_string(json, "label", lines->items[i].label);
        fm_json_string(json, "text", lines->items[i].text);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/** Writes when a problem arises: "phase" (null: none) and "when". */
static void put_when(struct fm_json *json, const struct fm_cube_problem *problem)
{
    bool has_phase = problem->phase != FM_CUBE_NONE;
    if (has_phase) {
        fm_json_unsigned(json, "phase", problem->phase);
    } else {
        fm_json_null(json, "phase");
    }
    fm_json_array(json, "when");
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        const struct fm_cube_occasion *occasion = &problem->occasions[i];
        fm_json_object(json, NULL);
        if (has_phase) {
            fm_json_unsigned(json, "first", occasion->first);
            fm_json_unsigned(json, "last", occasion->last);
        }
        fm_json_unsigned(json, "begin", occasion->begin);
        fm_json_unsigned(json, "end", occasion->end);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_problem(struct fm_json *json, const struct fm_cube *cube,
                        const struct fm_cause_text *problem)
{
    const struct fm_cube_problem *cause = problem->cause;
    fm_json_object(json, NULL);
    fm_json_unsigned(json, "id", (uint64_t)(cause - cube->problems) + 1);
    fm_json_unsigned(json, "cause", cause->callpath);
    if (cause->symptom_count == 0) {
        fm_json_null(json, "metric");
        fm_json_null(json, "callpath");
    } else {
        fm_metric_t metric = (fm_metric_t)cause->symptoms[0].metric;
        fm_metric_t kind = cause->kind == FM_CAUSE_IDLE ? metric : fm_wait_state_kind(metric);
        fm_json_string(json, "metric", fm_metric_info(kind)->id);
        fm_json_unsigned(json, "callpath", cause->symptoms[0].callpath);
    }
    fm_json_signed(json, "ticks", problem->cost);
    put_when(json, cause);
    put_sentences(json, &problem->headline, &problem->lines, 0);
    fm_json_end(json);
}

/** Writes the kinds of wait states instead of problems, for reports without problems: means. */
static void put_symptoms(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_wait_groups symptoms;
    fm_wait_groups_find(diagnosis, PROBLEMS, &symptoms);
    fm_json_array(json, "problems");
    for (size_t i = 0; i < symptoms.shown; i++) {
        const struct fm_wait_group *symptom = &symptoms.items[i];
        fm_json_object(json, NULL);
        fm_json_null(json, "id");
        fm_json_null(json, "cause");
        fm_json_string(json, "metric", fm_metric_info(symptom->kind)->id);
        fm_json_unsigned(json, "callpath", symptom->callpath);
        fm_json_signed(json, "ticks", symptom->wait);
        fm_json_null(json, "phase");
        fm_json_array(json, "when");
        fm_json_end(json);
        put_sentences(json, &symptom->headline, &symptom->lines, 0);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_object(json, "others");
    fm_json_unsigned(json, "count", symptoms.count - symptoms.shown);
    fm_json_signed(json, "ticks", symptoms.rest);
    fm_json_end(json);
    fm_json_null(json, "without_cause");
    fm_json_array(json, "predictions");
    fm_json_end(json);
    fm_wait_groups_free(&symptoms);
}

/* @return whether an earlier prediction is about the same change of the whole run */
static bool is_known(const struct fm_answer *problems, size_t end,
                     const struct fm_cube_prediction *prediction)
{
    for (size_t i = 0; i < end; i++) {
        const struct fm_cube_problem *cause = problems->items[i].cause;
        for (uint32_t k = 0; k < cause->prediction_count; k++) {
            if (cause->predictions[k].change == prediction->change &&
                cause->predictions[k].callpath == prediction->callpath) {
                return fm_predicted_of_call(prediction->change) ||
                       prediction->change == FM_PREDICTED_PROGRESS;
            }
        }
    }
    return false;
}

/** Writes what is predicted to help, in the order of the problems. */
static void put_predictions(struct fm_json *json, const struct fm_diagnosis *diagnosis,
                            const struct fm_answer *problems)
{
    fm_json_array(json, "predictions");
    for (size_t i = 0; i < problems->count; i++) {
        const struct fm_cube_problem *cause = problems->items[i].cause;
        for (uint32_t k = 0; problems->items[i].load == 0 && k < cause->prediction_count; k++) {
            const struct fm_cube_prediction *prediction = &cause->predictions[k];
            if (is_known(problems, i, prediction)) {
                continue;
            }
            char *text = fm_gain_change_text(diagnosis, cause, prediction);
            fm_json_object(json, NULL);
            if (fm_predicted_of_call(prediction->change)) {
                fm_json_null(json, "cause");
            } else {
                char *name = fm_cause_name(diagnosis, cause);
                fm_json_string(json, "cause", name);
                free(name);
            }
            fm_json_string(json, "text", text);
            fm_json_unsigned(json, "callpath",
                             fm_predicted_of_call(prediction->change) ? prediction->callpath
                                                                      : cause->callpath);
            fm_json_signed(json, "saved", prediction->saved);
            fm_json_signed(json, "error",
                           fm_error_of_cause(diagnosis->cube, cause, llabs(prediction->saved)));
            fm_json_end(json);
            free(text);
        }
    }
    fm_json_end(json);
}

static void put_problems(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_answer problems;
    fm_answer_make(diagnosis, PROBLEMS, &problems);
    fm_json_array(json, "problems");
    for (size_t i = 0; i < problems.count; i++) {
        put_problem(json, diagnosis->cube, &problems.items[i]);
    }
    fm_json_end(json);
    fm_json_object(json, "others");
    fm_json_unsigned(json, "count", problems.omitted_count);
    fm_json_signed(json, "ticks", problems.omitted);
    fm_json_end(json);
    if (problems.without_cause.count == 0) {
        fm_json_null(json, "without_cause");
    } else {
        fm_json_string(json, "without_cause", problems.without_cause.items[0].text);
    }
    put_predictions(json, diagnosis, &problems);
    fm_json_bool(json, "scarce_processors", fm_load_is_notable(diagnosis));
    fm_answer_free(&problems);
}

/* By how much recording makes the run longer. */
static void put_overhead(struct fm_json *json, const struct fm_cube *cube)
{
    struct fm_sentences warning = {0};
    char longer[FM_TEXT_NUMBER], text[512] = "";
    if (fm_overhead_warn(cube, &warning)) {
        snprintf(text, sizeof text, "%s %s", warning.items[0].label, warning.items[0].text);
    } else if (fm_overhead_text(cube, longer)) {
        snprintf(text, sizeof text, "Recording makes the run %s by its measured costs.", longer);
    }
    if (text[0] != '\0') {
        fm_json_string(json, NULL, text);
    }
    fm_sentences_free(&warning);
}

static void put_observations(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_sentences sentences = {0};
    fm_observations_find(diagnosis, &sentences);
    fm_json_array(json, "observations");
    put_overhead(json, diagnosis->cube);
    for (size_t i = 0; i < sentences.count; i++) {
        fm_json_string(json, NULL, sentences.items[i].text);
    }
    fm_json_end(json);
    fm_sentences_free(&sentences);
}

/* How a run ended that ended inside of calls: "hang". */
static void put_hang(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_sentences sentences = {0};
    fm_hang_text(diagnosis, NULL, &sentences);
    if (sentences.count == 0) {
        fm_json_null(json, "hang");
        return;
    }
    fm_json_object(json, "hang");
    put_sentences(json, &sentences, &sentences, 1);
    fm_json_end(json);
    fm_sentences_free(&sentences);
}

/** The words of the programming model for its processes. */
static void put_process(struct fm_json *json, const struct fm_process_word *process)
{
    fm_json_object(json, "process");
    fm_json_string(json, "one", process->one);
    fm_json_string(json, "many", process->many);
    fm_json_unsigned(json, "first", process->first);
    fm_json_end(json);
}

fm_status_t fm_summary_data_put(const struct fm_cube *cube, struct fm_json *json,
                                struct fm_error *error)
{
    enum { COLUMNS = 110 }; /* shortened paths: the buttons lead to whole ones */
    const struct fm_diagnosis_options wording = {.width = COLUMNS, .utf8 = true};
    struct fm_diagnosis diagnosis;
    fm_status_t status = fm_diagnosis_make(&diagnosis, cube, &wording, error);
    if (status != FM_OK)
        return status;
    fm_json_object(json, "summary");
    put_process(json, &diagnosis.process);
    fm_json_signed(json, "time", diagnosis.time);
    fm_json_signed(json, "startup", diagnosis.longest_startup);
    fm_json_signed(json, "waiting", diagnosis.waiting);
    fm_json_signed(json, "error", fm_error_of_waiting(cube, diagnosis.waiting));
    fm_json_bool(json, "is_profile", cube->is_profile);
    put_shares(json, &diagnosis);
    put_efficiency(json, &diagnosis);
    put_hang(json, &diagnosis);
    if (cube->problem_count > 0) {
        put_problems(json, &diagnosis);
    } else {
        put_symptoms(json, &diagnosis);
    }
    put_observations(json, &diagnosis);
    fm_json_end(json);
    return FM_OK;
}
