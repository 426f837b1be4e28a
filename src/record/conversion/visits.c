/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/visits.h"

#include <string.h>

static void write_region(void *context, bool enter, uint32_t region, uint64_t time)
{
    struct fm_thread *thread = context;
    time = fm_convert_not_before(thread, fm_convert_after_last(thread, time));
    fm_convert_count_region(thread, region,
                            enter ? OTF2_EvtWriter_Enter(thread->writer, NULL, time, region)
                                  : OTF2_EvtWriter_Leave(thread->writer, NULL, time, region));
}

static uint32_t number_at_line(uint32_t region, uint32_t line)
{
    if (region == FM_CALLSITE_UNKNOWN) {
        region = fm_define_region(fm_convert_state.definitions, "(unknown code)",
                                  OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                  OTF2_REGION_FLAG_NONE, NULL, 0);
        if (region == FM_DEFINE_NONE) {
            return FM_DEFINE_NONE;
        }
    }
    return fm_event_region(fm_convert_state.regions, FM_FUNCTIONS_MOST + region, line);
}

static uint32_t number_region(void *context, uint32_t region, uint32_t line)
{
    (void)context;
    return number_at_line(region, line);
}

uint32_t fm_visits_region_number(uint32_t region)
{
    return number_at_line(region, FM_DEFINE_NONE);
}

/* In the program's marks the name of a function lacks its class, name space or module (such as
 * __func__ in C++). */
static bool is_marked_by(void *context, uint32_t function, uint32_t region)
{
    (void)context;
    const char *whole = fm_convert_region_name(function), *name = fm_convert_region_name(region);
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

/* Times of changes before an event: functions end that are on the stack of the last event, not on
 * that of the next; others begin. */
static struct fm_path_times times_before(const struct fm_thread *thread, uint64_t next)
{
    uint64_t begun = begin_before(thread, next);
    return (struct fm_path_times){
        .over = fm_visits_are_sampled(thread, next) ? begun : thread->last_time, .begun = begun};
}

/* Times of changes before an event that releases a lock which a function on the stack had taken: it
 * was on the stack then, too. */
static struct fm_path_times times_at_hold(const struct fm_thread *thread)
{
    uint64_t begin = thread->held_since;
    return (struct fm_path_times){
        .over = fm_visits_are_sampled(thread, begin) ? begin : thread->last_time, .begun = begin};
}

static struct fm_path_times times_of_change(const struct fm_thread *thread, uint64_t next)
{
    return fm_lock_hold_begins(thread, next) && fm_lock_was_taken_by_innermost(thread)
               ? times_at_hold(thread)
               : times_before(thread, next);
}

void fm_visits_change(struct fm_thread *thread, uint64_t next)
{
    struct fm_path_writer writer = path_writer(thread);
    const struct fm_path_times times = times_of_change(thread, next);
    fm_convert_check(fm_path_settle(&thread->path, fm_convert_state.callsites, &writer, times.over,
                                    times.begun));
}

void fm_visits_settle_uncalled(struct fm_thread *thread, uint64_t next)
{
    fm_visits_compare(thread, next);
    if (!fm_path_is_settled(&thread->path)) {
        struct fm_path_writer writer = path_writer(thread);
        const struct fm_path_times times = times_of_change(thread, next);
        fm_convert_check(fm_path_settle_sample(&thread->path, fm_convert_state.callsites, &writer,
                                               times.over, times.begun));
    }
}

void fm_visits_begin_region(struct fm_thread *thread, uint64_t header, uint64_t time)
{
    fm_convert_pending(thread, time);
    struct fm_path_writer writer = path_writer(thread);
    uint64_t next = fm_convert_after_last(thread, time);
    uint32_t ref = fm_record_ref(header);
    bool has_stack = fm_record_kind(header) == FM_RECORD_REGION_ENTER ||
                     (fm_record_aux(header) & FM_PATH_APART) == 0;
    if (has_stack) {
        fm_visits_compare(thread, next);
    }
    struct fm_path_times times = times_before(thread, next);
    times.over = has_stack ? times.over : thread->last_time;
    times.marked = time;
    fm_convert_check(
        fm_record_kind(header) == FM_RECORD_REGION_ENTER
            ? fm_path_begin(&thread->path, fm_convert_state.callsites, ref, &writer, &times)
            : fm_path_enter_function(&thread->path, fm_convert_state.callsites, ref,
                                     fm_record_aux(header), &writer, &times));
}

void fm_visits_end_region(struct fm_thread *thread, uint64_t header, uint64_t time)
{
    fm_convert_pending(thread, time);
    struct fm_path_writer writer = path_writer(thread);
    if (fm_record_kind(header) == FM_RECORD_REGION_LEAVE) {
        fm_path_end(&thread->path, fm_record_ref(header), &writer, time);
    } else {
        fm_path_leave_functions(&thread->path, fm_record_ref(header), &writer, time);
    }
}

void fm_visits_end_marked_behind(struct fm_thread *thread, uint32_t count, uint64_t time)
{
    struct fm_path_writer writer = path_writer(thread);
    fm_path_end_behind(&thread->path, count, &writer, time);
}

void fm_visits_leave_functions(struct fm_thread *thread, uint32_t count, uint64_t time)
{
    struct fm_path_writer writer = path_writer(thread);
    fm_path_leave_functions(&thread->path, count, &writer, time);
}

void fm_visits_end_all(struct fm_thread *thread, uint64_t time)
{
    struct fm_path_writer writer = path_writer(thread);
    fm_path_end_all(&thread->path, &writer, time);
}

void fm_visits_change_stack(struct fm_thread *thread, uint64_t header)
{
    uint32_t site = fm_record_ref(header), aux = fm_record_aux(header);
    bool good = true;
    if (fm_record_kind(header) == FM_RECORD_STACK) {
        uint32_t kept = aux & ~(uint32_t)FM_STACK_CUT;
        bool cut = (aux & FM_STACK_CUT) != 0;
        if (site != FM_STACK_NO_SITE &&
            fm_path_move(&thread->path, fm_convert_state.callsites, kept, cut, site)) {
            return;
        }
        good = fm_path_pop(&thread->path, kept, cut);
    }
    fm_convert_check(good && (site == FM_STACK_NO_SITE || fm_path_push(&thread->path, site)));
}

void fm_visits_sample(struct fm_thread *thread, uint64_t time, uint64_t since, uint32_t reach)
{
    fm_convert_pending(thread, time);
    uint64_t begun = since > thread->gap ? since : thread->gap;
    begun = begun > thread->last_time ? begun : thread->last_time;
    if (begun > time || thread->last_time == 0) {
        begun = time;
    }
    uint64_t over = thread->last_time;
    if (fm_lock_hold_begins(thread, time) && fm_lock_was_taken_on_stack(thread)) {
        struct fm_path_times times = times_at_hold(thread);
        over = times.over;
        begun = times.begun > begun ? times.begun : begun;
    }
    struct fm_path_writer writer = path_writer(thread);
    fm_convert_check(
        fm_path_settle_sample(&thread->path, fm_convert_state.callsites, &writer, over, begun));
    thread->sampled = fm_convert_not_before(thread, time);
    thread->sample_reach = reach;
}
