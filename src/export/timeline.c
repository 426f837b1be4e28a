#include "export/timeline.h"

#include <math.h>

/* @return the tick at `seconds` after the begin of the run, within the range of ticks */
static uint64_t tick_at(const struct fm_export_timeline *timeline, double seconds)
{
    double ticks = seconds * (double)timeline->detail->trace->ticks_per_second;
    return ticks < 0x1p63 ? timeline->begin + (uint64_t)ticks : UINT64_MAX;
}

static void choose_locations(struct fm_export_timeline *timeline,
                             const struct fm_export_request *request)
{
    const struct fm_trace *trace = timeline->detail->trace;
    uint32_t end =
        request->last_rank < trace->process_count ? request->last_rank + 1 : trace->process_count;
    timeline->end_location = 0;
    for (uint32_t p = request->first_rank; p < end; p++) {
        const struct fm_process *process = &trace->processes[p];
        if (p == request->first_rank) {
            timeline->first_location = process->first_location;
        }
        timeline->end_location = process->first_location + process->location_count;
    }
}

/* Keeps the arrows both of whose ends are shown. */
static void choose_arrows(struct fm_export_timeline *timeline)
{
    fm_arrows *arrows = &timeline->arrows;
    size_t kept = 0;
    for (size_t i = 0; i < arrows->count; i++) {
        uint32_t tail = arrows->items[i].tail.location, head = arrows->items[i].head.location;
        if (tail >= timeline->first_location && tail < timeline->end_location &&
            head >= timeline->first_location && head < timeline->end_location) {
            arrows->items[kept++] = arrows->items[i];
        }
    }
    arrows->count = kept;
}

fm_status_t fm_export_timeline_open(struct fm_export_timeline *timeline,
                                    const struct fm_export_request *request, struct fm_error *error)
{
    const struct fm_analysis_options options = {0};
    struct fm_export_timeline opened = {0};
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
    *timeline = opened;
    return FM_OK;
}

void fm_export_timeline_close(struct fm_export_timeline *timeline)
{
    fm_vector_free(&timeline->arrows);
    fm_detail_free(timeline->detail);
    fm_cube_free(timeline->cube);
}

uint64_t fm_export_nanoseconds(const struct fm_export_timeline *timeline, uint64_t time)
{
    return (uint64_t)((unsigned __int128)(time - timeline->begin) * 1000000000 /
                      timeline->detail->trace->ticks_per_second);
}

const struct fm_candidate *fm_export_wait(const struct fm_export_timeline *timeline,
                                          uint32_t location, uint32_t activity)
{
    if (activity == FM_NONE) {
        return NULL;
    }
    const struct fm_location *where = &timeline->detail->trace->locations[location];
    const struct fm_candidate *wait =
        fm_findings_wait(&timeline->detail->findings[location], activity);
    bool overlaps = wait != NULL && activity + (size_t)1 < where->enter.count &&
                    where->enter.items[activity + 1] < wait->t;
    return overlaps ? NULL : wait;
}
