/* A comparison as JSON (docs/report-json.md). */
#include "cube/model/callpath_text.h"
#include "report/comparison/comparison.h"

#include "base/text.h"

#include <stdlib.h>

static void put_number(FILE *stream, const struct fm_comparison *comparison, fm_metric_t metric,
                       int64_t value)
{
    char number[FM_TEXT_NUMBER];
    fputs(fm_text_shortest(number, fm_comparison_scaled(comparison, metric, value)), stream);
}

static void put_values(FILE *stream, const struct fm_comparison *comparison, fm_metric_t metric,
                       const int64_t *values, size_t stride)
{
    fputs("\"values\":[", stream);
    for (size_t c = 0; c < comparison->count; c++) {
        fputs(c > 0 ? "," : "", stream);
        put_number(stream, comparison, metric, values[c * stride]);
    }
    putc(']', stream);
}

static void put_variants(FILE *stream, const struct fm_comparison *comparison)
{
    char number[FM_TEXT_NUMBER];
    fputs("\"variants\":[", stream);
    for (size_t c = 0; c < comparison->count; c++) {
        fputs(c > 0 ? ",\n{\"name\":" : "\n{\"name\":", stream);
        fm_text_write_json(stream, comparison->names[c]);
        fputs(",\"run_time\":", stream);
        put_number(stream, comparison, FM_METRIC_TIME, comparison->lengths[c]);
        fprintf(stream, ",\"processes\":%u,\"parallel_efficiency\":%s}",
                comparison->combination.cubes[c]->experiment.process_count,
                fm_text_shortest(number, comparison->efficiencies[c]));
    }
    putc(']', stream);
}

static void put_metrics(FILE *stream, const struct fm_comparison *comparison,
                        const struct fm_diff_options *options)
{
    const struct fm_diff_options everything = {
        .pattern = options->pattern == NULL ? "*" : options->pattern};
    const char *separator = "\n";
    fputs("\"metrics\":[", stream);
    for (unsigned m = 0; m < FM_METRIC_COUNT; m++) {
        if (!fm_diff_shows(comparison, &everything, (fm_metric_t)m))
            continue;
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)m);
        fprintf(stream, "%s{\"id\":\"%s\",\"unit\":\"%s\",", separator, info->id,
                fm_unit_name(info->unit));
        put_values(stream, comparison, (fm_metric_t)m, &comparison->totals[m], FM_METRIC_COUNT);
        putc('}', stream);
        separator = ",\n";
    }
    putc(']', stream);
}

static void put_changes(FILE *stream, const struct fm_comparison *comparison)
{
    const char *separator = "\n";
    fputs("\"changes\":[", stream);
    for (size_t i = 0; i < comparison->change_count; i++) {
        const struct fm_change *change = &comparison->changes[i];
        if (change->difference == 0)
            break;
        char *path =
            fm_cube_callpath_text(comparison->combination.united.frame, change->callpath, "/");
        fprintf(stream, "%s{\"metric\":\"%s\",\"callpath\":", separator,
                fm_metric_info(change->metric)->id);
        fm_text_write_json(stream, path);
        fputs(",\"difference\":", stream);
        put_number(stream, comparison, change->metric, change->difference);
        putc(',', stream);
        put_values(stream, comparison, change->metric, change->values, 1);
        putc('}', stream);
        free(path);
        separator = ",\n";
    }
    putc(']', stream);
}

static void put_conditions(FILE *stream, const struct fm_comparison *comparison,
                           const struct fm_diff_options *options)
{
    const char *separator = "\n";
    fputs("\"met_conditions\":[", stream);
    for (size_t i = 0; i < options->condition_count; i++) {
        for (size_t c = 1; c < comparison->count; c++) {
            for (unsigned m = 0; m < FM_METRIC_COUNT; m++) {
                if (!fm_condition_met(&options->conditions[i], comparison, c, (fm_metric_t)m))
                    continue;
                fprintf(stream, "%s{\"condition\":", separator);
                fm_text_write_json(stream, options->conditions[i].text);
                fprintf(stream, ",\"metric\":\"%s\",\"variant\":%zu}",
                        fm_metric_info((fm_metric_t)m)->id, c);
                separator = ",\n";
            }
        }
    }
    putc(']', stream);
}

void fm_diff_write_json(const struct fm_comparison *comparison,
                        const struct fm_diff_options *options, FILE *stream)
{
    fputs("{\"format\":\"fermata-diff\",\"version\":1,\n", stream);
    put_variants(stream, comparison);
    fputs(",\n", stream);
    put_metrics(stream, comparison, options);
    fputs(",\n", stream);
    put_changes(stream, comparison);
    fputs(",\n", stream);
    put_conditions(stream, comparison, options);
    fputs("}\n", stream);
}
