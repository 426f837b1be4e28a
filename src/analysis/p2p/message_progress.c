/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait for Progress of messages: a call that completes a send or a receive waits until its partner,
 * which has posted or started its side, calls MPI again. */
#include "analysis/p2p/message_needs.h"
#include "analysis/pattern.h"
#include "analysis/progress/found.h"

struct finding {
    const struct fm_finder *finder;
    const struct fm_progress *progress;
};

static void find_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct finding *finding = context;
    struct fm_finder finder = *finding->finder;
    const struct fm_evidence *evidence = finder.analysis->message_evidence;
    finder.worker = worker;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_process_needs *needs = &finding->progress->of_process[process];
        for (size_t i = 0; i < needs->trials.count; ++i) {
            const struct fm_need_trial *trial = &needs->trials.items[i];
            struct fm_progress_wait wait;
            fm_depend_on_progress(&finder, needs, trial);
            if (fm_evidence_judge(evidence, process, trial, &wait)) {
                fm_found_progress(&finder, &wait, FM_METRIC_MPI_P2P_WAIT_FOR_PROGRESS,
                                  FM_METRIC_MPI_P2P_WAIT_FOR_PROGRESS_LOWER);
            }
        }
    }
}

static void detect(const struct fm_finder *finder)
{
    struct fm_analysis *analysis = finder->analysis;
    if (analysis->message_needs == NULL) {
        return;
    }
    struct finding finding = {finder, fm_message_needs_weigh(analysis->message_needs)};
    if (fm_evidence_any_waits(analysis->message_evidence)) {
        fm_engine_run(analysis->engine, find_all, &finding);
    }
    fm_message_needs_free(analysis->message_needs);
    analysis->message_needs = NULL;
}

const struct fm_pattern fm_pattern_message_progress = {
    .name = "Wait for Progress of messages",
    .detect = detect,
};
