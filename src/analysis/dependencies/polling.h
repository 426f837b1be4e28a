/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls that poll: a loop over MPI_Test that ends when a request is complete is one activity of the
 * replay, since the number of failed tests depends on how long the program waits. */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_POLLING_H
#define FERMATA_ANALYSIS_DEPENDENCIES_POLLING_H

#include "analysis/dependencies/dependencies.h"
#include "analysis/p2p/completions.h"

/** Finds the polling of a location: tests that complete nothing, and the test behind them that
 * does, with nothing recorded between them and gaps below 100 us; and the polling loops of the
 * rules of wait states.
 * @param completions   of the location's process
 * @param dependencies  of the location, sorted: a call that has one completes something */
void fm_polling_find(fm_polling_vector *pollings, const struct fm_trace *trace, uint32_t location,
                     const struct fm_completions *completions,
                     const fm_dependency_vector *dependencies);

/** @return the loop of a location that an activity is part of; NULL: none. O(log n) */
const struct fm_polling *fm_polling_around(const fm_polling_vector *pollings, uint32_t activity);

#endif
