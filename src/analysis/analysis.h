/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The analysis of a run: loads an OTF2 archive, finds all wait states and counts, and returns them
 * as a severity cube.
 */
#ifndef FERMATA_ANALYSIS_ANALYSIS_H
#define FERMATA_ANALYSIS_ANALYSIS_H

#include "analysis/memory_need.h"
#include "analysis/model/partition.h"
#include "base/error.h"
#include "cube/model/cube.h"
#include "engine/stage_times.h"
#include "engine/team/team.h"

#include <stdbool.h>
#include <stddef.h>

struct fm_analysis_options {
    struct fm_team *team;       /**< processes of the analysis; NULL: this process alone */
    unsigned workers;           /**< threads of this process; 0: one for each processor */
    bool asynchronous_progress; /**< targets make progress outside of calls (a progress thread or
                                     process): no call waits for it */
    bool progress_by_targets; /**< every one-sided call needs a call of its target; neither of both:
                                   the evidence of the run decides */
    fm_cube_clock_mode_t clock; /**< linear: an archive without clock offsets whose clocks disagree
                                     gets offsets estimated from its messages */
    bool check;                 /**< verify the invariants; a violation is FM_ERR_FAILED */
    bool path_from_init_to_finalize; /**< the critical path covers only MPI_Init to MPI_Finalize
                                        instead of the whole run */
    const struct fm_partitions *partitions; /**< partitions of the locations; NULL: locations with
                                               the same top-level call paths form one */
    struct fm_stage_times *times;           /**< out: duration of each stage; NULL: not measured */
    bool dependencies;      /**< the detail has the dependencies of all calls: for an analysis by a
                                 single process */
    bool blames;            /**< the detail has who is blamed for each wait state, if there is a
                                 report, too; likewise */
    uint64_t most_events;   /**< of runs with more, there are no dependencies; 0: any number */
    bool only_dependencies; /**< the detail is wanted for its dependencies: none without them */
    bool callsites; /**< functions of the program are told apart by the lines that call them */
    const bool *switched_off; /**< [FM_METRIC_USER]: wait states that are not searched for; NULL:
                                 none */
    uint64_t blocking_size;   /**< bytes from which on sends wait for their receiver; 0: as the run
                                   shows */
    struct fm_cube_errors errors; /**< of the experiment's times, as far as they are known */
    size_t memory_limit; /**< bytes of tables to keep in memory, the rest is stored in a file; 0: no
                            limit */
    fm_analysis_sized_t *sized; /**< called with the size of the archive; NULL: nothing is */
    void *sized_context;
};

/** Analyses an archive. The result does not depend on the number of processes and workers.
 * Collective; all processes of the team return the same status and error.
 * @param archive  experiment directory (with traces.otf2) or path of an anchor file
 * @param cube     out: sealed cube, to be freed with fm_cube_free(); set only on success; NULL on
 *                 all processes of the team but process 0
 * @return FM_OK; FM_ERR_DATA: unreadable archive; FM_ERR_USAGE: the archive or the options differ
 * between the processes of the team, or the options do not fit the archive; FM_ERR_FAILED: an
 * invariant does not hold */
fm_status_t fm_analysis_run(const char *archive, const struct fm_analysis_options *options,
                            struct fm_cube **cube, struct fm_error *error);

#endif
