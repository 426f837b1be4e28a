/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/identity.h"

static void compare(struct fm_identity *identity, uint32_t l, uint32_t activity, bool is_leave,
                    uint64_t measured, uint64_t replayed)
{
    if (measured == replayed) {
        return;
    }
    if (identity->moved++ == 0 || measured < identity->measured) {
        identity->location = l;
        identity->activity = activity;
        identity->is_leave = is_leave;
        identity->measured = measured;
        identity->replayed = replayed;
    }
}

struct fm_identity fm_identity_check(const struct fm_detail *detail, const struct fm_replay *replay)
{
    struct fm_identity identity = {0};
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const struct fm_location *location = &detail->trace->locations[l];
        const struct fm_new_times *times = &replay->locations[l];
        const uint32_t count = (uint32_t)location->enter.count;
        identity.calls += count;
        for (uint32_t a = 0; a < count; a++) {
            compare(&identity, l, a, false, location->enter.items[a], times->enter[a]);
            compare(&identity, l, a, true, location->leave.items[a], times->leave[a]);
        }
        if (location->begin <= location->end && times->end != location->end) {
            compare(&identity, l, count, true, location->end, times->end);
        }
    }
    return identity;
}
