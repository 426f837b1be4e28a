/* Conversion of compact records to OTF2 events.
 *
 * Visits of functions. Between two events it is only known that the functions on both stacks were
 * active at both. The innermost of them may have returned in between and been called again, and the
 * time may have passed in a function that its caller called. It counts as one visit only if
 *  - the last event is a sample, and the next event is so near that no sample could be taken since,
 *  - or it has gone forward in its code, and the time is short,
 *  - or the time is so short that it does not matter.
 * Otherwise the visit ends at the earlier event and another one begins at the later event
 * (fm_path_doubt): the time belongs to the caller. */
#include "base/processor_time.h"
#include "base/stack_samples.h"
#include "record/archive/archive.h"
#include "record/archive/attribute.h"
#include "record/archive/marker.h"
#include "record/archive/operation_events.h"
#include "record/closing/overhead.h"
#include "record/selection/thinning.h"
#include "record/selection/unrecorded.h"

#include <string.h>

static const unsigned char places[] = {
#define FM_KIND(kind, words, place) (place),
    FM_RECORD_KINDS(FM_KIND)
#undef FM_KIND
};

bool fm_functions_used[FM_FUNCTIONS_MOST];

/* Tables of the process whose records are being converted. */
static const struct fm_callsites *callsites;
static struct fm_event_regions *event_regions;
static struct fm_definitions *definitions;

/* What is left out. */
static struct fm_archive_limits limits;
static uint64_t written;  /* bytes of the process's events, at most */
static uint64_t stamp;    /* time of the last event: a timestamp precedes each new time */
static bool has_exceeded; /* records were left out because of the size */

/* Bytes in OTF2's event files: of a timestamp and, at most, of rare events. */
enum { TIMESTAMP_BYTES = 9, RARE_BYTES = 28, COUNT_BYTES = 80 };

/* Longest times, in ticks, between two events in one visit of a function: anywhere in it, and
 * further ahead in its code. */
static uint64_t visit_anywhere, visit_ahead;

static uint32_t samples_metric; /* number of the counter FM_STACK_SAMPLES; FM_DEFINE_NONE: no yet */

/* Numbers of the counters of processor times; FM_DEFINE_NONE: not defined yet. */
static uint32_t processor_times[FM_PROCESSOR_TIME_COUNT];

/* Time of the next event: not before the last event. */
static uint64_t not_before(struct fm_thread *thread, uint64_t time)
{
    if (time < thread->last_time) {
        time = thread->last_time;
    }
    thread->last_time = time;
    return time;
}

static void count_bytes(struct fm_thread *thread, uint64_t bytes, OTF2_ErrorCode code)
{
    thread->events++;
    written += bytes + (thread->last_time != stamp ? TIMESTAMP_BYTES : 0);
    stamp = thread->last_time;
    if (code != OTF2_SUCCESS) {
        fm_archive_check(code);
    }
}

static void count(struct fm_thread *thread, OTF2_ErrorCode code)
{
    count_bytes(thread, RARE_BYTES, code);
}

static void count_region(struct fm_thread *thread, uint32_t region, OTF2_ErrorCode code)
{
    count_bytes(thread, fm_region_event_bytes(region), code);
}

/* ---- the path of regions ---- */

void fm_convert_begin(struct fm_definitions *set, const struct fm_callsites *sites,
                      struct fm_event_regions *regions, uint64_t ticks_per_second)
{
    visit_anywhere = ticks_per_second / 200000; /* 5 us */
    visit_ahead = ticks_per_second / 1000;      /* 1 ms */
    samples_metric = FM_DEFINE_NONE;
    definitions = set;
    memset(fm_functions_used, 0, sizeof fm_functions_used);
    for (int i = 0; i < FM_PROCESSOR_TIME_COUNT; i++) {
        processor_times[i] = FM_DEFINE_NONE;
    }
    regions->with_lines = sites->count != 0;
    event_regions = regions;
    callsites = sites;
    limits = (struct fm_archive_limits){.bytes = UINT64_MAX};
    written = 0;
    has_exceeded = false;
}

void fm_convert_limit(const struct fm_archive_limits *what)
{
    limits = *what;
}

bool fm_convert_has_exceeded(void)
{
    return has_exceeded;
}

/* A time after the last event: regions and calls are strictly ordered and take at least a tick. */
static uint64_t after_last(const struct fm_thread *thread, uint64_t time)
{
    return time > thread->last_time ? time : thread->last_time + 1;
}

static void write_region(void *context, bool enter, uint32_t region, uint64_t time)
{
    struct fm_thread *thread = context;
    time = not_before(thread, after_last(thread, time));
    count_region(thread, region,
                 enter ? OTF2_EvtWriter_Enter(thread->writer, NULL, time, region)
                       : OTF2_EvtWriter_Leave(thread->writer, NULL, time, region));
}

static uint32_t number_region(void *context, uint32_t region, uint32_t line)
{
    (void)context;
    if (region == FM_CALLSITE_UNKNOWN) {
        region = fm_define_region(definitions, "(unknown code)", OTF2_REGION_ROLE_FUNCTION,
                                  OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, NULL, 0);
        if (region == FM_DEFINE_NONE) {
            return FM_DEFINE_NONE;
        }
    }
    return fm_event_region(event_regions, FM_FUNCTIONS_MOST + region, line);
}

/* "" where journals are damaged. */
static const char *region_name(uint32_t region)
{
    return region < definitions->tables[FM_DEFINE_REGION].count
               ? fm_defined_string(definitions,
                                   fm_defined(definitions, FM_DEFINE_REGION, region, NULL)[0])
               : "";
}

/* For a phase, the rest of a visit whose begin was discarded would count as a visit. */
static bool is_phase(uint32_t region)
{
    return region < definitions->tables[FM_DEFINE_REGION].count &&
           (fm_defined(definitions, FM_DEFINE_REGION, region, NULL)[3] & OTF2_REGION_FLAG_PHASE) !=
               0;
}

/* In the program's marks the name of a function lacks its class, name space or module (such as
 * __func__ in C++). */
static bool is_marked_by(void *context, uint32_t function, uint32_t region)
{
    (void)context;
    const char *whole = region_name(function), *name = region_name(region);
    size_t length = strlen(whole), end = strlen(name);
    return end != 0 && end <= length && strcmp(whole + (length - end), name) == 0 &&
           (end == length ||
            (length - end > 2 && strncmp(whole + (length - end) - 2, "::", 2) == 0));
}

static struct fm_path_writer path_writer(struct fm_thread *thread)
{
    return (struct fm_path_writer){write_region, number_region, is_marked_by, thread};
}

/* Time at which functions begin before an event. If there are enough ticks, the Enters and Leaves
 * lie just before the event, else directly after the last event. */
static uint64_t begin_before(const struct fm_thread *thread, uint64_t next)
{
    uint64_t ticks = fm_path_due(&thread->path);
    return next - thread->last_time > 2 * ticks ? next - ticks : thread->last_time;
}

/* Ends the writing of the archive if the path could not be changed. */
static void check_path(bool changed)
{
    if (!changed) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
    }
}

/* Whether the time before an event belongs to the functions of the sample before it. */
static bool is_sampled(const struct fm_thread *thread, uint64_t next)
{
    return thread->sampled != 0 && thread->sampled == thread->last_time &&
           next - thread->last_time <= thread->sample_reach;
}

/* Decides whether the functions on the stack at the last event and at the next one are in the same
 * visits. */
static void compare_visits(struct fm_thread *thread, uint64_t next)
{
    uint64_t time = next - thread->last_time;
    if (thread->visits_compared) {
        thread->visits_compared = false;
    } else if (time > visit_anywhere && !is_sampled(thread, next) &&
               (time > visit_ahead || !fm_path_is_ahead(&thread->path, callsites))) {
        fm_path_doubt(&thread->path);
    }
}

/* Time at which functions end that are on the stack of the last event, not on that of the next. */
static uint64_t over_before(const struct fm_thread *thread, uint64_t next)
{
    return is_sampled(thread, next) ? begin_before(thread, next) : thread->last_time;
}

/* Brings the path up to date before an event. */
static void settle_path(struct fm_thread *thread, uint64_t next)
{
    compare_visits(thread, next);
    if (!fm_path_is_settled(&thread->path)) {
        struct fm_path_writer writer = path_writer(thread);
        check_path(fm_path_settle(&thread->path, callsites, &writer, over_before(thread, next),
                                  begin_before(thread, next)));
    }
}

void fm_convert_pending(struct fm_thread *thread, uint64_t next)
{
    OTF2_EvtWriter *writer = thread->writer;
    if (thread->pending) {
        thread->pending = false;
        uint64_t time = not_before(thread, thread->pending_leave);
        count_region(thread, thread->pending_region,
                     OTF2_EvtWriter_Leave(writer, NULL, time, thread->pending_region));
    }
    /* The record of the call in which the buffer became full follows the FLUSH record, but the call
     * began before the flush. */
    if (thread->flush_begin[0] != 0 && thread->flush_begin[0] <= next) {
        if (thread->flush_begin[0] > thread->last_time + visit_anywhere) {
            settle_path(thread, thread->flush_begin[0]); /* the flush is work of the next event */
        }
        uint64_t begin = not_before(thread, thread->flush_begin[0]);
        uint64_t end = thread->flush_begin[1] < begin ? begin : thread->flush_begin[1];
        count(thread, OTF2_EvtWriter_BufferFlush(writer, NULL, begin, end));
        thread->last_time = end;
        thread->flush_begin[0] = 0;
    }
}

static void write_processor_time(struct fm_thread *thread, fm_processor_time_t which,
                                 uint64_t nanoseconds)
{
    static const char *const names[] = {
#define FM_PROCESSOR_TIME(symbol, name) name,
        FM_PROCESSOR_TIMES(FM_PROCESSOR_TIME)
#undef FM_PROCESSOR_TIME
    };
    uint32_t *number = &processor_times[which];
    if (*number == FM_DEFINE_NONE) {
        const uint32_t words[] = {fm_define_string(definitions, names[which]),
                                  fm_define_string(definitions, "ns"), OTF2_TYPE_UINT64,
                                  OTF2_METRIC_RELATIVE_LAST};
        *number = fm_define(definitions, FM_DEFINE_METRIC, words, 4);
        check_path(*number != FM_DEFINE_NONE);
    }
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = nanoseconds};
    count(thread, OTF2_EvtWriter_Metric(thread->writer, NULL, thread->last_time, *number, 1, &type,
                                        &value));
}

/* Begins a call: brings the path up to date and writes the processor times of the stretch before
 * it, in the code that computed. */
static void begin_call(struct fm_thread *thread, uint64_t enter)
{
    settle_path(thread, enter);
    if (thread->stretch[0] != 0) {
        not_before(thread, enter - 1);
        write_processor_time(thread, FM_MEASURED_TIME, thread->stretch[0]);
        write_processor_time(thread, FM_STOLEN_TIME, thread->stretch[1]);
        if (thread->stretch[2] != FM_DELAY_UNKNOWN) {
            write_processor_time(thread, FM_DELAY_MEASURED_TIME, thread->stretch[0]);
            write_processor_time(thread, FM_RUN_DELAY, thread->stretch[2]);
        }
        thread->stretch[0] = 0;
    }
}

static void convert_call(struct fm_thread *thread, uint32_t function, uint64_t enter,
                         uint64_t leave)
{
    begin_call(thread, after_last(thread, enter));
    enter = not_before(thread, after_last(thread, enter));
    fm_functions_used[function] = true;
    thread->pending = true;
    thread->pending_region =
        fm_event_region(event_regions, function, fm_path_line(&thread->path, callsites));
    thread->pending_leave = leave <= enter ? enter + 1 : leave;
    count_region(thread, thread->pending_region,
                 OTF2_EvtWriter_Enter(thread->writer, NULL, enter, thread->pending_region));
}

static void end_dropped(struct fm_thread *thread, uint64_t time, bool resumes);

void fm_convert_open_call(struct fm_thread *thread)
{
    end_dropped(thread, thread->enter, true);
    limits.bytes = UINT64_MAX; /* the last call is written in any case */
    begin_call(thread, after_last(thread, thread->enter));
    thread->visits_compared = true;
}

static void end_all(struct fm_thread *thread, uint64_t time)
{
    struct fm_path_writer writer = path_writer(thread);
    fm_path_end_all(&thread->path, &writer, time);
}

void fm_convert_end(struct fm_thread *thread)
{
    end_dropped(thread, thread->last_time, false);
    fm_dropped_free(&thread->dropped);
    end_all(thread, thread->last_time);
    fm_path_free(&thread->path);
}

/* A region or an instrumented function begins. */
static void begin_region(struct fm_thread *thread, uint64_t header, uint64_t time)
{
    fm_convert_pending(thread, time);
    struct fm_path_writer writer = path_writer(thread);
    uint64_t next = after_last(thread, time);
    uint32_t ref = fm_record_ref(header);
    bool has_stack = fm_record_kind(header) == FM_RECORD_REGION_ENTER ||
                     (fm_record_aux(header) & FM_PATH_APART) == 0;
    if (has_stack) {
        compare_visits(thread, next);
    }
    struct fm_path_times times = {.over = has_stack ? over_before(thread, next) : thread->last_time,
                                  .begun = begin_before(thread, next),
                                  .marked = time};
    check_path(fm_record_kind(header) == FM_RECORD_REGION_ENTER
                   ? fm_path_begin(&thread->path, callsites, ref, &writer, &times)
                   : fm_path_enter_function(&thread->path, callsites, ref, fm_record_aux(header),
                                            &writer, &times));
}

static void end_region(struct fm_thread *thread, uint64_t header, uint64_t time)
{
    fm_convert_pending(thread, time);
    struct fm_path_writer writer = path_writer(thread);
    if (fm_record_kind(header) == FM_RECORD_REGION_LEAVE) {
        fm_path_end(&thread->path, fm_record_ref(header), &writer, time);
    } else {
        fm_path_leave_functions(&thread->path, fm_record_ref(header), &writer, time);
    }
}

/* Ends all marked regions except the outer `count`. */
static void end_marked_behind(struct fm_thread *thread, uint32_t count, uint64_t time)
{
    struct fm_path_writer writer = path_writer(thread);
    fm_path_end_behind(&thread->path, count, &writer, time);
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
    uint64_t t = not_before(thread, r[1]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_PARAMETER:
        count(thread,
              fm_record_aux(r[0]) == OTF2_TYPE_UINT64
                  ? OTF2_EvtWriter_ParameterUnsignedInt(w, NULL, t, fm_record_ref(r[0]), r[2])
                  : OTF2_EvtWriter_ParameterInt(w, NULL, t, fm_record_ref(r[0]), (int64_t)r[2]));
        return;
    case FM_RECORD_PARAMETER_TEXT:
        count(thread, OTF2_EvtWriter_ParameterString(w, NULL, t, fm_record_ref(r[0]),
                                                     (OTF2_StringRef)r[2]));
        return;
    case FM_RECORD_METRIC:
        count(thread, convert_metric(w, t, r));
        return;
    default:
        if (!fm_marker_note(thread->index, t, fm_record_ref(r[0]))) {
            fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        }
    }
}

/* ---- pauses ---- */

static bool is_series(uint32_t number)
{
    return number >= FM_SERIES_SENDS && number <= FM_SERIES_EXPOSURE_EPOCHS;
}

static void convert_unrecorded(struct fm_thread *thread, const uint64_t *r)
{
    static const enum fm_attribute counts[] = {
        [FM_SERIES_SENDS] = FM_ATTRIBUTE_SENDS,
        [FM_SERIES_RECEIVES] = FM_ATTRIBUTE_RECEIVES,
        [FM_SERIES_COLLECTIVES] = FM_ATTRIBUTE_COLLECTIVES,
        [FM_SERIES_WINDOW_COLLECTIVES] = FM_ATTRIBUTE_WINDOW_COLLECTIVES,
        [FM_SERIES_ACCESS_EPOCHS] = FM_ATTRIBUTE_ACCESS_EPOCHS,
        [FM_SERIES_EXPOSURE_EPOCHS] = FM_ATTRIBUTE_EXPOSURE_EPOCHS,
    };
    uint32_t series = fm_record_aux(r[0]), ref = fm_record_ref(r[0]), peer = (uint32_t)r[1];
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    if (list == NULL) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    OTF2_AttributeList_AddUint64(list, counts[series], r[2]);
    if (series <= FM_SERIES_COLLECTIVES) {
        OTF2_AttributeList_AddCommRef(list, FM_ATTRIBUTE_COMMUNICATOR, ref);
    } else {
        OTF2_AttributeList_AddRmaWinRef(list, FM_ATTRIBUTE_WINDOW, ref);
    }
    if (series <= FM_SERIES_RECEIVES) {
        OTF2_AttributeList_AddUint32(list, FM_ATTRIBUTE_PEER, peer);
        OTF2_AttributeList_AddUint32(list, FM_ATTRIBUTE_TAG, (uint32_t)(r[1] >> 32));
    } else if (series >= FM_SERIES_ACCESS_EPOCHS) {
        OTF2_AttributeList_AddGroupRef(list, FM_ATTRIBUTE_GROUP, peer);
    }
    fm_attributes_used = true;
    count_bytes(thread, COUNT_BYTES,
                OTF2_EvtWriter_MeasurementOnOff(thread->writer, list, thread->last_time,
                                                OTF2_MEASUREMENT_OFF));
    OTF2_AttributeList_Delete(list);
}

static void begin_pause(struct fm_thread *thread, uint64_t time)
{
    fm_convert_pending(thread, time);
    if (!thread->off) {
        count(thread, OTF2_EvtWriter_MeasurementOnOff(
                          thread->writer, NULL, not_before(thread, time), OTF2_MEASUREMENT_OFF));
    }
    thread->off = true;
    thread->stretch[0] = 0;
}

/* Called in a pause.
 * @param regions  number of outer marked regions that are still open */
static void end_pause(struct fm_thread *thread, uint32_t regions, uint64_t time)
{
    count(thread, OTF2_EvtWriter_MeasurementOnOff(thread->writer, NULL, not_before(thread, time),
                                                  OTF2_MEASUREMENT_ON));
    thread->off = false;
    end_marked_behind(thread, regions, time);
}

/* Records in a pause are omitted, except those that end the pause or the program. */
static bool is_left_out(const struct fm_thread *thread, enum fm_record_kind kind)
{
    return thread->off && kind != FM_RECORD_RECORDING_OFF && kind != FM_RECORD_UNRECORDED &&
           kind != FM_RECORD_RECORDING_ON && kind != FM_RECORD_PROGRAM_END;
}

/* ---- the begin and end of what is left out ---- */

static const char *function_name(uint32_t function)
{
    return function < limits.function_count ? limits.functions[function].name : "";
}

/* Whether an iteration is kept. */
static bool is_kept(const uint64_t *record)
{
    const char *phase = region_name(fm_record_ref(record[0]));
    return limits.thinning == NULL ||
           fm_thinning_keeps(limits.thinning, fm_thinning_bucket(phase, strlen(phase)), record[2]);
}

static void begin_dropped(struct fm_thread *thread, uint64_t time, bool to_the_end)
{
    bool off = thread->off;
    begin_pause(thread, time);
    fm_dropped_begin(&thread->dropped, &thread->path, to_the_end, off);
}

static void write_counts(struct fm_thread *thread, const struct fm_unrecorded_table *table)
{
    for (size_t i = 0; table->count != 0 && i < table->capacity; i++) {
        const struct fm_unrecorded_count *entry = &table->slots[i];
        if (entry->series != 0) {
            const uint64_t record[FM_WORDS_UNRECORDED] = {
                fm_record_header(FM_RECORD_UNRECORDED, entry->series, entry->reference),
                entry->peer | (uint64_t)entry->tag << 32, entry->count};
            convert_unrecorded(thread, record);
        }
    }
}

/* Instrumented functions that ended or began in what was left out. */
static void change_functions(struct fm_thread *thread, const struct fm_dropped *dropped,
                             uint64_t time)
{
    struct fm_path_writer writer = path_writer(thread);
    if (dropped->functions_stay < thread->path.instrumented) {
        fm_path_leave_functions(&thread->path, dropped->functions_stay, &writer, time);
    }
    for (size_t i = 0; i < dropped->functions.count; i++) {
        begin_region(thread,
                     fm_record_header(FM_RECORD_FUNCTION_ENTER, FM_PATH_APART,
                                      (uint32_t)dropped->functions.regions[i]),
                     time);
    }
}

/* Ends leaving out records, if any are.
 * @param resumes  recording continues, unless it was paused by itself */
static void end_dropped(struct fm_thread *thread, uint64_t time, bool resumes)
{
    struct fm_dropped *dropped = &thread->dropped;
    if (!dropped->active) {
        return;
    }
    write_counts(thread, &dropped->unrecorded);
    check_path(!dropped->broken);
    if (resumes && !dropped->off) {
        end_pause(thread, (uint32_t)dropped->stay, time);
        change_functions(thread, dropped, time);
        for (size_t i = 0; i < dropped->regions.count; i++) {
            if (!is_phase((uint32_t)dropped->regions.regions[i])) {
                begin_region(thread,
                             fm_record_header(FM_RECORD_REGION_ENTER, 0,
                                              (uint32_t)dropped->regions.regions[i]),
                             time);
            }
        }
    }
    fm_dropped_end(dropped);
}

/* ---- records ---- */

/* The change takes effect at the next event. is_sound has checked that the path is that deep. */
static void convert_stack(struct fm_thread *thread, uint64_t header)
{
    uint32_t site = fm_record_ref(header), aux = fm_record_aux(header);
    bool good = true;
    if (fm_record_kind(header) == FM_RECORD_STACK) {
        uint32_t kept = aux & ~(uint32_t)FM_STACK_CUT;
        bool cut = (aux & FM_STACK_CUT) != 0;
        if (site != FM_STACK_NO_SITE && fm_path_move(&thread->path, callsites, kept, cut, site)) {
            return;
        }
        good = fm_path_pop(&thread->path, kept, cut);
    }
    check_path(good && (site == FM_STACK_NO_SITE || fm_path_push(&thread->path, site)));
}

/* Writes a sample as a value of the counter of samples, in the function that it was taken in. */
static void count_sample(struct fm_thread *thread)
{
    if (samples_metric == FM_DEFINE_NONE) {
        const uint32_t words[] = {fm_define_string(definitions, FM_STACK_SAMPLES),
                                  fm_define_string(definitions, "#"), OTF2_TYPE_UINT64,
                                  OTF2_METRIC_RELATIVE_POINT};
        samples_metric = fm_define(definitions, FM_DEFINE_METRIC, words, 4);
    }
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = 1};
    check_path(samples_metric != FM_DEFINE_NONE);
    count(thread, OTF2_EvtWriter_Metric(thread->writer, NULL, thread->last_time, samples_metric, 1,
                                        &type, &value));
}

/* The stack is assumed to be unchanged since the last event, the last lost sample or `since`,
 * whichever is latest: new functions begin then; functions that are gone end at the last event. */
static void convert_sample(struct fm_thread *thread, uint64_t time, uint64_t since, uint32_t reach)
{
    fm_convert_pending(thread, time);
    uint64_t begun = since > thread->gap ? since : thread->gap;
    begun = begun > thread->last_time ? begun : thread->last_time;
    if (begun > time || thread->last_time == 0) {
        begun = time;
    }
    struct fm_path_writer writer = path_writer(thread);
    check_path(fm_path_settle(&thread->path, callsites, &writer, thread->last_time, begun));
    thread->sampled = not_before(thread, time);
    thread->sample_reach = reach;
    count_sample(thread);
}

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
        convert_stack(thread, record[0]);
        return;
    case FM_RECORD_SAMPLE:
        convert_sample(thread, record[1], record[2], fm_record_ref(record[0]));
        return;
    case FM_RECORD_SAMPLE_LOST:
        thread->gap = record[1];
        return;
    case FM_RECORD_PROCESSOR:
        memcpy(thread->stretch, record + 2, sizeof thread->stretch);
        return;
    case FM_RECORD_RECORDING_OFF:
        begin_pause(thread, record[1]);
        return;
    case FM_RECORD_UNRECORDED:
        if (thread->off) {
            convert_unrecorded(thread, record);
        }
        return;
    case FM_RECORD_RECORDING_ON:
        if (thread->off) {
            end_pause(thread, fm_record_ref(record[0]), record[1]);
        }
        return;
    case FM_RECORD_ITERATION:
        if (!is_kept(record)) {
            begin_dropped(thread, record[1], false);
        }
        return;
    case FM_RECORD_FLUSH: /* written between calls, by fm_convert_pending */
        thread->flush_begin[0] = record[1];
        thread->flush_begin[1] = record[2];
        return;
    case FM_RECORD_REGION_ENTER:
        if (fm_record_aux(record[0]) == FM_REGION_CUT && is_phase(fm_record_ref(record[0]))) {
            return;
        }
        begin_region(thread, record[0], record[1]);
        return;
    case FM_RECORD_FUNCTION_ENTER:
        begin_region(thread, record[0], record[1]);
        return;
    case FM_RECORD_REGION_LEAVE:
    case FM_RECORD_FUNCTION_LEAVE:
        end_region(thread, record[0], record[1]);
        return;
    case FM_RECORD_PARAMETER:
    case FM_RECORD_PARAMETER_TEXT:
    case FM_RECORD_METRIC:
    case FM_RECORD_MARKER:
        convert_value(thread, record);
        return;
    case FM_RECORD_PROGRAM_BEGIN:
        count(thread, OTF2_EvtWriter_ProgramBegin(writer, NULL, not_before(thread, record[1]),
                                                  fm_record_ref(record[0]), 0, NULL));
        return;
    case FM_RECORD_PROGRAM_END:
        fm_convert_pending(thread, UINT64_MAX);
        end_all(thread, record[1]);
        count(thread, OTF2_EvtWriter_ProgramEnd(writer, NULL, not_before(thread, record[1]),
                                                OTF2_UNDEFINED_INT64));
        return;
    case FM_RECORD_BYTES_ABOVE:
        thread->bytes_above = record[0];
        return;
    case FM_RECORD_COMPLETE_FULLY: {
        uint64_t time = not_before(thread, thread->pending_leave);
        uint32_t win = fm_record_ref(record[0]);
        count(thread, OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, time, win, record[1]));
        count(thread, OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time, win, record[1]));
        return;
    }
    default: {
        uint64_t time = places[kind] == FM_AT_ENTER ? thread->last_time : thread->pending_leave;
        uint64_t bytes = fm_record_bytes(record[0], thread->bytes_above);
        thread->bytes_above = 0;
        OTF2_ErrorCode code = fm_operation_event(writer, not_before(thread, time), record, bytes);
        count_bytes(thread, fm_operation_event_bytes(record, bytes), code);
    }
    }
}

/* ---- records that are left out ---- */

/* Whether a record belongs to what is left out. @return false: it is to be converted */
static bool is_dropped(struct fm_thread *thread, const uint64_t *record)
{
    struct fm_dropped *dropped = &thread->dropped;
    enum fm_record_kind kind = fm_record_kind(record[0]);
    if (!dropped->active || kind == FM_RECORD_PROGRAM_BEGIN) {
        return false;
    }
    if (kind == FM_RECORD_STACK || kind == FM_RECORD_STACK_SITE) {
        convert_stack(thread, record[0]);
        return true;
    }
    if (dropped->lingers && kind == FM_RECORD_ITERATION && !is_kept(record)) {
        dropped->lingers = false;
        return true;
    }
    if (dropped->lingers || kind == FM_RECORD_PROGRAM_END) {
        bool resumes = dropped->lingers;
        end_dropped(thread, resumes ? dropped->ended : record[1], resumes);
        return false;
    }
    fm_dropped_pass(dropped, &thread->path, record, function_name);
    return true;
}

/* Leaves out all records from a record on, unless it belongs to the call before it. */
static void stop_at_limit(struct fm_thread *thread, const uint64_t *record)
{
    enum fm_record_kind kind = fm_record_kind(record[0]);
    bool is_call = kind == FM_RECORD_CALL || kind == FM_RECORD_CALL_LONG;
    bool has_time = is_call || (places[kind] == FM_BETWEEN_CALLS && kind != FM_RECORD_STACK &&
                                kind != FM_RECORD_STACK_SITE && kind != FM_RECORD_UNRECORDED);
    if (!has_time || kind == FM_RECORD_PROGRAM_BEGIN || kind == FM_RECORD_PROGRAM_END) {
        return;
    }
    has_exceeded = true;
    if (thread->dropped.active && !thread->dropped.lingers) {
        thread->dropped.to_the_end = true;
        return;
    }
    end_dropped(thread, thread->dropped.ended, true);
    begin_dropped(thread, record[1], true);
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
        return is_series(fm_record_aux(record[0]));
    case FM_RECORD_STACK:
        return (fm_record_aux(record[0]) & ~(uint32_t)FM_STACK_CUT) <= thread->path.site_count;
    default:
        return places[kind] == FM_BETWEEN_CALLS || thread->pending || thread->off;
    }
}

bool fm_convert_records(struct fm_thread *thread, const uint64_t *records, size_t words,
                        size_t functions)
{
    const uint64_t *end = records + words;
    while (records < end && !fm_archive_has_failed) {
        if (!is_sound(thread, records, end, functions)) {
            return false;
        }
        enum fm_record_kind kind = fm_record_kind(records[0]);
        if (written > limits.bytes && !thread->dropped.to_the_end) {
            stop_at_limit(thread, records);
        }
        if (!is_dropped(thread, records) && !is_left_out(thread, kind)) {
            convert_record(thread, records);
        }
        fm_overhead_count(&thread->work, kind);
        records += fm_record_words[kind];
    }
    return true;
}
