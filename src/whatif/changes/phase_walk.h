/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The iterations that the parts of a location belong to: the instances of its innermost phase,
 * numbered through the run as in the report. */
#ifndef FERMATA_WHATIF_CHANGES_PHASE_WALK_H
#define FERMATA_WHATIF_CHANGES_PHASE_WALK_H

#include "base/containers/map.h"
#include "trace/tables/trace.h"

/** Number of what lies outside of all phases. */
#define FM_OUTSIDE_PHASES UINT64_MAX

/** An iteration. */
struct fm_phase_number {
    uint32_t region; /**< of the phase; FM_NONE: outside of all */
    uint64_t number; /**< from 0 on; FM_OUTSIDE_PHASES */
};

/** A walk over the phases of a location. */
struct fm_phase_walk {
    const struct fm_location *owner; /**< whose phases count: that of the process's first thread
                                          with phases if the location has none; NULL: none */
    size_t next;
    struct fm_map count_of; /**< region -> number of instances so far */
    FM_VECTOR(struct fm_phase_number) open;
    FM_VECTOR(uint64_t) ends;
};

/** @return whether any location of the run has phases. */
bool fm_trace_has_phases(const struct fm_trace *trace);

/** Begins with the begin of a location. {0}: unused. */
void fm_phase_walk_begin(struct fm_phase_walk *iterations, const struct fm_trace *trace,
                         uint32_t location);

/** @return the iteration at a time, which does not decrease from call to call. */
struct fm_phase_number fm_phase_walk_at(struct fm_phase_walk *iterations, uint64_t time);

void fm_phase_walk_free(struct fm_phase_walk *iterations);

#endif
