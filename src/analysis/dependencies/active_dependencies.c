/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/dependencies/active_dependencies.h"

static bool waits(const struct fm_trace *trace, struct fm_call_ref call, uint64_t t)
{
    return fm_call_enter(trace, call) < t && t <= fm_call_leave(trace, call);
}

static void depend_on_posts(const struct fm_analysis *analysis, unsigned worker,
                            const struct fm_access_match *access, struct fm_call_ref call)
{
    for (uint32_t t = 0; t < access->epoch->target_count; t++) {
        if (access->posts[t].call.activity != FM_NONE) {
            fm_depend(analysis, worker, call, fm_awaited_enter(access->posts[t].call),
                      FM_DEPENDS_ON_POST);
        }
    }
}

void fm_depend_by_access(const struct fm_analysis *analysis, unsigned worker,
                         const struct fm_access_match *access)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_access_epoch *epoch = access->epoch;
    const struct fm_epoch_operation *operations = access->epochs->operations.items;
    uint64_t last = 0;
    for (uint32_t t = 0; t < epoch->target_count; t++) {
        const struct fm_target_post *post = &access->posts[t];
        if (post->call.activity == FM_NONE) {
            continue;
        }
        last = post->posted > last ? post->posted : last;
        for (uint32_t o = access->targets[t].operations; o != FM_NONE; o = operations[o].previous) {
            if (waits(trace, operations[o].call, post->posted)) {
                fm_depend(analysis, worker, operations[o].call, fm_awaited_enter(post->call),
                          FM_DEPENDS_ON_POST);
            }
        }
    }
    if (waits(trace, epoch->start, last)) {
        depend_on_posts(analysis, worker, access, epoch->start);
    }
    if (epoch->complete.activity != FM_NONE) {
        depend_on_posts(analysis, worker, access, epoch->complete);
    }
}
