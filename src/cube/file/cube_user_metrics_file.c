/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of the metrics that patterns of the user declare, and their section of the file. The
 * other data of these metrics are in the section of all metrics, so that a program without this
 * section counts their values in their parents. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>

void fm_cube_put_user_metrics(struct fm_sink *sink, const struct fm_cube *cube)
{
    (void)cube;
    unsigned end = fm_metric_end();
    fm_sink_u32(sink, FM_CUBE_USER_METRICS_VERSION);
    fm_sink_u32(sink, end - FM_METRIC_USER);
    for (unsigned i = FM_METRIC_USER; i < end; i++) {
        const struct fm_metric_info *info = fm_metric_info((fm_metric_t)i);
        fm_sink_u32(sink, i);
        fm_sink_string(sink, info->description);
        fm_sink_string(sink, info->formula);
        fm_sink_string(sink, info->advice);
    }
}

fm_status_t fm_cube_read_user_metrics(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_UMET];
    bool readable;
    fm_status_t status =
        fm_cube_begin_optional(reader, FM_SECTION_UMET, FM_CUBE_USER_METRICS_VERSION,
                               "The metrics of the user's patterns are", &readable);
    if (status != FM_OK || !readable)
        return status;
    uint32_t count = fm_source_count(source, 4 + 3 * 4);
    reader->user_metrics = calloc(count + (size_t)1, sizeof *reader->user_metrics);
    if (reader->user_metrics == NULL)
        return fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory for the report",
                       reader->path);
    for (uint32_t i = 0; i < count && !source->failed; i++) {
        struct fm_cube_user_metric *metric = &reader->user_metrics[i];
        metric->number = fm_source_u32(source);
        metric->description = fm_source_string(source, false);
        metric->formula = fm_source_string(source, false);
        metric->advice = fm_source_string(source, false);
        reader->user_metric_count++;
    }
    return fm_cube_check_used_up(reader, FM_SECTION_UMET);
}

const struct fm_cube_user_metric *fm_cube_user_metric(const struct fm_cube_reader *reader,
                                                      uint32_t number)
{
    for (uint32_t i = 0; i < reader->user_metric_count; i++) {
        if (reader->user_metrics[i].number == number)
            return &reader->user_metrics[i];
    }
    return NULL;
}

void fm_cube_forget_user_metrics(struct fm_cube_reader *reader)
{
    for (uint32_t i = 0; i < reader->user_metric_count; i++) {
        free(reader->user_metrics[i].description);
        free(reader->user_metrics[i].formula);
        free(reader->user_metrics[i].advice);
    }
    free(reader->user_metrics);
}
