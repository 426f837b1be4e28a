/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Dependencies of access epochs on the posts of their targets. */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_ACTIVE_DEPENDENCIES_H
#define FERMATA_ANALYSIS_DEPENDENCIES_ACTIVE_DEPENDENCIES_H

#include "analysis/dependencies/dependencies.h"
#include "analysis/one_sided/active_target.h"

/** States what the calls of an access epoch depend on: operations that waited on the post of their
 * target; MPI_Win_start, if it waited, on all posts; MPI_Win_complete in any case. To be called in
 * a stage that fm_finders_run() runs. */
void fm_depend_by_access(const struct fm_analysis *analysis, unsigned worker,
                         const struct fm_access_match *access);

#endif
