/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/load_levels.h"

#include "base/memory.h"
#include "diagnosis/startup.h"

#include <math.h>
#include <string.h>

/* Times of one location in ticks. */
struct location_time {
    double all, outside, computation;
    double measured, adjusted, composite; /* kernels whose activity was measured */
};

/* @return for each call path whether it is `root` or below it */
static bool *select_callpaths(const struct fm_cube *cube, uint32_t root)
{
    bool *selected = fm_allocate(cube->callpath_count, sizeof *selected);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const uint32_t parent = cube->callpaths[i].parent;
        selected[i] =
            root == FM_CUBE_NONE || i == root || (parent != FM_CUBE_NONE && selected[parent]);
    }
    return selected;
}

static struct location_time *add_up(const struct fm_cube *cube, uint32_t callpath)
{
    struct location_time *times = fm_allocate(cube->location_count, sizeof *times);
    bool *startup = fm_startup_callpaths(cube);
    bool *selected = select_callpaths(cube, callpath);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        const fm_metric_t metric = (fm_metric_t)cell->metric;
        struct location_time *of = &times[cell->location];
        if (!selected[cell->callpath]) {
            continue;
        }
        if (fm_metric_root(metric) == FM_METRIC_KERNEL_MEASURED) {
            of->measured += (double)cell->value;
            of->adjusted += metric == FM_METRIC_KERNEL_ADJUSTED ? (double)cell->value : 0;
        } else if (metric == FM_METRIC_KERNEL_COMPOSITE) {
            of->composite += (double)cell->value;
        }
        if (fm_metric_root(metric) != FM_METRIC_TIME || fm_is_startup_cell(startup, cell)) {
            continue;
        }
        of->all += (double)cell->value;
        of->outside += fm_is_communication(metric) ? 0 : (double)cell->value;
        of->computation += metric == FM_METRIC_COMP ? (double)cell->value : 0;
    }
    fm_free(startup);
    fm_free(selected);
    return times;
}

static void add_unit(struct fm_load_levels *levels, enum fm_level level, struct fm_level_unit unit)
{
    levels->units[level][levels->counts[level]++] = unit;
}

/* @return the load of a stream; all of its kernels are taken to be like those that were measured */
static double load_of_stream(const struct location_time *stream, double load)
{
    return stream->measured > 0 ? stream->computation * load / stream->measured
                                : stream->computation;
}

/* Adds the streams of a process, whose locations are begin .. end - 1, and its first thread. */
static void add_streams(const struct fm_cube *cube, const struct location_time *times,
                        uint32_t begin, uint32_t end, struct fm_level_unit thread,
                        struct fm_load_levels *levels)
{
    double load = 0, composite = 0;
    bool is_measured = false;
    thread.parts = 0;
    for (uint32_t l = begin; l < end; l++) {
        if (!cube->locations[l].is_stream) {
            continue;
        }
        const struct fm_level_unit stream = {
            .first = l,
            .parts = 1,
            .total = times[l].measured,
            .time = times[l].computation,
            .load = load_of_stream(&times[l], times[l].adjusted),
            .composite = load_of_stream(&times[l], times[l].composite),
        };
        thread.parts++;
        load += stream.load;
        composite += stream.composite;
        if (times[l].measured > 0) {
            is_measured = true;
            add_unit(levels, FM_LEVEL_STREAM, stream);
        }
    }
    thread.load = load / thread.parts;
    thread.composite = is_measured ? composite / thread.parts : NAN;
    add_unit(levels, FM_LEVEL_THREAD, thread);
}

/* Adds the process whose locations are begin .. end - 1, and its first thread if it has streams. */
static void add_process(const struct fm_cube *cube, const struct location_time *times,
                        uint32_t begin, uint32_t end, struct fm_load_levels *levels)
{
    double threads = 0, longest = 0;
    uint32_t thread_count = 0;
    for (uint32_t l = begin; l < end; l++) {
        if (!cube->locations[l].is_stream) {
            thread_count++;
            threads += times[l].computation;
            longest = fmax(longest, times[l].computation);
        }
    }
    const struct fm_level_unit unit = {.first = begin,
                                       .parts = thread_count,
                                       .total = times[begin].all,
                                       .time = fmax(times[begin].outside, longest),
                                       .load = thread_count > 0 ? threads / thread_count : 0,
                                       .composite = NAN};
    add_unit(levels, FM_LEVEL_PROCESS, unit);
    if (thread_count < end - begin) {
        add_streams(cube, times, begin, end, unit, levels);
    }
}

static void add_processes(const struct fm_cube *cube, const struct location_time *times,
                          struct fm_load_levels *levels)
{
    for (int level = FM_LEVEL_STREAM; level <= FM_LEVEL_PROCESS; level++) {
        levels->units[level] = fm_allocate(cube->location_count, sizeof *levels->units[level]);
    }
    for (uint32_t begin = 0, end; begin < cube->location_count; begin = end) {
        for (end = begin + 1;
             end < cube->location_count && cube->locations[end].rank == cube->locations[begin].rank;
             end++) {
        }
        add_process(cube, times, begin, end, levels);
    }
}

/* Nodes are few: each process searches its own one. */
static void add_nodes(const struct fm_cube *cube, struct fm_load_levels *levels)
{
    const uint32_t processes = levels->counts[FM_LEVEL_PROCESS];
    struct fm_level_unit *units = fm_allocate(processes, sizeof *units);
    uint32_t count = 0;
    for (uint32_t p = 0; p < processes; p++) {
        const struct fm_level_unit *process = &levels->units[FM_LEVEL_PROCESS][p];
        const char *name = cube->locations[process->first].node;
        uint32_t node = 0;
        while (node < count && strcmp(cube->locations[units[node].first].node, name) != 0) {
            node++;
        }
        if (node == count) {
            units[count++] = (struct fm_level_unit){.first = process->first, .composite = NAN};
        }
        units[node].parts++;
        units[node].total = fmax(units[node].total, process->total);
        units[node].time = fmax(units[node].time, process->time);
        units[node].load += process->load;
    }
    for (uint32_t node = 0; node < count; node++) {
        units[node].load /= units[node].parts;
    }
    levels->units[FM_LEVEL_NODE] = units;
    levels->counts[FM_LEVEL_NODE] = count;
}

/* @return the share of the measured kernels in the time of all; NAN: none was measured */
static double measured_share(const struct fm_cube *cube, const struct location_time *times)
{
    double measured = 0, kernels = 0;
    for (uint32_t l = 0; l < cube->location_count; l++) {
        if (cube->locations[l].is_stream) {
            measured += times[l].measured;
            kernels += times[l].computation;
        }
    }
    return measured > 0 && kernels > 0 ? measured / kernels : NAN;
}

void fm_load_levels_make(const struct fm_cube *cube, uint32_t callpath,
                         struct fm_load_levels *levels)
{
    *levels = (struct fm_load_levels){.counts = {0}};
    struct location_time *times = add_up(cube, callpath);
    add_processes(cube, times, levels);
    add_nodes(cube, levels);
    levels->measured = measured_share(cube, times);
    fm_free(times);
    double *values = fm_allocate(cube->location_count, sizeof *values);
    for (int level = 0; level < FM_LEVELS; level++) {
        for (uint32_t i = 0; i < levels->counts[level]; i++) {
            values[i] = levels->units[level][i].time;
        }
        levels->times[level] = fm_load_imbalance_of(values, levels->counts[level]);
        for (uint32_t i = 0; i < levels->counts[level]; i++) {
            values[i] = levels->units[level][i].load;
        }
        levels->loads[level] = fm_load_imbalance_of(values, levels->counts[level]);
        for (uint32_t i = 0; i < levels->counts[level]; i++) {
            values[i] = levels->units[level][i].composite;
        }
        levels->composites[level] = fm_load_imbalance_of(values, levels->counts[level]);
    }
    fm_free(values);
}

void fm_load_levels_free(struct fm_load_levels *levels)
{
    for (int level = 0; level < FM_LEVELS; level++) {
        fm_free(levels->units[level]);
        levels->units[level] = NULL;
        levels->counts[level] = 0;
    }
}

static const struct {
    const char *id, *parts;
} names[FM_LEVELS] = {
    [FM_LEVEL_STREAM] = {"stream", "multiprocessors"},
    [FM_LEVEL_THREAD] = {"thread", "streams"},
    [FM_LEVEL_PROCESS] = {"process", "threads"},
    [FM_LEVEL_NODE] = {"node", "processes"},
};

const char *fm_level_id(enum fm_level level)
{
    return names[level].id;
}

const char *fm_level_parts(enum fm_level level)
{
    return names[level].parts;
}

bool fm_level_is_known(const struct fm_load_levels *levels, enum fm_level level)
{
    return levels->counts[level] > 1 && !isnan(levels->times[level].imbalance);
}

double fm_level_efficiency(const struct fm_level_unit *unit)
{
    return unit->time > 0 ? unit->load / unit->time : NAN;
}

double fm_level_mean_efficiency(const struct fm_load_levels *levels, enum fm_level level)
{
    double load = 0, time = 0;
    for (uint32_t i = 0; i < levels->counts[level]; i++) {
        load += levels->units[level][i].load;
        time += levels->units[level][i].time;
    }
    return time > 0 ? load / time : NAN;
}
