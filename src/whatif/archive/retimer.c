/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/archive/retimer.h"

static const fm_polling_vector no_pollings;

/* Lists the activities that begin with an Enter event: not those that begin behind a call inside
 * another, nor those without a call that records of threads have made. */
static void list_calls(struct fm_retimer *retimer)
{
    const struct fm_location *location = retimer->location;
    size_t continuation = 0, record = 0;
    retimer->activity_of.count = 0;
    fm_vector_reserve(&retimer->activity_of, location->enter.count);
    for (uint32_t a = 0; a < location->enter.count; a++) {
        while (continuation < location->continuations.count &&
               location->continuations.items[continuation].activity < a) {
            continuation++;
        }
        if (continuation < location->continuations.count &&
            location->continuations.items[continuation].activity == a) {
            continue;
        }
        while (record < location->threads.count &&
               ((location->threads.items[record].type != FM_THREAD_END &&
                 location->threads.items[record].type != FM_THREAD_TASK_COMPLETE) ||
                location->threads.items[record].activity == FM_NONE ||
                location->threads.items[record].activity < a)) {
            record++;
        }
        if (record < location->threads.count && location->threads.items[record].activity == a) {
            continue;
        }
        retimer->activity_of.items[retimer->activity_of.count++] = a;
    }
}

void fm_retimer_begin(struct fm_retimer *retimer, const struct fm_detail *detail, uint32_t l,
                      const struct fm_replay *replay, const struct fm_edits *edits)
{
    retimer->location = &detail->trace->locations[l];
    retimer->marks = &detail->dependencies->marks[l];
    retimer->times = &replay->locations[l];
    retimer->edits = edits == NULL ? NULL : &edits[l];
    fm_steps_begin(&retimer->steps, retimer->location, &no_pollings, retimer->marks);
    retimer->has_next = fm_steps_next(&retimer->steps, &retimer->next);
    retimer->old_last = retimer->location->begin;
    retimer->new_last = retimer->times->begin;
    retimer->stretch = retimer->removed = retimer->release = 0;
    retimer->latest = 0;
    retimer->left_out = FM_NONE;
    list_calls(retimer);
}

static uint64_t new_time(const struct fm_retimer *retimer, const struct fm_step *step)
{
    return step->kind == FM_STEP_LEAVE   ? retimer->times->leave[step->first]
           : step->kind == FM_STEP_ENTER ? retimer->times->enter[step->first]
                                         : retimer->times->marks[step->first];
}

static struct fm_step consume(struct fm_retimer *retimer)
{
    const struct fm_step step = retimer->next;
    retimer->old_last = step.time;
    retimer->new_last = new_time(retimer, &step);
    retimer->has_next = fm_steps_next(&retimer->steps, &retimer->next);
    while (retimer->edits != NULL && retimer->stretch < retimer->edits->stretches.count &&
           retimer->edits->stretches.items[retimer->stretch].end <= step.time) {
        retimer->stretch++;
    }
    return step;
}

/* @return the activity that begins the call of an activity */
static uint32_t begin_of_call(const struct fm_location *location, uint32_t activity)
{
    size_t low = 0, high = location->continuations.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (location->continuations.items[middle].activity < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < location->continuations.count &&
                   location->continuations.items[low].activity == activity
               ? location->continuations.items[low].first
               : activity;
}

/* @return the new time in computation behind the last step */
static uint64_t map_computation(struct fm_retimer *retimer, uint64_t time)
{
    retimer->new_last +=
        retimer->edits == NULL
            ? time - retimer->old_last
            : fm_edited_length(retimer->edits, &retimer->stretch, retimer->old_last, time);
    retimer->old_last = time;
    return retimer->new_last;
}

static uint64_t map(struct fm_retimer *retimer, uint64_t time)
{
    if (retimer->has_next && retimer->next.kind == FM_STEP_MARK && retimer->next.time == time) {
        consume(retimer);
    }
    if (time <= retimer->old_last) {
        return retimer->new_last;
    }
    const uint64_t end = retimer->has_next ? new_time(retimer, &retimer->next) : UINT64_MAX;
    if (!retimer->has_next || !retimer->next.is_inside) {
        const uint64_t mapped = map_computation(retimer, time);
        return mapped < end ? mapped : end;
    }
    const uint64_t before = retimer->next.time - time;
    return end > before && end - before > retimer->new_last ? end - before : retimer->new_last;
}

/* Whether a step is the Enter or Leave event of a call. */
static bool is_event(const struct fm_retimer *retimer, const struct fm_step *step,
                     fm_otf2_event_t event, uint32_t activity)
{
    if (step->kind == FM_STEP_LEAVE) {
        return event == FM_OTF2_CALL_LEAVE &&
               begin_of_call(retimer->location, step->first) == activity;
    }
    return step->kind == FM_STEP_ENTER && event == FM_OTF2_CALL_ENTER && step->first == activity;
}

/* @return the new time of an instant that lies before the last step */
static uint64_t map_earlier(const struct fm_retimer *retimer, uint64_t time)
{
    const struct fm_location *location = retimer->location;
    const uint32_t entered = fm_trace_entered(location, time);
    uint64_t old = location->begin, new = retimer->times->begin;
    if (entered > 0) {
        old = location->leave.items[entered - 1];
        new = retimer->times->leave[entered - 1];
        if (time <= old) { /* inside the call */
            const uint64_t enter = retimer->times->enter[entered - 1];
            return new > old - time &&new - (old - time) > enter ? new - (old - time) : enter;
        }
    }
    if (retimer->edits == NULL) {
        return new + (time - old);
    }
    size_t edit = 0;
    for (size_t end = retimer->edits->stretches.count; edit < end;) {
        const size_t middle = edit + (end - edit) / 2;
        if (retimer->edits->stretches.items[middle].end <= old) {
            edit = middle + 1;
        } else {
            end = middle;
        }
    }
    return new + fm_edited_length(retimer->edits, &edit, old, time);
}

uint64_t fm_retimer_acquisition(struct fm_retimer *retimer)
{
    const struct fm_location *location = retimer->location;
    while (retimer->release < location->threads.count) {
        const struct fm_thread_record *record = &location->threads.items[retimer->release++];
        if (record->type == FM_THREAD_LOCK_RELEASE && record->acquired != UINT64_MAX) {
            return map_earlier(retimer, record->acquired);
        }
    }
    return retimer->latest;
}

static bool is_removed(struct fm_retimer *retimer, uint32_t activity)
{
    if (retimer->edits == NULL) {
        return false;
    }
    while (retimer->removed < retimer->edits->removed.count &&
           retimer->edits->removed.items[retimer->removed] < activity) {
        retimer->removed++;
    }
    return retimer->removed < retimer->edits->removed.count &&
           retimer->edits->removed.items[retimer->removed] == activity;
}

uint64_t fm_retimer_map(struct fm_retimer *retimer, fm_otf2_event_t event, uint32_t call,
                        uint64_t time)
{
    const bool is_call = event != FM_OTF2_RECORD && call < retimer->activity_of.count;
    const uint32_t activity = is_call ? retimer->activity_of.items[call] : FM_NONE;
    while (retimer->has_next && retimer->next.time < time) {
        consume(retimer);
    }
    uint64_t mapped = 0;
    if (is_call) {
        bool found = false;
        while (!found && retimer->has_next && retimer->next.time == time) {
            const struct fm_step step = consume(retimer);
            found = is_event(retimer, &step, event, activity);
        }
        mapped = found ? retimer->new_last : map(retimer, time);
    } else {
        mapped = map(retimer, time);
    }
    retimer->latest = mapped > retimer->latest ? mapped : retimer->latest;
    if (event == FM_OTF2_CALL_ENTER && is_call && is_removed(retimer, activity)) {
        retimer->left_out = activity;
    }
    if (retimer->left_out == FM_NONE) {
        return retimer->latest;
    }
    if (event == FM_OTF2_CALL_LEAVE && retimer->left_out == activity) {
        retimer->left_out = FM_NONE;
    }
    return FM_OTF2_LEFT_OUT;
}

void fm_retimer_free(struct fm_retimer *retimer)
{
    fm_steps_free(&retimer->steps);
    fm_vector_free(&retimer->activity_of);
}
