/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/replay/follower.h"

#include <stddef.h>

bool fm_awaited_reached(const struct fm_replay_run *run, struct fm_awaited source, uint64_t *time)
{
    const struct fm_new_times *times = NULL;
    switch ((fm_awaited_kind_t)source.kind) {
    case FM_AWAITED_JUNCTION:
        *time = atomic_load_explicit(&run->crossings[source.place][source.index].time,
                                     memory_order_acquire);
        break;
    case FM_AWAITED_MARK:
        times = &run->replay->locations[source.place];
        *time = atomic_load_explicit(
            &times->marks[fm_mark_position(&run->dependencies->marks[source.place], source.index)],
            memory_order_acquire);
        break;
    case FM_AWAITED_LEAVE:
        times = &run->replay->locations[source.place];
        *time = atomic_load_explicit(&times->leave[source.index], memory_order_acquire);
        break;
    case FM_AWAITED_ENTER:
        times = &run->replay->locations[source.place];
        *time = atomic_load_explicit(&times->enter[source.index], memory_order_acquire);
        break;
    }
    return *time != FM_NOT_REACHED;
}

/* @return the new time of an awaited event, from that of its source */
static uint64_t new_time(const struct fm_replay_run *run, const struct fm_dependency *dependency,
                         uint64_t time)
{
    const struct fm_awaited source = dependency->source;
    if (source.kind == FM_AWAITED_ENTER) {
        return time +
               (dependency->t - run->trace->locations[source.place].enter.items[source.index]);
    }
    if (source.kind == FM_AWAITED_LEAVE) {
        const uint64_t before =
            run->trace->locations[source.place].leave.items[source.index] - dependency->t;
        const uint64_t enter = run->replay->locations[source.place].enter[source.index];
        return time > before && time - before > enter ? time - before : enter;
    }
    return time;
}

/* ---- other events in the changed run ---- */

static const struct fm_redirected_edit *redirection_of(const struct fm_replay_run *run, uint32_t l,
                                                       uint32_t position)
{
    return run->edits == NULL || run->edits[l].redirected.count == 0
               ? NULL
               : fm_redirection_in(&run->edits[l].redirected, position);
}

/* @param decided  in: an entry of the decider before that of the dependency; out: its entry, or one
 * behind it
 * @return whether the dependency is decided */
static bool is_decided(const struct fm_replay_run *run, uint32_t l, uint32_t position,
                       size_t *decided)
{
    if (run->decider == NULL) {
        return false;
    }
    const fm_decided_vector *all = &run->decider->decided[l];
    while (*decided < all->count && all->items[*decided].position < position) {
        ++*decided;
    }
    return *decided < all->count && all->items[*decided].position == position;
}

/* What a dependency of a call is in the replay. */
struct binding {
    const struct fm_dependency *event; /* what the call waits for; NULL: nothing */
    bool was_bound; /* the measured call waited for the dependency's own event, or could have */
    bool is_other;  /* the event is not the dependency's own */
    struct fm_dependency decided;
};

/* @param freed    rules that do not bind the call
 * @param decided  as in is_decided()
 * @return false: that is not decided yet */
static bool binding_of(const struct fm_replay_run *run, uint32_t l,
                       const struct fm_dependency *dependency, uint32_t freed, size_t *decided,
                       struct binding *binding)
{
    const uint32_t position = (uint32_t)(dependency - run->dependencies->of_location[l].items);
    const struct fm_redirected_edit *redirected = redirection_of(run, l, position);
    const bool is_dormant = (FM_DORMANT_RULES >> dependency->rule & 1) != 0;
    bool is_freed = (freed >> dependency->rule & 1) != 0;
    binding->event = dependency;
    binding->was_bound = !dependency->dropped && !(is_freed && is_dormant);
    binding->is_other = redirected != NULL;
    if (redirected != NULL) {
        is_freed = !redirected->binds || (is_freed && !is_dormant);
        binding->event = &redirected->event;
        binding->was_bound = !is_dormant;
    } else if (is_decided(run, l, position, decided) && !dependency->dropped &&
               !dependency->other_dropped && (is_dormant || !is_freed)) {
        struct fm_decider *decider = run->decider;
        const fm_event_choice_t choice =
            decider->choose(decider->context, run->replay, l, &decider->decided[l].items[*decided],
                            &binding->decided);
        if (choice == FM_EVENT_OPEN) {
            return false;
        }
        if (choice != FM_EVENT_MEASURED) {
            is_freed = choice == FM_EVENT_NONE;
            binding->event = &binding->decided;
            binding->is_other = true;
        }
    }
    if (is_freed || dependency->dropped || dependency->other_dropped) {
        binding->event = NULL;
    }
    return true;
}

/* Finds the time of the event of a binding, or lets the location wait for it.
 * @param dependency  position
 * @param time        out: 0 if there is no event
 * @return whether it is known */
static bool find_time(const struct fm_replay_run *run, struct fm_traveller *traveller,
                      const struct binding *binding, size_t dependency, uint64_t *time)
{
    *time = 0;
    if (binding->event == NULL) {
        return true;
    }
    if (!fm_awaited_reached(run, binding->event->source, time)) {
        traveller->dependency = dependency;
        traveller->blocked = binding->event->source;
        traveller->is_other = binding->is_other;
        return false;
    }
    *time = new_time(run, binding->event, *time);
    return true;
}

/* @return the first entry of the decider for a dependency at a position, or behind it. O(log n) */
static size_t first_decided(const struct fm_replay_run *run, uint32_t l, size_t position)
{
    size_t low = 0, high = run->decider == NULL ? 0 : run->decider->decided[l].count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (run->decider->decided[l].items[middle].position < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Reports the watched calls of a step to the decider.
 * @param watched  the first entry of the step's call, or a later one */
static void report(const struct fm_replay_run *run, uint32_t l, size_t watched,
                   const struct fm_step *step)
{
    const fm_watched_vector *all = &run->decider->watched[l];
    const unsigned time = step->kind == FM_STEP_ENTER ? FM_WATCHED_ENTER : FM_WATCHED_LEAVE;
    const bool is_any = step->first != step->last;
    for (; watched < all->count && all->items[watched].activity <= step->last; watched++) {
        if (is_any || (all->items[watched].times & time) != 0) {
            run->decider->notice(run->decider->context, run->replay, l, &all->items[watched]);
        }
    }
}

/* ---- computation ---- */

/* @return the new length of computation that lasts from `old_now` to `until` */
static uint64_t computation(const struct fm_edits *edits, struct fm_traveller *traveller,
                            uint64_t until)
{
    return edits == NULL ? until - traveller->old_now
                         : fm_edited_length(edits, &traveller->stretch, traveller->old_now, until);
}

/* ---- the controlled logical clock ---- */

/* @return the repaired time of the next step of a location, without what it depends on: times that
 * were moved return to the measured ones at a rate of 1 / 2^FM_RETURN_SHIFT. */
static uint64_t paced(const struct fm_traveller *traveller, uint64_t time)
{
    const uint64_t length = time - traveller->old_now;
    const uint64_t next = traveller->new_now + (length - (length >> FM_RETURN_SHIFT));
    return next > time ? next : time;
}

/* Moves a location to its next step, not before what the step depends on. */
static void step_repaired(struct fm_traveller *traveller, uint64_t time, uint64_t bound)
{
    const uint64_t next = paced(traveller, time);
    traveller->new_now = bound > next ? bound : next;
    traveller->old_now = time;
}

/* ---- calls ---- */

/* Notes for the decider until when the location's call waits for a lock. */
static void note_lock(const struct fm_replay_run *run, uint32_t l, uint64_t time)
{
    struct fm_new_times *times = &run->replay->locations[l];
    times->locked_until = time > times->locked_until ? time : times->locked_until;
}

/* Finds when the calls are complete for which the step's call waits at its begin: each its
 * remaining time after the later of its Enter and what it depends on.
 * @param complete  out: the latest time; 0: there are none
 * @return false: one of the events is not known */
static bool complete_deferred(const struct fm_replay_run *run, uint32_t l,
                              struct fm_traveller *traveller, const struct fm_edits *edits,
                              uint64_t *complete)
{
    const struct fm_location *location = &run->trace->locations[l];
    const fm_dependency_vector *dependencies = &run->dependencies->of_location[l];
    *complete = 0;
    while (traveller->deferred < edits->deferred.count &&
           edits->deferred.items[traveller->deferred].at < traveller->step.first) {
        traveller->deferred++;
    }
    for (size_t i = traveller->deferred; i < edits->deferred.count; i++) {
        const struct fm_deferred_edit *edit = &edits->deferred.items[i];
        if (edit->at > traveller->step.last) {
            break;
        }
        uint64_t since = location->enter.items[edit->from];
        uint64_t begin = run->replay->locations[l].enter[edit->from];
        size_t d = fm_first_dependency(dependencies, edit->from);
        size_t decided = first_decided(run, l, d);
        run->replay->locations[l].locked_until = 0;
        for (; d < dependencies->count && dependencies->items[d].activity == edit->from; d++) {
            const struct fm_dependency *dependency = &dependencies->items[d];
            struct binding binding;
            uint64_t time = 0;
            if (!binding_of(run, l, dependency, edit->rules | FM_DORMANT_RULES, &decided,
                            &binding)) {
                traveller->decided = decided;
                traveller->is_open = true;
                return false;
            }
            if (!find_time(run, traveller, &binding, d, &time)) {
                return false;
            }
            if (dependency->rule == FM_DEPENDS_ON_LOCK) {
                note_lock(run, l, time);
            }
            since = binding.was_bound && dependency->t > since ? dependency->t : since;
            begin = time > begin ? time : begin;
        }
        const uint64_t end = begin + fm_scaled(location->leave.items[edit->from] - since,
                                               edit->numerator, edit->denominator);
        *complete = end > *complete ? end : *complete;
    }
    return true;
}

/* Sets where the decider's entries of the step's call begin. */
static void find_entries(const struct fm_replay_run *run, uint32_t l,
                         struct fm_traveller *traveller, struct fm_replayed_call *call)
{
    const fm_decided_vector *decided = &run->decider->decided[l];
    const fm_watched_vector *watched = &run->decider->watched[l];
    while (traveller->entered_decided < decided->count &&
           decided->items[traveller->entered_decided].position < call->first_dependency) {
        traveller->entered_decided++;
    }
    while (traveller->entered_watched < watched->count &&
           watched->items[traveller->entered_watched].activity < traveller->step.first) {
        traveller->entered_watched++;
    }
    call->first_decided = traveller->entered_decided;
    call->first_watched = traveller->entered_watched;
}

static void fetch_ahead(const struct fm_replay_run *run, uint32_t l,
                        const struct fm_traveller *traveller)
{
    const struct fm_location *location = &run->trace->locations[l];
    const struct fm_new_times *times = &run->replay->locations[l];
    const fm_dependency_vector *dependencies = &run->dependencies->of_location[l];
    const fm_decided_vector *decided = &run->decider->decided[l];
    const fm_watched_vector *watched = &run->decider->watched[l];
    const uint32_t activity = traveller->step.first + FM_CALLS_AHEAD;
    const size_t dependency = traveller->entered_dependency + FM_CALLS_AHEAD;
    const size_t decision = traveller->entered_decided + FM_CALLS_AHEAD;
    const size_t watch = traveller->entered_watched + FM_CALLS_AHEAD;
    if (activity < location->enter.count) {
        __builtin_prefetch(&location->enter.items[activity]);
        __builtin_prefetch(&location->leave.items[activity]);
        __builtin_prefetch(&location->visit.items[activity]);
        __builtin_prefetch(&times->enter[activity], 1);
        __builtin_prefetch(&times->leave[activity], 1);
    }
    if (dependency < dependencies->count) {
        __builtin_prefetch(&dependencies->items[dependency]);
    }
    if (decision < decided->count) {
        __builtin_prefetch(&decided->items[decision]);
    }
    if (watch < watched->count) {
        __builtin_prefetch(&watched->items[watch]);
    }
}

/* Passes the edits of a list, ascending by the activity that they begin with, in front of a step's
 * call. @param position  in, out: in the list
 * @return whether the next one is of the call */
static bool pass_edits(const void *edits, size_t count, size_t size, const struct fm_step *step,
                       size_t *position)
{
    const char *at = (const char *)edits + *position * size;
    for (; *position < count && *(const uint32_t *)(const void *)at < step->first; at += size) {
        ++*position;
    }
    return *position < count && *(const uint32_t *)(const void *)at <= step->last;
}

_Static_assert(offsetof(struct fm_remaining_edit, activity) == 0, "pass_edits() reads it there");
_Static_assert(offsetof(struct fm_freed_edit, activity) == 0, "pass_edits() reads it there");
_Static_assert(offsetof(struct fm_overlapped_edit, activity) == 0, "pass_edits() reads it there");

/* Finds the edits of the step's call. */
static void find_edits(struct fm_traveller *traveller, const struct fm_edits *edits,
                       struct fm_replayed_call *call)
{
    const struct fm_step *step = &traveller->step;
    if (pass_edits(edits->remaining.items, edits->remaining.count, sizeof *edits->remaining.items,
                   step, &traveller->remaining)) {
        call->remaining = traveller->remaining;
    }
    if (pass_edits(edits->freed.items, edits->freed.count, sizeof *edits->freed.items, step,
                   &traveller->freed)) {
        call->freed = edits->freed.items[traveller->freed].rules;
    }
    if (pass_edits(edits->overlapped.items, edits->overlapped.count,
                   sizeof *edits->overlapped.items, step, &traveller->overlapped)) {
        call->overlapped = traveller->overlapped;
    }
    call->is_removed = pass_edits(edits->removed.items, edits->removed.count,
                                  sizeof *edits->removed.items, step, &traveller->removed);
}

static bool enter(struct fm_replay_run *run, uint32_t l, struct fm_traveller *traveller,
                  const struct fm_edits *edits)
{
    const struct fm_step *step = &traveller->step;
    const fm_dependency_vector *dependencies = &run->dependencies->of_location[l];
    uint64_t complete = 0;
    if (edits != NULL && !complete_deferred(run, l, traveller, edits, &complete)) {
        return false;
    }
    if (run->decider != NULL) {
        fetch_ahead(run, l, traveller);
    }
    traveller->has_begun = true;
    struct fm_replayed_call call = {
        .remaining = SIZE_MAX,
        .overlapped = SIZE_MAX,
        .freed = run->repairs ? ~fm_obligatory_rules : FM_DORMANT_RULES,
    };
    if (run->repairs) {
        step_repaired(traveller, step->time, 0);
    } else {
        const uint64_t length = step->is_inside ? step->time - traveller->old_now
                                                : computation(edits, traveller, step->time);
        traveller->old_now = step->time;
        traveller->new_now += length;
    }
    if (complete > traveller->new_now) {
        run->replay->locations[l].waiting[run->trace->locations[l].visit.items[step->first]] +=
            complete - traveller->new_now;
        traveller->new_now = complete;
    }
    while (traveller->entered_dependency < dependencies->count &&
           dependencies->items[traveller->entered_dependency].activity < step->first) {
        traveller->entered_dependency++;
    }
    call.first_dependency = traveller->entered_dependency;
    if (run->decider != NULL) {
        find_entries(run, l, traveller, &call);
    }
    if (edits != NULL) {
        find_edits(traveller, edits, &call);
    }
    fm_vector_push(&traveller->open, call);
    atomic_store_explicit(&run->replay->locations[l].enter[step->first], traveller->new_now,
                          memory_order_release);
    if (run->decider != NULL) {
        report(run, l, call.first_watched, step);
    }
    return true;
}

/* Places the failed calls of a loop that polls. They share a shorter time as they shared the
 * measured one. In a longer time they stay where they were, and the last call takes longer: so the
 * gaps between the calls remain those of a loop. */
static void place_polling(struct fm_replay_run *run, uint32_t l, const struct fm_step *step,
                          uint64_t end)
{
    const struct fm_location *location = &run->trace->locations[l];
    struct fm_new_times *times = &run->replay->locations[l];
    const uint64_t begin = times->enter[step->first];
    const uint64_t old_begin = location->enter.items[step->first];
    const uint64_t old_length = step->time - old_begin;
    const uint64_t length = end - begin < old_length ? end - begin : old_length;
    const uint64_t divisor = old_length == 0 ? 1 : old_length; /* then all offsets are 0 */
    for (uint32_t a = step->first; a <= step->last; a++) {
        const uint64_t entered = location->enter.items[a] - old_begin;
        const uint64_t left = location->leave.items[a] - old_begin;
        if (a > step->first) {
            atomic_store_explicit(&times->enter[a], begin + fm_scaled(entered, length, divisor),
                                  memory_order_release);
        }
        if (a < step->last) {
            times->leave[a] = begin + fm_scaled(left, length, divisor);
        }
    }
}

/* Collects the new times of what the step depends on: dependencies from `first` on, of calls or
 * marks up to `last`. Those of the rules `freed` ended the measured wait, but bind no longer.
 * @param of_calls  the location whose calls they are of; FM_NONE: of marks, which have no edits
 * @param decided   the first entry of the decider of these calls, or a later one
 * @return false: one of them is not known */
static bool bind(struct fm_replay_run *run, struct fm_traveller *traveller,
                 const fm_dependency_vector *dependencies, uint32_t of_calls, size_t first,
                 size_t decided, uint32_t last, uint32_t freed)
{
    if (!traveller->is_waiting) {
        traveller->dependency = first;
        traveller->decided = decided;
        traveller->old_bound = traveller->new_bound = 0;
        if (of_calls != FM_NONE) {
            run->replay->locations[of_calls].locked_until = 0;
        }
    }
    traveller->is_waiting = true;
    for (; traveller->dependency < dependencies->count; traveller->dependency++) {
        const struct fm_dependency *dependency = &dependencies->items[traveller->dependency];
        struct binding binding = {.was_bound = !dependency->dropped};
        uint64_t time = 0;
        if (dependency->activity > last) {
            break;
        }
        if (of_calls == FM_NONE) {
            const bool is_freed = dependency->dropped || (freed >> dependency->rule & 1) != 0;
            binding.event = is_freed ? NULL : dependency;
        } else if (!binding_of(run, of_calls, dependency, freed, &traveller->decided, &binding)) {
            traveller->is_open = true;
            return false;
        }
        if (!find_time(run, traveller, &binding, traveller->dependency, &time)) {
            return false;
        }
        if (of_calls != FM_NONE && dependency->rule == FM_DEPENDS_ON_LOCK) {
            note_lock(run, of_calls, time);
        }
        if (binding.was_bound && dependency->t > traveller->old_bound) {
            traveller->old_bound = dependency->t;
        }
        traveller->new_bound = time > traveller->new_bound ? time : traveller->new_bound;
    }
    traveller->is_waiting = false;
    return true;
}

/* A thread begins to work when it is let, after what it does before. */
static bool pass_mark(struct fm_replay_run *run, uint32_t l, struct fm_traveller *traveller,
                      const struct fm_edits *edits)
{
    const struct fm_step *step = &traveller->step;
    const fm_dependency_vector *dependencies = &run->dependencies->of_marks[l];
    struct fm_new_times *times = &run->replay->locations[l];
    const uint32_t row = run->dependencies->marks[l].items[step->first].row;
    while (traveller->mark_dependency < dependencies->count &&
           dependencies->items[traveller->mark_dependency].activity < row) {
        traveller->mark_dependency++;
    }
    if (!bind(run, traveller, dependencies, FM_NONE, traveller->mark_dependency, 0, row,
              run->repairs ? ~fm_obligatory_rules : 0)) {
        return false;
    }
    if (run->repairs) {
        step_repaired(traveller, step->time, traveller->new_bound);
        atomic_store_explicit(&times->marks[step->first], traveller->new_now, memory_order_release);
        return true;
    }
    const uint64_t old_length = step->time - traveller->old_now;
    const uint64_t length =
        step->is_inside ? old_length : computation(edits, traveller, step->time);
    if (traveller->old_bound == 0) {
        traveller->new_now += length;
    } else if (!traveller->has_begun) {
        /* All that the location has done so far depends on the thread that lets it begin. */
        traveller->new_now = traveller->new_bound + (step->time - traveller->old_bound);
        times->begin = traveller->new_now > length ? traveller->new_now - length : 0;
    } else {
        const uint64_t waited = traveller->old_bound > traveller->old_now
                                    ? traveller->old_bound - traveller->old_now
                                    : 0;
        if (traveller->new_bound > traveller->new_now) {
            traveller->new_now = traveller->new_bound;
        }
        traveller->new_now += length > waited ? length - waited : 0;
    }
    traveller->has_begun = true;
    traveller->old_now = step->time;
    atomic_store_explicit(&times->marks[step->first], traveller->new_now, memory_order_release);
    return true;
}

/* @return the remaining time of a call in the changed run
 * @param since  measured: its Enter, or the latest event that it depends on */
static uint64_t remaining_time(const struct fm_edits *edits, const struct fm_replayed_call *call,
                               uint64_t since, uint64_t leave)
{
    const uint64_t own = leave - since;
    if (call->remaining == SIZE_MAX) {
        return own;
    }
    const struct fm_remaining_edit *edit = &edits->remaining.items[call->remaining];
    return fm_scaled(own, edit->numerator, edit->denominator);
}

/* Lets a call take its remaining time, behind the events that it depends on. */
static void pass_remaining_time(const struct fm_replay_run *run, uint32_t l,
                                struct fm_traveller *traveller, uint64_t remaining)
{
    const struct fm_replayed_call *call = &traveller->open.items[traveller->open.count - 1];
    if (call->overlapped == SIZE_MAX) {
        traveller->new_now += remaining;
        return;
    }
    const uint32_t since = run->edits[l].overlapped.items[call->overlapped].since;
    uint64_t end = traveller->new_bound;
    if (since != FM_NONE && run->replay->locations[l].leave[since] > end) {
        end = run->replay->locations[l].leave[since];
    }
    end += remaining;
    traveller->new_now = end > traveller->new_now ? end : traveller->new_now;
}

/* @return the least remaining time of the step's call in the changed run: that with all its
 * dependencies, for a call that some do not bind has a longer one */
static uint64_t least_remaining_time(const struct fm_replay_run *run, uint32_t l,
                                     const struct fm_traveller *traveller,
                                     const struct fm_edits *edits,
                                     const struct fm_replayed_call *call)
{
    const fm_dependency_vector *dependencies = &run->dependencies->of_location[l];
    const struct fm_step *step = &traveller->step;
    uint64_t since = traveller->old_now;
    if (call->overlapped != SIZE_MAX) {
        return 0;
    }
    for (size_t d = call->first_dependency;
         d < dependencies->count && dependencies->items[d].activity <= step->last; d++) {
        const uint64_t t = dependencies->items[d].t;
        since = t > since ? t : since;
    }
    return since < step->time ? remaining_time(edits, call, since, step->time) : 0;
}

/* States when the step's call, which waits at its end, is left at the earliest. Of calls that poll
 * together only the last one is left at the end of the step: nothing is stated of them. */
static void state_blocked(const struct fm_replay_run *run, uint32_t l,
                          const struct fm_traveller *traveller)
{
    struct fm_new_times *times = &run->replay->locations[l];
    const uint64_t since =
        traveller->new_bound > traveller->new_now ? traveller->new_bound : traveller->new_now;
    if (traveller->step.first == traveller->step.last) {
        times->blocked_call = traveller->step.first;
        times->blocked_until = since + traveller->least_remaining;
    }
}

static bool leave(struct fm_replay_run *run, uint32_t l, struct fm_traveller *traveller,
                  const struct fm_edits *edits)
{
    const struct fm_step *step = &traveller->step;
    const struct fm_replayed_call *call = &traveller->open.items[traveller->open.count - 1];
    const bool has_waited = traveller->is_waiting;
    if (!call->is_removed &&
        !bind(run, traveller, &run->dependencies->of_location[l], l, call->first_dependency,
              call->first_decided, step->last, call->freed)) {
        if (run->decider != NULL) {
            traveller->least_remaining = has_waited
                                             ? traveller->least_remaining
                                             : least_remaining_time(run, l, traveller, edits, call);
            state_blocked(run, l, traveller);
        }
        return false;
    }
    if (run->repairs) {
        step_repaired(traveller, step->time, traveller->new_bound);
    } else if (!call->is_removed) {
        const uint64_t since =
            traveller->old_bound > traveller->old_now ? traveller->old_bound : traveller->old_now;
        if (traveller->new_bound > traveller->new_now) {
            run->replay->locations[l].waiting[run->trace->locations[l].visit.items[step->first]] +=
                traveller->new_bound - traveller->new_now;
            traveller->new_now = traveller->new_bound;
        }
        pass_remaining_time(run, l, traveller, remaining_time(edits, call, since, step->time));
    }
    const size_t watched = call->first_watched;
    traveller->old_now = step->time;
    traveller->open.count--;
    if (step->last > step->first) {
        place_polling(run, l, step, traveller->new_now);
    }
    atomic_store_explicit(&run->replay->locations[l].leave[step->last], traveller->new_now,
                          memory_order_release);
    if (run->decider != NULL) {
        report(run, l, watched, step);
    }
    return true;
}

bool fm_traveller_advance(struct fm_replay_run *run, uint32_t l)
{
    struct fm_traveller *traveller = &run->travellers[l];
    const struct fm_location *location = &run->trace->locations[l];
    const struct fm_edits *edits = run->edits == NULL ? NULL : &run->edits[l];
    for (;;) {
        if (!traveller->has_step && !fm_steps_next(&traveller->steps, &traveller->step)) {
            break;
        }
        traveller->has_step = true;
        bool done = true;
        switch (traveller->step.kind) {
        case FM_STEP_ENTER:
            done = enter(run, l, traveller, edits);
            break;
        case FM_STEP_LEAVE:
            done = leave(run, l, traveller, edits);
            break;
        case FM_STEP_MARK:
            done = pass_mark(run, l, traveller, edits);
            break;
        }
        if (!done) {
            return false;
        }
        traveller->has_step = false;
    }
    if (location->begin <= location->end) {
        run->replay->locations[l].end =
            traveller->new_now + computation(edits, traveller, location->end);
    }
    traveller->is_done = true;
    return true;
}

bool fm_crossing_advance(struct fm_replay_run *run, uint32_t table, uint32_t number,
                         struct fm_awaited *blocked)
{
    struct fm_crossing *crossing = &run->crossings[table][number];
    const struct fm_junction_table *junctions = &run->dependencies->tables[table];
    const struct fm_junction *junction = &junctions->junctions.items[number];
    for (; crossing->next_input < junction->input_count; crossing->next_input++) {
        uint64_t time = 0;
        *blocked = junctions->inputs.items[junction->first_input + crossing->next_input];
        if (!fm_awaited_reached(run, *blocked, &time)) {
            return false;
        }
        crossing->latest = time > crossing->latest ? time : crossing->latest;
    }
    atomic_store_explicit(&crossing->time, crossing->latest, memory_order_release);
    return true;
}
