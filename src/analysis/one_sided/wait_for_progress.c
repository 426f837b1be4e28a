/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait for Progress: a one-sided call waits until its target enters a call in which the library
 * makes progress; and the lower bound, the part of the wait that is certain. */
#include "analysis/libraries/library_metrics.h"
#include "analysis/one_sided/epochs.h"
#include "analysis/pattern.h"

static void find(const struct fm_finder *finder, const struct fm_progress_wait *wait)
{
    const struct fm_analysis *analysis = finder->analysis;
    uint32_t region =
        fm_trace_region(&analysis->trace->locations[wait->call.location], wait->call.activity);
    const fm_paradigm_t paradigm = analysis->trace->regions[region].paradigm;
    const bool is_synchronization = fm_is_one_sided_synchronization(analysis->own_metrics[region]);
    const fm_metric_t metric = fm_library_metric(
        paradigm, is_synchronization ? FM_RULE_PROGRESS : FM_RULE_PROGRESS_IN_OPERATION);
    const fm_metric_t lower =
        fm_library_metric(paradigm, is_synchronization ? FM_RULE_PROGRESS_LOWER
                                                       : FM_RULE_PROGRESS_IN_OPERATION_LOWER);
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
