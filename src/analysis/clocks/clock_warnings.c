/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/clocks/clock_warnings.h"

#include <inttypes.h>

static fm_status_t warn_of_estimate(struct fm_cube *cube, struct fm_error *error)
{
    const struct fm_cube_clock *clock = &cube->clock;
    const double microseconds =
        1e6 * (double)clock->error / (double)cube->experiment.ticks_per_second;
    fm_status_t status = FM_OK;
    if (clock->unbounded + 1 < cube->experiment.process_count) {
        status = fm_cube_warn(
            cube, error,
            "The archive has no clock offsets, and its clocks disagree: offsets were estimated "
            "from messages and collective operations. The clock of each process may differ by "
            "%.3g us from that of rank 0; waiting between two processes may be wrong by twice that "
            "each time.",
            microseconds);
    }
    if (status == FM_OK && clock->unbounded != 0) {
        status = fm_cube_warn(
            cube, error,
            "The archive has no clock offsets, and the clocks of %" PRIu32 " %s are bounded from "
            "one side only, for want of messages in both directions: their waiting for others, and "
            "that of others for them, cannot be trusted.",
            clock->unbounded, clock->unbounded == 1 ? "process" : "processes");
    }
    return status;
}

fm_status_t fm_clock_warn(struct fm_cube *cube, struct fm_error *error)
{
    const struct fm_cube_clock *clock = &cube->clock;
    fm_status_t status = clock->is_estimated ? warn_of_estimate(cube, error) : FM_OK;
    if (status != FM_OK || clock->violations_before == 0) {
        return status;
    }
    if (clock->mode == FM_CUBE_CLOCK_LOGICAL) {
        return fm_cube_warn(
            cube, error,
            "By the recorded times %" PRIu64 " %s before what %s for had begun. "
            "The logical clock has moved times: %" PRIu64 " of these are left.",
            clock->violations_before, clock->violations_before == 1 ? "call ended" : "calls ended",
            clock->violations_before == 1 ? "it waited" : "they waited", clock->violations_after);
    }
    if (clock->violations_after == 0) {
        return FM_OK;
    }
    return fm_cube_warn(cube, error,
                        "By the clocks %" PRIu64 " %s before what %s for had begun: `fermata "
                        "analyze --clock=clc` would move times until that is right.",
                        clock->violations_after,
                        clock->violations_after == 1 ? "call ended" : "calls ended",
                        clock->violations_after == 1 ? "it waited" : "they waited");
}
