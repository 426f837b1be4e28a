/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of collectives that have non-blocking forms, without neighbourhood collectives.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_COLLECTIVE_NAMES_H
#define FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_COLLECTIVE_NAMES_H

#include "trace/tables/trace.h"

/** Number of names; bits of a set. */
enum { FM_COLLECTIVE_NAMES = 17 };

/** What a function of MPI starts or initializes. */
struct fm_collective_name {
    uint8_t number; /**< FM_COLLECTIVE_NAMES: none of these collectives */
    bool starts;    /**< it is the non-blocking form */
};

/** @return the plural of a name. @param number  0 <= number < FM_COLLECTIVE_NAMES */
const char *fm_collective_plural(unsigned number);

/** @return what a region starts or initializes. */
struct fm_collective_name fm_collective_name(const struct fm_region *region);

/** @return whether calls of a region may start non-blocking or persistent collectives. */
bool fm_may_start_collectives(const struct fm_region *region);

/** @return the number of the name of an OTF2_CollectiveOp; FM_COLLECTIVE_NAMES: it has none. */
uint8_t fm_collective_name_of_operation(uint8_t operation);

#endif
