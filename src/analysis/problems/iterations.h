/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Costs over time: bins that are the iterations of the phases of a program, or equal parts of the
 * run of a program without phases.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_ITERATIONS_H
#define FERMATA_ANALYSIS_PROBLEMS_ITERATIONS_H

#include "analysis/results/phases.h"

#define FM_RUN_PARTS 100 /**< of a program without phases */

/** One location's part of an iteration, or a part of the run. */
struct fm_iteration_span {
    uint64_t begin, end;
    uint32_t bin;
};

typedef FM_VECTOR(struct fm_iteration_span) fm_iteration_span_vector;

/** Spans of one location in one phase. */
struct fm_iteration_spans {
    fm_iteration_span_vector items; /**< [iteration], ascending by their begins */
    fm_iteration_span_vector parts; /**< of a recursive phase: apart from one another, ascending:
                                       a time belongs to the last instance that has begun */
};

/** A phase, whose iterations are consecutive bins. A bin is one iteration, unless there are more
 * than FM_CUBE_ITERATIONS: then it is as many as a row of the phase in the report. */
struct fm_iteration_phase {
    uint32_t region; /**< of the trace; FM_NONE: the phase is the run itself */
    uint32_t first_bin;
    uint32_t bin_count;
    uint32_t step; /**< iterations of a bin */
    uint64_t iterations;
};

struct fm_iterations {
    struct fm_iteration_phase *phases; /**< those of the report, in its order; or the run alone */
    uint32_t phase_count;
    uint32_t bin_count;               /**< of all phases together */
    struct fm_iteration_spans *spans; /**< [location][phase], those of locations owned here; of a
                                           program without phases one for all locations */
    size_t spans_count;
};

/** Finds the spans of all locations. Runs a stage; collective.
 * @param phases      of process 0
 * @param begin, end  of the run, ticks of the trace clock
 * @return to be freed with fm_iterations_free() */
struct fm_iterations fm_iterations_find(const struct fm_analysis *analysis,
                                        const struct fm_phase_list *phases, uint64_t begin,
                                        uint64_t end);

void fm_iterations_free(struct fm_iterations *iterations);

/** @return whether the program has no phases: the bins are parts of the run. */
static inline bool fm_iterations_are_parts(const struct fm_iterations *iterations)
{
    return iterations->phases[0].region == FM_NONE;
}

/** @return the spans of a location in a phase. */
static inline struct fm_iteration_spans *fm_iterations_of(const struct fm_iterations *iterations,
                                                          uint32_t location, uint32_t phase)
{
    return fm_iterations_are_parts(iterations)
               ? iterations->spans
               : &iterations->spans[(size_t)location * iterations->phase_count + phase];
}

/** Adds a cost that arises evenly from `from` to `to` on a location to the bins of all phases, in
 * proportion to the time in each bin, rounded down.
 * @param bins  [fm_iterations.bin_count] */
void fm_iterations_add(const struct fm_iterations *iterations, uint32_t location, uint64_t from,
                       uint64_t to, int64_t cost, int64_t *bins);

#endif
