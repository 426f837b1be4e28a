/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Severities over time: the iterations of the program's phases, and waiting time by time bins. */
#ifndef FERMATA_ANALYSIS_RESULTS_PHASES_H
#define FERMATA_ANALYSIS_RESULTS_PHASES_H

#include "analysis/causes/formation.h"

/** The phases of a program, in the order of their regions. Regions are those of the trace. */
struct fm_phase_list {
    struct fm_cube_phase *items;
    uint32_t count;
};

/** Computes the phases. Iteration k of a phase consists of the k-th instances of its region on all
 * locations. For a thread without instances, those of the first thread of its process that has
 * instances count. Runs a stage; collective.
 * @param begin  of the run, ticks of the trace clock
 * @return filled for process 0, empty for all other processes; to be freed with fm_phases_free() */
struct fm_phase_list fm_phases_compute(const struct fm_formation *formation, uint64_t begin);

/** Adds phases to the cube. */
fm_status_t fm_phases_fill(const struct fm_phase_list *phases, const struct fm_trace *trace,
                           struct fm_cube *cube, struct fm_error *error);

void fm_phases_free(struct fm_phase_list *phases);

/** Computes the waiting time by time bins. Runs a stage; collective.
 * @param begin, end  of the run, ticks of the trace clock
 * @return filled for process 0, empty for all other processes; cells to be freed with fm_free() */
struct fm_cube_bins fm_time_bins_compute(const struct fm_formation *formation, uint64_t begin,
                                         uint64_t end);

#endif
