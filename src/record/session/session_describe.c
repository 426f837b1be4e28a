/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_describe.h"

#include "record/capture/memory_use.h"
#include "record/computation/stolen_time.h"
#include "record/conversion/convert.h"
#include "record/experiment/kept_variables.h"
#include "record/selection/selected.h"
#include "record/selection/size_limit.h"
#include "record/session/session.h"
#include "record/session/session_clock.h"
#include "record/session/session_paradigms.h"
#include "record/session/session_stack.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"
#include "record/session/session_unseen.h"
#include "record/stack/helper.h"
#include "record/stack/python/interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t found_marks; /* bits of enum fm_mark_kind */

void fm_session_note_marks(uint32_t kind)
{
    __atomic_fetch_or(&found_marks, (uint32_t)1 << kind, __ATOMIC_RELAXED);
}

static bool verbose(void)
{
    const char *text = fm_variable("FERMATA_VERBOSE");
    return text != NULL && text[0] != '\0' && strcmp(text, "0") != 0 && strcmp(text, "false") != 0;
}

/* What drives the progress of one-sided operations; it is known only from the user. */
static const char *progress(void)
{
    const char *text = fm_variable("FERMATA_PROGRESS");
    bool known = text != NULL && (strcmp(text, "target") == 0 || strcmp(text, "async") == 0);
    return known ? text : NULL;
}

/* Description of the recorded part of the run; NULL: the whole run. */
static const char *part_of_run(void)
{
    static char text[1024];
    struct fm_scope selection = *fm_selected();
    if (fm_session_state.flight.bytes == 0) {
        return fm_scope_describe(&selection, fm_session_noun(), text, sizeof text) ? text : NULL;
    }
    selection.signal = 0; /* with the flight recorder the signal selects no part of the run */
    fm_flight_option_describe(&fm_session_state.flight, text, sizeof text);
    size_t length = strlen(text);
    if (fm_scope_describe(&selection, fm_session_noun(), text + length + 2,
                          sizeof text - length - 2)) {
        memcpy(text + length, ", ", 2);
    }
    return text;
}

struct fm_environment fm_session_environment(void)
{
    const struct fm_sample_counts samples = fm_samples_count();
    struct fm_environment facts = {
        .ranks = fm_session.exchange->size,
        .memory = fm_session_state.memory,
        .progress = progress(),
        .max_size = fm_session_state.max_size,
        .recorded = part_of_run(),
        .marks = __atomic_load_n(&found_marks, __ATOMIC_RELAXED),
        .resolution = fm_clock_resolution(),
        .failure = fm_archive_failure(),
        .sample_rate = samples.rate,
        .sample_rate_is_asked = samples.is_asked,
        .sampled_by_perf = samples.by_perf,
        .sampled_by_timers = samples.by_timer,
    };
    facts.library_count = fm_session_library_versions(facts.libraries);
    return facts;
}

void fm_session_describe_begin(void)
{
    struct fm_environment facts = fm_session_environment();
    fm_experiment_describe(fm_session.directory, &facts);
    fm_experiment_log(fm_session.directory, "recording %u processes, %s, clock %s", facts.ranks,
                      facts.library_count != 0 ? facts.libraries[0].version : "no library",
                      fm_clock_name());
    if (verbose()) {
        dprintf(STDERR_FILENO, "fermata: recording %u processes to %s, %llu MiB each\n",
                facts.ranks, fm_session.directory,
                (unsigned long long)(fm_session_state.memory >> 20));
    }
}

void fm_session_describe_buffers(bool is_made, const struct fm_buffer_place *place)
{
    const char *choice = fm_variable(FM_BUFFERS_VARIABLE);
    if (is_made) {
        fm_experiment_log(fm_session.directory, "buffers: files in %s, for %llu KiB of records%s%s",
                          place->folder, (unsigned long long)(fm_session_state.memory >> 10),
                          place->reason[0] != '\0' ? "; " : "", place->reason);
        return;
    }
    fm_experiment_log(fm_session.directory, "buffers: in memory of the processes, because %s",
                      place->reason);
    if (choice != NULL && choice[0] == '/') {
        dprintf(STDERR_FILENO,
                "fermata: warning: the last records of a process that is killed will be lost: "
                "cannot use %s: %s\n",
                FM_BUFFERS_VARIABLE, place->reason);
    }
}

static void tell_unseen(const char *unseen)
{
    if (unseen != NULL) {
        fm_experiment_log(fm_session.directory, "not recorded: %s", unseen);
        dprintf(STDERR_FILENO, "fermata: warning: %s\n", unseen);
    }
}

/* A rate that the user asked for and did not get. */
static void tell_rate(const struct fm_environment *facts)
{
    const struct fm_obtained_rate rate = fm_experiment_rate(facts);
    char text[256];
    if (fm_obtained_rate_describe(&rate, text, sizeof text)) {
        fm_experiment_log(fm_session.directory, "%s", text);
        dprintf(STDERR_FILENO, "fermata: warning: %s\n", text);
    }
}

/* What the size limit has left of the phases, behind what was selected. */
static void describe_thinning(struct fm_environment *facts, uint64_t processes, char *text,
                              size_t size)
{
    char limit[32], phases[2048];
    if (!fm_size_limit_describe(&fm_session_state.thinning, phases, sizeof phases)) {
        snprintf(phases, sizeof phases, "in %llu processes not all visits of phases",
                 (unsigned long long)processes);
    }
    snprintf(text, size, "%s%s%s (max-size %s)", facts->recorded != NULL ? facts->recorded : "",
             facts->recorded != NULL ? ", " : "", phases,
             fm_max_size_text(facts->max_size, limit, sizeof limit));
    facts->recorded = text;
}

/* Costs that are measured at the end, on the machine of rank 0. */
static void measure_costs(struct fm_environment *facts)
{
    facts->nanoseconds_per_call = fm_overhead_per_call(fm_thread_self);
    facts->nanoseconds_per_page_fault = fm_overhead_page_fault();
}

void fm_session_describe_counters(const struct fm_closing *closing)
{
    struct fm_environment facts = fm_session_environment();
    facts.complete = fm_session.exchange->failure == NULL;
    facts.unseen = fm_session_unseen();
    measure_costs(&facts);
    fm_closing_describe_overhead(closing, fm_clock_now(), &facts);
    fm_experiment_describe(fm_session.directory, &facts);
    fm_experiment_log(fm_session.directory, "counters of %u processes, no trace", facts.ranks);
    tell_unseen(facts.unseen);
}

void fm_session_describe_end(const struct fm_closing *closing)
{
    struct fm_environment facts = fm_session_environment();
    char texts[768], recorded[4096];
    facts.unseen = fm_session_unseen();
    measure_costs(&facts);
    if (closing->sums.thinned != 0) {
        describe_thinning(&facts, closing->sums.thinned, recorded, sizeof recorded);
    }
    fm_closing_describe(closing, fm_clock_now(), &facts, texts, sizeof texts);
    const struct fm_experiment_totals totals = fm_experiment_totals(&facts);
    fm_experiment_describe(fm_session.directory, &facts);
    fm_experiment_log(fm_session.directory, "%llu events of %llu locations, %llu bytes, %llu %s",
                      (unsigned long long)facts.events, (unsigned long long)facts.locations,
                      (unsigned long long)facts.bytes, (unsigned long long)facts.flushes,
                      "flushes of full buffers");
    tell_unseen(facts.unseen);
    tell_rate(&facts);
    if (closing->sums.thinned != 0) {
        fm_experiment_log(fm_session.directory, "recorded: %s", facts.recorded);
        dprintf(STDERR_FILENO, "fermata: warning: recorded: %s\n", facts.recorded);
    }
    if (closing->sums.limited != 0) {
        fm_experiment_log(fm_session.directory, "incomplete: %s", facts.incomplete);
        dprintf(STDERR_FILENO, "fermata: warning: incomplete run: %s\n", facts.incomplete);
    }
    const char *python = fm_session_callpath_depth() != 0 ? fm_python_complaint() : NULL;
    if (python != NULL) {
        fm_experiment_log(fm_session.directory, "%s", python);
        dprintf(STDERR_FILENO, "fermata: warning: %s\n", python);
    }
    if (facts.clock_doubt != NULL) {
        fm_experiment_log(fm_session.directory, "the clock: %s", facts.clock_doubt);
        fm_session_tell("times of different processes may be wrong: %s", facts.clock_doubt);
    }
    fm_experiment_result(fm_session.directory, &totals, true);
}

void fm_session_describe_library(void)
{
    struct fm_environment facts = fm_session_environment();
    fm_experiment_describe(fm_session.directory, &facts);
}

/* Adds the costs of a thread to those of others. */
static void add_costs(struct fm_overhead_costs *sum, const struct fm_overhead_costs *costs)
{
    const uint64_t *from = (const uint64_t *)costs;
    uint64_t *to = (uint64_t *)sum;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++) {
        to[i] += from[i];
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Adds what a thread has done. */
static void add_thread(struct fm_closing *closing, const struct fm_thread *thread,
                       const struct fm_overhead_costs *costs)
{
    const uint64_t recording = fm_overhead_sum(costs), writing = costs->of[FM_COST_BUFFERS];
    add_costs(&closing->sums.costs, costs);
    closing->sums.work += recording;
    closing->sums.locations++;
    closing->most.end = larger(closing->most.end, fm_session_clock_global(thread->last_time));
    closing->most.recording = larger(closing->most.recording, recording - writing);
    closing->most.writing = larger(closing->most.writing, writing);
}

struct fm_closing fm_session_closing(struct fm_thread *threads, uint64_t events)
{
    const struct fm_sample_counts samples = fm_samples_count();
    const struct fm_processor_span processor = fm_processor_span();
    uint64_t resolution = fm_clock_resolution();
    struct fm_closing closing = {
        .sums = {.events = events,
                 .flushes = fm_session_state.flushes,
                 .stopped = fm_session_state.stopped,
                 .reused_locations = fm_threads_reused(),
                 .thinned = fm_size_limit_thins(&fm_session_state.thinning),
                 .limited = fm_size_limit_is_reached() || fm_convert_has_exceeded(),
                 .samples = samples.taken,
                 .samples_lost = samples.lost,
                 .sample_signals = samples.sampled.signals,
                 .sampled_cpu = samples.sampled.cpu,
                 .sampling = samples.handling,
                 .delivery = samples.delivery,
                 .sampled_by_perf = samples.by_perf,
                 .sampled_by_timers = samples.by_timer,
                 .functions_dropped = fm_functions_dropped(),
                 .run = processor.wall,
                 .run_delay = processor.delay,
                 .work = fm_overhead_work() + fm_helper_time()},
        .least = {.begin = fm_session_clock_global(fm_clock.start_ticks),
                  .opening = fm_session_state.opening},
        .most = {.arrival = fm_session_clock_global(fm_session_state.arrival),
                 .deviation = (uint64_t)fm_session_clock_offsets()[1].deviation,
                 .memory = fm_memory_use_most() + fm_definitions_bytes(&fm_session.definitions) +
                           fm_definitions_bytes(fm_session_sites())},
        .clock = fm_session_clock_quality()};
    const struct fm_meter_bias bias = fm_meter_bias();
    closing.most.end = closing.least.begin;
    uint64_t delaying = 0, longest_delaying = 0;
    for (struct fm_thread *thread = threads; thread != NULL; thread = thread->next) {
        const struct fm_overhead_costs costs = fm_overhead_of_thread(thread, bias, resolution);
        const uint64_t delays = fm_overhead_delaying(&costs);
        add_thread(&closing, thread, &costs);
        closing.most.unmeasured =
            larger(closing.most.unmeasured, fm_overhead_unmeasured(thread, bias));
        delaying += delays;
        longest_delaying = larger(longest_delaying, delays);
    }
    closing.most.unmeasured += delaying - longest_delaying;
    return closing;
}
