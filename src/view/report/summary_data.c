#include "view/report/summary_data.h"

#include "cube/model/delay_kind.h"
#include "diagnosis/efficiency.h"
#include "diagnosis/observations.h"
#include "diagnosis/problems.h"
#include "diagnosis/time_shares.h"

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
    fm_json_end(json);
}

static void put_problem(struct fm_json *json, const struct fm_problem *problem)
{
    fm_metric_t costs = fm_delay_metrics(fm_delay_kind(problem->kind))->costs;
    fm_json_object(json, NULL);
    fm_json_string(json, "metric", fm_metric_info(problem->kind)->id);
    fm_json_string(json, "cost", fm_metric_info(costs)->id);
    fm_json_unsigned(json, "callpath", problem->callpath);
    if (problem->cause == FM_CUBE_NONE) {
        fm_json_null(json, "cause");
    } else {
        fm_json_unsigned(json, "cause", problem->cause);
    }
    fm_json_signed(json, "ticks", problem->wait);
    fm_json_string(json, "headline", problem->headline.items[0].text);
    fm_json_array(json, "lines");
    for (size_t i = 0; i < problem->lines.count; i++) {
        fm_json_object(json, NULL);
        fm_json_string(json, "label", problem->lines.items[i].label);
        fm_json_string(json, "text", problem->lines.items[i].text);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void put_problems(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_problems problems;
    fm_problems_find(diagnosis, PROBLEMS, &problems);
    fm_json_array(json, "problems");
    for (size_t i = 0; i < problems.shown; i++) {
        put_problem(json, &problems.items[i]);
    }
    fm_json_end(json);
    fm_json_object(json, "others");
    fm_json_unsigned(json, "count", problems.count - problems.shown);
    fm_json_signed(json, "ticks", problems.rest);
    fm_json_end(json);
    fm_problems_free(&problems);
}

static void put_observations(struct fm_json *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_sentences sentences = {0};
    fm_observations_find(diagnosis, &sentences);
    fm_json_array(json, "observations");
    for (size_t i = 0; i < sentences.count; i++) {
        fm_json_string(json, NULL, sentences.items[i].text);
    }
    fm_json_end(json);
    fm_sentences_free(&sentences);
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
    fm_json_signed(json, "waiting", diagnosis.waiting);
    put_shares(json, &diagnosis);
    put_efficiency(json, &diagnosis);
    put_problems(json, &diagnosis);
    put_observations(json, &diagnosis);
    fm_json_end(json);
    return FM_OK;
}
