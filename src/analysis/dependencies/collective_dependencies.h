/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Dependencies of the members of collective operations, by the kind of the operation. */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_COLLECTIVE_DEPENDENCIES_H
#define FERMATA_ANALYSIS_DEPENDENCIES_COLLECTIVE_DEPENDENCIES_H

#include "analysis/collective/instance.h"

/** States what the members of a complete operation on a communicator depend on. To be called in a
 * stage that fm_finders_run() runs.
 * @param members  of one kind; may be sorted by the callee */
void fm_depend_by_collective(const struct fm_finder *finder, const struct fm_member **members,
                             uint32_t count);

#endif
