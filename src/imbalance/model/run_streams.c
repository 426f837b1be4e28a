/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/run_streams.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Sums of the kernels of a rank, in ticks. */
struct sum {
    uint64_t launches;
    double time, idle, inactive, adjusted, composite;
};

/* Kernels are the computation of streams.
 * @param names  out: how many different regions are selected
 * @return for each call path whether it is a kernel that is selected */
static bool *select_kernels(const struct fm_cube *cube, const regex_t *kernels, uint64_t *names)
{
    static const char prefix[] = "kernel ";
    bool *selected = fm_allocate(cube->callpath_count, sizeof *selected);
    bool *counted = fm_allocate(cube->region_count, sizeof *counted);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        const uint32_t region = cube->callpaths[cell->callpath].region;
        const char *name = cube->regions[region].name;
        if (cell->metric != FM_METRIC_COMP || !cube->locations[cell->location].is_stream ||
            selected[cell->callpath]) {
            continue;
        }
        name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
        selected[cell->callpath] = kernels == NULL || regexec(kernels, name, 0, NULL, 0) == 0;
        *names += selected[cell->callpath] && !counted[region];
        counted[region] = counted[region] || selected[cell->callpath];
    }
    fm_free(counted);
    return selected;
}

static void add_cell(struct sum *sum, const struct fm_cube_cell *cell)
{
    const double value = (double)cell->value;
    switch ((fm_metric_t)cell->metric) {
    case FM_METRIC_COMP:
        sum->time += value;
        return;
    case FM_METRIC_VISITS:
        sum->launches += (uint64_t)cell->value;
        return;
    case FM_METRIC_KERNEL_IDLE:
        sum->idle += value;
        return;
    case FM_METRIC_KERNEL_INACTIVE:
        sum->inactive += value;
        return;
    case FM_METRIC_KERNEL_ADJUSTED:
        sum->adjusted += value;
        return;
    case FM_METRIC_KERNEL_COMPOSITE:
        sum->composite += value;
        return;
    default:
        return;
    }
}

static struct fm_rank_kernels close_rank(uint32_t rank, const struct sum *sum, double tick)
{
    const double active = sum->adjusted + sum->inactive, measured = active + sum->idle;
    const bool is_measured = measured > 0;
    return (struct fm_rank_kernels){
        .rank = rank,
        .launches = sum->launches,
        .time = sum->time * tick,
        .sm = is_measured ? active / measured : NAN,
        .warp = active > 0 ? sum->adjusted / active : NAN,
        .efficiency = is_measured ? sum->adjusted / measured : NAN,
        .unweighted = NAN,
        .composite = is_measured ? sum->composite / measured : NAN,
        .sm_imbalance = NAN,
    };
}

double fm_run_streams_make(const struct fm_cube *cube, const regex_t *kernels,
                           struct fm_run_kernels *streams)
{
    *streams = (struct fm_run_kernels){.ranks = NULL};
    const double tick = 1 / (double)cube->experiment.ticks_per_second;
    bool *selected = select_kernels(cube, kernels, &streams->names);
    struct sum *sums = fm_allocate(cube->location_count, sizeof *sums);
    double time = 0, measured = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (selected[cell->callpath] && cube->locations[cell->location].is_stream) {
            add_cell(&sums[cell->location], cell);
        }
    }
    streams->ranks = fm_allocate(cube->location_count, sizeof *streams->ranks);
    for (uint32_t l = 0; l < cube->location_count;) {
        const uint32_t rank = cube->locations[l].rank;
        struct sum sum = {.launches = 0};
        bool has_streams = false;
        for (; l < cube->location_count && cube->locations[l].rank == rank; l++) {
            has_streams = has_streams || cube->locations[l].is_stream;
            sum.launches += sums[l].launches;
            sum.time += sums[l].time;
            sum.idle += sums[l].idle;
            sum.inactive += sums[l].inactive;
            sum.adjusted += sums[l].adjusted;
            sum.composite += sums[l].composite;
        }
        if (has_streams) {
            streams->ranks[streams->count++] = close_rank(rank, &sum, tick);
            time += sum.time;
            measured += sum.idle + sum.inactive + sum.adjusted;
        }
    }
    fm_free(selected);
    fm_free(sums);
    return time > 0 ? measured / time : NAN;
}
