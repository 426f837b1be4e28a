/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait for Progress: a one-sided call waits until its target enters a call in which the library
 * makes progress; and the lower bound, the part of the wait that is certain. */
#include "analysis/libraries/library_metrics.h"
#include "analysis/one_sided/progress_waits.h"
#include "analysis/pattern.h"
#include "analysis/progress/found.h"

static void find(const struct fm_finder *finder, const struct fm_progress_wait *wait)
{
    const struct fm_analysis *analysis = finder->analysis;
    uint32_t region =
        fm_trace_region(&analysis->trace->locations[wait->call.location], wait->call.activity);
    const fm_paradigm_t paradigm = analysis->trace->regions[region].paradigm;
    if (analysis->own_metrics[region] == FM_METRIC_MPI_RMA_SYNC_ACTIVE) {
        fm_found_progress(finder, wait, FM_METRIC_MPI_RMA_ACTIVE_WAIT_FOR_PROGRESS,
                          FM_METRIC_MPI_RMA_ACTIVE_WAIT_FOR_PROGRESS_LOWER);
        return;
    }
    const bool is_synchronization = fm_is_one_sided_synchronization(analysis->own_metrics[region]);
    const fm_metric_t metric = fm_library_metric(
        paradigm, is_synchronization ? FM_RULE_PROGRESS : FM_RULE_PROGRESS_IN_OPERATION);
    const fm_metric_t lower =
        fm_library_metric(paradigm, is_synchronization ? FM_RULE_PROGRESS_LOWER
                                                       : FM_RULE_PROGRESS_IN_OPERATION_LOWER);
    fm_found_progress(finder, wait, metric, lower);
}

static void find_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_finder finder = *(const struct fm_finder *)context;
    const struct fm_analysis *analysis = finder.analysis;
    finder.worker = worker;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_process_needs *needs = &analysis->progress->of_process[process];
        fm_progress_waits_sort(&analysis->epochs[process].locks);
        for (uint32_t i = 0; i < needs->calls.count; ++i) {
            const struct fm_progress_kind *kind = fm_evidence_kind(analysis->evidence, process, i);
            struct fm_progress_wait wait;
            if (kind == NULL || !kind->waits) {
                continue;
            }
            const struct fm_need_trial *trial = fm_progress_waits_trial(analysis, process, i);
            fm_depend_on_progress(&finder, needs, trial);
            if (fm_evidence_judge(analysis->evidence, process, trial, &wait)) {
                find(&finder, &wait);
            }
        }
    }
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    const struct fm_analysis *analysis = finder->analysis;
    if (analysis->progress != NULL && fm_evidence_any_waits(analysis->evidence)) {
        fm_engine_run(analysis->engine, find_all, &own);
    }
}

const struct fm_pattern fm_pattern_wait_for_progress = {
    .name = "Wait for Progress",
    .reads = FM_READS(EPOCHS),
    .detect = detect,
};
