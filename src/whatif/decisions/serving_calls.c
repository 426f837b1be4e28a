#include "whatif/decisions/serving_calls.h"

#include "analysis/dependencies/dependencies.h"
#include "analysis/model/call_ref.h"
#include "analysis/model/own_metric.h"

/* A dependency on progress. */
struct need {
    uint32_t location; /* that has it */
    uint32_t position; /* among its dependencies */
    bool is_moved;     /* by the last decision */
    bool is_kept;      /* on the measured call */
};

/* The calls of a location that make progress in one library, ascending. */
struct progressing {
    uint32_t location;
    uint8_t paradigm;
    FM_VECTOR(uint32_t) activities;
};

struct fm_serving_calls {
    const struct fm_detail *detail;
    FM_VECTOR(struct need) needs;
    FM_VECTOR(struct progressing) progressing; /* of the targets, ascending by location */
    uint32_t *first; /* [location]: its first list; others of it follow. FM_NONE: none */
};

static const struct fm_dependency *dependency_of(const struct fm_serving_calls *calls,
                                                 const struct need *need)
{
    return &calls->detail->dependencies->of_location[need->location].items[need->position];
}

static uint8_t paradigm_of(const struct fm_serving_calls *calls, const struct need *need)
{
    const struct fm_trace *trace = calls->detail->trace;
    return (uint8_t)fm_trace_called(trace, &trace->locations[need->location],
                                    dependency_of(calls, need)->activity)
        ->paradigm;
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
    calls->first[l] = calls->progressing.count > begin ? (uint32_t)begin : FM_NONE;
}

/* Lists those of all threads of the processes that serve. */
static void list_targets(struct fm_serving_calls *calls)
{
    const struct fm_trace *trace = calls->detail->trace;
    bool *serves = fm_allocate(trace->process_count, sizeof *serves);
    bool *progresses = fm_allocate(trace->region_count, sizeof *progresses);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        progresses[r] = fm_makes_progress(&trace->regions[r]);
    }
    for (size_t i = 0; i < calls->needs.count; i++) {
        const struct fm_dependency *dependency = dependency_of(calls, &calls->needs.items[i]);
        serves[fm_trace_process(trace, dependency->source.place)] = true;
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        calls->first[l] = FM_NONE;
        if (serves[fm_trace_process(trace, l)]) {
            list_progressing(calls, l, progresses);
        }
    }
    fm_free(progresses);
    fm_free(serves);
}

struct fm_serving_calls *fm_serving_calls_create(const struct fm_detail *detail)
{
    struct fm_serving_calls *calls = fm_allocate(1, sizeof *calls);
    calls->detail = detail;
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
        for (uint32_t d = 0; d < dependencies->count; d++) {
            if (dependencies->items[d].rule == FM_DEPENDS_ON_PROGRESS) {
                fm_vector_push(&calls->needs, (struct need){.location = l, .position = d});
            }
        }
    }
    if (calls->needs.count != 0) {
        calls->first = fm_allocate(detail->trace->location_count, sizeof *calls->first);
        list_targets(calls);
    }
    return calls;
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
    fm_free(calls->first);
    fm_free(calls);
}

/* ---- decisions ---- */

/* @return a new time; the measured one without a replay */
static uint64_t time_of(const struct fm_detail *detail, const struct fm_replay *replay,
                        struct fm_call_ref call, bool is_leave)
{
    if (replay == NULL) {
        return is_leave ? fm_call_leave(detail->trace, call) : fm_call_enter(detail->trace, call);
    }
    const struct fm_new_times *times = &replay->locations[call.location];
    return is_leave ? times->leave[call.activity] : times->enter[call.activity];
}

/* @return the first progressing call of a list that runs at `enter` or begins later; activity
 * FM_NONE: none. As the analysis, it takes calls to end in the order in which they begin. */
static struct fm_call_ref first_overlapping(const struct fm_detail *detail,
                                            const struct fm_replay *replay,
                                            const struct progressing *list, uint64_t enter)
{
    size_t low = 0, high = list->activities.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_call_ref call = {list->location, list->activities.items[middle]};
        if (time_of(detail, replay, call, true) <= enter &&
            time_of(detail, replay, call, false) < enter) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (struct fm_call_ref){
        list->location, low < list->activities.count ? list->activities.items[low] : FM_NONE};
}

/* @return the call of the target's threads that serves a need; activity FM_NONE: none */
static struct fm_call_ref serving_call(const struct fm_serving_calls *calls,
                                       const struct fm_replay *replay, const struct need *need)
{
    const struct fm_detail *detail = calls->detail;
    const struct fm_dependency *dependency = dependency_of(calls, need);
    const uint8_t paradigm = paradigm_of(calls, need);
    const struct fm_process *target =
        &detail->trace->processes[fm_trace_process(detail->trace, dependency->source.place)];
    const uint64_t enter =
        time_of(detail, replay, (struct fm_call_ref){need->location, dependency->activity}, false);
    struct fm_call_ref best = {target->first_location, FM_NONE};
    for (uint32_t l = target->first_location; l < target->first_location + target->location_count;
         l++) {
        for (uint32_t i = calls->first[l];
             i < calls->progressing.count && calls->progressing.items[i].location == l; i++) {
            const struct progressing *list = &calls->progressing.items[i];
            if (list->paradigm != paradigm) {
                continue;
            }
            const struct fm_call_ref found = first_overlapping(detail, replay, list, enter);
            if (found.activity != FM_NONE &&
                (best.activity == FM_NONE ||
                 time_of(detail, replay, found, false) < time_of(detail, replay, best, false))) {
                best = found;
            }
        }
    }
    return best;
}

/* @return the call that a loop begins with if a call is one of a loop that polls: its tests are
 * replayed together */
static struct fm_call_ref begin_of_polling(const struct fm_detail *detail, struct fm_call_ref call)
{
    const fm_polling_vector *pollings = &detail->dependencies->pollings[call.location];
    size_t low = 0, high = pollings->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pollings->items[middle].last < call.activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < pollings->count && pollings->items[low].first <= call.activity) {
        call.activity = pollings->items[low].first;
    }
    return call;
}

uint64_t fm_serving_calls_take(struct fm_serving_calls *calls, const struct fm_replay *replay,
                               fm_redirected_vector *decided)
{
    uint64_t moved = 0;
    for (size_t i = 0; i < calls->needs.count; i++) {
        struct need *need = &calls->needs.items[i];
        const struct fm_dependency *dependency = dependency_of(calls, need);
        const struct fm_call_ref measured = {dependency->source.place, dependency->source.index};
        need->is_kept |= need->is_moved && dependency->dropped;
        need->is_moved = false;
        if (need->is_kept) {
            continue;
        }
        struct fm_call_ref now = serving_call(calls, replay, need);
        if (fm_same_call(now, measured)) {
            continue;
        }
        if (!fm_same_call(serving_call(calls, NULL, need), measured)) {
            need->is_kept = true; /* the rule does not explain the measured run */
            continue;
        }
        struct fm_redirected_edit edit = {.position = need->position,
                                          .binds = now.activity != FM_NONE};
        if (edit.binds) {
            now = begin_of_polling(calls->detail, now);
            edit.event.source = fm_awaited_enter(now);
            edit.event.t = fm_call_enter(calls->detail->trace, now);
        }
        fm_vector_push(&decided[need->location], edit);
        need->is_moved = true;
        moved++;
    }
    return moved;
}
