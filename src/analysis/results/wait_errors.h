/** @file
 * By how much a waiting time may be wrong (docs/clocks.md): the difference of two clocks, and what
 * the recorder has done meanwhile. */
#ifndef FERMATA_ANALYSIS_RESULTS_WAIT_ERRORS_H
#define FERMATA_ANALYSIS_RESULTS_WAIT_ERRORS_H

#include "analysis/model/run.h"

/** How long the recorder read processor times in the computation before a call. */
struct fm_call_reading {
    uint64_t ticks;
    struct fm_call_ref call;
};

/** What errors depend on. */
struct fm_wait_errors {
    const struct fm_analysis *analysis;
    uint32_t *node_of;        /**< [process]; NULL: all have one clock */
    uint64_t recording, time; /**< of all locations: the cost of recorded calls and their time */
    FM_VECTOR(struct fm_call_reading) readings; /**< ascending by location and activity */
};

/** Collective. */
struct fm_wait_errors fm_wait_errors_open(const struct fm_analysis *analysis);

void fm_wait_errors_close(struct fm_wait_errors *errors);

/** @return by how many ticks a wait may be wrong; 0 if errors are not known
 * @param waiting  the call that waits
 * @param cause    the call that it waits for; location == FM_NONE: unknown, taken for one of
 * another node */
uint64_t fm_wait_error(const struct fm_wait_errors *errors, struct fm_call_ref waiting,
                       struct fm_call_ref cause, uint64_t wait);

/** @return by how many ticks the computation of all locations together may be too long: the cost of
 * recorded calls, and of readings of processor times; 0 if errors are not known */
uint64_t fm_computation_error(const struct fm_wait_errors *errors);

#endif
