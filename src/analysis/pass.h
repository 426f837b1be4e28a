/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * One pass of an analysis: an archive is loaded with given repairs of its times, and all wait
 * states are found. fm_analysis_run_in_detail() makes as many passes as the repair of clocks needs.
 */
#ifndef FERMATA_ANALYSIS_PASS_H
#define FERMATA_ANALYSIS_PASS_H

#include "analysis/detail.h"

/** The clocks of a pass. */
struct fm_pass_clocks {
    const struct fm_time_maps *maps; /**< NULL: times stay as they are */
    bool are_single;     /**< each process has a clock of its own: options->errors.clock concerns
                              processes of one node, too */
    bool keeps_violated; /**< the detail has dependencies, also those that times violate */
};

/** What a pass has found out about clocks. */
struct fm_pass_found {
    uint64_t violations; /**< of the clock condition: among messages and collective operations; if
                              violated dependencies are kept, among all of obligatory rules */
    bool lacks_offsets;  /**< several processes, and the archive has no clock offsets */
    bool is_own;         /**< the archive was written by fermata */
};

/** Makes a pass. @param found  out. Otherwise as fm_analysis_run_in_detail(). */
fm_status_t fm_analysis_pass(const char *archive, const struct fm_analysis_options *options,
                             const struct fm_pass_clocks *clocks, struct fm_cube **cube,
                             struct fm_detail **detail, struct fm_pass_found *found,
                             struct fm_error *error);

#endif
