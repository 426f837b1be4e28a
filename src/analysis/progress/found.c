/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/progress/found.h"

#include "analysis/dependencies/dependencies.h"

void fm_found_progress(const struct fm_finder *finder, const struct fm_progress_wait *wait,
                       fm_metric_t metric, fm_metric_t lower)
{
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

void fm_depend_on_progress(const struct fm_finder *finder, const struct fm_process_needs *needs,
                           const struct fm_need_trial *trial)
{
    const struct fm_analysis *analysis = finder->analysis;
    const struct fm_needing_call *needing = &needs->calls.items[trial->call];
    if (analysis->dependencies == NULL) {
        return;
    }
    const uint64_t leave = fm_call_leave(analysis->trace, needing->call);
    for (uint32_t i = 0; i < fm_partner_count(needs, trial->call); ++i) {
        const struct fm_partner_state *state = &needs->states.items[trial->first_state + i];
        if (!state->is_unknown && state->call.activity != FM_NONE && state->enter <= leave) {
            fm_depend(analysis, finder->worker, needing->call, fm_awaited_enter(state->call),
                      FM_DEPENDS_ON_PROGRESS);
        }
    }
}
