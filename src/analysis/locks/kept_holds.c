/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/kept_holds.h"

#include "analysis/locks/lock_names.h"

#include "base/containers/search.h"

#include <inttypes.h>
#include <stdio.h>

uint32_t fm_kept_hold_call(const struct fm_trace *trace, const struct fm_kept_hold *kept)
{
    const struct fm_location *location = &trace->locations[kept->hold.owner];
    const size_t call = fm_count_below(location->enter.items, location->enter.count,
                                       sizeof *location->enter.items, kept->hold.requested);
    const bool found =
        call < location->enter.count && location->enter.items[call] == kept->hold.requested;
    return found ? (uint32_t)call : FM_NONE;
}

bool fm_kept_hold_same_lock(const struct fm_kept_hold *a, const struct fm_kept_hold *b)
{
    return a->window == b->window && a->hold.paradigm == b->hold.paradigm &&
           a->hold.target == b->hold.target && a->hold.lock == b->hold.lock;
}

void fm_kept_hold_name(const struct fm_trace *trace, const struct fm_kept_hold *kept,
                       char name[FM_LOCK_NAME_SIZE])
{
    const struct fm_lock_hold *hold = &kept->hold;
    if (hold->paradigm != FM_PARADIGM_MPI) {
        const struct fm_named_lock named = {hold->lock, hold->target, hold->region, hold->paradigm,
                                            kept->window == FM_NONE};
        fm_lock_name(trace, &named, name, FM_LOCK_NAME_SIZE);
        return;
    }
    const char *window = kept->window == FM_NONE ? NULL : trace->windows[kept->window].name;
    char number[32] = "window";
    if (kept->window != FM_NONE && (window == NULL || window[0] == '\0')) {
        snprintf(number, sizeof number, "window %" PRIu32, kept->window);
    }
    window = window == NULL || window[0] == '\0' ? number : window;
    if (hold->target == FM_NONE) {
        snprintf(name, FM_LOCK_NAME_SIZE, "%.250s, all targets", window);
    } else {
        snprintf(name, FM_LOCK_NAME_SIZE, "%.250s, rank %" PRIu32, window, hold->target);
    }
}
