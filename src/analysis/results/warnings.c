/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/warnings.h"

#include "analysis/results/counter_metrics.h"
#include "analysis/visit_warnings.h"
#include "functions/silent_calls.h"

#include <inttypes.h>

struct silences {
    struct fm_cube *cube;
    struct fm_error *error;
    fm_status_t status;
};

static void warn_of_silence(void *context, const char *sentence)
{
    struct silences *silences = context;
    if (silences->status == FM_OK) {
        silences->status = fm_cube_warn(silences->cube, silences->error, "%s.", sentence);
    }
}

static fm_status_t warn_of_silent_calls(const struct fm_analysis *analysis, struct fm_cube *cube,
                                        struct fm_error *error)
{
    struct silences silences = {cube, error, FM_OK};
    fm_silent_calls_report(analysis->coverage, analysis->trace->region_count,
                           fm_trace_is_own(analysis->trace), warn_of_silence, &silences);
    return silences.status;
}

static fm_status_t warn_of_counters(const struct fm_trace *trace, struct fm_cube *cube,
                                    struct fm_error *error)
{
    uint32_t count = fm_counters_left_out(trace);
    return count == 0 ? FM_OK
                      : fm_cube_warn_omission(cube, error,
                                              "%" PRIu32
                                              " counters of the trace are left out: a report has "
                                              "at most %d metrics of counters and patterns.",
                                              count, FM_USER_METRICS);
}

static fm_status_t warn_of_locations(const struct fm_trace *trace, struct fm_cube *cube,
                                     struct fm_error *error)
{
    const uint32_t others = trace->metric_locations - 1;
    return trace->metric_locations == 0 ? FM_OK
           : others == 0
               ? fm_cube_warn(cube, error,
                              "The location \"%s\" has values of counters only, which belong to no "
                              "thread: left out.",
                              trace->metric_location)
               : fm_cube_warn(cube, error,
                              "The location \"%s\" and %" PRIu32
                              " more have values of counters only, which belong to no thread: left "
                              "out.",
                              trace->metric_location, others);
}

/** Names the parameters that have more values than the report shows. */
static fm_status_t warn_of_parameters(const struct fm_trace *trace, struct fm_cube *cube,
                                      struct fm_error *error)
{
    bool *named = fm_allocate(trace->region_count, sizeof *named);
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < trace->callpaths.count && status == FM_OK; ++i) {
        const struct fm_callpath *callpath = &trace->callpaths.items[i];
        if (callpath->kind == FM_CALLPATH_OTHERS && !named[callpath->region]) {
            const char *name = trace->regions[callpath->region].name;
            named[callpath->region] = true;
            status = fm_cube_warn(cube, error,
                                  "The parameter %s has more than %u values: the report shows the "
                                  "first ones, and all others together as %s=(others).",
                                  name, FM_PARAMETER_LIMIT, name);
        }
    }
    fm_free(named);
    return status;
}

/* @return whether the archive has values of what was active inside of accelerators */
static bool has_measured_kernels(const struct fm_trace *trace)
{
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        if (trace->counters[i].activity != FM_KERNEL_ACTIVITY_COUNT) {
            return true;
        }
    }
    return false;
}

/* States what the run was like, and how it was analysed. */
static fm_status_t warn_of_conditions(const struct fm_analysis *analysis, struct fm_cube *cube,
                                      struct fm_error *error)
{
    const struct fm_trace_defects *defects = &analysis->trace->defects;
    fm_status_t status = FM_OK;
    if (defects->pauses != 0) {
        status = fm_cube_warn(cube, error,
                              "Recording was paused %" PRIu64
                              " %s, for %.3f s of CPU time together: what happened then is not "
                              "known and belongs to no call path.",
                              defects->pauses, defects->pauses == 1 ? "time" : "times",
                              (double)defects->paused / (double)analysis->trace->ticks_per_second);
    }
    if (status == FM_OK && has_measured_kernels(analysis->trace)) {
        status =
            fm_cube_warn(cube, error,
                         "Kernels of accelerators were measured while they ran, one at a time: "
                         "they did not overlap, launches lasted as long as their kernels, and "
                         "waiting is not that of a run without --gpu=metrics.");
    }
    if (status == FM_OK && analysis->asynchronous_progress && analysis->trace->window_count != 0) {
        status = fm_cube_warn(cube, error,
                              "Analysed with --progress=async: a progress thread or process is "
                              "taken to serve one-sided operations at any time, so Wait for "
                              "Progress was not looked for.");
    }
    return status;
}

/* The sentences stand in one table: a count, and the wording for one and for several. */
fm_status_t fm_warnings_add(const struct fm_analysis *analysis, struct fm_cube *cube,
                            struct fm_error *error)
{
    const struct fm_trace_defects *defects = &analysis->trace->defects;
    const struct fm_omissions *omissions = &analysis->omissions;
    const bool paused = defects->pauses != 0;
    const struct {
        uint64_t count;
        const char *one, *many;
    } warnings[] = {
        {defects->missing_locations,
         "location could not be read to its end: what it did afterwards is missing; `fermata "
         "check` reports where and why",
         "locations could not be read to their end: what they did afterwards is missing; `fermata "
         "check` reports where and why"},
        {defects->open_calls,
         "call has no Leave event: it counts until the call around it, or its location, ends",
         "calls have no Leave event: they count until the calls around them, or their locations, "
         "end"},
        {defects->open_ends,
         "location ends inside of functions or calls that it never left: they last to the end of "
         "its process",
         "locations end inside of functions or calls that they never left: these last to the end "
         "of their processes"},
        {defects->unordered_times, "event is earlier than the one before it: taken as simultaneous",
         "events are earlier than the one before them: taken as simultaneous"},
        {defects->unmatched_leaves, "Leave event had no Enter: ignored",
         "Leave events had no Enter: ignored"},
        {defects->unusable_records,
         "record lies outside of all communication calls or names what is not defined: ignored",
         "records lie outside of all communication calls or name what is not defined: ignored"},
        {defects->open_requests, "non-blocking operation was never completed: not analysed",
         "non-blocking operations were never completed: not analysed"},
        {defects->unrecorded_completions,
         "non-blocking send lacks the record of its completion: no Late Receiver for it",
         "non-blocking sends lack the record of their completion: no Late Receiver for them"},
        {defects->unrecorded_starts,
         "non-blocking collective operation lacks the record of its start: not analysed",
         "non-blocking collective operations lack the record of their start: not analysed"},
        {defects->doubled_records,
         "record repeats a collective or an epoch that its call has recorded already: ignored",
         "records repeat a collective or an epoch that their call has recorded already: ignored"},
        {omissions->unmatched_sends, "send has no matching receive: not analysed",
         "sends have no matching receive: not analysed"},
        {omissions->unmatched_receives, "receive has no matching send: not analysed",
         "receives have no matching send: not analysed"},
        {omissions->cut_off_messages,
         "message was sent or received while that was not recorded: not analysed",
         "messages were sent or received while that was not recorded: not analysed"},
        {omissions->unknown_progress,
         "one-sided call ran while its target was not recorded: no Wait for Progress for it",
         "one-sided calls ran while their target was not recorded: no Wait for Progress for them"},
        {omissions->clock_violations,
         "message was received before it was sent: the clocks of the nodes disagree",
         "messages were received before they were sent: the clocks of the nodes disagree"},
        {omissions->incomplete_collectives,
         paused ? "collective operation was not recorded by all of its members: not analysed"
                : "collective operation lacks the record of a member: not analysed",
         paused ? "collective operations were not recorded by all of their members: not analysed"
                : "collective operations lack the record of a member: not analysed"},
        {omissions->mixed_collectives,
         "collective operation was different calls on different members: not analysed",
         "collective operations were different calls on different members: not analysed"},
        {omissions->unknown_neighborhoods,
         "neighbourhood collective ran on a communicator whose topology is not in the trace: "
         "not analysed",
         "neighbourhood collectives ran on communicators whose topology is not in the trace: "
         "not analysed"},
        {omissions->unrecorded_inits,
         "call of MPI_Init or MPI_Finalize has no collective record: matched by the call",
         "calls of MPI_Init or MPI_Finalize have no collective record: matched by the calls"},
        {omissions->unrequested_locks,
         "lock of a window has no record of its request: waiting in the requesting call was not "
         "looked for",
         "locks of windows have no record of their request: waiting in the requesting calls was "
         "not looked for"},
        {omissions->unreleased_locks,
         "lock of a window has no record of its release: no Lock Contention behind it",
         "locks of windows have no record of their release: no Lock Contention behind them"},
        {omissions->unreleased_thread_locks,
         "acquisition of a thread's lock has no record of its release: no Lock Contention behind "
         "it",
         "acquisitions of threads' locks have no record of their release: no Lock Contention "
         "behind them"},
        {omissions->unmatched_epochs,
         paused ? "access or exposure epoch of a window was not recorded by all of its partners: "
                  "analysed as far as known"
                : "access or exposure epoch of a window lacks its partner: analysed as far as "
                  "known",
         paused ? "access or exposure epochs of windows were not recorded by all of their "
                  "partners: analysed as far as known"
                : "access or exposure epochs of windows lack their partner: analysed as far as "
                  "known"},
        {omissions->incomplete_barriers,
         "barrier of a team of threads lacks the call of a thread: not analysed",
         "barriers of teams of threads lack the call of a thread: not analysed"},
        {omissions->sampled_waits,
         "wait for a lock saw hundreds of holders: problems take them from some instants of it",
         "waits for locks saw hundreds of holders each: problems take them from some instants of "
         "each"},
    };
    fm_status_t status = FM_OK;
    for (size_t i = 0; i < sizeof warnings / sizeof warnings[0] && status == FM_OK; ++i) {
        const uint64_t count = warnings[i].count;
        if (count != 0) {
            status = fm_cube_warn(cube, error, "%" PRIu64 " %s.", count,
                                  count == 1 ? warnings[i].one : warnings[i].many);
        }
    }
    if (status == FM_OK) {
        status = warn_of_silent_calls(analysis, cube, error);
    }
    if (status == FM_OK) {
        status = warn_of_parameters(analysis->trace, cube, error);
    }
    if (status == FM_OK) {
        status = warn_of_counters(analysis->trace, cube, error);
    }
    if (status == FM_OK) {
        status = warn_of_locations(analysis->trace, cube, error);
    }
    if (status == FM_OK) {
        status = warn_of_conditions(analysis, cube, error);
    }
    if (status == FM_OK) {
        status = fm_merged_visits_warn(analysis, cube, error);
    }
    return status;
}
