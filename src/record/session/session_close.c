/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the run: conversion of all records to the archive. */
#include "record/archive/attribute.h"
#include "record/archive/marker.h"
#include "record/archive/process_teams.h"
#include "record/archive/streams.h"
#include "record/capture/guard.h"
#include "record/closing/overhead.h"
#include "record/closing/unify.h"
#include "record/constructs/team_end.h"
#include "record/conversion/convert.h"
#include "record/counting/closing/session_counters.h"
#include "record/counting/counter_file.h"
#include "record/counting/counter_samples.h"
#include "record/flight/flight.h"
#include "record/flight/session_flight.h"
#include "record/journal/journal_read.h"
#include "record/selection/size_limit.h"
#include "record/session/session.h"
#include "record/session/session_archive.h"
#include "record/session/session_clock.h"
#include "record/session/session_describe.h"
#include "record/session/session_objects.h"
#include "record/session/session_paradigms.h"
#include "record/session/session_stack.h"
#include "record/session/session_state.h"
#include "record/session/session_tell.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t marker_time(const void *nothing, uint64_t time)
{
    (void)nothing;
    return fm_session_clock_global(time);
}

/* Converts the records that the thread has flushed to events. */
static void convert_journal(struct fm_thread *thread)
{
    struct fm_journal_reader reader;
    struct fm_journal_part part;
    char path[PATH_MAX + 64];
    size_t words;
    uint64_t sum = 0;
    if (thread->journaled == 0) {
        return;
    }
    fm_journal_path(path, sizeof path, fm_session.directory, thread->rank, thread->index);
    if (!fm_journal_open(&reader, path)) {
        fm_archive_fail("cannot read %.200s: %s", path, strerrordesc_np(errno));
        return;
    }
    bool good = true;
    while (good && fm_journal_next(&reader)) {
        if (reader.kind == FM_JOURNAL_OPEN) {
            continue; /* of a process that was about to end */
        }
        const uint64_t *records = fm_journal_block_records(&reader, &words, &part);
        good = records != NULL && fm_archive_write(thread, records, words, fm_session.region_count);
        sum += good ? words : 0;
    }
    fm_journal_close(&reader);
    if (sum != thread->journaled) {
        fm_archive_fail("%.200s is damaged", path);
    }
}

/* Writing the archive needs a few file descriptors; the program may have reached its limit. */
static void raise_descriptor_limit(struct rlimit *before)
{
    if (getrlimit(RLIMIT_NOFILE, before) == 0 && before->rlim_cur < before->rlim_max) {
        struct rlimit more = *before;
        more.rlim_cur =
            before->rlim_max - before->rlim_cur > 64 ? before->rlim_cur + 64 : before->rlim_max;
        setrlimit(RLIMIT_NOFILE, &more);
    }
}

static void write_program_end(struct fm_thread *thread, uint64_t time)
{
    uint64_t *record = fm_thread_reserve(thread, FM_WORDS_PROGRAM_END);
    record[0] = fm_record_header(FM_RECORD_PROGRAM_END, 0, 0);
    record[1] = time;
}

/* Makes the table of kept iterations that of all processes. */
static void agree_on_iterations(void)
{
    struct fm_thinning *table = &fm_session_state.thinning;
    fm_size_limit_table(table);
    fm_session.exchange->reduce((uint64_t *)table, FM_THINNING_WORDS, FM_REDUCE_MIN);
    if (fm_session.exchange->failure != NULL) {
        fm_thinning_begin(table);
    }
}

/* A thread records the end of a team when it is in the next one. */
static void write_team_end(struct fm_thread *thread)
{
    uint64_t words[FM_TEAM_END_WORDS];
    size_t count = fm_team_end_put(thread, words);
    if (count != 0 && !fm_archive_write(thread, words, count, fm_session.region_count)) {
        fm_archive_fail("records in memory are damaged");
    }
}

/* Whether the thread, whose records so far are converted, is in a recorded call now. Threads of
 * libraries may be in calls of paradigms with ranks for ever: these have no end. */
static bool is_in_call(const struct fm_thread *thread)
{
    uint64_t enter = thread->enter;
    return __atomic_load_n(&thread->depth, __ATOMIC_RELAXED) == 1 && enter > thread->left &&
           thread->function < fm_session.region_count &&
           !fm_paradigm_has_ranks(fm_session.regions[thread->function].paradigm) &&
           thread->cursor == thread->current->used;
}

/* A thread that lives at the end of the run has a record of neither its end nor the end of the call
 * or team that it is in, such as a wait that nobody ends. */
static void write_alive(struct fm_thread *thread)
{
    uint64_t end = fm_session_state.arrival, *place = NULL;
    uint64_t words[FM_WORDS_CALL_LONG + FM_WORDS_SYNCHRONIZATION_OBJECT];
    if (thread->pause.paused || fm_pause_is_due(thread)) {
        return;
    }
    if (thread != fm_thread_self && is_in_call(thread) && thread->enter < end) {
        words[0] = fm_record_header(FM_RECORD_CALL_LONG, thread->function, 0);
        words[1] = thread->enter;
        words[2] = end;
        place = words + FM_WORDS_CALL_LONG;
        if (thread->awaits != 0) {
            *place++ = fm_record_header(FM_RECORD_SYNCHRONIZATION_OBJECT, 0, thread->awaits);
        }
        if (!fm_archive_write(thread, words, (size_t)(place - words), fm_session.region_count)) {
            fm_archive_fail("records in memory are damaged");
        }
    }
    if (place != NULL || thread->life.number != 0 || thread->teams.count != 0) {
        fm_archive_last(thread, end);
    }
}

/* Writes the events of the records of a location, but those of the last call of `last`. */
static void write_location(struct fm_thread *each, const struct fm_thread *last)
{
    convert_journal(each);
    if (!fm_archive_write_memory(each, fm_session.region_count)) {
        fm_archive_fail("records in memory are damaged");
    }
    write_team_end(each);
    if (each != last) {
        write_alive(each);
    }
    fm_archive_settle(each, each != last);
}

/* Writes the events of all records but those of the last call of `thread`, which is in it. NULL:
 * none is. Streams are named before the calls that wait for them, and written behind the calls that
 * launch their work. */
static void write_events(struct fm_thread *threads, const struct fm_thread *thread)
{
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        if (each->is_stream) {
            fm_stream_declare(each, each->stream.begin);
        }
    }
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        if (!each->is_stream) {
            write_location(each, thread);
        }
    }
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        if (each->is_stream) {
            write_location(each, thread);
        }
    }
}

static void begin_conversion(void)
{
    fm_convert_begin(&fm_session.definitions, &fm_session_state.callsites,
                     &fm_session_state.regions, fm_clock_resolution());
    fm_convert_limit(&(struct fm_archive_limits){.thinning = &fm_session_state.thinning,
                                                 .bytes = fm_size_limit_bytes(),
                                                 .functions = fm_session.regions,
                                                 .function_count = fm_session.region_count});
}

/* Adds to the definitions what is only known once the events are written.
 * @param regions  receives the number of each function */
static void define_used(uint32_t *regions)
{
    fm_session_define_functions(regions);
    bool defined = fm_teams_define(fm_session.exchange->rank) &&
                   fm_streams_define(&fm_session.definitions, fm_session.exchange->rank) &&
                   fm_session_define_paradigms(&fm_session.definitions) &&
                   fm_session_define_objects(&fm_session.definitions, fm_session.exchange->rank) &&
                   (!fm_attributes_used || fm_attributes_define(&fm_session.definitions));
    if (!fm_markers_define(&fm_session.definitions, fm_session.exchange->rank, marker_time, NULL) ||
        !defined) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
    }
}

static void close_session(struct fm_thread *thread, fm_last_call_t *last, uint64_t events)
{
    static uint32_t regions[FM_FUNCTIONS_MOST];
    struct fm_define_map map;
    fm_session_tell_selection();
    fm_pause_run_ends(thread);
    if (fm_counters_only()) {
        fm_session_close_counters(thread, last);
        return;
    }
    if (thread != NULL) {
        fm_counter_file_tick();
        fm_counter_samples_record(thread, thread->enter);
    }
    struct fm_thread *threads = fm_threads_end();
    fm_count_others(thread);
    if (fm_session_state.flight.bytes != 0) {
        fm_flight_unwatch();
        if (!fm_session_flight_is_wanted()) {
            fm_session_flight_discard(threads);
            return;
        }
    }
    fm_session.exchange->barrier();
    uint64_t left = fm_clock_now(), ended = fm_clock_now();
    bool flown = fm_session_state.flight.bytes == 0 || fm_session_flight_write(thread, threads);
    int reason = errno;
    agree_on_iterations();
    fm_session_clock_close(fm_session.exchange);
    bool resolved = fm_session_resolve(fm_session.exchange, &fm_session.definitions,
                                       &fm_session_state.callsites);
    bool good =
        fm_archive_open(fm_session.directory, fm_session.exchange, fm_session_longest_mapping());
    if (!resolved) {
        fm_archive_fail("no memory for the names of functions");
    }
    if (!flown) {
        fm_archive_fail("cannot write %.200s/journal: %s", fm_session.directory,
                        strerrordesc_np(reason));
    }
    begin_conversion();
    for (struct fm_thread *each = threads; each != NULL; each = each->next) {
        each->rank = fm_session.exchange->rank;
    }
    if (good) {
        write_events(threads, thread);
    }
    if (thread != NULL) {
        fm_functions_used[thread->function] = true;
    }
    define_used(regions);
    uint64_t own_events = fm_session_define_process(threads, thread, events);
    if (!fm_archive_agree()) {
        fm_session_archive_abandon(threads);
        return;
    }
    if (!fm_unify(fm_session.exchange, &fm_session.definitions, &map)) {
        const char *failure = fm_session.exchange->failure;
        fm_archive_fail("%s", failure != NULL ? failure : "no memory for the definitions");
    }
    if (thread != NULL) {
        last(thread, left);
        fm_count_rest(thread);
        write_program_end(thread, ended);
        fm_archive_write_memory(thread, fm_session.region_count);
        fm_archive_settle(thread, true);
    }
    bool room = fm_session_archive_reserve(threads, &map);
    for (struct fm_thread *each = threads; room && each != NULL; each = each->next) {
        fm_archive_close_events(each);
    }
    if (!room || !fm_archive_agree() ||
        !fm_session_archive_definitions(threads, &map, regions, own_events)) {
        fm_session_archive_abandon(threads);
    }
    fm_define_map_free(&map);
}

/* Whether the run continues after the end of this paradigm: other paradigms are open, in this
 * process, or (if the paradigm exchanges data) in any process. */
static bool others_go_on(const struct fm_paradigm *paradigm)
{
    uint64_t open = fm_session_paradigms_open();
    if (paradigm == fm_session_state.exchanging) {
        fm_session.exchange->reduce(&open, 1, FM_REDUCE_MAX);
    }
    return open != 0 && fm_session.exchange->failure == NULL;
}

static void record_last_call(struct fm_thread *thread, fm_last_call_t *last)
{
    if (thread != NULL) {
        last(thread, fm_clock_now());
        fm_thread_done(thread);
    }
}

static bool run_is_open(void)
{
    return fm_session_is_set(&fm_session.open) && !fm_session_is_set(&fm_session_state.ended);
}

bool fm_session_leave(const struct fm_paradigm *paradigm, struct fm_thread *thread,
                      fm_last_call_t *last, uint64_t events)
{
    fm_session_paradigm_ends(paradigm);
    if (!run_is_open()) {
        record_last_call(thread, last);
        return true;
    }
    if (others_go_on(paradigm)) {
        record_last_call(thread, last);
        return false;
    }
    enum { PROGRAM_END = 1 };
    fm_session_close(thread, last, events + PROGRAM_END);
    fm_session_finalize_paradigms();
    return true;
}

bool fm_session_close_at_exit(void)
{
    struct fm_thread *thread = fm_thread_self;
    if (getpid() != fm_session_state.process || (!run_is_open() && !fm_session_open_alone()) ||
        !run_is_open() || fm_session_ranks_open()) {
        return false;
    }
    if (thread != NULL && !fm_thread_is_quiet(thread)) {
        fm_merged_visits_tell(thread, NULL);
        write_program_end(thread, fm_clock_now());
        fm_thread_publish(thread);
    }
    fm_session_close(NULL, NULL, 0);
    fm_session_finalize_paradigms();
    return true;
}

void fm_session_close(struct fm_thread *thread, fm_last_call_t *last, uint64_t events)
{
    struct fm_guard guard;
    struct rlimit descriptors = {0, 0};
    if (!run_is_open()) {
        return;
    }
    fm_session_paradigms_run_ends();
    fm_session_set(&fm_session_state.ended);
    fm_session_state.arrival = fm_clock_now();
    fm_samples_end();
    fm_session_end_definitions();
    fm_guard_begin(&guard);
    fm_overhead_begin();
    raise_descriptor_limit(&descriptors);
    close_session(thread, last, events);
    fm_counter_file_close();
    setrlimit(RLIMIT_NOFILE, &descriptors);
    fm_overhead_end();
    fm_guard_end(&guard);
}
