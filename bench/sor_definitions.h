/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Definitions of a simulated run's archive. */
#ifndef FERMATA_BENCH_SOR_DEFINITIONS_H
#define FERMATA_BENCH_SOR_DEFINITIONS_H

#include "sor_simulation.h"

#include <otf2/otf2.h>

enum sor_region {
#define REGION(identifier, name, role, paradigm) SOR_REGION_##identifier,
#include "sor_regions.def"
#undef REGION
    SOR_REGION_COUNT
};

#define SOR_WORLD_COMM 0
#define SOR_WINDOW     0

/** @return the group of a rank's neighbours */
OTF2_GroupRef sor_neighbor_group(uint32_t rank);

/** Writes the global definitions.
 * @param event_counts  number of events of each rank */
OTF2_ErrorCode sor_definitions_write(const struct sor_simulation *simulation,
                                     const uint64_t *event_counts, OTF2_GlobalDefWriter *writer);

#endif
