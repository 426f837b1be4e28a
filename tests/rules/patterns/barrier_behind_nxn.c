/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier behind N x N: a wait in a barrier that is called directly behind an N x N operation,
 * which has synchronized the processes already. The example of docs/adding-a-pattern.md. */
#include "analysis/collective/gathering.h"
#include "analysis/pattern.h"

/* A row of metrics.def in a real pattern; the table of this test's build has none. */
#define FM_METRIC_MPI_BARRIER_BEHIND_NXN FM_METRIC_MPI_SYNC_COLLECTIVE

static void find(const struct fm_finder *finder, const struct fm_member *member,
                 const struct fm_gathered *all)
{
    (void)all;
    const struct fm_trace *trace = finder->analysis->trace;
    const struct fm_location *location = &trace->locations[member->start_location];
    if (member->start_activity == 0 ||
        fm_trace_called(trace, location, member->start_activity - 1)->call != FM_CALL_ALL_TO_ALL) {
        return;
    }
    fm_found_part(finder, member->wait_location,
                  &(struct fm_part){
                      .since = member->wait_enter,
                      .activity = member->wait_activity,
                      .kind = FM_PART_TAIL,
                      .metric = FM_METRIC_MPI_BARRIER_BEHIND_NXN,
                      .of = FM_METRIC_MPI_BARRIER_WAIT,
                  });
}

const struct fm_pattern fm_pattern_barrier_behind_nxn = {
    .name = "Barrier behind N x N",
    .members = FM_CALLS(BARRIER),
    .member = find,
};
