#include "analysis/critical_path.h"

#include <inttypes.h>

/* @return Enter of the location's call of Finalize; 0: none */
static uint64_t enter_of_finalize(const struct fm_trace *trace, const struct fm_location *location)
{
    for (size_t a = location->enter.count; a-- > 0;) {
        if (fm_trace_called(trace, location, (uint32_t)a)->call == FM_CALL_FINALIZE) {
            return location->enter.items[a];
        }
    }
    return 0;
}

/* The location that entered Finalize last; without Finalize: that has the latest event. */
static uint32_t last_location(const struct fm_trace *trace)
{
    uint32_t by_finalize = FM_NONE, by_end = FM_NONE;
    uint64_t latest_finalize = 0, latest_end = 0;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        if (location->event_count == 0) {
            continue;
        }
        uint64_t finalize = enter_of_finalize(trace, location);
        if (finalize > latest_finalize) {
            latest_finalize = finalize;
            by_finalize = l;
        }
        if (by_end == FM_NONE || location->end > latest_end) {
            latest_end = location->end;
            by_end = l;
        }
    }
    return by_finalize != FM_NONE ? by_finalize : by_end;
}

static void walk(struct fm_critical_path *path, const struct fm_formation *formation)
{
    const struct fm_trace *trace = formation->analysis->trace;
    uint32_t at = last_location(trace);
    path->first_location = at;
    if (at == FM_NONE) {
        return;
    }
    uint64_t time = trace->locations[at].end;
    for (uint32_t moves_at_once = 0;;) {
        const struct fm_wait_list *waits = &formation->timelines[at].waits;
        uint32_t behind = fm_wait_list_behind(waits, time);
        /* Waits at one tick lead in no circle; each location is passed at most once. */
        bool moves = behind > 0 && moves_at_once <= trace->location_count;
        uint64_t from = moves ? waits->until[behind - 1] : trace->locations[at].begin;
        if (from < time) {
            fm_vector_push(&path->segments, (struct fm_path_segment){from, time, at});
            path->length += time - from;
            moves_at_once = 0;
        }
        if (!moves) {
            return;
        }
        const struct fm_candidate *wait =
            &formation->analysis->findings[at].candidates.items[waits->candidates[behind - 1]];
        ++moves_at_once;
        time = from;
        at = path->first_location = wait->cause_location;
    }
}

struct profiling {
    struct fm_critical_path *path;
    const struct fm_formation *formation;
};

static void profile_busy(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct profiling *profiling = context;
    const struct fm_trace *trace = profiling->formation->analysis->trace;
    struct fm_profile profile = {0};
    for (uint32_t p = first; p < last; ++p) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t l = process->first_location;
             l < process->first_location + process->location_count; ++l) {
            size_t nodes = trace->locations[l].profile.count;
            profiling->path->time[l] = fm_allocate(nodes, sizeof(uint64_t));
            profiling->path->busy[l] = fm_allocate(nodes, sizeof(uint64_t));
            fm_timeline_profile(&profiling->formation->timelines[l], 0, UINT64_MAX, &profile);
            for (uint32_t i = 0; i < profile.count; ++i) {
                profiling->path->busy[l][profile.visits[i]] = profile.time[profile.visits[i]];
            }
        }
    }
    fm_profile_free(&profile);
}

/* The path may come to an owner of all locks of a window that has passed one of them on and still
 * waits for another: the path has no gaps, so that time is on it. */
static void add_unfinished_wait(struct fm_critical_path *path, const struct fm_formation *formation,
                                const struct fm_path_segment *segment)
{
    uint32_t l = segment->location;
    const struct fm_wait_list *waits = &formation->timelines[l].waits;
    uint32_t next = fm_wait_list_behind(waits, segment->to);
    if (next == waits->count || waits->enter[next] >= segment->to) {
        return;
    }
    uint64_t begin = waits->enter[next] > segment->from ? waits->enter[next] : segment->from;
    const struct fm_analysis *analysis = formation->analysis;
    uint32_t activity = analysis->findings[l].candidates.items[waits->candidates[next]].activity;
    path->time[l][analysis->trace->locations[l].visit.items[activity]] += segment->to - begin;
}

void fm_critical_path_open(struct fm_critical_path *path, struct fm_formation *formation)
{
    const struct fm_trace *trace = formation->analysis->trace;
    *path = (struct fm_critical_path){
        .time = fm_allocate(trace->location_count, sizeof *path->time),
        .busy = fm_allocate(trace->location_count, sizeof *path->busy),
        .path_total = fm_allocate(trace->callpaths.count, sizeof *path->path_total),
        .busy_total = fm_allocate(trace->callpaths.count, sizeof *path->busy_total),
    };
    fm_engine_run(formation->analysis->engine, profile_busy, &(struct profiling){path, formation});
    walk(path, formation);
    struct fm_profile profile = {0};
    for (size_t s = 0; s < path->segments.count; ++s) {
        const struct fm_path_segment *segment = &path->segments.items[s];
        fm_timeline_profile(&formation->timelines[segment->location], segment->from, segment->to,
                            &profile);
        for (uint32_t i = 0; i < profile.count; ++i) {
            path->time[segment->location][profile.visits[i]] += profile.time[profile.visits[i]];
        }
        add_unfinished_wait(path, formation, segment);
    }
    fm_profile_free(&profile);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; v < location->profile.count; ++v) {
            uint32_t callpath = location->profile.items[v].callpath;
            path->path_total[callpath] += path->time[l][v];
            path->busy_total[callpath] += path->busy[l][v];
        }
    }
}

void fm_critical_path_close(struct fm_critical_path *path, uint32_t location_count)
{
    for (uint32_t l = 0; l < location_count; ++l) {
        fm_free(path->time[l]);
        fm_free(path->busy[l]);
    }
    fm_vector_free(&path->segments);
    fm_free(path->time);
    fm_free(path->busy);
    fm_free(path->path_total);
    fm_free(path->busy_total);
}

double fm_critical_path_imbalance(const struct fm_critical_path *path, const struct fm_trace *trace,
                                  uint32_t callpath)
{
    double excess = (double)path->path_total[callpath] -
                    (double)path->busy_total[callpath] / (double)trace->location_count;
    return excess > 0 ? excess : 0;
}

void fm_critical_path_book(const struct fm_critical_path *path, struct fm_formation *formation)
{
    const struct fm_trace *trace = formation->analysis->trace;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (uint32_t v = 0; v < location->profile.count; ++v) {
            uint64_t time = path->time[l][v];
            if (time == 0) {
                continue;
            }
            uint32_t callpath = location->profile.items[v].callpath;
            double imbalance = fm_critical_path_imbalance(path, trace, callpath) *
                               ((double)time / (double)path->path_total[callpath]);
            fm_formation_add_cost(formation, l, v, FM_METRIC_CRITICAL_PATH,
                                  (double)time - imbalance);
            fm_formation_add_cost(formation, l, v, FM_METRIC_CRITICAL_PATH_IMBALANCE, imbalance);
        }
    }
}

fm_status_t fm_critical_path_fill(const struct fm_critical_path *path, struct fm_cube *cube,
                                  struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (size_t s = path->segments.count; s-- > 0 && status == FM_OK;) {
        const struct fm_path_segment *segment = &path->segments.items[s];
        status = fm_cube_add_segment(cube,
                                     &(struct fm_cube_segment){
                                         .location = segment->location,
                                         .begin = segment->from - cube->experiment.begin,
                                         .end = segment->to - cube->experiment.begin,
                                     },
                                     error);
    }
    return status;
}

fm_status_t fm_critical_path_check(const struct fm_critical_path *path,
                                   const struct fm_trace *trace, struct fm_error *error)
{
    const struct fm_path_segment *segments = path->segments.items;
    size_t count = path->segments.count;
    uint32_t start = last_location(trace);
    if (start == FM_NONE) {
        return FM_OK;
    }
    uint64_t begin = trace->locations[path->first_location].begin;
    uint64_t expected = trace->locations[start].end - begin;
    for (size_t s = 0; s + 1 < count; ++s) {
        if (segments[s].from != segments[s + 1].to) {
            return fm_fail(error, FM_ERR_FAILED,
                           "invariant violated: the critical path has a gap at tick %" PRIu64,
                           segments[s].from);
        }
    }
    if (path->length != expected || (count != 0 && segments[count - 1].from != begin)) {
        return fm_fail(error, FM_ERR_FAILED,
                       "invariant violated: the critical path is %" PRIu64
                       " ticks long instead of %" PRIu64,
                       path->length, expected);
    }
    return FM_OK;
}
