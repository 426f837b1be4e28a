#include "view/report/summary_data.h"

#include "base/text.h"
#include "cube/model/delay_kind.h"
#include "diagnosis/efficiency.h"
#include "diagnosis/observations.h"
#include "diagnosis/problems.h"
#include "diagnosis/time_shares.h"

/** Of the page, which has more room than a terminal. */
#define PROBLEMS 8

static void put_shares(FILE *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_time_share shares[FM_TIME_SHARE_COUNT];
    fm_time_shares(diagnosis, shares);
    fputs(",\"shares\":[", json);
    const char *separator = "";
    for (unsigned i = 0; i < FM_TIME_SHARE_COUNT; i++) {
        if (shares[i].ticks == 0)
            continue;
        fprintf(json, "%s{\"name\":", separator);
        fm_text_write_json(json, shares[i].name);
        fprintf(json, ",\"ticks\":%lld}", (long long)shares[i].ticks);
        separator = ",";
    }
    putc(']', json);
}

static void put_ratio(FILE *json, const char *key, double value)
{
    char number[FM_TEXT_NUMBER];
    fprintf(json, "\"%s\":{\"value\":%s,\"verdict\":\"%s\"}", key, fm_text_shortest(number, value),
            fm_efficiency_verdict(value));
}

static void put_efficiency(FILE *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_efficiency efficiency;
    fputs(",\"efficiency\":", json);
    if (!fm_diagnosis_efficiency(diagnosis, &efficiency)) {
        fputs("null", json);
        return;
    }
    putc('{', json);
    put_ratio(json, "parallel", efficiency.parallel);
    putc(',', json);
    put_ratio(json, "load_balance", efficiency.load_balance);
    putc(',', json);
    put_ratio(json, "communication", efficiency.communication);
    putc('}', json);
}

static void put_problem(FILE *json, const struct fm_problem *problem)
{
    fm_metric_t costs = fm_delay_metrics(fm_delay_kind(problem->kind))->costs;
    fprintf(json, "{\"metric\":\"%s\",\"cost\":\"%s\",\"callpath\":%u,\"cause\":",
            fm_metric_info(problem->kind)->id, fm_metric_info(costs)->id, problem->callpath);
    if (problem->cause == FM_CUBE_NONE)
        fputs("null,", json);
    else
        fprintf(json, "%u,", problem->cause);
    fprintf(json, "\"ticks\":%lld,\"headline\":", (long long)problem->wait);
    fm_text_write_json(json, problem->headline.items[0].text);
    fputs(",\"lines\":[", json);
    for (size_t i = 0; i < problem->lines.count; i++) {
        fputs(i == 0 ? "{\"label\":" : ",{\"label\":", json);
        fm_text_write_json(json, problem->lines.items[i].label);
        fputs(",\"text\":", json);
        fm_text_write_json(json, problem->lines.items[i].text);
        putc('}', json);
    }
    fputs("]}", json);
}

static void put_problems(FILE *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_problems problems;
    fm_problems_find(diagnosis, PROBLEMS, &problems);
    fputs(",\"problems\":[", json);
    for (size_t i = 0; i < problems.shown; i++) {
        if (i > 0)
            putc(',', json);
        put_problem(json, &problems.items[i]);
    }
    fprintf(json, "],\"others\":{\"count\":%zu,\"ticks\":%lld}", problems.count - problems.shown,
            (long long)problems.rest);
    fm_problems_free(&problems);
}

static void put_observations(FILE *json, const struct fm_diagnosis *diagnosis)
{
    struct fm_sentences lines = {0};
    fm_observations_find(diagnosis, &lines);
    fputs(",\"observations\":[", json);
    for (size_t i = 0; i < lines.count; i++) {
        if (i > 0)
            putc(',', json);
        fm_text_write_json(json, lines.items[i].text);
    }
    putc(']', json);
    fm_sentences_free(&lines);
}

fm_status_t fm_summary_data_put(const struct fm_cube *cube, FILE *json, struct fm_error *error)
{
    enum { COLUMNS = 110 }; /* longer call paths lose their middle: the buttons lead to all of it */
    const struct fm_diagnosis_options wording = {.width = COLUMNS, .utf8 = true};
    struct fm_diagnosis diagnosis;
    fm_status_t status = fm_diagnosis_make(&diagnosis, cube, &wording, error);
    if (status != FM_OK)
        return status;
    fprintf(json, "\"summary\":{\"waiting\":%lld", (long long)diagnosis.waiting);
    put_shares(json, &diagnosis);
    put_efficiency(json, &diagnosis);
    put_problems(json, &diagnosis);
    put_observations(json, &diagnosis);
    fputs("},", json);
    return FM_OK;
}
