/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as JSON (docs/report-json.md). */
#include "base/json/json_writer.h"
#include "cube/model/callpath_text.h"
#include "report/comparison/comparison.h"

#include <math.h>
#include <stdlib.h>

static void put_number(struct fm_json *json, const char *key,
                       const struct fm_comparison *comparison, fm_metric_t metric, int64_t value)
{
    fm_json_double(json, key, fm_comparison_scaled(comparison, metric, value));
}

static void put_values(struct fm_json *json, const struct fm_comparison *comparison,
                       fm_metric_t metric, const int64_t *values, size_t stride)
{
    fm_json_array(json, "values");
    for (size_t c = 0; c < comparison->count; c++) {
        put_number(json, NULL, comparison, metric, values[c * stride]);
    }
    fm_json_end(json);
}

/** Writes "hybrid": the factors of the parallel efficiency; null if they are not defined. */
static void put_hybrid(struct fm_json *json, const struct fm_hybrid_row rows[FM_HYBRID_ROWS])
{
    if (isnan(rows[0].value)) {
        fm_json_null(json, "hybrid");
        return;
    }
    fm_json_object(json, "hybrid");
    for (unsigned i = 0; i < FM_HYBRID_ROWS; i++) {
        fm_json_double(json, rows[i].key, rows[i].value);
    }
    fm_json_end(json);
}

/** Writes "hang": how a run ended that ended inside of calls, else null. */
static void put_end(struct fm_json *json, const struct fm_comparison *comparison, size_t variant)
{
    if (comparison->ends[variant] == NULL) {
        fm_json_null(json, "hang");
        return;
    }
    const fm_hang_t kind = comparison->combination.cubes[variant]->hang.kind;
    fm_json_object(json, "hang");
    fm_json_string(json, "kind", fm_hang_id(kind));
    fm_json_string(json, "text", comparison->ends[variant]);
    fm_json_end(json);
}

static void put_variants(struct fm_json *json, const struct fm_comparison *comparison)
{
    fm_json_array(json, "variants");
    for (size_t c = 0; c < comparison->count; c++) {
        fm_json_line(json, 0);
        fm_json_object(json, NULL);
        fm_json_string(json, "name", comparison->names[c]);
        if (comparison->ends[c] == NULL) {
            put_number(json, "run_time", comparison, FM_METRIC_TIME, comparison->lengths[c]);
        } else {
            fm_json_null(json, "run_time");
        }
        fm_json_unsigned(json, "processes",
                         comparison->combination.cubes[c]->experiment.process_count);
        fm_json_double(json, "parallel_efficiency", comparison->efficiencies[c]);
        put_hybrid(json, comparison->hybrids[c]);
        put_end(json, comparison, c);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_metrics(struct fm_json *json, const struct fm_comparison *comparison,
                        const struct fm_diff_options *options)
{
    const struct fm_diff_options everything = {
        .pattern = options->pattern == NULL ? "*" : options->pattern};
    fm_json_array(json, "metrics");
    for (unsigned m = 0; m < fm_metric_end(); m++) {
        if (!fm_diff_shows(comparison, &everything, (fm_metric_t)m)) {
            continue;
        }
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)m);
        fm_json_line(json, 0);
        fm_json_object(json, NULL);
        fm_json_string(json, "id", info->id);
        fm_json_string(json, "unit", fm_unit_name(info->unit));
        put_values(json, comparison, (fm_metric_t)m, &comparison->totals[m], FM_METRIC_COUNT);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_changes(struct fm_json *json, const struct fm_comparison *comparison)
{
    fm_json_array(json, "changes");
    for (size_t i = 0; i < comparison->change_count; i++) {
        const struct fm_change *change = &comparison->changes[i];
        if (change->difference == 0) {
            break;
        }
        char *path =
            fm_cube_callpath_text(comparison->combination.united.frame, change->callpath, "/");
        fm_json_line(json, 0);
        fm_json_object(json, NULL);
        fm_json_string(json, "metric", fm_metric_info(change->metric)->id);
        fm_json_string(json, "callpath", path);
        fm_json_bool(json, "estimated", fm_change_is_estimated(comparison, change));
        put_number(json, "difference", comparison, change->metric, change->difference);
        put_values(json, comparison, change->metric, change->values, 1);
        fm_json_end(json);
        free(path);
    }
    fm_json_end(json);
}

static void put_conditions(struct fm_json *json, const struct fm_comparison *comparison,
                           const struct fm_diff_options *options)
{
    fm_json_array(json, "met_conditions");
    for (size_t i = 0; i < options->condition_count; i++) {
        for (size_t c = 1; c < comparison->count; c++) {
            for (unsigned m = 0; m < fm_metric_end(); m++) {
                if (!fm_condition_met(&options->conditions[i], comparison, c, (fm_metric_t)m)) {
                    continue;
                }
                fm_json_line(json, 0);
                fm_json_object(json, NULL);
                fm_json_string(json, "condition", options->conditions[i].text);
                fm_json_string(json, "metric", fm_metric_info((fm_metric_t)m)->id);
                fm_json_unsigned(json, "variant", c);
                fm_json_end(json);
            }
        }
    }
    fm_json_end(json);
}

void fm_diff_write_json(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, FILE *stream)
{
    struct fm_json json = fm_json_begin(stream, FM_JSON_COMPACT);
    fm_json_object(&json, NULL);
    fm_json_string(&json, "format", "fermata-diff");
    fm_json_unsigned(&json, "version", 1);
    fm_json_line(&json, 0);
    put_variants(&json, comparison);
    fm_json_line(&json, 0);
    put_metrics(&json, comparison, options);
    fm_json_line(&json, 0);
    put_changes(&json, comparison);
    fm_json_line(&json, 0);
    put_conditions(&json, comparison, options);
    fm_json_end(&json);
    putc('\n', stream);
}
