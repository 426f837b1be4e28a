/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases and matrices as CSV. */
#include "base/memory.h"
#include "base/text.h"
#include "diagnosis/efficiency/efficiency.h"
#include "export/csv/csv_report.h"

#include <math.h>
#include <stdlib.h>

static fm_status_t finish(FILE *stream, struct fm_error *error)
{
    if (fflush(stream) != 0 || ferror(stream))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot write the report as CSV: %m");
    return FM_OK;
}

/** Writes a comma and a number; NAN: only the comma. */
static void put_number(FILE *stream, double value)
{
    char number[FM_TEXT_NUMBER];
    fprintf(stream, ",%s", isnan(value) ? "" : fm_text_shortest(number, value));
}

static void put_seconds(FILE *stream, const struct fm_cube *cube, double ticks)
{
    put_number(stream, ticks / (double)cube->experiment.ticks_per_second);
}

static void put_iteration(FILE *stream, const struct fm_cube *cube,
                          const struct fm_cube_iteration *row)
{
    const uint64_t ticks[] = {row->begin,  row->end,         row->duration,
                              row->time,   row->computation, row->longest_computation,
                              row->waiting};
    const struct fm_efficiency efficiency = fm_efficiency_of_iteration(cube, row);
    fprintf(stream, ",%llu,%llu", (unsigned long long)row->first, (unsigned long long)row->count);
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
        put_seconds(stream, cube, (double)ticks[i]);
    put_seconds(stream, cube, fm_cube_iteration_imbalance(row));
    fprintf(stream, ",%u,", row->locations);
    if (row->slowest != FM_CUBE_NONE)
        fprintf(stream, "%u", row->slowest);
    put_number(stream, efficiency.parallel);
    put_number(stream, efficiency.load_balance);
    put_number(stream, efficiency.communication);
}

fm_status_t fm_export_phases_csv(const struct fm_cube *cube, FILE *stream, struct fm_error *error)
{
    bool occurs[FM_METRIC_COUNT] = {false};
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        for (uint32_t k = 0; k < cube->phases[i].kind_count; k++)
            occurs[cube->phases[i].kinds[k]] = true;
    }
    fputs("region,first,count,begin,end,duration,time,computation,longest_computation,waiting,"
          "imbalance,locations,slowest,parallel_efficiency,load_balance,communication_efficiency",
          stream);
    for (unsigned metric = 0; metric < FM_METRIC_COUNT; metric++) {
        if (occurs[metric])
            fprintf(stream, ",%s", fm_metric_info((fm_metric_t)metric)->id);
    }
    fputs("\r\n", stream);
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        const struct fm_cube_phase *phase = &cube->phases[i];
        for (uint32_t r = 0; r < phase->row_count; r++) {
            uint64_t waiting[FM_METRIC_COUNT] = {0};
            for (uint32_t k = 0; k < phase->kind_count; k++)
                waiting[phase->kinds[k]] = phase->waiting[(size_t)r * phase->kind_count + k];
            fm_text_write_csv(stream, cube->regions[phase->region].name);
            put_iteration(stream, cube, &phase->rows[r]);
            for (unsigned metric = 0; metric < FM_METRIC_COUNT; metric++) {
                if (occurs[metric])
                    put_seconds(stream, cube, (double)waiting[metric]);
            }
            fputs("\r\n", stream);
        }
    }
    return finish(stream, error);
}

fm_status_t fm_export_matrix_csv(const struct fm_cube *cube, enum fm_cube_matrix_kind kind,
                                 FILE *stream, struct fm_error *error)
{
    const struct fm_cube_matrix *matrix = &cube->matrices[kind];
    fprintf(stream, "from,from_rank,from_thread,to,to_rank,to_thread,metric,count,%s\r\n",
            fm_cube_matrix_is_time(kind) ? "seconds" : "bytes");
    for (size_t i = 0; i < matrix->link_count; i++) {
        const struct fm_cube_link *link = &matrix->links[i];
        const struct fm_cube_location *from = &cube->locations[link->from];
        const struct fm_cube_location *to = &cube->locations[link->to];
        fprintf(stream, "%u,%u,%u,%u,%u,%u,%s,%llu", link->from, from->rank, from->thread, link->to,
                to->rank, to->thread, fm_metric_info((fm_metric_t)link->metric)->id,
                (unsigned long long)link->count);
        if (fm_cube_matrix_is_time(kind))
            put_seconds(stream, cube, (double)link->amount);
        else
            fprintf(stream, ",%llu", (unsigned long long)link->amount);
        fputs("\r\n", stream);
    }
    return finish(stream, error);
}
