/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/efficiency.h"

#include "base/memory.h"
#include "diagnosis/startup.h"
#include "functions/paradigm_names.h"

#include <math.h>
#include <stdlib.h>

/** Minimum efficiencies of the verdicts "good" and "acceptable". */
#define GOOD       0.9
#define ACCEPTABLE 0.8

/** @return the efficiencies for the given mean computation, mean and longest occupied time,
 * duration, and time of all locations. */
static struct fm_efficiency efficiency(double computation, double mean, double longest,
                                       double duration, double time)
{
    const bool is_defined = computation > 0 && duration > 0;
    return (struct fm_efficiency){
        .parallel = is_defined ? computation / duration : NAN,
        .load_balance = is_defined ? mean / longest : NAN,
        .communication = is_defined ? longest / duration : NAN,
        .serialization = NAN,
        .transfer = NAN,
        .offload = is_defined && mean > computation ? computation / mean : NAN,
        .time = time,
        .duration = duration,
    };
}

/** Splits the communication efficiency of a run that was predicted on an ideal network. */
static void split_communication(const struct fm_cube_experiment *experiment,
                                struct fm_efficiency *run)
{
    if (experiment->ideal_duration == 0 || isnan(run->communication)) {
        return;
    }
    run->transfer = (double)experiment->ideal_duration / (double)experiment->duration;
    run->serialization = run->communication / run->transfer;
    if (run->serialization > 1) { /* by roundings of the durations, or by clocks that contradict */
        run->serialization = 1;
        run->transfer = run->communication;
    }
}

static bool uses_accelerators(const struct fm_cube *cube)
{
    for (uint32_t r = 0; r < cube->region_count; r++) {
        if (fm_paradigm_is_of_accelerators(fm_paradigm_named(cube->regions[r].paradigm))) {
            return true;
        }
    }
    return false;
}

struct fm_efficiency fm_efficiency_of_iteration(const struct fm_cube *cube,
                                                const struct fm_cube_iteration *iteration)
{
    const double computation = (double)iteration->computation;
    struct fm_efficiency found =
        efficiency(computation, computation, (double)iteration->computation_capacity,
                   (double)iteration->capacity, (double)iteration->time);
    if (uses_accelerators(cube)) {
        found.communication = NAN;
    }
    return found;
}

/** Times of call paths on the current location, and totals over all locations processed so far. */
struct sums {
    double *now; /**< [call path]: time on the current location, first exclusive, then inclusive */
    double *all; /**< [call path]: inclusive time, sum over locations */
    double *longest; /**< [call path]: inclusive time, maximum over locations */
};

static struct sums make_sums(uint32_t callpaths)
{
    return (struct sums){fm_allocate(callpaths, sizeof(double)),
                         fm_allocate(callpaths, sizeof(double)),
                         fm_allocate(callpaths, sizeof(double))};
}

static void free_sums(struct sums *sums)
{
    fm_free(sums->now);
    fm_free(sums->all);
    fm_free(sums->longest);
}

/** Adds the times of one location to the totals, and those of children to their parents. @return
 * the sum over all roots */
static double close_location(const struct fm_cube *cube, struct sums *sums)
{
    double total = 0;
    for (uint32_t c = cube->callpath_count; c-- > 0;) {
        uint32_t parent = cube->callpaths[c].parent;
        *(parent == FM_CUBE_NONE ? &total : &sums->now[parent]) += sums->now[c];
        sums->all[c] += sums->now[c];
        if (sums->now[c] > sums->longest[c])
            sums->longest[c] = sums->now[c];
        sums->now[c] = 0;
    }
    return total;
}

/** @return whether a value is time of the program's threads. */
static bool counts(const struct fm_cube *cube, const bool *startup, const struct fm_cube_cell *cell)
{
    return !cube->locations[cell->location].is_stream &&
           fm_metric_root((fm_metric_t)cell->metric) == FM_METRIC_TIME &&
           !fm_is_startup_cell(startup, cell);
}

/** @return whether a metric is time of computation or of calls that serve accelerators. */
static bool is_occupied(fm_metric_t metric)
{
    return metric == FM_METRIC_COMP || fm_metric_is_within(metric, FM_METRIC_CUDA_TIME);
}

/** The counted cells of the time tree, by location. */
struct cell_list {
    const struct fm_cube_cell **cells;
    size_t *begin; /**< [location]: its first cell; one more entry for the end */
};

static struct cell_list list_cells(const struct fm_cube *cube)
{
    struct cell_list list = {.begin =
                                 fm_allocate((size_t)cube->location_count + 2, sizeof *list.begin)};
    bool *startup = fm_startup_callpaths(cube);
    size_t count = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        if (counts(cube, startup, &cube->cells[i])) {
            ++list.begin[cube->cells[i].location + 2];
            ++count;
        }
    }
    for (uint32_t l = 0; l < cube->location_count; l++)
        list.begin[l + 2] += list.begin[l + 1];
    list.cells = fm_allocate(count, sizeof *list.cells);
    for (size_t i = 0; i < cube->cell_count; i++) {
        if (counts(cube, startup, &cube->cells[i]))
            list.cells[list.begin[cube->cells[i].location + 1]++] = &cube->cells[i];
    }
    fm_free(startup);
    return list;
}

/* A run that ended inside of calls has no efficiency. */
static void leave_open(struct fm_efficiency *efficiency)
{
    efficiency->parallel = efficiency->load_balance = efficiency->communication = NAN;
    efficiency->serialization = efficiency->transfer = efficiency->offload = NAN;
}

struct fm_efficiency fm_efficiency_of_cube(const struct fm_cube *cube,
                                           struct fm_efficiency *callpaths)
{
    struct cell_list list = list_cells(cube);
    struct sums time = make_sums(cube->callpath_count);
    struct sums computation = make_sums(cube->callpath_count);
    struct sums occupied = make_sums(cube->callpath_count);
    double all = 0, all_occupied = 0, longest = 0, duration = 0, total = 0;
    for (uint32_t l = 0; l < cube->location_count; l++) {
        for (size_t i = list.begin[l]; i < list.begin[l + 1]; i++) {
            const struct fm_cube_cell *cell = list.cells[i];
            time.now[cell->callpath] += (double)cell->value;
            if (cell->metric == FM_METRIC_COMP) {
                computation.now[cell->callpath] += (double)cell->value;
            }
            if (is_occupied((fm_metric_t)cell->metric)) {
                occupied.now[cell->callpath] += (double)cell->value;
            }
        }
        double taken = close_location(cube, &time);
        duration = taken > duration ? taken : duration;
        total += taken;
        all += close_location(cube, &computation);
        const double own = close_location(cube, &occupied);
        all_occupied += own;
        longest = own > longest ? own : longest;
    }
    double locations =
        0; /* without streams of accelerators, which have no efficiency of this kind */
    for (uint32_t l = 0; l < cube->location_count; l++)
        locations += !cube->locations[l].is_stream;
    for (uint32_t c = 0; callpaths != NULL && c < cube->callpath_count; c++)
        callpaths[c] = efficiency(computation.all[c] / locations, occupied.all[c] / locations,
                                  occupied.longest[c], time.longest[c], time.all[c]);
    free_sums(&time);
    free_sums(&computation);
    free_sums(&occupied);
    fm_free(list.cells);
    fm_free(list.begin);
    struct fm_efficiency run =
        efficiency(all / locations, all_occupied / locations, longest, duration, total);
    split_communication(&cube->experiment, &run);
    for (uint32_t c = 0; cube->hang.open_ends != 0 && callpaths != NULL && c < cube->callpath_count;
         c++) {
        leave_open(&callpaths[c]);
    }
    if (cube->hang.open_ends != 0) {
        leave_open(&run);
    }
    return run;
}

bool fm_diagnosis_efficiency(const struct fm_diagnosis *diagnosis, struct fm_efficiency *efficiency)
{
    const struct fm_cube *cube = diagnosis->cube;
    if (cube->callpath_count == 0 || cube->location_count < 2) {
        return false;
    }
    struct fm_efficiency *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    struct fm_efficiency found = fm_efficiency_of_cube(cube, callpaths);
    if (diagnosis->options.is_subtree) {
        found = callpaths[0];
    }
    fm_free(callpaths);
    if (isnan(found.parallel)) {
        return false;
    }
    *efficiency = found;
    return true;
}

bool fm_efficiency_is_acceptable(double efficiency)
{
    return efficiency >= ACCEPTABLE;
}

const char *fm_efficiency_verdict(double efficiency)
{
    return efficiency >= GOOD                        ? "good"
           : fm_efficiency_is_acceptable(efficiency) ? "acceptable"
                                                     : "poor";
}
