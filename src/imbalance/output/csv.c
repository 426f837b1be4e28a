/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"
#include "imbalance/output/output.h"

#include <inttypes.h>
#include <math.h>

/* An empty cell if the value is not known. */
static void put(FILE *stream, double value)
{
    char number[FM_TEXT_NUMBER];
    putc(',', stream);
    if (isfinite(value)) {
        fputs(fm_text_shortest(number, value), stream);
    }
}

static void write_sweep(const struct fm_sweep *sweep, FILE *stream)
{
    fputs("set,problem", stream);
    for (int c = 0; c < FM_SWEEP_COLUMN_COUNT; c++) {
        fprintf(stream, ",%s", fm_sweep_column_name((fm_sweep_column_t)c));
    }
    fputs("\r\n", stream);
    for (size_t i = 0; i < sweep->rows.count; i++) {
        const struct fm_sweep_row *row = &sweep->rows.items[i];
        fm_text_write_csv(stream, row->set);
        putc(',', stream);
        fm_text_write_csv(stream, row->problem);
        for (int c = 0; c < FM_SWEEP_COLUMN_COUNT; c++) {
            put(stream, row->values[c]);
        }
        fputs("\r\n", stream);
    }
}

static void write_ranks(const struct fm_gpu_run *run, FILE *stream)
{
    fputs("rank,launches,sm_efficiency,warp_efficiency,gpu_efficiency,gpu_efficiency_unweighted,"
          "composite_efficiency,sm_imbalance",
          stream);
    for (int l = 0; l < FM_LOAD_COUNT; l++) {
        fprintf(stream, ",%s", fm_load_id((fm_load_t)l));
    }
    for (int l = FM_LOAD_WORK + 1; l < FM_LOAD_COUNT; l++) {
        fprintf(stream, ",%s_minus_work", fm_load_id((fm_load_t)l));
    }
    fputs("\r\n", stream);
    for (size_t i = 0; i < run->ranks.count; i++) {
        const struct fm_gpu_rank *rank = &run->ranks.items[i];
        fprintf(stream, "%" PRIu32 ",%" PRIu64, rank->rank, rank->launches);
        put(stream, rank->sm);
        put(stream, rank->warp);
        put(stream, rank->efficiency);
        put(stream, rank->unweighted);
        put(stream, rank->composite);
        put(stream, rank->sm_imbalance);
        for (int l = 0; l < FM_LOAD_COUNT; l++) {
            put(stream, rank->loads[l]);
        }
        for (int l = FM_LOAD_WORK + 1; l < FM_LOAD_COUNT; l++) {
            put(stream, rank->difference[l]);
        }
        fputs("\r\n", stream);
    }
}

void fm_imbalance_write_csv(const struct fm_imbalance_result *result, FILE *stream)
{
    if (result->sweep != NULL) {
        write_sweep(result->sweep, stream);
    } else if (result->run_count > 0) {
        write_ranks(&result->runs[0], stream);
    }
}
