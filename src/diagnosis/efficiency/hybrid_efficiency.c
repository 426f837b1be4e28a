/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/hybrid_efficiency.h"

#include "base/memory.h"
#include "diagnosis/startup.h"

#include <string.h>

/* Times of one location, without start-up. */
struct times {
    double all, outside, computation;
};

/* @return whether a metric is time of OpenMP */
static bool is_of_openmp(fm_metric_t metric)
{
    while (metric != FM_METRIC_NONE) {
        if (metric == FM_METRIC_OMP_TIME || metric == FM_METRIC_OMP_IDLE_THREADS) {
            return true;
        }
        metric = fm_metric_info(metric)->parent;
    }
    return false;
}

/* @return the times of each location; *threads: whether threads are synchronized */
static struct times *add_up(const struct fm_cube *cube, bool *threads)
{
    struct times *times = fm_allocate(cube->location_count, sizeof *times);
    bool *startup = fm_startup_callpaths(cube);
    *threads = false;
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        const fm_metric_t metric = (fm_metric_t)cell->metric;
        if (fm_metric_root(metric) != FM_METRIC_TIME || fm_is_startup_cell(startup, cell)) {
            continue;
        }
        struct times *of = &times[cell->location];
        of->all += (double)cell->value;
        of->outside += fm_is_communication(metric) ? 0 : (double)cell->value;
        of->computation += metric == FM_METRIC_COMP ? (double)cell->value : 0;
        *threads |= cell->value != 0 && is_of_openmp(metric);
    }
    fm_free(startup);
    return times;
}

bool fm_hybrid_efficiency(const struct fm_cube *cube, struct fm_hybrid_efficiency *efficiency)
{
    bool threads;
    struct times *times = add_up(cube, &threads);
    double duration = 0, longest = 0, outside = 0, computation = 0, longest_computations = 0;
    uint32_t processes = 0, count = 0; /* threads */
    for (uint32_t begin = 0, end; begin < cube->location_count; begin = end) {
        double most = 0;
        uint32_t parts = 0;
        for (end = begin;
             end < cube->location_count && cube->locations[end].rank == cube->locations[begin].rank;
             end++) {
            if (cube->locations[end].is_stream) {
                continue;
            }
            parts++;
            count++;
            computation += times[end].computation;
            most = times[end].computation > most ? times[end].computation : most;
            duration = times[end].all > duration ? times[end].all : duration;
        }
        processes++;
        outside += parts * times[begin].outside;
        longest = times[begin].outside > longest ? times[begin].outside : longest;
        longest_computations += parts * most;
    }
    fm_free(times);
    /* Otherwise other threads than the first ones call the library. */
    const bool first_communicate = longest_computations <= outside;
    if (!threads || processes == count || computation <= 0 || !first_communicate) {
        return false;
    }
    const double mean_outside = outside / count;
    *efficiency = (struct fm_hybrid_efficiency){
        .processes = mean_outside / duration,
        .process_balance = mean_outside / longest,
        .process_communication = longest / duration,
        .threads = computation / outside,
        .thread_balance = computation / longest_computations,
        .thread_work = longest_computations / outside,
    };
    return true;
}

void fm_hybrid_rows(const struct fm_hybrid_efficiency *efficiency,
                    struct fm_hybrid_row rows[FM_HYBRID_ROWS])
{
    const struct fm_hybrid_efficiency *e = efficiency;
    const struct fm_hybrid_row list[FM_HYBRID_ROWS] = {
        {"processes", "Processes", "time outside of library / run", 0, e->processes},
        {"process_balance", "Load balance", "average / longest", 1, e->process_balance},
        {"process_communication", "Communication", "longest / run", 1, e->process_communication},
        {"threads", "Threads", "computation / time outside", 0, e->threads},
        {"thread_balance", "Load balance", "average / longest in process", 1, e->thread_balance},
        {"thread_work", "Work", "longest / time outside", 1, e->thread_work},
    };
    memcpy(rows, list, sizeof list);
}
