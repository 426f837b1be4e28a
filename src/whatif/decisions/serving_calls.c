/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/decisions/serving_calls.h"

#include "analysis/dependencies/polling.h"
#include "analysis/model/call_ref.h"
#include "analysis/model/own_metric.h"

/* A dependency on progress. */
struct need {
    uint32_t location;        /* that has it */
    uint32_t position;        /* among its dependencies */
    uint32_t activity;        /* with whose Enter it begins: its call, or the first one of the loop
                                 that this ends */
    uint32_t first, end;      /* the lists of its target's threads */
    uint64_t locked_until;    /* as measured; 0: its call does not depend on a lock */
    struct fm_call_ref event; /* the target's call with whose Enter the need begins, if that is
                                 behind the Enter of its own; activity FM_NONE: none */
    uint64_t lag;             /* from that Enter to the begin: its call may only start something */
    bool is_moved;            /* in the prediction */
    bool is_kept;             /* as measured in all predictions */
    uint8_t paradigm;         /* of the library that serves */
};

/* The calls of a location that make progress in one library, ascending. */
struct progressing {
    uint32_t location;
    uint8_t paradigm;
    uint32_t recent; /* where the last search ended */
    FM_VECTOR(uint32_t) activities;
};

struct fm_serving_calls {
    const struct fm_detail *detail;
    FM_VECTOR(struct need) needs;
    FM_VECTOR(struct progressing) progressing; /* of the targets, ascending by location */
};

static const struct fm_dependency *dependency_of(const struct fm_serving_calls *calls,
                                                 const struct need *need)
{
    return &calls->detail->dependencies->of_location[need->location].items[need->position];
}

static uint8_t paradigm_of(const struct fm_trace *trace, uint32_t l, uint32_t activity)
{
    return (uint8_t)fm_trace_called(trace, &trace->locations[l], activity)->paradigm;
}

static uint32_t target_of(const struct fm_serving_calls *calls, const struct need *need)
{
    return fm_trace_process(calls->detail->trace, dependency_of(calls, need)->source.place);
}

/* ---- the calls that make progress ---- */

/* Lists the progressing calls of a location, by library. */
static void list_progressing(struct fm_serving_calls *calls, uint32_t l, const bool *progresses)
{
    const struct fm_trace *trace = calls->detail->trace;
    const struct fm_location *location = &trace->locations[l];
    const size_t begin = calls->progressing.count;
    for (uint32_t a = 0; a < location->enter.count; a++) {
        const uint32_t region = fm_trace_region(location, a);
        const uint8_t paradigm = (uint8_t)trace->regions[region].paradigm;
        size_t i = begin;
        if (!progresses[region]) {
            continue;
        }
        while (i < calls->progressing.count && calls->progressing.items[i].paradigm != paradigm) {
            i++;
        }
        if (i == calls->progressing.count) {
            fm_vector_push(&calls->progressing,
                           (struct progressing){.location = l, .paradigm = paradigm});
        }
        fm_vector_push(&calls->progressing.items[i].activities, a);
    }
}

/* Lists those of all threads of the processes that serve. */
static void list_targets(struct fm_serving_calls *calls)
{
    const struct fm_trace *trace = calls->detail->trace;
    bool *serves = fm_allocate(trace->process_count, sizeof *serves);
    bool *progresses = fm_allocate(trace->region_count, sizeof *progresses);
    uint32_t *end = fm_allocate(trace->process_count, sizeof *end); /* of the lists of each */
    for (uint32_t r = 0; r < trace->region_count; r++) {
        progresses[r] = fm_makes_progress(&trace->regions[r]);
    }
    for (size_t i = 0; i < calls->needs.count; i++) {
        serves[target_of(calls, &calls->needs.items[i])] = true;
    }
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const struct fm_process *process = &trace->processes[p];
        for (uint32_t k = 0; k < process->location_count && serves[p]; k++) {
            list_progressing(calls, process->first_location + k, progresses);
        }
        end[p] = (uint32_t)calls->progressing.count;
    }
    for (size_t i = 0; i < calls->needs.count; i++) {
        struct need *need = &calls->needs.items[i];
        const uint32_t target = target_of(calls, need);
        need->first = target == 0 ? 0 : end[target - 1];
        need->end = end[target];
    }
    fm_free(end);
    fm_free(progresses);
    fm_free(serves);
}

void fm_serving_calls_free(struct fm_serving_calls *calls)
{
    if (calls == NULL) {
        return;
    }
    for (size_t i = 0; i < calls->progressing.count; i++) {
        fm_vector_free(&calls->progressing.items[i].activities);
    }
    fm_vector_free(&calls->progressing);
    fm_vector_free(&calls->needs);
    fm_free(calls);
}

/* ---- a prediction ---- */

void fm_serving_calls_list(const struct fm_serving_calls *calls, uint32_t subject,
                           fm_decided_vector *decided)
{
    for (uint32_t i = 0; i < calls->needs.count; i++) {
        const struct need *need = &calls->needs.items[i];
        const struct fm_decided_dependency added = {need->position, subject, i};
        fm_vector_push(&decided[need->location], added);
    }
}

void fm_serving_calls_begin(struct fm_serving_calls *calls)
{
    for (size_t i = 0; i < calls->needs.count; i++) {
        calls->needs.items[i].is_moved = false;
    }
    for (size_t i = 0; i < calls->progressing.count; i++) {
        calls->progressing.items[i].recent = 0;
    }
}

uint64_t fm_serving_calls_moved(const struct fm_serving_calls *calls)
{
    uint64_t moved = 0;
    for (size_t i = 0; i < calls->needs.count; i++) {
        moved += calls->needs.items[i].is_moved;
    }
    return moved;
}

uint64_t fm_serving_calls_keep_moved(struct fm_serving_calls *calls)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < calls->needs.count; i++) {
        struct need *need = &calls->needs.items[i];
        kept += need->is_moved;
        need->is_kept |= need->is_moved;
    }
    return kept;
}

/* The times of a location's calls: those of a replay, UNKNOWN where they are not known yet, or the
 * measured ones. */
struct times {
    const struct fm_location *measured;
    const struct fm_new_times *replayed; /* NULL: the measured ones */
};

static struct times times_of(const struct fm_detail *detail, const struct fm_replay *replay,
                             uint32_t location)
{
    return (struct times){&detail->trace->locations[location],
                          replay == NULL ? NULL : &replay->locations[location]};
}

static inline uint64_t enter_of(struct times times, uint32_t activity)
{
    return times.replayed == NULL
               ? times.measured->enter.items[activity]
               : atomic_load_explicit(&times.replayed->enter[activity], memory_order_relaxed);
}

static inline uint64_t leave_of(struct times times, uint32_t activity)
{
    return times.replayed == NULL
               ? times.measured->leave.items[activity]
               : atomic_load_explicit(&times.replayed->leave[activity], memory_order_relaxed);
}

/* @return whether a call that has not ended is known to end behind a time: it needs not be reached
 * to decide that the call runs at it */
static inline bool ends_behind(struct times times, uint32_t activity, uint64_t time)
{
    return times.replayed != NULL && times.replayed->blocked_call == activity &&
           times.replayed->blocked_until > time;
}

/* @return whether a call of a list has ended at `time` */
static inline bool is_past(struct times times, const struct progressing *list, uint32_t position,
                           uint64_t time)
{
    return leave_of(times, list->activities.items[position]) <= time;
}

/* @return the first progressing call of a list that runs at `enter` or begins later, as far as
 * known; FM_NONE: none. As the analysis, it takes calls to end in the order in which they begin.
 * The search goes on from where the last one ended, in steps that double. */
static uint32_t first_overlapping(struct times times, struct progressing *list, uint64_t enter)
{
    const uint32_t count = (uint32_t)list->activities.count;
    uint32_t low = 0, high = count, step = 1;
    const uint32_t begin = list->recent < count ? list->recent : count - 1;
    if (is_past(times, list, begin, enter)) {
        low = begin + 1;
        while (low < count && step <= count - low && is_past(times, list, low + step - 1, enter)) {
            low += step;
            step *= 2;
        }
        high = step <= count - low ? low + step - 1 : count;
    } else {
        high = begin;
        while (high >= step && !is_past(times, list, high - step, enter)) {
            high -= step;
            step *= 2;
        }
        low = high >= step ? high - step + 1 : 0;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_past(times, list, middle, enter)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    list->recent = low;
    return low < count ? list->activities.items[low] : FM_NONE;
}

/* @return the loop that a call is part of, if it polls; NULL */
static const struct fm_polling *polling_of(const struct fm_detail *detail, struct fm_call_ref call)
{
    return fm_polling_around(&detail->dependencies->pollings[call.location], call.activity);
}

/* What is known of the call that serves. */
struct search {
    struct fm_call_ref best; /* begins first; activity FM_NONE: none */
    uint64_t begin;          /* of it; FM_UNKNOWN_TIME: there is none */
    struct fm_call_ref next; /* the one that is to be entered next, of a thread of which nothing
                                else is known; activity FM_NONE: none */
    uint32_t next_count;     /* threads of which that is so */
    bool is_open;            /* a call may end at `enter` or before */
};

/* Searches the threads of the target.
 * @param is_certain  what has no time yet happens behind `enter`, or at it */
static struct search search_target(struct fm_serving_calls *calls, const struct fm_replay *replay,
                                   const struct need *need, uint64_t enter, bool is_certain)
{
    struct search search = {
        .best.activity = FM_NONE, .begin = FM_UNKNOWN_TIME, .next.activity = FM_NONE};
    for (uint32_t i = need->first; i < need->end; i++) {
        struct progressing *list = &calls->progressing.items[i];
        if (list->paradigm != need->paradigm) {
            continue;
        }
        const struct times times = times_of(calls->detail, replay, list->location);
        const struct fm_call_ref found = {list->location, first_overlapping(times, list, enter)};
        if (found.activity == FM_NONE) {
            continue;
        }
        const uint64_t begin = enter_of(times, found.activity);
        if (begin == FM_UNKNOWN_TIME) {
            search.next_count++;
            if (search.next.activity == FM_NONE ||
                found.location == dependency_of(calls, need)->source.place) {
                search.next = found;
            }
            continue;
        }
        search.is_open |= !is_certain && begin < enter &&
                          leave_of(times, found.activity) == FM_UNKNOWN_TIME &&
                          !ends_behind(times, found.activity, enter);
        if (begin < search.begin) {
            search.best = found;
            search.begin = begin;
        }
    }
    return search;
}

/* @return when a need begins. @param replay  NULL: as measured */
static uint64_t begin_of(const struct fm_serving_calls *calls, const struct fm_replay *replay,
                         const struct need *need, uint64_t enter)
{
    const uint64_t locked =
        replay == NULL ? need->locked_until : replay->locations[need->location].locked_until;
    uint64_t begin = locked > enter ? locked : enter;
    if (need->event.activity != FM_NONE) {
        const uint64_t event =
            enter_of(times_of(calls->detail, replay, need->event.location), need->event.activity);
        if (event != FM_UNKNOWN_TIME && event + need->lag > begin) {
            begin = event + need->lag;
        }
    }
    return begin;
}

/* @return whether the rule finds the call that served a need when measured */
static bool is_explained(struct fm_serving_calls *calls, const struct need *need)
{
    const struct fm_dependency *dependency = dependency_of(calls, need);
    const struct fm_call_ref measured = {dependency->source.place, dependency->source.index};
    const struct times times = times_of(calls->detail, NULL, need->location);
    const uint64_t begin = begin_of(calls, NULL, need, enter_of(times, need->activity));
    return fm_same_call(search_target(calls, NULL, need, begin, true).best, measured);
}

/* Keeps as measured what the rule does not explain: needs that another call served when measured.
 * The call with which a need begins counts to its end where only that explains the measured run. */
static void keep_unexplained(struct fm_serving_calls *calls)
{
    for (size_t i = 0; i < calls->needs.count; i++) {
        struct need *need = &calls->needs.items[i];
        need->is_kept = !is_explained(calls, need);
        if (need->is_kept && need->event.activity != FM_NONE) {
            need->lag = fm_call_leave(calls->detail->trace, need->event) -
                        fm_call_enter(calls->detail->trace, need->event);
            need->is_kept = !is_explained(calls, need);
        }
    }
}

/* @return the latest event of a junction, or a source that is none */
static struct fm_awaited latest_of(const struct fm_detail *detail, struct fm_awaited source)
{
    const struct fm_dependencies *dependencies = detail->dependencies;
    while (source.kind == FM_AWAITED_JUNCTION) {
        const struct fm_junction_table *table = &dependencies->tables[source.place];
        const struct fm_junction *junction = &table->junctions.items[source.index];
        for (uint32_t i = 0; i < junction->input_count; i++) {
            source = table->inputs.items[junction->first_input + i];
            if (fm_awaited_time(detail->trace, dependencies, source) == junction->t) {
                break;
            }
        }
    }
    return source;
}

static bool is_of_collective(uint8_t rule)
{
    return rule == FM_DEPENDS_ON_COLLECTIVE || rule == FM_DEPENDS_ON_ROOT ||
           rule == FM_DEPENDS_ON_CONTRIBUTION || rule == FM_DEPENDS_ON_SCAN;
}

/* Finds the event with which a need of a call begins: the latest one, of those that the call
 * depends on, of the process that serves; the start of the last member of a collective.
 * @param first  the first dependency of the call
 * @param begin  the activity with which the call begins */
static struct fm_call_ref find_event(const struct fm_detail *detail, uint32_t location,
                                     uint32_t first, const struct fm_dependency *need,
                                     uint32_t begin)
{
    const fm_dependency_vector *dependencies = &detail->dependencies->of_location[location];
    const uint32_t target = fm_trace_process(detail->trace, need->source.place);
    struct fm_call_ref event = {FM_NONE, FM_NONE};
    uint64_t latest = detail->trace->locations[location].enter.items[begin];
    for (uint32_t d = first;
         d < dependencies->count && dependencies->items[d].activity == need->activity; d++) {
        const struct fm_dependency *other = &dependencies->items[d];
        const bool is_event = other->rule == FM_DEPENDS_ON_SENDER ||
                              other->rule == FM_DEPENDS_ON_RECEIVER ||
                              other->rule == FM_DEPENDS_ON_POST;
        const struct fm_awaited source = latest_of(detail, other->source);
        if (source.kind == FM_AWAITED_ENTER && other->t > latest &&
            (is_of_collective(other->rule) ||
             (is_event && fm_trace_process(detail->trace, source.place) == target))) {
            latest = other->t;
            event = (struct fm_call_ref){source.place, source.index};
        }
    }
    return event;
}

/* @param first  the first dependency of the call
 * @param d      its dependency on progress */
static void add_need(struct fm_serving_calls *calls, uint32_t l, uint32_t first, uint32_t d,
                     uint64_t locked_until)
{
    const struct fm_detail *detail = calls->detail;
    const struct fm_dependency *dependency = &detail->dependencies->of_location[l].items[d];
    const struct fm_polling *polling =
        polling_of(detail, (struct fm_call_ref){l, dependency->activity});
    const uint32_t begin = polling == NULL ? dependency->activity : polling->first;
    const struct need need = {
        .location = l,
        .position = d,
        .activity = begin,
        .locked_until = locked_until,
        .event = find_event(detail, l, first, dependency, begin),
        .paradigm = paradigm_of(detail->trace, l, dependency->activity),
    };
    fm_vector_push(&calls->needs, need);
}

struct fm_serving_calls *fm_serving_calls_create(const struct fm_detail *detail)
{
    struct fm_serving_calls *calls = fm_allocate(1, sizeof *calls);
    calls->detail = detail;
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
        uint64_t locked_until = 0;
        uint32_t first = 0; /* of the same call */
        for (uint32_t d = 0; d < dependencies->count; d++) {
            const bool is_next =
                d == 0 || dependencies->items[d].activity != dependencies->items[d - 1].activity;
            locked_until = is_next ? 0 : locked_until;
            first = is_next ? d : first;
            if (dependencies->items[d].rule == FM_DEPENDS_ON_LOCK &&
                dependencies->items[d].t > locked_until) {
                locked_until = dependencies->items[d].t;
            }
            if (dependencies->items[d].rule == FM_DEPENDS_ON_PROGRESS) {
                add_need(calls, l, first, d, locked_until);
            }
        }
    }
    if (calls->needs.count != 0) {
        list_targets(calls);
        keep_unexplained(calls);
    }
    return calls;
}

/* @return what the choice of a call means for a need */
static fm_event_choice_t serve(const struct fm_serving_calls *calls, struct need *need,
                               struct fm_call_ref chosen, struct fm_dependency *event)
{
    const struct fm_detail *detail = calls->detail;
    const struct fm_awaited source = dependency_of(calls, need)->source;
    const struct fm_call_ref measured = {source.place, source.index};
    need->is_moved = !fm_same_call(chosen, measured);
    if (!need->is_moved) {
        return FM_EVENT_MEASURED;
    }
    if (chosen.activity == FM_NONE) {
        return FM_EVENT_NONE;
    }
    const struct fm_polling *polling = polling_of(detail, chosen);
    if (polling != NULL) { /* its tests are replayed together */
        chosen.activity = polling->first;
    }
    event->source = fm_awaited_enter(chosen);
    event->t = fm_call_enter(detail->trace, chosen);
    return FM_EVENT_OTHER;
}

/* @return whether a call is one of a loop that polls, which has not ended, and the measured one is
 * of the same loop: the times of its tests are known at its end only */
static bool polls_with_measured(const struct fm_detail *detail, const struct fm_replay *replay,
                                struct fm_call_ref call, struct fm_awaited measured)
{
    const struct fm_polling *polling = polling_of(detail, call);
    return polling != NULL && call.location == measured.place &&
           leave_of(times_of(detail, replay, call.location), call.activity) == FM_UNKNOWN_TIME &&
           polling == polling_of(detail, (struct fm_call_ref){measured.place, measured.index});
}

fm_event_choice_t fm_serving_calls_choose(struct fm_serving_calls *calls,
                                          const struct fm_replay *replay, uint32_t number,
                                          struct fm_known_requests known, bool is_last,
                                          struct fm_dependency *event, struct fm_turn_wait *wait)
{
    const struct fm_detail *detail = calls->detail;
    struct need *need = &calls->needs.items[number];
    const struct fm_dependency *dependency = dependency_of(calls, need);
    if (number + FM_CALLS_AHEAD < calls->needs.count) {
        __builtin_prefetch(need + FM_CALLS_AHEAD, 1);
    }
    if (need->is_kept) {
        return FM_EVENT_MEASURED;
    }
    const uint64_t enter = enter_of(times_of(detail, replay, need->location), need->activity);
    const uint64_t begin = begin_of(calls, replay, need, enter);
    const struct search search =
        search_target(calls, replay, need, begin, is_last || known.until >= begin);
    if (search.best.activity != FM_NONE &&
        polls_with_measured(detail, replay, search.best, dependency->source)) {
        return FM_EVENT_MEASURED;
    }
    if (search.is_open) {
        *wait = (struct fm_turn_wait){begin, true, FM_NONE};
        return FM_EVENT_OPEN;
    }
    if (search.next_count == 0 || search.begin <= known.until) {
        return serve(calls, need, search.best, event);
    }
    if (is_last || (search.next_count == 1 && search.begin == FM_UNKNOWN_TIME)) {
        return serve(calls, need, search.next, event);
    }
    *wait = (struct fm_turn_wait){search.begin, true, FM_NONE}; /* other threads may begin before */
    return FM_EVENT_OPEN;
}
