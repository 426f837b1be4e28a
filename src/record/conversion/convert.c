/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/convert.h"

#include "base/processor_time.h"
#include "base/stack_samples.h"
#include "record/archive/archive.h"
#include "record/archive/marker.h"
#include "record/archive/process_teams.h"
#include "record/brief/merged_visits.h"
#include "record/constructs/construct_names.h"
#include "record/conversion/call_facts.h"
#include "record/conversion/convert_state.h"
#include "record/conversion/left_out.h"
#include "record/conversion/lock_events.h"
#include "record/conversion/open_calls.h"
#include "record/conversion/team_events.h"
#include "record/conversion/visit_trees.h"
#include "record/conversion/visits.h"

#include <string.h>

static const unsigned char places[] = {
#define FM_KIND(kind, words, place) (place),
    FM_RECORD_KINDS(FM_KIND)
#undef FM_KIND
};

bool fm_functions_used[FM_FUNCTIONS_MOST];

struct fm_convert_state fm_convert_state;

static uint32_t samples_metric; /* number of the counter FM_STACK_SAMPLES; FM_DEFINE_NONE: no yet */

/* Numbers of the counters of processor times; FM_DEFINE_NONE: not defined yet. */
static uint32_t processor_times[FM_PROCESSOR_TIME_COUNT];

void fm_convert_begin(struct fm_definitions *set, const struct fm_callsites *sites,
                      struct fm_event_regions *regions, uint64_t ticks_per_second)
{
    fm_convert_state.visit_anywhere = ticks_per_second / 200000; /* 5 us */
    fm_convert_state.visit_ahead = ticks_per_second / 1000;      /* 1 ms */
    samples_metric = FM_DEFINE_NONE;
    fm_convert_state.definitions = set;
    fm_teams_begin(set);
    fm_stream_events_begin();
    fm_constructs_name(set, sites);
    memset(fm_functions_used, 0, sizeof fm_functions_used);
    for (int i = 0; i < FM_PROCESSOR_TIME_COUNT; i++) {
        processor_times[i] = FM_DEFINE_NONE;
    }
    regions->with_lines = sites->count != 0;
    fm_convert_state.regions = regions;
    fm_convert_state.callsites = sites;
    fm_convert_state.limits = (struct fm_archive_limits){.bytes = UINT64_MAX};
    fm_convert_state.written = 0;
    fm_convert_state.has_exceeded = false;
}

void fm_convert_limit(const struct fm_archive_limits *what)
{
    fm_convert_state.limits = *what;
}

bool fm_convert_has_exceeded(void)
{
    return fm_convert_state.has_exceeded;
}

/* ---- calls ---- */

void fm_convert_pending(struct fm_thread *thread, uint64_t next)
{
    OTF2_EvtWriter *writer = thread->writer;
    if (thread->pending) {
        thread->pending = false;
        uint64_t time = fm_convert_not_before(thread, thread->pending_leave);
        fm_convert_count_region(thread, thread->pending_region,
                                OTF2_EvtWriter_Leave(writer, NULL, time, thread->pending_region));
    }
    /* The record of the call in which the buffer became full follows the FLUSH record, but the call
     * began before the flush. */
    if (thread->flush_begin[0] != 0 && thread->flush_begin[0] <= next) {
        if (thread->flush_begin[0] > thread->last_time + fm_convert_state.visit_anywhere) {
            /* the flush is work of the next event */
            fm_visits_settle_uncalled(thread, thread->flush_begin[0]);
        }
        uint64_t begin = fm_convert_not_before(thread, thread->flush_begin[0]);
        uint64_t end = thread->flush_begin[1] < begin ? begin : thread->flush_begin[1];
        fm_convert_count(thread, OTF2_EvtWriter_BufferFlush(writer, NULL, begin, end));
        thread->last_time = end;
        thread->flush_begin[0] = 0;
    }
}

static void write_processor_time(struct fm_thread *thread, fm_processor_time_t which,
                                 uint64_t amount)
{
    static const char *const names[][2] = {
#define FM_PROCESSOR_TIME(symbol, name, unit) {name, unit},
        FM_PROCESSOR_TIMES(FM_PROCESSOR_TIME)
#undef FM_PROCESSOR_TIME
    };
    uint32_t *number = &processor_times[which];
    if (*number == FM_DEFINE_NONE) {
        const uint32_t words[] = {fm_define_string(fm_convert_state.definitions, names[which][0]),
                                  fm_define_string(fm_convert_state.definitions, names[which][1]),
                                  OTF2_TYPE_UINT64, OTF2_METRIC_RELATIVE_LAST};
        *number = fm_define(fm_convert_state.definitions, FM_DEFINE_METRIC, words, 4);
        fm_convert_check(*number != FM_DEFINE_NONE);
    }
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = amount};
    fm_convert_count(thread, OTF2_EvtWriter_Metric(thread->writer, NULL, thread->last_time, *number,
                                                   1, &type, &value));
}

/* Writes what happened in the stretch: a value of 0 is not needed, the stretch is measured. */
static void write_usage(struct fm_thread *thread)
{
    const uint64_t *words = thread->stretch + 3;
    const uint64_t amounts[] = {words[0], words[1] & UINT32_MAX, words[1] >> 32,
                                words[2] & UINT32_MAX, words[2] >> 32};
    for (unsigned i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        if (amounts[i] != 0) {
            write_processor_time(thread, (fm_processor_time_t)(FM_KERNEL_TIME + i), amounts[i]);
        }
    }
}

void fm_convert_begin_event(struct fm_thread *thread, uint64_t enter)
{
    fm_visits_settle(thread, enter);
    if (thread->stretch[0] != 0) {
        fm_convert_not_before(thread, enter - 1);
        write_processor_time(thread, FM_MEASURED_TIME, thread->stretch[0]);
        write_processor_time(thread, FM_STOLEN_TIME, thread->stretch[1]);
        if (thread->stretch[2] != FM_DELAY_UNKNOWN) {
            write_processor_time(thread, FM_DELAY_MEASURED_TIME, thread->stretch[0]);
            write_processor_time(thread, FM_RUN_DELAY, thread->stretch[2]);
        }
        write_usage(thread);
        if (thread->stretch[6] != 0) {
            write_processor_time(thread, FM_READING_TIME, thread->stretch[6]);
        }
        thread->stretch[0] = 0;
    }
}

static void convert_call(struct fm_thread *thread, uint32_t function, uint64_t enter,
                         uint64_t leave)
{
    const uint64_t length = leave - enter;
    fm_convert_begin_event(thread, fm_convert_after_last(thread, enter));
    enter = fm_convert_not_before(thread, fm_convert_after_last(thread, enter));
    fm_functions_used[function] = true;
    thread->pending = true;
    thread->pending_region =
        fm_event_region(fm_convert_state.regions, function,
                        fm_path_line(&thread->path, fm_convert_state.callsites));
    thread->pending_leave = leave <= enter ? enter + 1 : leave;
    thread->pending_length = length;
    fm_convert_count_region(
        thread, thread->pending_region,
        OTF2_EvtWriter_Enter(thread->writer, NULL, enter, thread->pending_region));
}

void fm_convert_enter(struct fm_thread *thread, uint32_t function, uint64_t enter)
{
    fm_convert_pending(thread, enter);
    fm_convert_state.limits.bytes = UINT64_MAX; /* the last call is written in any case */
    convert_call(thread, function, enter, enter);
    thread->pending_leave = thread->last_time; /* all its records stand at its begin */
}

void fm_convert_open_call(struct fm_thread *thread)
{
    fm_left_out_end(thread, thread->enter, true);
    fm_convert_state.limits.bytes = UINT64_MAX; /* the last call is written in any case */
    fm_convert_begin_event(thread, fm_convert_after_last(thread, thread->enter));
    thread->visits_compared = true;
}

/* Ends all regions and teams that are open, from the inside out. */
static void end_all(struct fm_thread *thread, uint64_t time)
{
    fm_team_events_end_fork(thread, time);
    fm_team_events_end_behind(thread, 0, time);
    fm_visits_end_all(thread, time);
}

void fm_convert_end(struct fm_thread *thread)
{
    fm_stream_events_end(thread);
    fm_left_out_end(thread, thread->last_time, false);
    fm_dropped_free(&thread->dropped);
    end_all(thread, thread->last_time);
    fm_nesting_free(&thread->teams);
    fm_path_free(&thread->path);
}

void fm_convert_end_killed(struct fm_thread *thread)
{
    fm_convert_pending(thread, UINT64_MAX);
    fm_stream_events_end(thread);
    fm_left_out_end(thread, thread->last_time, false);
    fm_dropped_free(&thread->dropped);
    fm_nesting_free(&thread->teams);
    fm_path_free(&thread->path);
}

/* ---- values ---- */

static OTF2_ErrorCode convert_metric(OTF2_EvtWriter *w, uint64_t t, const uint64_t *r)
{
    OTF2_Type type = fm_record_aux(r[0]) == OTF2_TYPE_DOUBLE ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
    OTF2_MetricValue value = {.unsigned_int = r[2]};
    return OTF2_EvtWriter_Metric(w, NULL, t, fm_record_ref(r[0]), 1, &type, &value);
}

static void convert_value(struct fm_thread *thread, const uint64_t *r)
{
    OTF2_EvtWriter *w = thread->writer;
    fm_convert_pending(thread, r[1]);
    uint64_t t = fm_convert_not_before(thread, r[1]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_PARAMETER:
        fm_convert_count(
            thread,
            fm_record_aux(r[0]) == OTF2_TYPE_UINT64
                ? OTF2_EvtWriter_ParameterUnsignedInt(w, NULL, t, fm_record_ref(r[0]), r[2])
                : OTF2_EvtWriter_ParameterInt(w, NULL, t, fm_record_ref(r[0]), (int64_t)r[2]));
        return;
    case FM_RECORD_PARAMETER_TEXT:
        fm_convert_count(thread, OTF2_EvtWriter_ParameterString(w, NULL, t, fm_record_ref(r[0]),
                                                                (OTF2_StringRef)r[2]));
        return;
    case FM_RECORD_METRIC:
        fm_convert_count(thread, convert_metric(w, t, r));
        return;
    default:
        if (!fm_marker_note(thread->index, t, fm_record_ref(r[0]))) {
            fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        }
    }
}

/* Writes a sample as a value of the counter of samples, in the function that it was taken in. */
static void count_sample(struct fm_thread *thread, uint64_t weight)
{
    if (samples_metric == FM_DEFINE_NONE) {
        const uint32_t words[] = {fm_define_string(fm_convert_state.definitions, FM_STACK_SAMPLES),
                                  fm_define_string(fm_convert_state.definitions, "ns"),
                                  OTF2_TYPE_UINT64, OTF2_METRIC_RELATIVE_POINT};
        samples_metric = fm_define(fm_convert_state.definitions, FM_DEFINE_METRIC, words, 4);
    }
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = weight};
    fm_convert_check(samples_metric != FM_DEFINE_NONE);
    fm_convert_count(thread, OTF2_EvtWriter_Metric(thread->writer, NULL, thread->last_time,
                                                   samples_metric, 1, &type, &value));
}

/* ---- threads ---- */

/* Number of the communicator of all threads of the process. */
static uint32_t threads_of_process(const struct fm_thread *thread, uint32_t paradigm)
{
    const uint32_t words[FM_COMM_WORDS] = {[FM_COMM_ORIGIN] = FM_COMM_THREADS,
                                           [FM_COMM_PARADIGM] = paradigm,
                                           [FM_COMM_A] = thread->rank,
                                           [FM_COMM_GROUP] = FM_DEFINE_NONE,
                                           [FM_COMM_SECOND_GROUP] = FM_DEFINE_NONE,
                                           [FM_COMM_PARENT] = FM_DEFINE_NONE,
                                           [FM_COMM_NAME] = FM_DEFINE_NONE};
    uint32_t number = fm_define(fm_convert_state.definitions, FM_DEFINE_COMM, words, FM_COMM_WORDS);
    fm_convert_check(number != FM_DEFINE_NONE);
    return number;
}

static void begin_thread(struct fm_thread *thread, const uint64_t *r)
{
    fm_convert_pending(thread, r[1]);
    uint64_t time = fm_convert_not_before(thread, fm_convert_after_last(thread, r[1]));
    fm_convert_count(
        thread, OTF2_EvtWriter_ThreadBegin(thread->writer, NULL, time,
                                           threads_of_process(thread, fm_record_aux(r[0])), r[2]));
    fm_visits_settle(thread, time);
    /* The time up to the next event belongs to the thread's function. */
    thread->sampled = thread->last_time;
    thread->sample_reach = UINT64_MAX;
}

static void end_thread(struct fm_thread *thread, const uint64_t *r)
{
    uint64_t time = fm_convert_after_last(thread, r[1]);
    fm_convert_pending(thread, time);
    thread->visits_compared = true; /* the thread's function is the same visit */
    fm_visits_settle_uncalled(thread, time);
    fm_visits_end_all(thread, time);
    fm_convert_check(fm_path_pop(&thread->path, 0, false));
    time = fm_convert_not_before(thread, time);
    fm_convert_count(
        thread, OTF2_EvtWriter_ThreadEnd(thread->writer, NULL, time,
                                         threads_of_process(thread, fm_record_aux(r[0])), r[2]));
    thread->sampled = 0;
    thread->stretch[0] = 0;
}

static void convert_thread(struct fm_thread *thread, const uint64_t *r)
{
    bool creates = fm_record_kind(r[0]) == FM_RECORD_THREAD_CREATE;
    uint32_t team = threads_of_process(thread, fm_record_aux(r[0]));
    uint64_t time =
        fm_convert_not_before(thread, creates ? thread->last_time : thread->pending_leave);
    fm_convert_count(thread,
                     creates ? OTF2_EvtWriter_ThreadCreate(thread->writer, NULL, time, team, r[1])
                             : OTF2_EvtWriter_ThreadWait(thread->writer, NULL, time, team, r[1]));
}

/* ---- records ---- */

static void convert_record(struct fm_thread *thread, const uint64_t *record)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    OTF2_EvtWriter *writer = thread->writer;
    switch (kind) {
    case FM_RECORD_CALL:
        fm_convert_pending(thread, record[1]);
        convert_call(thread, fm_record_aux(record[0]), record[1],
                     record[1] + fm_record_duration(record[0]));
        return;
    case FM_RECORD_CALL_LONG:
        fm_convert_pending(thread, record[1]);
        convert_call(thread, fm_record_aux(record[0]), record[1], record[2]);
        return;
    case FM_RECORD_STACK:
    case FM_RECORD_STACK_SITE:
        fm_visits_change_stack(thread, record[0]);
        return;
    case FM_RECORD_SAMPLE:
        fm_visits_sample(thread, record[1], record[2], fm_record_ref(record[0]));
        count_sample(thread, record[3]);
        return;
    case FM_RECORD_SAMPLE_LOST:
        thread->gap = record[1];
        return;
    case FM_RECORD_PROCESSOR:
        memcpy(thread->stretch, record + 2, sizeof thread->stretch);
        return;
    case FM_RECORD_RECORDING_OFF:
        fm_convert_begin_pause(thread, record[1]);
        return;
    case FM_RECORD_UNRECORDED:
        if (thread->off) {
            fm_convert_unrecorded(thread, record);
        }
        return;
    case FM_RECORD_RECORDING_ON:
        if (thread->off) {
            fm_convert_end_pause(thread, fm_record_ref(record[0]), record[1]);
        }
        return;
    case FM_RECORD_ITERATION:
        if (!fm_left_out_is_kept(record)) {
            fm_left_out_begin(thread, record[1], false);
        }
        return;
    case FM_RECORD_FLUSH: /* written between calls, by fm_convert_pending */
        thread->flush_begin[0] = record[1];
        thread->flush_begin[1] = record[2];
        return;
    case FM_RECORD_REGION_ENTER:
        if (fm_record_aux(record[0]) == FM_REGION_CUT &&
            fm_convert_is_phase(fm_record_ref(record[0]))) {
            return;
        }
        if (thread->stretch[0] != 0) {
            fm_convert_pending(thread, record[1]);
            fm_convert_begin_event(thread, fm_convert_after_last(thread, record[1]));
        }
        fm_visits_begin_region(thread, record[0], record[1]);
        return;
    case FM_RECORD_FORK:
        fm_convert_pending(thread, record[1]);
        fm_convert_begin_event(thread, fm_convert_after_last(thread, record[1]));
        fm_team_event(thread, record);
        return;
    case FM_RECORD_TEAM_BEGIN:
    case FM_RECORD_TEAM_END:
    case FM_RECORD_TASK_CREATE:
    case FM_RECORD_TASK_SWITCH:
    case FM_RECORD_TASK_COMPLETE:
    case FM_RECORD_LOCK_TAKEN:
    case FM_RECORD_LOCK_GIVEN:
        fm_team_event(thread, record);
        return;
    case FM_RECORD_FUNCTION_ENTER:
        fm_visits_begin_region(thread, record[0], record[1]);
        return;
    case FM_RECORD_REGION_LEAVE:
    case FM_RECORD_FUNCTION_LEAVE:
        fm_visits_end_region(thread, record[0], record[1]);
        return;
    case FM_RECORD_PARAMETER:
    case FM_RECORD_PARAMETER_TEXT:
    case FM_RECORD_METRIC:
    case FM_RECORD_MARKER:
        convert_value(thread, record);
        return;
    case FM_RECORD_PROGRAM_BEGIN:
        fm_convert_count(thread, OTF2_EvtWriter_ProgramBegin(
                                     writer, NULL, fm_convert_not_before(thread, record[1]),
                                     fm_record_ref(record[0]), 0, NULL));
        return;
    case FM_RECORD_PROGRAM_END:
        fm_convert_pending(thread, UINT64_MAX);
        end_all(thread, record[1]);
        fm_convert_count(thread, OTF2_EvtWriter_ProgramEnd(writer, NULL,
                                                           fm_convert_not_before(thread, record[1]),
                                                           OTF2_UNDEFINED_INT64));
        return;
    case FM_RECORD_THREAD_BEGIN:
        begin_thread(thread, record);
        return;
    case FM_RECORD_THREAD_END:
        end_thread(thread, record);
        return;
    case FM_RECORD_THREAD_CREATE:
    case FM_RECORD_THREAD_WAIT:
        convert_thread(thread, record);
        return;
    case FM_RECORD_SYNCHRONIZATION_OBJECT:
    case FM_RECORD_PERSISTENT_COMPLETE:
    case FM_RECORD_PARTITIONED_SEND:
    case FM_RECORD_PARTITIONED_RECEIVE:
    case FM_RECORD_PARTITIONS:
    case FM_RECORD_PROBED:
    case FM_RECORD_MERGED:
        fm_convert_call_fact(thread, record);
        return;
    case FM_RECORD_AWAITED_MESSAGE:
    case FM_RECORD_AWAITED_COLLECTIVE:
    case FM_RECORD_AWAITED_WINDOW:
    case FM_RECORD_AWAITED_TARGET:
    case FM_RECORD_AWAITED_OMITTED:
    case FM_RECORD_AWAITED_OWNER:
        fm_convert_awaited(thread, record);
        return;
    case FM_RECORD_ACQUIRE_LOCK:
    case FM_RECORD_RELEASE_LOCK:
    case FM_RECORD_RELEASE_NOTED_LOCK:
        fm_lock_event(thread, record);
        return;
    case FM_RECORD_STREAM_BEGIN:
    case FM_RECORD_STREAM_WORK:
    case FM_RECORD_STREAM_ACTIVITY:
        fm_stream_event(thread, record);
        return;
    case FM_RECORD_CORRELATION:
    case FM_RECORD_STREAM_AWAITED:
    case FM_RECORD_CONTEXT_AWAITED:
    case FM_RECORD_STREAM_EVENT:
    case FM_RECORD_STREAM_WAITS:
        fm_stream_parameter(thread, record, thread->last_time);
        return;
    case FM_RECORD_BYTES_ABOVE:
        thread->bytes_above = record[0];
        return;
    case FM_RECORD_COMPLETE_FULLY: {
        uint64_t time = fm_convert_not_before(thread, thread->pending_leave);
        uint32_t win = fm_record_ref(record[0]);
        fm_convert_count(
            thread, OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, time, win, record[1]));
        fm_convert_count(thread,
                         OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time, win, record[1]));
        return;
    }
    default: {
        uint64_t time = places[kind] == FM_AT_ENTER ? thread->last_time : thread->pending_leave;
        uint64_t bytes = fm_record_bytes(record[0], thread->bytes_above);
        thread->bytes_above = 0;
        OTF2_ErrorCode code =
            fm_operation_event(writer, fm_convert_not_before(thread, time), record, bytes);
        fm_convert_count_bytes(thread, fm_operation_event_bytes(record, bytes), code);
    }
    }
}

/* Whether what is visited is defined. */
static bool is_sound_visit(const uint64_t *record, size_t functions)
{
    const uint32_t ref = fm_record_ref(record[0]);
    switch (fm_record_visits_type(record[0])) {
    case FM_VISITED_CALL:
        return ref < functions;
    case FM_VISITED_FUNCTION:
        return ref < fm_convert_state.callsites->count;
    case FM_VISITED_REGION:
        return ref < fm_convert_state.definitions->tables[FM_DEFINE_REGION].count;
    default:
        return false;
    }
}

/* Whether a record is valid, as far as can be checked, and allowed at its position. */
static bool is_sound(const struct fm_thread *thread, const uint64_t *record, const uint64_t *end,
                     size_t functions)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    if (kind >= FM_RECORD_KIND_COUNT || fm_record_words[kind] > end - record) {
        return false;
    }
    switch (kind) {
    case FM_RECORD_CALL:
    case FM_RECORD_CALL_LONG:
        return fm_record_aux(record[0]) < functions;
    case FM_RECORD_UNRECORDED:
        return fm_convert_is_series(fm_record_aux(record[0]));
    case FM_RECORD_VISITS:
        return is_sound_visit(record, functions);
    case FM_RECORD_PERSISTENT_COMPLETE:
        return record[5] >> 32 < functions && (thread->pending || thread->off);
    case FM_RECORD_STACK:
        return (fm_record_aux(record[0]) & ~(uint32_t)FM_STACK_CUT) <= thread->path.site_count;
    default:
        return places[kind] == FM_BETWEEN_CALLS || thread->pending || thread->off;
    }
}

/* The number of records of a tree of merged visits up to the first damaged one. */
static size_t sound_tree(const struct fm_thread *thread, const uint64_t *records,
                         const uint64_t *end, size_t functions)
{
    const size_t size = fm_visit_tree_size(records, end);
    size_t sound = 1;
    while (sound < size && is_sound(thread, records + sound * FM_WORDS_VISITS, end, functions)) {
        sound++;
    }
    return sound;
}

bool fm_convert_records(struct fm_thread *thread, const uint64_t *records, size_t words,
                        size_t functions)
{
    const uint64_t *end = records + words, *looked_at = records;
    while (records < end && !fm_archive_has_failed) {
        if (!is_sound(thread, records, end, functions)) {
            return false;
        }
        enum fm_record_kind kind = fm_record_kind(records[0]);
        if ((kind == FM_RECORD_CALL || kind == FM_RECORD_SAMPLE) && records >= looked_at) {
            looked_at = fm_lock_find_hold(thread, records, end);
        }
        if (fm_convert_state.written > fm_convert_state.limits.bytes &&
            !thread->dropped.to_the_end && kind != FM_RECORD_STREAM_BEGIN &&
            kind != FM_RECORD_STREAM_WORK && kind != FM_RECORD_STREAM_ACTIVITY) {
            fm_left_out_at_limit(thread, records, places[kind] == FM_BETWEEN_CALLS);
        }
        size_t count = 1;
        bool passed = thread->dropped.active && fm_left_out_pass(thread, records);
        if (!passed && !fm_convert_is_omitted(thread, kind)) {
            if (kind == FM_RECORD_VISITS) {
                count = sound_tree(thread, records, end, functions);
                fm_visit_tree_events(thread, records, count);
            } else {
                convert_record(thread, records);
            }
        }
        records += count * fm_record_words[kind];
    }
    return true;
}
