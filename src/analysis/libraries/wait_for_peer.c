/* SPDX-License-Identifier: BSD-3-Clause */
/* SHMEM Wait Until, coarray event wait, sync images: a call waits for single processes. */
#include "analysis/libraries/peer_waits.h"
#include "analysis/pattern.h"

static fm_metric_t metric_of(const struct fm_region *region)
{
    switch (region->call) {
    case FM_CALL_EVENT_WAIT:
        return FM_METRIC_CAF_EVENT_WAIT;
    case FM_CALL_SYNC_IMAGES:
        return FM_METRIC_CAF_SYNC_IMAGES_WAIT;
    default: /* FM_CALL_WAIT_UNTIL, or a loop of tests */
        return FM_METRIC_SHMEM_WAIT_UNTIL;
    }
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_finder *finder = context;
    const struct fm_trace *trace = finder->analysis->trace;
    for (uint32_t process = first; process < last; process++) {
        const fm_peer_wait_vector *waits = fm_peer_waits_of(finder->analysis->peer_waits, process);
        for (size_t i = 0; i < waits->count; i++) {
            const struct fm_peer_wait *wait = &waits->items[i];
            const struct fm_region *region =
                fm_trace_called(trace, &trace->locations[wait->call.location], wait->call.activity);
            fm_found_wait(finder, wait->call, wait->until, wait->cause, metric_of(region));
        }
    }
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find, &own);
}

const struct fm_pattern fm_pattern_wait_for_peer = {
    .name = "Wait for another process",
    .reads = FM_READS(EPOCHS),
    .detect = detect,
};
