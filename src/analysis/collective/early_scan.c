/* SPDX-License-Identifier: BSD-3-Clause */
/* Early Scan: a process waits in a prefix reduction for a process of lower rank. */
#include "analysis/collective/instance.h"
#include "analysis/pattern.h"

static void find(const struct fm_finder *finder, const struct fm_member **members, uint32_t count)
{
    if (fm_member_paradigm(members[0]) != FM_PARADIGM_MPI) {
        return;
    }
    fm_members_sort(members, count);
    const struct fm_member *last = members[0];
    for (uint32_t i = 1; i < count; ++i) {
        fm_member_wait(finder, members[i], last, FM_METRIC_MPI_EARLYSCAN);
        last = members[i]->enter > last->enter ? members[i] : last;
    }
}

const struct fm_pattern fm_pattern_early_scan = {
    .name = "Early Scan",
    .instances = FM_CALLS(SCAN),
    .instance = find,
};
