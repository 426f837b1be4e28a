/* What happened when, and the efficiencies, as JSON. */
#include "base/memory.h"
#include "base/text.h"
#include "diagnosis/efficiency.h"
#include "export/report/json_fields.h"

#include <math.h>

static void put_efficiency(FILE *stream, const struct fm_efficiency *efficiency)
{
    fm_json_number(stream, "parallel_efficiency", efficiency->parallel);
    putc(',', stream);
    fm_json_number(stream, "load_balance", efficiency->load_balance);
    putc(',', stream);
    fm_json_number(stream, "communication_efficiency", efficiency->communication);
}

void fm_json_put_efficiency(FILE *stream, const struct fm_cube *cube)
{
    struct fm_efficiency *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    const struct fm_efficiency run = fm_efficiency_of_cube(cube, callpaths);
    const char *separator = "";
    fputs(" \"efficiency\":{", stream);
    put_efficiency(stream, &run);
    fputs(",\"callpaths\":[", stream);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (isnan(callpaths[i].parallel))
            continue;
        fprintf(stream, "%s\n  {\"callpath\":%u,", separator, i);
        put_efficiency(stream, &callpaths[i]);
        putc('}', stream);
        separator = ",";
    }
    fputs("]}", stream);
    fm_free(callpaths);
}

static void put_times(FILE *stream, const struct fm_cube *cube,
                      const struct fm_cube_iteration *iteration)
{
    const struct {
        const char *key;
        uint64_t ticks;
    } times[] = {
        {"begin", iteration->begin},
        {"end", iteration->end},
        {"duration", iteration->duration},
        {"time", iteration->time},
        {"computation", iteration->computation},
        {"longest_computation", iteration->longest_computation},
        {"waiting", iteration->waiting},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        fm_json_seconds(stream, times[i].key, cube, times[i].ticks);
        putc(',', stream);
    }
    fm_json_number(stream, "imbalance",
                   fm_cube_iteration_imbalance(iteration) /
                       (double)cube->experiment.ticks_per_second);
    fprintf(stream, ",\"locations\":%u,", iteration->locations);
    fm_json_index(stream, "slowest", iteration->slowest);
    putc(',', stream);
}

static void put_iteration(FILE *stream, const struct fm_cube *cube,
                          const struct fm_cube_phase *phase,
                          const struct fm_cube_iteration *iteration, const uint64_t *waiting)
{
    const struct fm_efficiency efficiency = fm_efficiency_of_iteration(iteration);
    const char *separator = "";
    putc('{', stream);
    fm_json_integer(stream, "first", iteration->first);
    putc(',', stream);
    fm_json_integer(stream, "count", iteration->count);
    putc(',', stream);
    put_times(stream, cube, iteration);
    put_efficiency(stream, &efficiency);
    fputs(",\"waits\":{", stream);
    for (uint32_t k = 0; k < phase->kind_count; k++) {
        if (waiting[k] == 0)
            continue;
        fputs(separator, stream);
        fm_json_seconds(stream, fm_metric_info((fm_metric_t)phase->kinds[k])->id, cube, waiting[k]);
        separator = ",";
    }
    fputs("}}", stream);
}

static void put_phase(FILE *stream, const struct fm_cube *cube, const struct fm_cube_phase *phase)
{
    struct fm_cube_iteration total;
    uint64_t *waiting = fm_allocate(phase->kind_count, sizeof *waiting);
    fm_cube_phase_total(phase, &total, waiting);
    putc('{', stream);
    fm_json_text(stream, "region", cube->regions[phase->region].name);
    putc(',', stream);
    fm_json_integer(stream, "iterations", phase->iteration_count);
    fputs(",\n   \"total\":", stream);
    put_iteration(stream, cube, phase, &total, waiting);
    fputs(",\n   \"rows\":[", stream);
    for (uint32_t i = 0; i < phase->row_count; i++) {
        fputs(i == 0 ? "\n    " : ",\n    ", stream);
        put_iteration(stream, cube, phase, &phase->rows[i],
                      &phase->waiting[(size_t)i * phase->kind_count]);
    }
    fputs("]}", stream);
    fm_free(waiting);
}

void fm_json_put_phases(FILE *stream, const struct fm_cube *cube)
{
    fputs(" \"phases\":[", stream);
    for (uint32_t i = 0; i < cube->phase_count; i++) {
        fputs(i == 0 ? "\n  " : ",\n  ", stream);
        put_phase(stream, cube, &cube->phases[i]);
    }
    putc(']', stream);
}

void fm_json_put_time_bins(FILE *stream, const struct fm_cube *cube)
{
    const struct fm_cube_bins *bins = &cube->bins;
    fprintf(stream, " \"time_bins\":{\"count\":%u,\"locations_per_row\":%u,\"waiting\":[",
            bins->bin_count, bins->locations_per_row);
    for (size_t i = 0; i < bins->cell_count; i++) {
        const struct fm_cube_bin *cell = &bins->cells[i];
        bool begins = i == 0 || cell[-1].metric != cell->metric || cell[-1].row != cell->row;
        char number[FM_TEXT_NUMBER];
        if (begins)
            fprintf(stream, "%s\n  {\"metric\":\"%s\",\"row\":%u,\"bins\":[", i == 0 ? "" : "]},",
                    fm_metric_info((fm_metric_t)cell->metric)->id, cell->row);
        fprintf(stream, "%s[%u,%s]", begins ? "" : ",", cell->bin,
                fm_text_shortest(number,
                                 (double)cell->ticks / (double)cube->experiment.ticks_per_second));
    }
    fputs(bins->cell_count > 0 ? "]}]}" : "]}", stream);
}
