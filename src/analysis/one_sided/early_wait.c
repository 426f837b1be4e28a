/* SPDX-License-Identifier: BSD-3-Clause */
/* Early Wait: a target waits in MPI_Win_wait for the last MPI_Win_complete of its origins; Late
 * Complete: the part of this wait after the last operation. An origin whose complete is missing is
 * left out: the other origins give a lower bound of the wait. Also counts the pair-wise
 * synchronizations of exposure epochs. */
#include "analysis/one_sided/active_target.h"
#include "analysis/pattern.h"

static void find_wait(const struct fm_finder *finder, const struct fm_exposure_match *exposure)
{
    struct fm_call_ref wait = exposure->epoch->wait;
    if (fm_found_wait(finder, wait, exposure->completed, exposure->complete,
                      FM_METRIC_MPI_RMA_EARLY_WAIT) &&
        exposure->last_operation < exposure->completed) {
        fm_found_part(finder, wait.location,
                      &(struct fm_part){
                          .since = exposure->last_operation,
                          .activity = wait.activity,
                          .kind = FM_PART_TAIL,
                          .metric = FM_METRIC_MPI_RMA_LATE_COMPLETE,
                          .of = FM_METRIC_MPI_RMA_EARLY_WAIT,
                      });
    }
}

static void find(const struct fm_finder *finder, const struct fm_exposure_match *exposure)
{
    struct fm_call_ref wait = exposure->epoch->wait;
    if (wait.activity == FM_NONE) {
        return;
    }
    fm_found_count(finder, wait, FM_METRIC_MPI_RMA_PAIRSYNC_COUNT, exposure->operating);
    fm_found_count(finder, wait, FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT,
                   exposure->epoch->origin_count - exposure->operating);
    if (exposure->completes != 0) {
        find_wait(finder, exposure);
    }
}

const struct fm_pattern fm_pattern_early_wait = {
    .name = "Early Wait",
    .exposure = find,
};
