/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/delay_kind.h"
#include "diagnosis/location_set.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"

#include <stdlib.h>

#define WHO_COLUMN 27

static void print_distribution(const struct fm_report *report,
                               const struct fm_cube_statistics *record)
{
    const uint64_t values[] = {record->min, record->lower_quartile, record->median,
                               record->upper_quartile, record->max};
    static const char *const titles[] = {"minimum", "quartile 1", "median", "quartile 3",
                                         "maximum"};
    FILE *stream = report->terminal->stream;
    char number[FM_FORMAT_SIZE];
    fprintf(stream, "%10s", "count");
    for (int i = 0; i < 5; i++)
        fprintf(stream, "%12s", titles[i]);
    fprintf(stream, "\n%10s", fm_format_count(number, (int64_t)record->count));
    for (int i = 0; i < 5; i++)
        fprintf(stream, "%12s",
                fm_format_ticks(number, report->diagnosis.cube, (int64_t)values[i]));
    putc('\n', stream);
}

static void print_error(const struct fm_report *report, const struct fm_cube_statistics *record)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    char numbers[2][FM_FORMAT_SIZE];
    if (!cube->errors.are_known) {
        return;
    }
    fm_terminal_print(report->terminal, "", 2, "Their sum is %s (%s%s).",
                      fm_format_ticks(numbers[0], cube, (int64_t)record->sum),
                      fm_error_sign(&report->diagnosis),
                      fm_format_ticks(numbers[1], cube, (int64_t)record->error));
    if (record->insignificant != 0) {
        fm_terminal_print(report->terminal, "", 2,
                          "%s of them, %s together, %s shorter than the error of their times: not "
                          "significant.",
                          fm_format_count(numbers[0], (int64_t)record->insignificant),
                          fm_format_ticks(numbers[1], cube, (int64_t)record->insignificant_sum),
                          record->insignificant == 1 ? "is" : "are");
    }
}

static void print_instance(const struct fm_report *report, fm_metric_t metric,
                           const struct fm_cube_instance *instance)
{
    char label[64];
    char wait[FM_FORMAT_SIZE];
    char begin[FM_FORMAT_SIZE];
    snprintf(label, sizeof label, "%12s%12s",
             fm_format_ticks(wait, report->diagnosis.cube, (int64_t)instance->wait),
             fm_format_ticks(begin, report->diagnosis.cube, (int64_t)instance->enter));
    char *waiter = fm_place_location(&report->diagnosis, instance->location);
    char *place = fm_place_callpath(&report->diagnosis, instance->callpath);
    fm_terminal_print(report->terminal, label, WHO_COLUMN, "%s in %s", waiter, place);
    if (instance->cause_location != FM_CUBE_NONE) {
        char *cause = fm_place_location(&report->diagnosis, instance->cause_location);
        char *path = instance->cause_callpath == FM_CUBE_NONE
                         ? NULL
                         : fm_place_callpath(&report->diagnosis, instance->cause_callpath);
        /* A lock is free only when its release ends. */
        bool release = fm_delay_metrics(fm_delay_kind(metric))->is_contention;
        const char *verb = path == NULL ? "" : release ? " to leave " : " to enter ";
        fm_terminal_print(report->terminal, "", WHO_COLUMN, "for %s%s%s", cause, verb,
                          path == NULL ? "" : path);
        free(path);
        free(cause);
    }
    free(place);
    free(waiter);
}

void fm_report_statistics(const struct fm_report *report)
{
    fm_metric_t metric = report->options->selection.metric;
    const struct fm_cube_statistics *record =
        fm_cube_metric_statistics(report->diagnosis.cube, metric);
    if (record == NULL) /* a part of a wait state: only its kind has statistics */
        metric = fm_wait_state_kind(metric);
    if (record == NULL && metric != FM_METRIC_NONE)
        record = fm_cube_metric_statistics(report->diagnosis.cube, metric);
    if (record == NULL)
        return;
    char heading[128];
    snprintf(heading, sizeof heading, "Waiting times of %s, all %s and call paths",
             fm_metric_info(metric)->name, fm_location_set_all(&report->diagnosis));
    fm_terminal_heading(report->terminal, heading);
    print_distribution(report, record);
    print_error(report, record);
    if (record->worst_count == 0)
        return;
    fm_terminal_heading(report->terminal, "Longest waits");
    fprintf(report->terminal->stream, "%12s%12s   who\n", "wait", "at");
    for (uint32_t i = 0; i < record->worst_count; i++)
        print_instance(report, metric, &record->worst[i]);
}
