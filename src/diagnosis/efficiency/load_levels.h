/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The load of streams of accelerators, of threads with accelerators, of processes and of nodes,
 * adjusted by the efficiency inside of them. One rule holds on every level of the hierarchy
 * (multiprocessors of an accelerator, streams of a thread, threads in a process, processes on a
 * node):
 *
 *   load(unit) = time(unit) x efficiency(unit)
 *   efficiency(unit) = sum of the loads of its parts / (number of parts x time(unit))
 *
 * The time of a stream is that of its kernels. Its efficiency is measured (base/kernel_activity.h):
 * the mean over its measured kernels, weighted by their time; of a stream without measured kernels
 * the load is its time. Its thread is the first one of its process, whose time is that of the
 * process. The load of a thread in its process is its own computation.
 * The time of a process is that of its first thread outside of communication libraries (Eberius
 * 2020, formula 4.2), or the longest computation of one of its threads if that is longer: others
 * may work while the first one communicates. The time of a node is the longest one of its
 * processes. Formulas 4.1 and 4.5 are the imbalances of the times and of the loads. All times are
 * without start-up and shut-down of libraries (startup.h).
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_LOAD_LEVELS_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_LOAD_LEVELS_H

#include "cube/model/cube.h"
#include "diagnosis/efficiency/load_imbalance.h"

#include <stdbool.h>

enum fm_level { FM_LEVEL_STREAM, FM_LEVEL_THREAD, FM_LEVEL_PROCESS, FM_LEVEL_NODE, FM_LEVELS };

/** A stream with measured kernels, a thread with streams, a process, or a node. Times in ticks. */
struct fm_level_unit {
    uint32_t first; /**< location: its first one */
    uint32_t parts; /**< 1 of a stream; streams of the thread; threads of the process; processes on
                         the node */
    double total;   /**< of the process: time of its first thread; of the node: the longest one;
                         of a stream: time of its measured kernels */
    double time;    /**< as above */
    double load;    /**< as above */
    double composite; /**< of streams and threads: the load by the composite efficiency of kernels;
                           NAN: no kernel was measured */
};

struct fm_load_levels {
    uint32_t counts[FM_LEVELS];
    struct fm_level_unit *units[FM_LEVELS]; /**< ascending by rank; nodes by their first rank */
    struct fm_load_imbalance times[FM_LEVELS];
    struct fm_load_imbalance loads[FM_LEVELS];
    struct fm_load_imbalance composites[FM_LEVELS]; /**< of the units whose composite is known */
    double measured; /**< share of the measured kernels in the time of all kernels; NAN: there are
                          no streams, or none of their kernels was measured */
};

/** Computes loads and imbalances of the run, or of a call path and what it calls.
 * @param callpath  FM_CUBE_NONE: the run
 * @param levels    out: to be freed with fm_load_levels_free() */
void fm_load_levels_make(const struct fm_cube *cube, uint32_t callpath,
                         struct fm_load_levels *levels);

void fm_load_levels_free(struct fm_load_levels *levels);

/** @return "stream", "thread", "process" or "node". */
const char *fm_level_id(enum fm_level level);

/** @return what the parts of a unit are: "multiprocessors", "streams", "threads" or "processes". */
const char *fm_level_parts(enum fm_level level);

/** @return whether the level has an imbalance: two units at least, and time. */
bool fm_level_is_known(const struct fm_load_levels *levels, enum fm_level level);

/** @return efficiency(unit), 0..1; NAN: its time is 0. */
double fm_level_efficiency(const struct fm_level_unit *unit);

/** @return the efficiency of all units of a level: sum of loads / sum of times; NAN: no time. */
double fm_level_mean_efficiency(const struct fm_load_levels *levels, enum fm_level level);

#endif
