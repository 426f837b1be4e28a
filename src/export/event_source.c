/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/event_source.h"

#include <math.h>

/* @return the tick at `seconds` after the begin of the run, clamped to the range of ticks */
static uint64_t tick_at(const struct fm_event_source *events, double seconds)
{
    double ticks = seconds * (double)events->detail->trace->ticks_per_second;
    return ticks < 0x1p63 ? events->begin + (uint64_t)ticks : UINT64_MAX;
}

static void choose_locations(struct fm_event_source *events,
                             const struct fm_export_request *request)
{
    const struct fm_trace *trace = events->detail->trace;
    uint32_t end =
        request->last_rank < trace->process_count ? request->last_rank + 1 : trace->process_count;
    events->end_location = 0;
    for (uint32_t p = request->first_rank; p < end; p++) {
        const struct fm_process *process = &trace->processes[p];
        if (p == request->first_rank) {
            events->first_location = process->first_location;
        }
        events->end_location = process->first_location + process->location_count;
    }
}

/* Keeps the arrows with both ends on locations shown. */
static void choose_arrows(struct fm_event_source *events)
{
    fm_arrows *arrows = &events->arrows;
    size_t kept = 0;
    for (size_t i = 0; i < arrows->count; i++) {
        uint32_t tail = arrows->items[i].tail.location, head = arrows->items[i].head.location;
        if (tail >= events->first_location && tail < events->end_location &&
            head >= events->first_location && head < events->end_location) {
            arrows->items[kept++] = arrows->items[i];
        }
    }
    arrows->count = kept;
}

fm_status_t fm_event_source_open(struct fm_event_source *events,
                                 const struct fm_export_request *request, struct fm_error *error)
{
    /* The times are those of the report. */
    const struct fm_analysis_options options = {
        .clock = request->cube == NULL ? FM_CUBE_CLOCK_LINEAR
                                       : (fm_cube_clock_mode_t)request->cube->clock.mode,
    };
    struct fm_event_source opened = {0};
    fm_status_t status =
        fm_analysis_run_in_detail(request->archive, &options, &opened.cube, &opened.detail, error);
    if (status != FM_OK) {
        return status;
    }
    opened.begin = opened.cube->experiment.begin;
    opened.from = tick_at(&opened, request->from);
    opened.to = tick_at(&opened, request->to);
    choose_locations(&opened, request);
    opened.arrows = fm_arrows_collect(opened.detail, opened.from, opened.to);
    choose_arrows(&opened);
    *events = opened;
    return FM_OK;
}

void fm_event_source_close(struct fm_event_source *events)
{
    fm_vector_free(&events->arrows);
    fm_detail_free(events->detail);
    fm_cube_free(events->cube);
}

uint64_t fm_event_nanoseconds(const struct fm_event_source *events, uint64_t time)
{
    return (uint64_t)((unsigned __int128)(time - events->begin) * 1000000000 /
                      events->detail->trace->ticks_per_second);
}

const struct fm_cube_region *fm_event_region_of(const struct fm_event_source *events,
                                                uint32_t location, uint32_t visit)
{
    const struct fm_cube *cube = events->cube;
    uint32_t callpath = events->detail->trace->locations[location].profile.items[visit].callpath;
    return &cube->regions[cube->callpaths[callpath].region];
}
