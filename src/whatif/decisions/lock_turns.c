#include "whatif/decisions/lock_turns.h"

#include "analysis/dependencies/acquisitions.h"
#include "whatif/decisions/turn_queue.h"

#define LOCK_RULES (1U << FM_DEPENDS_ON_LOCK | 1U << FM_DEPENDS_ON_THREAD_LOCK)

/* The acquisitions of one lock. */
struct lock {
    const struct fm_ordered_acquisition *acquisitions;
    uint32_t first; /* its position among those of the process */
    uint32_t count;
    struct fm_turn *turns;
    uint32_t *slots;  /* of their dependencies among those of their locations; FM_NONE: none */
    uint32_t *awaken; /* of what awakens those that wait for a condition; FM_NONE: none */
};

struct fm_lock_turns {
    const struct fm_detail *detail;
    FM_VECTOR(struct lock) locks; /* those whose order may change */
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
    }
}

/* ---- times ---- */

/* @return the new time of a call's Enter; the measured one without a replay */
static uint64_t entered(const struct fm_detail *detail, const struct fm_replay *replay,
                        struct fm_call_ref call)
{
    return replay == NULL ? fm_call_enter(detail->trace, call)
                          : replay->locations[call.location].enter[call.activity];
}

/* @return when an acquisition passes the lock on */
static uint64_t passed(const struct fm_detail *detail, const struct fm_replay *replay,
                       const struct fm_ordered_acquisition *acquisition)
{
    const struct fm_call_ref release = acquisition->release;
    if (replay == NULL) {
        return acquisition->passed;
    }
    return acquisition->releases_at_begin
               ? entered(detail, replay, release) +
                     (acquisition->passed - fm_call_enter(detail->trace, release))
               : replay->locations[release.location].leave[release.activity];
}

/* Sets when an acquisition requests its lock, and when the call begins that waits for it. A call
 * that waits for a condition does both when it is awakened. */
static void set_request(const struct fm_detail *detail, const struct fm_replay *replay,
                        const struct lock *lock, uint32_t number)
{
    const struct fm_ordered_acquisition *acquisition = &lock->acquisitions[number];
    struct fm_turn *turn = &lock->turns[number];
    if (acquisition->request.activity == FM_NONE) { /* in computation in front of the release */
        const uint64_t release = fm_call_enter(detail->trace, acquisition->release);
        const uint64_t before =
            release > acquisition->acquired ? release - acquisition->acquired : 0;
        const uint64_t now = entered(detail, replay, acquisition->release);
        turn->requested = turn->entered = now > before ? now - before : 0;
        return;
    }
    turn->requested = entered(detail, replay, acquisition->request);
    turn->entered = entered(detail, replay, acquisition->call);
    if (lock->awaken[number] != FM_NONE) {
        const struct fm_dependency *by =
            dependency_at(detail, acquisition->call, lock->awaken[number]);
        const struct fm_call_ref awakening = {by->source.place, by->source.index};
        const uint64_t since =
            entered(detail, replay, awakening) + (by->t - fm_call_enter(detail->trace, awakening));
        turn->entered = since > turn->entered ? since : turn->entered;
        turn->requested = turn->entered;
    }
}

/* @return when an acquisition got the lock from the one that it follows; 0: that did not bind it */
static uint64_t bound(const struct lock *lock, uint32_t number)
{
    const struct fm_turn *turn = &lock->turns[number];
    if (turn->follows == turn->measured) {
        if (!turn->is_bound) {
            return 0;
        }
        const struct fm_turn *before =
            &lock->turns[lock->acquisitions[number].before - lock->first];
        const uint64_t lag = turn->lag < before->latitude ? turn->lag : before->latitude;
        return before->passed > lag ? before->passed - lag : 0;
    }
    const bool binds = turn->follows != FM_NONE && turn->can_wait &&
                       lock->turns[turn->follows].owner != turn->owner;
    return binds ? lock->turns[turn->follows].passed : 0;
}

/* Sets the times of all turns: of the measured run, or of a replay with the last order. */
static void observe(const struct fm_detail *detail, const struct fm_replay *replay,
                    const struct lock *lock)
{
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct fm_ordered_acquisition *acquisition = &lock->acquisitions[i];
        struct fm_turn *turn = &lock->turns[i];
        set_request(detail, replay, lock, i);
        turn->passed = passed(detail, replay, acquisition);
        const uint64_t release = entered(detail, replay, acquisition->release);
        turn->latitude = acquisition->releases_at_begin ? UINT64_MAX
                         : turn->passed > release       ? turn->passed - release
                                                        : 0;
    }
    for (uint32_t i = 0; i < lock->count; i++) {
        lock->turns[i].bound = replay == NULL
                                   ? (lock->turns[i].is_bound ? lock->acquisitions[i].t : 0)
                                   : bound(lock, i);
    }
}

/* ---- locks ---- */

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

/* @return whether a change frees or redirects an acquisition */
static bool is_changed(const struct fm_edits *edits, struct fm_call_ref call, uint32_t slot)
{
    return call.activity != FM_NONE &&
           (is_freed(&edits[call.location], call.activity) ||
            (slot != FM_NONE && fm_redirection_in(&edits[call.location].redirected, slot) != NULL));
}

static void free_lock(struct lock *lock)
{
    fm_free(lock->turns);
    fm_free(lock->slots);
    fm_free(lock->awaken);
}

/* @return whether the order of a lock may change: no change touches it, and its measured order is
 * that of the rule */
static bool learn(const struct fm_detail *detail, const struct fm_edits *edits, struct lock *lock)
{
    find_dependencies(detail, lock);
    for (uint32_t i = 0; i < lock->count; i++) {
        const struct fm_ordered_acquisition *acquisition = &lock->acquisitions[i];
        if (is_changed(edits, acquisition->call, lock->slots[i])) {
            return false;
        }
        const bool is_bound = acquisition->t != 0 && lock->slots[i] != FM_NONE;
        lock->turns[i] = (struct fm_turn){
            .slack = lock->slots[i] == FM_NONE ? FM_NOT_OVERTAKEN : 0,
            .lag = is_bound ? lock->acquisitions[acquisition->before - lock->first].passed -
                                  acquisition->t
                            : 0,
            .owner = acquisition->owner,
            .is_exclusive = acquisition->is_exclusive,
            .is_bound = is_bound,
            .can_wait = lock->slots[i] != FM_NONE,
        };
    }
    observe(detail, NULL, lock);
    fm_turns_learn(lock->turns, lock->count);
    for (uint32_t i = 0; i < lock->count; i++) {
        struct fm_turn *turn = &lock->turns[i];
        if (turn->is_bound && turn->measured != lock->acquisitions[i].before - lock->first) {
            return false;
        }
        turn->follows = turn->measured;
        turn->place = i;
    }
    return true;
}

static void add_locks(struct fm_lock_turns *turns, const struct fm_edits *edits,
                      const fm_acquisition_vector *acquisitions)
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
        lock.slots = fm_allocate(lock.count, sizeof *lock.slots);
        lock.awaken = fm_allocate(lock.count, sizeof *lock.awaken);
        if (learn(turns->detail, edits, &lock)) {
            fm_vector_push(&turns->locks, lock);
        } else {
            free_lock(&lock);
        }
    }
}

struct fm_lock_turns *fm_lock_turns_create(const struct fm_detail *detail,
                                           const struct fm_edits *edits)
{
    struct fm_lock_turns *turns = fm_allocate(1, sizeof *turns);
    turns->detail = detail;
    for (uint32_t p = 0; p < detail->trace->process_count; p++) {
        add_locks(turns, edits, &detail->dependencies->acquisitions[p]);
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

/* ---- a new order ---- */

/* Acquisitions whose new dependencies closed circles are not overtaken any more. */
static void pin_dropped(const struct fm_detail *detail, const struct lock *lock)
{
    for (uint32_t i = 0; i < lock->count; i++) {
        struct fm_turn *turn = &lock->turns[i];
        if (turn->follows != turn->measured && lock->slots[i] != FM_NONE &&
            dependency_at(detail, lock->acquisitions[i].call, lock->slots[i])->dropped) {
            turn->slack = FM_NOT_OVERTAKEN;
        }
    }
}

/* Appends what an acquisition depends on in the new order, unless that is what it depended on. */
static void direct(const struct lock *lock, uint32_t number, fm_redirected_vector *decided)
{
    const struct fm_turn *turn = &lock->turns[number];
    const struct fm_ordered_acquisition *acquisition = &lock->acquisitions[number];
    const bool binds = turn->follows != FM_NONE && lock->turns[turn->follows].owner != turn->owner;
    if (turn->follows == turn->measured || !turn->can_wait || (!binds && !turn->is_bound)) {
        return;
    }
    struct fm_redirected_edit edit = {.position = lock->slots[number], .binds = binds};
    if (binds) {
        const struct fm_ordered_acquisition *before = &lock->acquisitions[turn->follows];
        edit.event.t = before->passed;
        edit.event.source = fm_awaited_enter(before->release);
        edit.event.source.kind = before->releases_at_begin ? FM_AWAITED_ENTER : FM_AWAITED_LEAVE;
    }
    fm_vector_push(&decided[acquisition->call.location], edit);
}

uint64_t fm_lock_turns_take(struct fm_lock_turns *turns, const struct fm_replay *replay,
                            fm_redirected_vector *decided)
{
    uint64_t overtaking = 0;
    for (size_t i = 0; i < turns->locks.count; i++) {
        struct lock *lock = &turns->locks.items[i];
        pin_dropped(turns->detail, lock);
        observe(turns->detail, replay, lock);
        overtaking += fm_turns_take(lock->turns, lock->count);
        for (uint32_t number = 0; number < lock->count; number++) {
            direct(lock, number, decided);
        }
    }
    return overtaking;
}

void fm_lock_turns_number(const struct fm_lock_turns *turns, fm_renumbered_vector *renumbered)
{
    for (size_t i = 0; i < turns->locks.count; i++) {
        const struct lock *lock = &turns->locks.items[i];
        for (uint32_t number = 0; number < lock->count && lock->acquisitions[0].id != 0; number++) {
            const uint32_t place = lock->turns[number].place;
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
        for (uint32_t number = 0; number < lock->count; number++) {
            kept -= lock->turns[number].is_bound;
        }
    }
    return kept;
}
