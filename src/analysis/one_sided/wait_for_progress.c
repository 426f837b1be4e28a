/* Wait for Progress: a passive-target call waits until its target enters a call in which the MPI
 * library makes progress; and the lower bound, the part of the wait that is certain. */
#include "analysis/one_sided/epochs.h"
#include "analysis/pattern.h"

static void find(const struct fm_finder *finder, const struct fm_progress_wait *wait)
{
    const struct fm_analysis *analysis = finder->analysis;
    uint32_t region =
        fm_trace_region(&analysis->trace->locations[wait->call.location], wait->call.activity);
    bool is_synchronization = analysis->own_metrics[region] == FM_METRIC_MPI_RMA_SYNC_PASSIVE;
    fm_metric_t metric = is_synchronization ? FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS
                                            : FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS;
    fm_metric_t lower = is_synchronization ? FM_METRIC_MPI_RMA_SYNC_WAIT_FOR_PROGRESS_LOWER
                                           : FM_METRIC_MPI_RMA_COMM_WAIT_FOR_PROGRESS_LOWER;
    fm_found_wait(finder, wait->call, wait->until, wait->cause, metric);
    fm_found_part(finder, wait->call.location,
                  &(struct fm_part){
                      .since = wait->uncovered,
                      .activity = wait->call.activity,
                      .kind = FM_PART_BESIDE,
                      .metric = (uint8_t)lower,
                      .of = (uint8_t)metric,
                  });
}

static void find_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_finder *finder = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_lock_epochs *locks = &finder->analysis->epochs[process].locks;
        for (size_t i = 0; i < locks->progress.count; ++i) {
            find(finder, &locks->progress.items[i]);
        }
    }
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find_all, &own);
}

const struct fm_pattern fm_pattern_wait_for_progress = {
    .name = "Wait for Progress",
    .reads = FM_READS(EPOCHS),
    .detect = detect,
};
