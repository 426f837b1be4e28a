/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Phases of the program and their instances: iteration k of a phase consists of the k-th instances
 * of its region on all locations. A thread without instances of its own takes part in those of the
 * first thread of its process that has any.
 */
#ifndef FERMATA_ANALYSIS_RESULTS_PHASE_INSTANCES_H
#define FERMATA_ANALYSIS_RESULTS_PHASE_INSTANCES_H

#include "trace/tables/trace.h"

/** The regions of a trace that are phases. */
struct fm_phase_regions {
    uint32_t count;
    uint32_t *regions;   /**< [phase] */
    uint32_t *number_of; /**< [region]: number of the phase; FM_NONE: the region is no phase */
};

/** @return to be freed with fm_phase_regions_free() */
struct fm_phase_regions fm_phase_regions_find(const struct fm_trace *trace);

void fm_phase_regions_free(struct fm_phase_regions *regions);

/** Handles an instance in which a location takes part.
 * @param number  of the iteration
 * @param owner   location on which the instance is recorded */
typedef void fm_phase_instance_handler_t(void *context, uint32_t phase, uint64_t number,
                                         uint32_t owner, const struct fm_phase *instance);

/** Reports all instances in which a location takes part, those of each phase in ascending order. */
void fm_phase_instances(const struct fm_phase_regions *regions, const struct fm_trace *trace,
                        uint32_t location, fm_phase_instance_handler_t *handle, void *context);

#endif
