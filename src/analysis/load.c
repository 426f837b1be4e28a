/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/load.h"

#include "analysis/replicate.h"
#include "analysis/window_names.h"
#include "trace/survey/summary.h"

#include <inttypes.h>

struct loading {
    struct fm_trace *trace;
    struct fm_trace_defects *defects; /* by worker */
    fm_status_t *statuses;            /* by worker */
    struct fm_error *errors;          /* by worker */
};

static void load(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct loading *loading = context;
    loading->statuses[worker] = fm_trace_load(loading->trace, first, last,
                                              &loading->defects[worker], &loading->errors[worker]);
}

static void add_defects(struct fm_trace_defects *total, const struct fm_trace_defects *part)
{
    total->unordered_times += part->unordered_times;
    total->unmatched_leaves += part->unmatched_leaves;
    total->open_calls += part->open_calls;
    total->open_ends += part->open_ends;
    total->unusable_records += part->unusable_records;
    total->open_requests += part->open_requests;
    total->unrecorded_completions += part->unrecorded_completions;
    total->unrecorded_starts += part->unrecorded_starts;
    total->doubled_records += part->doubled_records;
    total->missing_locations += part->missing_locations;
    total->pauses += part->pauses;
    total->paused += part->paused;
}

/* Number of events of this process's locations according to the definitions. */
static uint64_t planned_events(const struct fm_trace *trace, const struct fm_engine *engine)
{
    uint64_t planned = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        if (fm_engine_owns(engine, fm_trace_process(trace, i))) {
            planned += trace->locations[i].defined_events;
        }
    }
    return planned;
}

/* Runs the stage that reads the events. */
static void run_load(struct loading *loading, struct fm_engine *engine,
                     struct fm_stage_times *times)
{
    struct fm_trace *trace = loading->trace;
    fm_stage_begin(times, "read events");
    if (times != NULL) {
        trace->read_events = &times->done;
        atomic_store(&times->planned, planned_events(trace, engine));
    }
    fm_engine_run(engine, load, loading);
    if (times != NULL) {
        trace->read_events = NULL;
        bool counts_files = times->counts_files && fm_team_leads(fm_engine_team(engine));
        fm_stage_count(times, atomic_load(&times->done),
                       counts_files ? fm_summary_bytes(trace->anchor) : 0);
    }
}

struct ending {
    struct fm_trace *trace;
    uint64_t latest;
};

static void end_open_calls(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct ending *ending = context;
    fm_trace_end_open_calls(ending->trace, first, last, ending->latest);
}

/* What was never left lasts to the end of its process. */
static void extend(struct fm_trace *trace, struct fm_engine *engine)
{
    uint32_t first, last;
    fm_engine_own(engine, &first, &last);
    struct ending ending = {trace, fm_trace_latest(trace, first, last)};
    ending.latest = fm_team_largest(fm_engine_team(engine), ending.latest);
    fm_engine_run(engine, end_open_calls, &ending);
}

static fm_status_t load_events(struct fm_trace *trace, struct fm_engine *engine,
                               struct fm_stage_times *times, struct fm_error *error)
{
    unsigned workers = fm_engine_workers(engine);
    struct loading loading = {
        trace,
        fm_allocate(workers, sizeof(struct fm_trace_defects)),
        fm_allocate(workers, sizeof(fm_status_t)),
        fm_allocate(workers, sizeof(struct fm_error)),
    };
    run_load(&loading, engine, times);
    fm_status_t status = FM_OK;
    for (unsigned w = 0; w < workers; ++w) {
        add_defects(&trace->defects, &loading.defects[w]);
        if (status == FM_OK && loading.statuses[w] != FM_OK) {
            status = fm_fail(error, loading.statuses[w], "%s", loading.errors[w].message);
        }
    }
    fm_free(loading.defects);
    fm_free(loading.statuses);
    fm_free(loading.errors);
    status = fm_team_agree(fm_engine_team(engine), status, error);
    if (status == FM_OK) {
        fm_stage_begin(times, "unify call paths");
        extend(trace, engine);
        fm_trace_unify(trace);
        fm_replicate_trace(engine, trace);
        fm_window_names_complete(engine, trace);
    }
    return status;
}

/* The analysis adds up times in 64 bits: an archive whose times overflow such sums is damaged. */
static fm_status_t verify_times(const struct fm_trace *trace, struct fm_error *error)
{
    const uint64_t limit = INT64_MAX / 2;
    uint64_t total = 0, first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        const struct fm_location *location = &trace->locations[i];
        if (location->begin > location->end) {
            continue;
        }
        first = location->begin < first ? location->begin : first;
        last = location->end > last ? location->end : last;
        if (last - first > limit || location->end - location->begin > limit - total) {
            return fm_fail(error, FM_ERR_DATA,
                           "%s: the events of location %" PRIu64 " span an absurd time: damaged",
                           trace->anchor, location->id);
        }
        total += location->end - location->begin;
    }
    return FM_OK;
}

/* An archive without any readable event is an error, even if its definitions are readable. */
static fm_status_t verify_content(struct fm_team *team, const struct fm_trace *trace,
                                  struct fm_error *error)
{
    uint64_t missing = trace->defects.missing_locations;
    fm_team_sum(team, &missing, 1);
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        if (trace->locations[i].event_count != 0) {
            return FM_OK;
        }
    }
    return trace->location_count == 0 || missing < trace->location_count
               ? FM_OK
               : fm_fail(error, FM_ERR_DATA,
                         "%s: no events can be read of any location; `fermata check` reports why",
                         trace->anchor);
}

fm_status_t fm_analysis_load(struct fm_trace *trace, struct fm_engine *engine,
                             struct fm_stage_times *times, struct fm_error *error)
{
    fm_status_t status = load_events(trace, engine, times, error);
    if (status == FM_OK) {
        status = verify_content(fm_engine_team(engine), trace, error);
    }
    return status == FM_OK ? verify_times(trace, error) : status;
}
