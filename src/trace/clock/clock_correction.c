/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/clock/clock_correction.h"

bool fm_clock_add(struct fm_clock_correction *clock, uint64_t time, int64_t offset)
{
    if (clock->has_offset) {
        if (clock->last_time >= time) {
            return false;
        }
        int64_t growth = (int64_t)((uint64_t)offset - clock->last_offset);
        fm_vector_push(&clock->intervals,
                       (struct fm_clock_interval){.begin = clock->last_time,
                                                  .end = time,
                                                  .offset = clock->last_offset,
                                                  .slope = (double)growth /
                                                           (double)(time - clock->last_time)});
    }
    clock->has_offset = true;
    clock->last_time = time;
    clock->last_offset = (uint64_t)offset;
    return true;
}

void fm_clock_free(struct fm_clock_correction *clock)
{
    fm_vector_free(&clock->intervals);
    clock->has_offset = false;
}
