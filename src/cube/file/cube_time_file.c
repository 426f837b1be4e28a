/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases and waiting by time bins in the report file: sections PHAS and BINS. */
#include "cube/file/cube_format.h"
#include "cube/file/cube_reader.h"
#include "cube/file/cube_writer.h"

#include <stdlib.h>

#define ROW_NUMBERS 11
#define ROW_SIZE    (ROW_NUMBERS * 8 + 2 * 4)

/** The numbers of a row, in the order of the file. */
static void list_numbers(struct fm_cube_iteration *row, uint64_t *numbers[ROW_NUMBERS])
{
    uint64_t *const all[ROW_NUMBERS] = {
        &row->first,
        &row->count,
        &row->begin,
        &row->end,
        &row->duration,
        &row->time,
        &row->capacity,
        &row->computation,
        &row->longest_computation,
        &row->computation_capacity,
        &row->waiting,
    };
    for (int i = 0; i < ROW_NUMBERS; i++)
        numbers[i] = all[i];
}

static void put_phase(struct fm_sink *sink, const struct fm_cube_phase *phase)
{
    fm_sink_u32(sink, phase->region);
    fm_sink_u64(sink, phase->iteration_count);
    fm_sink_u32(sink, phase->kind_count);
    for (uint32_t k = 0; k < phase->kind_count; k++)
        fm_sink_u32(sink, phase->kinds[k]);
    fm_sink_u32(sink, phase->row_count);
    for (uint32_t i = 0; i < phase->row_count; i++) {
        struct fm_cube_iteration row = phase->rows[i];
        uint64_t *numbers[ROW_NUMBERS];
        list_numbers(&row, numbers);
        for (int j = 0; j < ROW_NUMBERS; j++)
            fm_sink_u64(sink, *numbers[j]);
        fm_sink_u32(sink, row.locations);
        fm_sink_u32(sink, row.slowest);
        for (uint32_t k = 0; k < phase->kind_count; k++)
            fm_sink_u64(sink, phase->waiting[(size_t)i * phase->kind_count + k]);
    }
}

void fm_cube_put_phases(struct fm_sink *sink, const struct fm_cube *cube)
{
    fm_sink_u32(sink, FM_CUBE_PHASES_VERSION);
    fm_sink_u32(sink, cube->phase_count);
    for (uint32_t i = 0; i < cube->phase_count; i++)
        put_phase(sink, &cube->phases[i]);
}

void fm_cube_put_bins(struct fm_sink *sink, const struct fm_cube *cube)
{
    const struct fm_cube_bins *bins = &cube->bins;
    fm_sink_u32(sink, FM_CUBE_BINS_VERSION);
    fm_sink_u32(sink, bins->bin_count);
    fm_sink_u32(sink, bins->locations_per_row);
    fm_sink_u32(sink, (uint32_t)bins->cell_count);
    for (size_t i = 0; i < bins->cell_count; i++) {
        fm_sink_u32(sink, bins->cells[i].metric);
        fm_sink_u32(sink, bins->cells[i].row);
        fm_sink_u32(sink, bins->cells[i].bin);
        fm_sink_u64(sink, bins->cells[i].ticks);
    }
}

/** Reads the rows of a phase and leaves out unknown kinds. `known[k]`: kind k of the file is a
 * metric of this program. */
static void read_rows(struct fm_source *source, struct fm_cube_phase *phase, const bool *known,
                      uint32_t file_kinds)
{
    for (uint32_t i = 0; i < phase->row_count; i++) {
        struct fm_cube_iteration *row = &phase->rows[i];
        uint64_t *numbers[ROW_NUMBERS];
        uint64_t *waiting = &phase->waiting[(size_t)i * phase->kind_count];
        list_numbers(row, numbers);
        for (int j = 0; j < ROW_NUMBERS; j++)
            *numbers[j] = fm_source_u64(source);
        row->locations = fm_source_u32(source);
        row->slowest = fm_source_u32(source);
        for (uint32_t k = 0; k < file_kinds; k++) {
            uint64_t ticks = fm_source_u64(source);
            if (known[k])
                *waiting++ = ticks;
        }
    }
}

/** Reads the kinds of wait states of a phase. @return whether all kinds are valid */
static bool read_kinds(struct fm_cube_reader *reader, struct fm_cube_phase *phase, bool *known,
                       uint32_t file_kinds)
{
    for (uint32_t k = 0; k < file_kinds; k++) {
        uint32_t metric = fm_source_u32(&reader->sections[FM_SECTION_PHAS]);
        if (metric >= reader->metric_count)
            return false;
        known[k] = reader->metric_exact[metric];
        if (known[k])
            phase->kinds[phase->kind_count++] = reader->metrics[metric];
    }
    return true;
}

static fm_status_t read_phase(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_PHAS];
    struct fm_cube_phase phase = {.region = fm_source_u32(source)};
    phase.iteration_count = fm_source_u64(source);
    uint32_t file_kinds = fm_source_count(source, 4);
    bool *known = calloc(file_kinds + (size_t)1, sizeof *known);
    phase.kinds = calloc(file_kinds + (size_t)1, sizeof *phase.kinds);
    fm_status_t status = known == NULL || phase.kinds == NULL ? FM_ERR_SYSTEM : FM_OK;
    if (status == FM_OK && !read_kinds(reader, &phase, known, file_kinds))
        status = FM_ERR_FAILED;
    if (status == FM_OK) {
        phase.row_count = fm_source_count(source, ROW_SIZE + (size_t)file_kinds * 8);
        phase.rows = calloc(phase.row_count + (size_t)1, sizeof *phase.rows);
        phase.waiting =
            calloc((size_t)phase.row_count * phase.kind_count + 1, sizeof *phase.waiting);
        status = phase.rows == NULL || phase.waiting == NULL ? FM_ERR_SYSTEM : FM_OK;
    }
    if (status == FM_OK) {
        read_rows(source, &phase, known, file_kinds);
        status =
            source->failed ? FM_ERR_FAILED : fm_cube_add_phase(reader->cube, &phase, reader->error);
    }
    if (status == FM_ERR_FAILED)
        status = fm_cube_damaged(reader, "phase %u is malformed", reader->cube->phase_count);
    else if (status != FM_OK)
        fm_fail(reader->error, status, "%s: out of memory for the report", reader->path);
    free(known);
    free(phase.kinds);
    free(phase.rows);
    free(phase.waiting);
    return status;
}

fm_status_t fm_cube_read_phases(struct fm_cube_reader *reader)
{
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_PHAS, FM_CUBE_PHASES_VERSION,
                                                "The phases are", &readable);
    if (status != FM_OK || !readable)
        return status;
    uint32_t count = fm_source_count(&reader->sections[FM_SECTION_PHAS], 4 + 8 + 4 + 4);
    for (uint32_t i = 0; i < count && status == FM_OK; i++)
        status = read_phase(reader);
    return status == FM_OK ? fm_cube_check_used_up(reader, FM_SECTION_PHAS) : status;
}

/** The order of metrics in the file may differ from that of enum fm_metric. */
static int compare_bins(const void *left, const void *right)
{
    const struct fm_cube_bin *a = left;
    const struct fm_cube_bin *b = right;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->bin > b->bin) - (a->bin < b->bin);
}

fm_status_t fm_cube_read_bins(struct fm_cube_reader *reader)
{
    struct fm_source *source = &reader->sections[FM_SECTION_BINS];
    bool readable;
    fm_status_t status = fm_cube_begin_optional(reader, FM_SECTION_BINS, FM_CUBE_BINS_VERSION,
                                                "The waiting by parts of the run is", &readable);
    if (status != FM_OK || !readable)
        return status;
    struct fm_cube_bins bins = {.bin_count = fm_source_u32(source)};
    bins.locations_per_row = fm_source_u32(source);
    uint32_t count = fm_source_count(source, 3 * 4 + 8);
    bins.cells = calloc(count + (size_t)1, sizeof *bins.cells);
    if (bins.cells == NULL)
        return fm_fail(reader->error, FM_ERR_SYSTEM, "%s: out of memory for the report",
                       reader->path);
    for (uint32_t i = 0; i < count; i++) {
        struct fm_cube_bin *cell = &bins.cells[bins.cell_count];
        uint32_t metric = fm_source_u32(source);
        cell->row = fm_source_u32(source);
        cell->bin = fm_source_u32(source);
        cell->ticks = fm_source_u64(source);
        cell->metric = metric < reader->metric_count ? reader->metrics[metric] : FM_METRIC_NONE;
        bins.cell_count += metric >= reader->metric_count || reader->metric_exact[metric];
    }
    status = fm_cube_check_used_up(reader, FM_SECTION_BINS);
    qsort(bins.cells, bins.cell_count, sizeof *bins.cells, compare_bins);
    if (status == FM_OK && bins.bin_count > 0)
        status = fm_cube_set_bins(reader->cube, &bins, reader->error);
    if (status == FM_ERR_FAILED)
        status = fm_cube_damaged(reader, "the waiting by parts of the run is malformed");
    free(bins.cells);
    return status;
}
