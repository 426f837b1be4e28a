/* SPDX-License-Identifier: BSD-3-Clause */
/* Late Post: an origin waits in MPI_Win_start, MPI_Win_complete or an operation until a target
 * posts its exposure epoch. An operation depends on its own target, start and complete on all
 * targets. */
#include "analysis/one_sided/active_target.h"
#include "analysis/pattern.h"

static void find_in_operations(const struct fm_finder *finder, const struct fm_access_match *access,
                               uint32_t target)
{
    const struct fm_target_post *post = &access->posts[target];
    const struct fm_epoch_operation *operations = access->epochs->operations.items;
    for (uint32_t o = access->targets[target].operations; o != FM_NONE;
         o = operations[o].previous) {
        fm_found_wait(finder, operations[o].call, post->posted, post->call,
                      FM_METRIC_MPI_RMA_COMM_LATE_POST);
    }
}

/* @return whether a post is later than another one; of simultaneous ones, that of the lower
 * location counts as later */
static bool is_later(const struct fm_target_post *post, const struct fm_target_post *other)
{
    return post->posted > other->posted ||
           (post->posted == other->posted && post->call.location < other->call.location);
}

static void find(const struct fm_finder *finder, const struct fm_access_match *access)
{
    const struct fm_access_epoch *epoch = access->epoch;
    const struct fm_target_post *last = NULL;
    for (uint32_t t = 0; t < epoch->target_count; ++t) {
        const struct fm_target_post *post = &access->posts[t];
        if (post->call.activity != FM_NONE) {
            find_in_operations(finder, access, t);
            last = last == NULL || is_later(post, last) ? post : last;
        }
    }
    if (last == NULL) {
        return;
    }
    fm_found_wait(finder, epoch->start, last->posted, last->call, FM_METRIC_MPI_RMA_SYNC_LATE_POST);
    if (epoch->complete.activity != FM_NONE) {
        fm_found_wait(finder, epoch->complete, last->posted, last->call,
                      FM_METRIC_MPI_RMA_SYNC_LATE_POST);
    }
}

const struct fm_pattern fm_pattern_late_post = {
    .name = "Late Post",
    .access = find,
};
