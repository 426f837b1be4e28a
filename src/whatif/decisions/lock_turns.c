/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/decisions/lock_turns.h"

#include "analysis/dependencies/acquisitions.h"
#include "analysis/dependencies/polling.h"
#include "whatif/decisions/turn_queue.h"

#define LOCK_RULES (1U << FM_DEPENDS_ON_LOCK | 1U << FM_DEPENDS_ON_THREAD_LOCK)

/* The acquisitions of one lock. */
struct lock {
    const struct fm_ordered_acquisition *acquisitions;
    uint32_t first; /* its position among those of the process */
    uint32_t count;
    struct fm_turn *turns;
    struct fm_turn_state *states; /* in the prediction */
    uint32_t *slots;   /* of their dependencies among those of their locations; FM_NONE: none */
    uint32_t *awaken;  /* of what awakens those that wait for a condition; FM_NONE: none */
    uint32_t *waiters; /* locations of the dependencies; FM_NONE: none. Each decision reads one,
                          which would often not be in the cache among all of an acquisition */
    struct fm_turn_queue queue; /* of the prediction */
    bool is_open;               /* the queue is */
    bool is_kept;               /* its order is as measured in all predictions */
};

struct fm_lock_turns {
    const struct fm_detail *detail;
    FM_VECTOR(struct lock) locks; /* those whose order may change */
    uint64_t overtaking;
};

/* ---- dependencies of acquisitions ---- */

/* @return the position of the dependency of a call by one of some rules on another call; FM_NONE
 * @param on  activity FM_NONE: on any call's Enter */
static uint32_t find_dependency(const struct fm_detail *detail, struct fm_call_ref call,
                                uint32_t rules, struct fm_call_ref on)
{
    if (call.activity == FM_NONE) {
        return FM_NONE;
    }
    const fm_dependency_vector *all = &detail->dependencies->of_location[call.location];
    size_t d = fm_first_dependency(all, call.activity);
    for (; d < all->count && all->items[d].activity == call.activity; d++) {
        const struct fm_awaited source = all->items[d].source;
        const bool is_wanted =
            on.activity == FM_NONE
                ? source.kind == FM_AWAITED_ENTER
                : (source.kind == FM_AWAITED_ENTER || source.kind == FM_AWAITED_LEAVE) &&
                      source.place == on.location && source.index == on.activity;
        if ((rules >> all->items[d].rule & 1) != 0 && is_wanted) {
            return (uint32_t)d;
        }
    }
    return FM_NONE;
}

static const struct fm_dependency *dependency_at(const struct fm_detail *detail,
                                                 struct fm_call_ref call, uint32_t position)
{
    return &detail->dependencies->of_location[call.location].items[position];
}

static void find_dependencies(const struct fm_detail *detail, struct lock *lock)
{
    const struct fm_call_ref any = {0, FM_NONE};
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct fm_ordered_acquisition *own = &lock->acquisitions[i];
        lock->slots[i] =
            own->t == 0
                ? find_dependency(detail, own->call, 1U << FM_DEPENDS_ON_OVERTAKER, own->request)
                : find_dependency(detail, own->call, LOCK_RULES,
                                  lock->acquisitions[own->before - lock->first].release);
        lock->awaken[i] = find_dependency(detail, own->call, 1U << FM_DEPENDS_ON_CONDITION, any);
        lock->waiters[i] = lock->slots[i] == FM_NONE ? FM_NONE : own->call.location;
    }
}

/* ---- times ---- */

/* @return whether the times of calls are known: those of a replay as far as it has come, or without
 * one the measured ones */
static bool entered(const struct fm_detail *detail, const struct fm_replay *replay,
                    struct fm_call_ref call, uint64_t *time)
{
    *time = replay == NULL ? fm_call_enter(detail->trace, call)
                           : replay->locations[call.location].enter[call.activity];
    return *time != FM_UNKNOWN_TIME;
}

static bool left(const struct fm_detail *detail, const struct fm_replay *replay,
                 struct fm_call_ref call, uint64_t *time)
{
    *time = replay == NULL ? fm_call_leave(detail->trace, call)
                           : replay->locations[call.location].leave[call.activity];
    return *time != FM_UNKNOWN_TIME;
}

/* Finds when an acquisition passes the lock on, and the latitude of that. @return whether that is
 * known */
static bool find_pass(const struct fm_detail *detail, const struct fm_replay *replay,
                      const struct fm_ordered_acquisition *acquisition, uint64_t *passed,
                      uint64_t *latitude)
{
    const struct fm_call_ref release = acquisition->release;
    uint64_t enter = 0, leave = 0;
    if (!entered(detail, replay, release, &enter)) {
        return false;
    }
    if (acquisition->releases_at_begin) {
        *passed = enter + (acquisition->passed - fm_call_enter(detail->trace, release));
        *latitude = UINT64_MAX;
        return true;
    }
    if (!left(detail, replay, release, &leave)) {
        return false;
    }
    *passed = replay == NULL ? acquisition->passed : leave;
    *latitude = *passed > enter ? *passed - enter : 0;
    return true;
}

/* @return the call at whose Enter an acquisition requests its lock; activity FM_NONE: not known. Of
 * calls that poll for it, that is the first one: its time is known before the loop ends. */
static struct fm_call_ref request_of(const struct fm_detail *detail,
                                     const struct fm_ordered_acquisition *acquisition)
{
    struct fm_call_ref request = acquisition->request;
    if (request.activity != FM_NONE) {
        const struct fm_polling *polling =
            fm_polling_around(&detail->dependencies->pollings[request.location], request.activity);
        request.activity = polling == NULL ? request.activity : polling->first;
    }
    return request;
}

/* Finds when an acquisition requests its lock. A call that waits for a condition does when it is
 * awakened. @return whether that is known */
static bool find_request(const struct fm_detail *detail, const struct fm_replay *replay,
                         const struct lock *lock, uint32_t number, uint64_t *requested)
{
    const struct fm_ordered_acquisition *acquisition = &lock->acquisitions[number];
    uint64_t now = 0;
    if (acquisition->request.activity == FM_NONE) { /* in computation in front of the release */
        const uint64_t release = fm_call_enter(detail->trace, acquisition->release);
        const uint64_t before =
            release > acquisition->acquired ? release - acquisition->acquired : 0;
        if (!entered(detail, replay, acquisition->release, &now)) {
            return false;
        }
        *requested = now > before ? now - before : 0;
        return true;
    }
    if (lock->awaken[number] == FM_NONE) {
        return entered(detail, replay, request_of(detail, acquisition), requested);
    }
    const struct fm_dependency *by = dependency_at(detail, acquisition->call, lock->awaken[number]);
    const struct fm_call_ref awakening = {by->source.place, by->source.index};
    if (!entered(detail, replay, acquisition->call, requested) ||
        !entered(detail, replay, awakening, &now)) {
        return false;
    }
    const uint64_t since = now + (by->t - fm_call_enter(detail->trace, awakening));
    *requested = since > *requested ? since : *requested;
    return true;
}

/* What a watched call tells of an acquisition. */
enum {
    WATCHED_REQUEST, /* it requests the lock when it is entered */
    WATCHED_RELEASE, /* it has passed the lock on when it is left */
    WATCHED_PART     /* one of several calls that tell it together, or something else */
};

/* Reads what is known by now of an acquisition. @return whether any of it was not known before */
static bool observe_parts(struct fm_lock_turns *turns, const struct fm_replay *replay,
                          struct lock *lock, uint32_t number)
{
    const struct fm_turn_state *state = &lock->states[number];
    uint64_t time = 0, latitude = 0;
    bool is_new = false;
    if (state->requested == FM_UNKNOWN_TIME &&
        find_request(turns->detail, replay, lock, number, &time)) {
        fm_turn_queue_request(&lock->queue, number, time);
        is_new = true;
    }
    if (state->passed == FM_UNKNOWN_TIME &&
        find_pass(turns->detail, replay, &lock->acquisitions[number], &time, &latitude)) {
        fm_turn_queue_pass(&lock->queue, number, time, latitude);
        is_new = true;
    }
    return is_new;
}

static void fetch_ahead(const struct lock *lock, uint32_t number)
{
    const uint32_t next = number + FM_CALLS_AHEAD;
    if (next < lock->count) {
        __builtin_prefetch(&lock->states[next], 1);
        __builtin_prefetch(&lock->turns[next]);
    }
}

bool fm_lock_turns_observe(struct fm_lock_turns *turns, const struct fm_replay *replay,
                           uint32_t location, const struct fm_watched_call *call)
{
    struct lock *lock = &turns->locks.items[call->subject];
    if (!lock->is_open) {
        return false;
    }
    if (call->role == WATCHED_PART) {
        return observe_parts(turns, replay, lock, call->number);
    }
    fetch_ahead(lock, call->number);
    const struct fm_new_times *times = &replay->locations[location];
    const struct fm_turn_state *state = &lock->states[call->number];
    const uint64_t enter = times->enter[call->activity];
    if (call->role == WATCHED_REQUEST) {
        const bool is_new = state->requested == FM_UNKNOWN_TIME && enter != FM_UNKNOWN_TIME;
        if (is_new) {
            fm_turn_queue_request(&lock->queue, call->number, enter);
        }
        return is_new;
    }
    const uint64_t leave = times->leave[call->activity];
    const bool is_new = state->passed == FM_UNKNOWN_TIME && leave != FM_UNKNOWN_TIME;
    if (is_new) {
        fm_turn_queue_pass(&lock->queue, call->number, leave, leave > enter ? leave - enter : 0);
    }
    return is_new;
}

/* ---- the measured order ---- */

static void free_lock(struct lock *lock)
{
    fm_turn_queue_close(&lock->queue);
    fm_free(lock->turns);
    fm_free(lock->states);
    fm_free(lock->slots);
    fm_free(lock->awaken);
    fm_free(lock->waiters);
}

/* @return whether the measured order of a lock is that of the rule: then it may change */
static bool learn(const struct fm_detail *detail, struct lock *lock)
{
    find_dependencies(detail, lock);
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct fm_ordered_acquisition *acquisition = &lock->acquisitions[i];
        struct fm_turn_state *state = &lock->states[i];
        const bool is_bound = acquisition->t != 0 && lock->slots[i] != FM_NONE;
        lock->turns[i] = (struct fm_turn){
            .slack = lock->slots[i] == FM_NONE ? FM_NOT_OVERTAKEN : 0,
            .lag = is_bound ? lock->acquisitions[acquisition->before - lock->first].passed -
                                  acquisition->t
                            : 0,
            .had_by = acquisition->call.activity != FM_NONE
                          ? fm_call_leave(detail->trace, acquisition->call)
                          : UINT64_MAX,
            .owner = acquisition->owner,
            .is_exclusive = acquisition->is_exclusive,
            .is_bound = is_bound,
            .can_wait = lock->slots[i] != FM_NONE,
        };
        find_request(detail, NULL, lock, i, &state->requested);
        find_pass(detail, NULL, acquisition, &state->passed, &state->latitude);
    }
    if (!fm_turns_learn(lock->turns, lock->states, lock->count)) {
        return false;
    }
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct fm_turn *turn = &lock->turns[i];
        if (turn->is_bound && turn->measured != lock->acquisitions[i].before - lock->first) {
            return false;
        }
    }
    return true;
}

static void add_locks(struct fm_lock_turns *turns, const fm_acquisition_vector *acquisitions)
{
    for (uint32_t begin = 0, end; begin < acquisitions->count; begin = end) {
        bool has_several = false;
        for (end = begin + 1; end < acquisitions->count &&
                              acquisitions->items[end].lock == acquisitions->items[begin].lock;
             end++) {
            has_several |= acquisitions->items[end].owner != acquisitions->items[begin].owner;
        }
        struct lock lock = {
            .acquisitions = &acquisitions->items[begin], .first = begin, .count = end - begin};
        if (!has_several) {
            continue;
        }
        lock.turns = fm_allocate(lock.count, sizeof *lock.turns);
        lock.states = fm_allocate(lock.count, sizeof *lock.states);
        lock.slots = fm_allocate(lock.count, sizeof *lock.slots);
        lock.awaken = fm_allocate(lock.count, sizeof *lock.awaken);
        lock.waiters = fm_allocate(lock.count, sizeof *lock.waiters);
        if (learn(turns->detail, &lock)) {
            fm_vector_push(&turns->locks, lock);
        } else {
            free_lock(&lock);
        }
    }
}

struct fm_lock_turns *fm_lock_turns_create(const struct fm_detail *detail)
{
    struct fm_lock_turns *turns = fm_allocate(1, sizeof *turns);
    turns->detail = detail;
    for (uint32_t p = 0; p < detail->trace->process_count; p++) {
        add_locks(turns, &detail->dependencies->acquisitions[p]);
    }
    return turns;
}

void fm_lock_turns_free(struct fm_lock_turns *turns)
{
    if (turns == NULL) {
        return;
    }
    for (size_t i = 0; i < turns->locks.count; i++) {
        free_lock(&turns->locks.items[i]);
    }
    fm_vector_free(&turns->locks);
    fm_free(turns);
}

uint32_t fm_lock_turns_count(const struct fm_lock_turns *turns)
{
    return (uint32_t)turns->locks.count;
}

static void watch(fm_watched_vector *watched, struct fm_call_ref call, uint8_t role, uint8_t times,
                  uint32_t lock, uint32_t number)
{
    const struct fm_watched_call added = {
        .activity = call.activity, .subject = lock, .number = number, .times = times, .role = role};
    fm_vector_push(&watched[call.location], added);
}

/* Lists the calls that tell when an acquisition requests its lock, and when it passes it on. */
static void watch_acquisition(const struct fm_lock_turns *turns, fm_watched_vector *watched,
                              uint32_t k, uint32_t i)
{
    const struct lock *lock = &turns->locks.items[k];
    const struct fm_ordered_acquisition *own = &lock->acquisitions[i];
    if (own->request.activity == FM_NONE || own->releases_at_begin) {
        watch(watched, own->release, WATCHED_PART, FM_WATCHED_ENTER | FM_WATCHED_LEAVE, k, i);
    } else {
        watch(watched, own->release, WATCHED_RELEASE, FM_WATCHED_LEAVE, k, i);
    }
    if (own->request.activity == FM_NONE) {
        return;
    }
    if (lock->awaken[i] == FM_NONE) {
        watch(watched, request_of(turns->detail, own), WATCHED_REQUEST, FM_WATCHED_ENTER, k, i);
    } else {
        const struct fm_dependency *by = dependency_at(turns->detail, own->call, lock->awaken[i]);
        watch(watched, own->call, WATCHED_PART, FM_WATCHED_ENTER, k, i);
        watch(watched, (struct fm_call_ref){by->source.place, by->source.index}, WATCHED_PART,
              FM_WATCHED_ENTER, k, i);
    }
}

void fm_lock_turns_list(const struct fm_lock_turns *turns, fm_decided_vector *decided,
                        fm_watched_vector *watched)
{
    for (uint32_t k = 0; k < turns->locks.count; k++) {
        const struct lock *lock = &turns->locks.items[k];
        for (uint32_t i = 0; i < lock->count; i++) {
            if (lock->slots[i] != FM_NONE) {
                const struct fm_decided_dependency added = {lock->slots[i], k, i};
                fm_vector_push(&decided[lock->waiters[i]], added);
            }
            watch_acquisition(turns, watched, k, i);
        }
    }
}

/* ---- a prediction ---- */

/* @return whether a change frees a call of locks */
static bool is_freed(const struct fm_edits *edits, uint32_t activity)
{
    size_t low = 0, high = edits->freed.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (edits->freed.items[middle].activity < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < edits->freed.count && edits->freed.items[low].activity == activity &&
           (edits->freed.items[low].rules & LOCK_RULES) != 0;
}

/* @return whether a change frees or redirects acquisitions of a lock */
static bool is_changed(const struct lock *lock, const struct fm_edits *edits)
{
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct fm_call_ref call = lock->acquisitions[i].call;
        const uint32_t slot = lock->slots[i];
        if (call.activity != FM_NONE &&
            (is_freed(&edits[call.location], call.activity) ||
             (slot != FM_NONE &&
              fm_redirection_in(&edits[call.location].redirected, slot) != NULL))) {
            return true;
        }
    }
    return false;
}

void fm_lock_turns_begin(struct fm_lock_turns *turns, const struct fm_edits *edits)
{
    turns->overtaking = 0;
    for (size_t k = 0; k < turns->locks.count; k++) {
        struct lock *lock = &turns->locks.items[k];
        lock->is_open = !lock->is_kept && !is_changed(lock, edits);
        fm_turn_queue_close(&lock->queue);
        for (uint32_t i = 0; i < lock->count && lock->is_open; i++) {
            lock->states[i].requested = lock->states[i].passed = FM_UNKNOWN_TIME;
        }
        if (lock->is_open) {
            fm_turn_queue_open(&lock->queue, lock->turns, lock->states, lock->count);
        }
    }
}

/* Fetches the acquisition that another one follows: the call that waits soon asks for it. */
static void fetch_followed(const struct lock *lock, uint32_t number)
{
    const uint32_t before = lock->states[number].follows;
    if (before != FM_NONE) {
        __builtin_prefetch(&lock->acquisitions[before].passed);
    }
}

void fm_lock_turns_advance(struct fm_lock_turns *turns, uint32_t number_of_lock,
                           struct fm_known_requests known, fm_location_vector *woken,
                           struct fm_turn_wait *wait)
{
    struct lock *lock = &turns->locks.items[number_of_lock];
    uint32_t next = FM_NONE;
    do {
        next = fm_turn_queue_next(&lock->queue, known, wait);
        const uint32_t let = next != FM_NONE ? next : wait->let;
        if (next != FM_NONE) {
            turns->overtaking += fm_turn_queue_grant(&lock->queue, next);
        }
        if (let != FM_NONE && lock->waiters[let] != FM_NONE) {
            fm_vector_push(woken, lock->waiters[let]);
            fetch_followed(lock, let);
        }
    } while (next != FM_NONE);
}

void fm_lock_turns_force(struct fm_lock_turns *turns, uint32_t number_of_lock, uint32_t number)
{
    struct lock *lock = &turns->locks.items[number_of_lock];
    turns->overtaking += fm_turn_queue_grant(&lock->queue, number);
    lock->states[number].follows = FM_NONE;
}

fm_event_choice_t fm_lock_turns_choose(const struct fm_lock_turns *turns, uint32_t number_of_lock,
                                       uint32_t number, struct fm_dependency *event)
{
    const struct lock *lock = &turns->locks.items[number_of_lock];
    if (!lock->is_open) {
        return FM_EVENT_MEASURED;
    }
    const struct fm_turn *turn = &lock->turns[number];
    const struct fm_turn_state *state = &lock->states[number];
    if (!state->is_let) {
        return FM_EVENT_OPEN;
    }
    const bool binds =
        state->follows != FM_NONE && lock->turns[state->follows].owner != turn->owner;
    if (state->follows == turn->measured || (!binds && !turn->is_bound)) {
        return FM_EVENT_MEASURED;
    }
    if (!binds) {
        return FM_EVENT_NONE;
    }
    const struct fm_ordered_acquisition *before = &lock->acquisitions[state->follows];
    event->t = before->passed;
    event->source = fm_awaited_enter(before->release);
    event->source.kind = before->releases_at_begin ? FM_AWAITED_ENTER : FM_AWAITED_LEAVE;
    return FM_EVENT_OTHER;
}

uint64_t fm_lock_turns_keep_moved(struct fm_lock_turns *turns)
{
    uint64_t kept = 0;
    for (uint32_t k = 0; k < turns->locks.count; k++) {
        struct lock *lock = &turns->locks.items[k];
        struct fm_dependency unused;
        for (uint32_t i = 0; i < lock->count && lock->is_open && !lock->is_kept; i++) {
            lock->is_kept = lock->slots[i] != FM_NONE &&
                            fm_lock_turns_choose(turns, k, i, &unused) != FM_EVENT_MEASURED;
        }
        kept += lock->is_open && lock->is_kept;
    }
    return kept;
}

uint64_t fm_lock_turns_overtaking(const struct fm_lock_turns *turns)
{
    return turns->overtaking;
}

/* Acquisitions whose times are never known come last. */
static void grant_rest(struct lock *lock)
{
    for (uint32_t number = 0; number < lock->count && lock->is_open; number++) {
        if (!lock->states[number].has_turn) {
            fm_turn_queue_grant(&lock->queue, number);
        }
    }
}

void fm_lock_turns_number(struct fm_lock_turns *turns, fm_renumbered_vector *renumbered)
{
    for (size_t i = 0; i < turns->locks.count; i++) {
        struct lock *lock = &turns->locks.items[i];
        grant_rest(lock);
        const bool has_numbers = lock->is_open && lock->acquisitions[0].id != 0;
        for (uint32_t number = 0; number < lock->count && has_numbers; number++) {
            const uint32_t place = lock->states[number].place;
            if (place != number) {
                const struct fm_ordered_acquisition *own = &lock->acquisitions[number];
                const struct fm_renumbered edit = {
                    .id = own->id,
                    .process = fm_trace_process(turns->detail->trace, own->release.location),
                    .order = own->order,
                    .new_order = lock->acquisitions[place].order};
                fm_vector_push(renumbered, edit);
            }
        }
    }
}

uint64_t fm_lock_turns_kept(const struct fm_lock_turns *turns, const struct fm_edits *edits)
{
    const struct fm_dependencies *dependencies = turns->detail->dependencies;
    uint64_t kept = 0;
    for (uint32_t l = 0; l < dependencies->location_count; l++) {
        for (size_t d = 0; d < dependencies->of_location[l].count; d++) {
            const struct fm_dependency *dependency = &dependencies->of_location[l].items[d];
            kept += (LOCK_RULES >> dependency->rule & 1) != 0 &&
                    !is_freed(&edits[l], dependency->activity);
        }
    }
    for (size_t i = 0; i < turns->locks.count; i++) {
        const struct lock *lock = &turns->locks.items[i];
        for (uint32_t number = 0; number < lock->count && lock->is_open; number++) {
            kept -= lock->turns[number].is_bound;
        }
    }
    return kept;
}
