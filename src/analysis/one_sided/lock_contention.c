/* SPDX-License-Identifier: BSD-3-Clause */
/* Lock Contention: a call of a lock epoch waits for the previous owner to release the lock
 * [H17 pattern 7, algorithm 2]. */
#include "analysis/clocks/wait_errors.h"
#include "analysis/dependencies/acquisitions.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/libraries/library_metrics.h"
#include "analysis/locks/lock_holders.h"
#include "analysis/locks/lock_queue.h"
#include "analysis/one_sided/lock_order.h"
#include "analysis/one_sided/progress_waits.h"
#include "analysis/pattern.h"
#include "analysis/progress/progress_evidence.h"

#include "base/containers/map.h"
#include "engine/dispatch/dispatch.h"

#include <stdlib.h>

/* Distance of prefetching, in epochs. */
#define FETCHED_AHEAD 8

struct contention {
    const struct fm_finder *finder;
    struct fm_lock_homes *homes;
    bool is_survey; /* only who can wait for whom is found, before the evidence for progress */
    struct fm_dispatch *notes; /* to the owners of epochs; NULL: no call needs progress */
};

/* A note on its way. */
struct sent_note {
    struct fm_contention_note note;
};

/* An epoch being judged. */
struct epoch {
    const struct fm_released_epoch *message;
    uint64_t order;                       /* time by which the epochs of a lock are sorted */
    const struct fm_released_call *calls; /* the last one first */
    uint64_t released_after; /* end of the owner's own waiting in the release; 0: none */
    const struct fm_released_call *waiting_call; /* NULL: none */
    uint64_t waited_until;                       /* by `waiting_call` */
    uint32_t blocked_by;                         /* position in the sorted list; FM_NONE: none */
    uint32_t before; /* the latest conflicting epoch, which it need not have waited for; FM_NONE */
    uint32_t number; /* of its lock among those of the window; FM_NONE: all of them */
    const struct fm_released_call *depending_call; /* on `before`; NULL: none */
    uint64_t depends_at;
};

typedef FM_VECTOR(struct epoch) epoch_vector;

/* The latest epochs so far, positions in the sorted list; FM_NONE: none. */
struct latest {
    uint32_t exclusive;
    uint32_t any;
};

/* @return the later one of two epochs in the order of the lock; of simultaneous ones that of the
 * lower location, which is the first in the list */
static uint32_t later(const struct epoch *epochs, uint32_t a, uint32_t b)
{
    if (a == FM_NONE || b == FM_NONE) {
        return a == FM_NONE ? b : a;
    }
    if (epochs[a].order != epochs[b].order) {
        return epochs[a].order > epochs[b].order ? a : b;
    }
    return a < b ? a : b;
}

/* @return whether a call of an epoch was entered after another one, possibly of another thread */
static bool is_later(const struct fm_released_call *a, const struct fm_released_call *b)
{
    return a->enter != b->enter ? a->enter > b->enter : a->activity > b->activity;
}

/* @return until when a call of `epoch` can wait for the release of `before`, wherever the wait of
 * this release itself ends; 0: it cannot */
static uint64_t latest_wait(const struct epoch *epoch, const struct fm_released_call *call,
                            const struct epoch *before)
{
    const struct fm_released_epoch *release = before->message;
    const uint64_t t = release->leave < call->leave ? release->leave : call->leave;
    bool may_wait = !epoch->message->candidates_known || call->only_candidate;
    if (epoch->message->target == FM_NONE && call->target != FM_NONE &&
        call->target != release->target) {
        may_wait = false;
    }
    return may_wait && call->enter < t && call->leave > release->enter &&
                   epoch->message->requested < t
               ? t
               : 0;
}

/* Finds the call of `epoch` that waited for the release of `before`. */
static const struct fm_released_call *waiting_call(const struct epoch *epoch,
                                                   const struct epoch *before, uint64_t *until)
{
    const struct fm_released_call *chosen = NULL;
    uint64_t longest = 0;
    /* The owner cannot pass on the lock before its own waiting in the release has ended. */
    const uint64_t passable = before->released_after;
    for (uint32_t i = 0; i < epoch->message->call_count; ++i) {
        const struct fm_released_call *call = &epoch->calls[i];
        const uint64_t t = latest_wait(epoch, call, before);
        if (t == 0 || call->leave <= passable) {
            continue;
        }
        uint64_t waited = t - call->enter;
        if (chosen == NULL || waited > longest || (waited == longest && is_later(call, chosen))) {
            chosen = call;
            longest = waited;
            *until = t;
        }
    }
    return chosen;
}

static bool is_release(const struct fm_released_epoch *epoch, const struct fm_released_call *call)
{
    return call->activity == epoch->activity && call->location == epoch->location;
}

/* @return the call of `epoch` that could not end before the release of `before`, which it did not
 * wait for: the first one that was left behind it */
static const struct fm_released_call *first_behind(const struct epoch *epoch,
                                                   const struct epoch *before)
{
    const struct fm_released_call *first = NULL;
    for (uint32_t i = 0; i < epoch->message->call_count; ++i) {
        const struct fm_released_call *call = &epoch->calls[i];
        const bool may_depend = (!epoch->message->candidates_known || call->only_candidate) &&
                                (epoch->message->target != FM_NONE || call->target == FM_NONE ||
                                 call->target == before->message->target);
        if (may_depend && call->leave >= before->message->leave &&
            (first == NULL || !is_later(call, first))) {
            first = call;
        }
    }
    return first;
}

/* States that a call of an epoch depends on the release before: at t, at most its Leave. */
static void depend(const struct contention *contention, unsigned worker, struct epoch *epoch,
                   const struct fm_released_call *call, const struct epoch *before, uint64_t t)
{
    const struct fm_analysis *analysis = contention->finder->analysis;
    const struct fm_released_epoch *release = before->message;
    if (analysis->dependencies == NULL || call == NULL ||
        (call->location == release->location && call->activity == release->activity)) {
        return;
    }
    struct fm_awaited released =
        fm_awaited_enter((struct fm_call_ref){release->location, release->activity});
    released.kind = FM_AWAITED_LEAVE;
    fm_depend_at(analysis, worker, (struct fm_call_ref){call->location, call->activity}, released,
                 t, FM_DEPENDS_ON_LOCK);
    epoch->depending_call = call;
    epoch->depends_at = t;
}

/* Notes for the owner of an epoch until when its calls can wait for the lock. */
static void send_notes(const struct contention *contention, unsigned worker,
                       const struct epoch *epoch, const struct epoch *before,
                       const struct fm_released_call *chosen)
{
    for (uint32_t i = 0; i < epoch->message->call_count; ++i) {
        const struct fm_released_call *call = &epoch->calls[i];
        const uint64_t t = latest_wait(epoch, call, before);
        if (t != 0 && (contention->is_survey || call == chosen)) {
            const struct sent_note sent = {{.t = t,
                                            .call = {call->location, call->activity},
                                            .epoch = epoch->message->epoch,
                                            .is_chosen = call == chosen}};
            fm_dispatch_send(contention->notes, worker, epoch->message->owner, &sent);
        }
    }
}

/* Finds which call of an epoch waits for the release before, and what the epoch can pass on itself.
 */
static void judge_epoch(const struct contention *contention, unsigned worker, struct epoch *epochs,
                        uint32_t index, uint32_t before)
{
    struct epoch *epoch = &epochs[index];
    epoch->released_after = epoch->message->progress_until;
    epoch->before = before;
    if (before == FM_NONE || epochs[before].message->owner == epoch->message->owner) {
        return;
    }
    uint64_t until = 0;
    const struct fm_released_call *call = waiting_call(epoch, &epochs[before], &until);
    if (contention->notes != NULL) {
        send_notes(contention, worker, epoch, &epochs[before], call);
    }
    if (call == NULL) {
        return;
    }
    if (is_release(epoch->message, call)) {
        epoch->released_after = until > call->served_until ? until : call->served_until;
    }
    epoch->waiting_call = call;
    epoch->waited_until = until;
    epoch->blocked_by = before;
}

/* Reports what judge_epoch() has found. */
static void report_epoch(const struct contention *contention, unsigned worker, struct epoch *epochs,
                         uint32_t index)
{
    struct epoch *epoch = &epochs[index];
    const uint32_t before = epoch->before;
    const struct fm_released_call *call = epoch->waiting_call;
    if (before == FM_NONE || epochs[before].message->owner == epoch->message->owner) {
        return;
    }
    if (call == NULL) {
        depend(contention, worker, epoch, first_behind(epoch, &epochs[before]), &epochs[before],
               epochs[before].message->leave);
        return;
    }
    depend(contention, worker, epoch, call, &epochs[before], epoch->waited_until);
    const struct fm_released_epoch *release = epochs[before].message;
    struct fm_finder finder = *contention->finder;
    finder.worker = worker;
    fm_found_remote_wait(&finder, (struct fm_call_ref){call->location, call->activity},
                         epoch->waited_until,
                         (struct fm_call_ref){release->location, release->activity},
                         fm_library_metric(epoch->message->paradigm, FM_RULE_LOCK),
                         fm_library_metric(epoch->message->paradigm, FM_RULE_LOCK_IN_OPERATION));
}

/* Prefetches calls, which lie in the order of their arrival, not in that of the lock. */
static void prefetch_calls(const struct epoch *epoch)
{
    __builtin_prefetch(epoch->calls);
    __builtin_prefetch(epoch->calls + 2);
}

/* @return what distinguishes the locks of a window from one another: their targets, in MPI nothing
 * else. The first lock of a target has the id 0 in most libraries. */
static uint64_t key_of(struct fm_map *number_of_id, const struct fm_released_epoch *message)
{
    const uint32_t number = message->lock == 0 ? 0
                                               : *fm_map_at(number_of_id, message->lock,
                                                            (uint32_t)number_of_id->count + 1);
    return (uint64_t)number << 32 | message->target;
}

/* Judges the epochs of one window in the order of fm_lock_order_find(). */
static void judge_window(struct contention *contention, unsigned worker, struct epoch *epochs,
                         uint32_t begin, uint32_t end)
{
    struct fm_map slot_of_lock = {0}, number_of_id = {0};
    FM_VECTOR(struct latest) latest = {0};
    struct latest whole = {FM_NONE, FM_NONE}; /* exclusive: of any target; any: of all targets */
    for (uint32_t i = begin; i < end; ++i) {
        if (i + FETCHED_AHEAD < end) {
            prefetch_calls(&epochs[i + FETCHED_AHEAD]);
        }
        const struct fm_released_epoch *message = epochs[i].message;
        uint32_t before;
        epochs[i].number = FM_NONE;
        if (message->target == FM_NONE) {
            before = whole.exclusive;
            judge_epoch(contention, worker, epochs, i, before);
            whole.any = later(epochs, whole.any, i);
            continue;
        }
        uint32_t next = (uint32_t)latest.count;
        uint32_t slot = *fm_map_at(&slot_of_lock, key_of(&number_of_id, message), next);
        if (slot == next) {
            fm_vector_push(&latest, (struct latest){FM_NONE, FM_NONE});
        }
        struct latest *own = &latest.items[slot];
        epochs[i].number = slot;
        before = message->exclusive ? later(epochs, own->any, whole.any) : own->exclusive;
        judge_epoch(contention, worker, epochs, i, before);
        own->any = later(epochs, own->any, i);
        if (message->exclusive) {
            own->exclusive = later(epochs, own->exclusive, i);
            whole.exclusive = later(epochs, whole.exclusive, i);
        }
    }
    fm_map_free(&slot_of_lock);
    fm_map_free(&number_of_id);
    fm_vector_free(&latest);
}

/* @return the call of an epoch that acquired its lock, or else requested it */
static const struct fm_released_call *acquiring_call(const struct epoch *epoch)
{
    const uint32_t count = epoch->message->call_count;
    for (uint32_t i = 0; i < count; i++) {
        if (epoch->calls[i].only_candidate) {
            return &epoch->calls[i];
        }
    }
    return &epoch->calls[count - 1]; /* the calls come last first */
}

/* @return the time at which an epoch that did not wait acquired its lock, as far as the trace has
 * it
 */
static uint64_t granted_at(const struct epoch *epoch)
{
    return acquiring_call(epoch)->leave;
}

/* Adds the epochs of one window to the queues. `holds` is scratch memory with room for them. */
static void add_queues(struct contention *contention, unsigned worker, const struct epoch *epochs,
                       uint32_t begin, uint32_t end, struct fm_lock_hold *holds)
{
    const struct fm_trace *trace = contention->finder->analysis->trace;
    for (uint32_t i = begin; i < end; ++i) {
        const struct epoch *epoch = &epochs[i];
        const struct fm_released_epoch *message = epoch->message;
        const struct fm_released_call *call = epoch->waiting_call;
        struct fm_lock_hold *hold = &holds[i - begin];
        *hold = (struct fm_lock_hold){
            .requested = message->requested,
            .released = message->leave,
            .owner = fm_trace_first_location(trace, message->owner),
            .target = message->target,
            .region = FM_NONE,
            .number = epoch->number,
            .lock = message->lock,
            .blocked_by = FM_NONE,
            .exclusive = message->exclusive,
            .paradigm = message->paradigm,
        };
        if (call == NULL) {
            hold->held_from = granted_at(epoch);
            continue;
        }
        hold->queued_from = call->enter;
        hold->queued_until = epoch->waited_until;
        hold->held_from = is_release(message, call) ? epoch->released_after : epoch->waited_until;
        hold->blocked_by = epoch->blocked_by - begin;
        const struct fm_released_epoch *release = epochs[epoch->blocked_by].message;
        hold->error = fm_wait_error(contention->finder->analysis->wait_errors,
                                    (struct fm_call_ref){call->location, call->activity},
                                    (struct fm_call_ref){release->location, release->activity},
                                    hold->queued_until - hold->queued_from);
    }
    fm_lock_queues_add(contention->finder->analysis->lock_queues, worker,
                       epochs[begin].message->window, holds, end - begin, NULL);
}

/* @return when an epoch got its lock: as recorded; otherwise when it was requested and the latest
 * conflicting epoch had passed it on */
static uint64_t acquired_at(const struct epoch *epochs, const struct epoch *epoch)
{
    if (epoch->message->candidates_known) {
        return epoch->message->acquired;
    }
    uint64_t granted = 0;
    if (epoch->waiting_call != NULL) {
        granted = epoch->waited_until;
    } else if (epoch->before != FM_NONE) {
        granted = epochs[epoch->before].message->leave;
    }
    return granted > epoch->message->requested ? granted : epoch->message->requested;
}

/* Adds who held the locks of one window meanwhile, if any epoch waited. */
static void add_holders(struct contention *contention, unsigned worker, uint32_t home,
                        const struct epoch *epochs, uint32_t begin, uint32_t end)
{
    uint32_t first = begin;
    while (first < end && epochs[first].waiting_call == NULL) {
        first++;
    }
    if (first == end) {
        return;
    }
    struct fm_lock_tenure *tenures = fm_resize(NULL, 0, (end - begin) * sizeof *tenures);
    for (uint32_t i = begin; i < end; i++) {
        const struct epoch *epoch = &epochs[i];
        const struct fm_released_call *call = epoch->waiting_call;
        tenures[i - begin] = (struct fm_lock_tenure){
            .requested = epoch->message->requested,
            .acquired = acquired_at(epochs, epoch),
            .released = epoch->message->leave,
            .waited_from = call == NULL ? 0 : call->enter,
            .waited_until = call == NULL ? 0 : epoch->waited_until,
            .id = epoch->message->lock,
            .lock = epoch->number,
            .target = epoch->message->target,
            .owner = epoch->message->owner,
            .location = epoch->message->location,
            .served_until = call == NULL ? 0 : call->served_until,
            .served_by = call == NULL ? FM_NONE : call->served_by,
            .waiter = call == NULL ? FM_NONE : call->location,
            .blocked_by = call == NULL ? FM_NONE : epoch->blocked_by - begin,
            .exclusive = epoch->message->exclusive,
            .lies_nowhere = epoch->message->lies_nowhere,
        };
    }
    const struct fm_released_epoch *last = epochs[end - 1].message;
    const struct fm_lock_group group = {
        .home = home,
        .window = last->window,
        .paradigm = last->paradigm,
        .needs_progress =
            fm_evidence_window_waits(contention->finder->analysis->evidence, last->window),
    };
    fm_lock_holders_add(contention->finder->analysis->lock_holders, worker, &group, tenures,
                        end - begin);
    fm_free(tenures);
}

static struct fm_ordered_acquisition describe(const struct epoch *epoch, const uint32_t *positions,
                                              uint32_t begin)
{
    const struct fm_released_epoch *message = epoch->message;
    const struct fm_released_call *request = &epoch->calls[message->call_count - 1];
    const struct fm_released_call *call =
        epoch->depending_call != NULL ? epoch->depending_call : acquiring_call(epoch);
    return (struct fm_ordered_acquisition){
        .t = epoch->depends_at,
        .passed = message->leave,
        .lock = epoch->number,
        .owner = message->owner,
        .before = epoch->depends_at == 0 ? 0 : positions[epoch->before - begin],
        .request = {request->location, request->activity},
        .call = {call->location, call->activity},
        .release = {message->location, message->activity},
        .is_exclusive = message->exclusive,
    };
}

/* Adds the acquisitions of one window, by lock, unless some are of all targets. */
static void add_acquisitions(const struct contention *contention, unsigned worker, uint32_t home,
                             const struct epoch *epochs, uint32_t begin, uint32_t end)
{
    const struct fm_analysis *analysis = contention->finder->analysis;
    struct fm_keyed *order = fm_allocate(end - begin, sizeof *order);
    uint32_t *positions = fm_allocate(end - begin, sizeof *positions);
    struct fm_ordered_acquisition *found = fm_allocate(end - begin, sizeof *found);
    bool is_whole = false;
    for (uint32_t i = begin; i < end; i++) {
        order[i - begin] = (struct fm_keyed){epochs[i].number, i};
        is_whole |= epochs[i].number == FM_NONE;
    }
    fm_keyed_sort(order, end - begin, NULL);
    for (uint32_t i = 0; i < end - begin; i++) {
        positions[order[i].value - begin] = i;
    }
    for (uint32_t i = 0; i < end - begin; i++) {
        found[i] = describe(&epochs[order[i].value], positions, begin);
    }
    if (!is_whole) {
        fm_acquisitions_add(analysis, worker, home, found, end - begin);
    }
    fm_free(found);
    fm_free(positions);
    fm_free(order);
}

static void prefetch_epoch(const struct fm_released_epochs *released, uint32_t position)
{
    const struct fm_released_epoch *epoch = &released->epochs.items[position];
    __builtin_prefetch(epoch);
    __builtin_prefetch((const char *)(epoch + 1) - 1);
}

/* Lists the epochs of a home in the order of their locks. */
static void take_epochs(const struct contention *contention, uint32_t process,
                        struct fm_released_epochs *released, struct fm_lock_order *order,
                        epoch_vector *epochs)
{
    fm_lock_homes_list(contention->homes, process, released);
    fm_lock_order_find(order, released);
    epochs->count = 0;
    fm_vector_reserve(epochs, order->epochs.count);
    for (size_t i = 0; i < order->epochs.count; ++i) {
        if (i + FETCHED_AHEAD < order->epochs.count) {
            prefetch_epoch(released, order->epochs.items[i + FETCHED_AHEAD].value);
        }
        const struct fm_released_epoch *message =
            &released->epochs.items[order->epochs.items[i].value];
        fm_vector_push(epochs, (struct epoch){.message = message,
                                              .order = order->epochs.items[i].key,
                                              .calls = &released->calls.items[message->first_call],
                                              .blocked_by = FM_NONE,
                                              .before = FM_NONE});
    }
}

/* Reports the epochs of one window. @param holds  scratch memory with room for them */
static void report_window(struct contention *contention, unsigned worker, uint32_t home,
                          struct epoch *epochs, uint32_t begin, uint32_t end,
                          struct fm_lock_hold *holds)
{
    for (uint32_t i = begin; i < end; ++i) {
        report_epoch(contention, worker, epochs, i);
    }
    add_queues(contention, worker, epochs, begin, end, holds);
    add_holders(contention, worker, home, epochs, begin, end);
    if (contention->finder->analysis->dependencies != NULL) {
        add_acquisitions(contention, worker, home, epochs, begin, end);
    }
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct contention *contention = context;
    epoch_vector epochs = {0};
    FM_VECTOR(struct fm_lock_hold) holds = {0};
    struct fm_released_epochs released = {0};
    struct fm_lock_order order = {0};
    for (uint32_t process = first; process < last; ++process) {
        take_epochs(contention, process, &released, &order, &epochs);
        fm_vector_reserve(&holds, epochs.count);
        for (uint32_t begin = 0; begin < epochs.count;) {
            uint32_t end = begin + 1;
            while (end < epochs.count &&
                   epochs.items[end].message->window == epochs.items[begin].message->window) {
                ++end;
            }
            judge_window(contention, worker, epochs.items, begin, end);
            if (!contention->is_survey) {
                report_window(contention, worker, process, epochs.items, begin, end, holds.items);
            }
            begin = end;
        }
    }
    fm_lock_order_free(&order);
    fm_released_epochs_free(&released);
    fm_vector_free(&epochs);
    fm_vector_free(&holds);
}

/* Keeps a note; handler of `notes`. */
static void keep_note(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    const struct contention *contention = context;
    fm_vector_push(&contention->finder->analysis->epochs[process].locks.contentions,
                   ((const struct sent_note *)record)->note);
}

/* Finds who can wait for locks while nobody waits for progress, weighs the evidence for progress,
 * and gathers the epochs again with what it means for them. */
static void survey(struct contention *contention)
{
    struct fm_analysis *analysis = contention->finder->analysis;
    contention->notes =
        fm_dispatch_create(analysis->engine, sizeof(struct sent_note), keep_note, contention);
    contention->is_survey = true;
    fm_dispatch_run(contention->notes, judge, contention);
    contention->is_survey = false;
    if (fm_progress_waits_weigh(analysis)) {
        fm_lock_homes_free(contention->homes, analysis->trace->process_count);
        contention->homes = fm_lock_homes_gather(analysis, analysis->epochs);
    } else {
        fm_dispatch_free(contention->notes);
        contention->notes = NULL;
    }
}

static void detect(const struct fm_finder *finder)
{
    struct fm_analysis *analysis = finder->analysis;
    struct contention contention = {
        .finder = finder,
        .homes = fm_lock_homes_gather(analysis, analysis->epochs),
    };
    if (analysis->progress != NULL) {
        survey(&contention);
    }
    fm_finders_run(analysis, judge, &contention);
    if (contention.notes != NULL) {
        fm_dispatch_deliver(contention.notes);
        fm_dispatch_free(contention.notes);
    }
    fm_lock_homes_free(contention.homes, analysis->trace->process_count);
}

const struct fm_pattern fm_pattern_lock_contention = {
    .name = "Lock Contention",
    .reads = FM_READS(EPOCHS),
    .detect = detect,
};
