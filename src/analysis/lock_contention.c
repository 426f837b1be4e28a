/* Lock Contention: a call of a lock epoch waits for the previous owner to release the lock
 * [H17 pattern 7, algorithm 2].
 *
 * All epochs of a lock meet in one place: at the target, or, if somebody locks all targets of the
 * window at once, at one process for the whole window. */
#include "analysis/one_sided.h"

#include "analysis/lock_queue.h"
#include "analysis/own_metric.h"

#include "base/map.h"
#include "base/sort.h"
#include "engine/dispatch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A released epoch where its lock is judged, or on the way there with its calls. */
struct lock_message {
    uint64_t enter; /* of the release */
    uint64_t leave;
    uint64_t requested;      /* Enter of the requesting call */
    uint64_t progress_until; /* end of the release's wait for progress; 0: it did not wait */
    uint32_t window;
    uint32_t owner;  /* process */
    uint32_t target; /* process; FM_NONE: all */
    uint32_t location;
    uint32_t activity;
    uint32_t first_call, call_count; /* at the home, in `calls` */
    bool exclusive;
    bool candidates_known;
};

/* A call of an epoch. */
struct lock_call {
    uint64_t enter;
    uint64_t leave;
    uint32_t target; /* process an operation goes to; FM_NONE: not an operation */
    uint32_t location;
    uint32_t activity;
    bool only_candidate; /* known to have acquired the lock */
};

/* The process at which locks are judged: what has come there. */
struct home {
    FM_VECTOR(struct lock_message) epochs;
    FM_VECTOR(struct lock_call) calls;
};

struct contention_message {
    uint32_t location;
    struct fm_candidate candidate;
};

/* How a window is locked anywhere in the run. */
struct window_use {
    atomic_bool exclusively;
    atomic_bool all_targets;
};

struct contention {
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs;
    struct window_use *uses;
    struct home *homes; /* by process */
    struct fm_list_dispatch *locks;
    struct fm_dispatch *waits;
};

typedef FM_VECTOR(struct lock_call) call_vector;

static void note_uses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct contention *contention = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_lock_epochs *locks = &contention->epochs[process].locks;
        for (size_t i = 0; i < locks->epochs.count; ++i) {
            const struct fm_lock_epoch *epoch = &locks->epochs.items[i];
            struct window_use *use = &contention->uses[epoch->window];
            if (epoch->exclusive) {
                atomic_store_explicit(&use->exclusively, true, memory_order_relaxed);
            }
            if (epoch->target == FM_NONE) {
                atomic_store_explicit(&use->all_targets, true, memory_order_relaxed);
            }
        }
    }
}

/* What one process of the analysis has noted, all must know. */
static void share_uses(struct contention *contention)
{
    uint32_t windows = contention->analysis->trace->window_count;
    uint64_t *counts = fm_allocate((size_t)windows * 2, sizeof *counts);
    for (uint32_t w = 0; w < windows; ++w) {
        counts[2 * (size_t)w] = contention->uses[w].exclusively;
        counts[2 * (size_t)w + 1] = contention->uses[w].all_targets;
    }
    fm_team_sum(contention->analysis->team, counts, (size_t)windows * 2);
    for (uint32_t w = 0; w < windows; ++w) {
        contention->uses[w].exclusively = counts[2 * (size_t)w] != 0;
        contention->uses[w].all_targets = counts[2 * (size_t)w + 1] != 0;
    }
    fm_free(counts);
}

static uint32_t home_of(const struct contention *contention, const struct fm_lock_epoch *epoch)
{
    if (!contention->uses[epoch->window].all_targets) {
        return epoch->target;
    }
    const struct fm_trace *trace = contention->analysis->trace;
    const struct fm_communicator *communicator =
        &trace->communicators[trace->windows[epoch->window].communicator];
    return communicator->is_self ? epoch->target : communicator->members[0];
}

static uint64_t progress_until(const struct fm_map *waits, const struct fm_lock_epochs *locks,
                               struct fm_call_ref call)
{
    uint32_t index = fm_map_get(waits, (uint64_t)call.location << 32 | call.activity);
    return index == FM_MAP_ABSENT ? 0 : locks->progress.items[index].until;
}

static void send_epoch(struct contention *contention, unsigned worker, uint32_t process,
                       const struct fm_map *waits, const struct fm_lock_epoch *epoch,
                       call_vector *calls)
{
    const struct fm_trace *trace = contention->analysis->trace;
    const struct fm_lock_epochs *locks = &contention->epochs[process].locks;
    uint32_t home = home_of(contention, epoch);
    home = home == FM_NONE ? process : home;
    const struct fm_location *releasing = &trace->locations[epoch->release.location];
    bool acquisition_known = epoch->acquire.activity != FM_NONE;
    struct lock_message message = {
        .enter = releasing->enter.items[epoch->release.activity],
        .leave = releasing->leave.items[epoch->release.activity],
        .requested = trace->locations[epoch->request.location].enter.items[epoch->request.activity],
        .progress_until = progress_until(waits, locks, epoch->release),
        .window = epoch->window,
        .owner = process,
        .target = epoch->target,
        .location = epoch->release.location,
        .activity = epoch->release.activity,
        .exclusive = epoch->exclusive,
        .candidates_known = acquisition_known,
    };
    calls->count = 0;
    for (uint32_t c = epoch->last_call; c != FM_NONE; c = locks->calls.items[c].previous) {
        const struct fm_lock_call *call = &locks->calls.items[c];
        const struct fm_location *location = &trace->locations[call->call.location];
        bool acquires = acquisition_known && call->call.activity == epoch->acquire.activity &&
                        call->call.location == epoch->acquire.location;
        fm_vector_push(calls, (struct lock_call){
                                  .enter = location->enter.items[call->call.activity],
                                  .leave = location->leave.items[call->call.activity],
                                  .target = call->target,
                                  .location = call->call.location,
                                  .activity = call->call.activity,
                                  .only_candidate = acquires,
                              });
    }
    fm_list_dispatch_send(contention->locks, worker, home, &message, calls->items,
                          (uint32_t)calls->count);
}

/* Makes room for as many epochs as the home has itself: most programs lock as they are locked, and
 * what is never touched takes no memory. */
static void reserve_home(struct home *home, const struct fm_lock_epochs *own)
{
    fm_vector_reserve(&home->epochs, own->epochs.count);
    fm_vector_reserve(&home->calls, own->calls.count);
}

/* Keeps an epoch at its home; handles what `locks` brings. */
static void keep_epoch(void *context, unsigned worker, uint32_t process, const void *record,
                       const void *items, uint32_t count)
{
    (void)worker;
    struct contention *contention = context;
    struct home *home = &contention->homes[process];
    if (home->epochs.count == 0) {
        reserve_home(home, &contention->epochs[process].locks);
    }
    struct lock_message message = *(const struct lock_message *)record;
    message.first_call = (uint32_t)home->calls.count;
    message.call_count = count;
    fm_vector_push(&home->epochs, message);
    if (count != 0) {
        fm_vector_reserve(&home->calls, count);
        memcpy(&home->calls.items[home->calls.count], items, count * sizeof *home->calls.items);
        home->calls.count += count;
    }
}

static void send_epochs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct contention *contention = context;
    struct fm_map waits = {0};
    call_vector calls = {0};
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_lock_epochs *locks = &contention->epochs[process].locks;
        fm_map_clear(&waits);
        for (uint32_t i = 0; i < locks->progress.count; ++i) {
            struct fm_call_ref call = locks->progress.items[i].call;
            *fm_map_at(&waits, (uint64_t)call.location << 32 | call.activity, i) = i;
        }
        for (size_t i = 0; i < locks->epochs.count; ++i) {
            const struct fm_lock_epoch *epoch = &locks->epochs.items[i];
            if (epoch->release.activity != FM_NONE && contention->uses[epoch->window].exclusively) {
                send_epoch(contention, worker, process, &waits, epoch, &calls);
            }
        }
    }
    fm_map_free(&waits);
    fm_vector_free(&calls);
}

/* An epoch that is judged. */
struct epoch {
    const struct lock_message *message;
    const struct lock_call *calls; /* the last one first */
    uint64_t released_after;       /* end of the owner's own waiting in the release; 0: none */
    const struct lock_call *waiting_call; /* NULL: none */
    uint64_t waited_until;                /* by `waiting_call` */
    uint32_t blocked_by;                  /* position in the sorted list; FM_NONE: none */
};

/* The latest epochs so far, positions in the sorted list; FM_NONE: none. */
struct latest {
    uint32_t exclusive;
    uint32_t any;
};

static int compare_epochs(const void *a, const void *b)
{
    const struct lock_message *left = ((const struct epoch *)a)->message;
    const struct lock_message *right = ((const struct epoch *)b)->message;
    if (left->window != right->window) {
        return left->window < right->window ? -1 : 1;
    }
    if (left->leave != right->leave) {
        return left->leave < right->leave ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->activity < right->activity ? -1 : left->activity > right->activity;
}

/* @return the later released of two epochs; of simultaneous ones that of the lower location, which
 * stands first in the list */
static uint32_t later(const struct epoch *epochs, uint32_t a, uint32_t b)
{
    if (a == FM_NONE || b == FM_NONE) {
        return a == FM_NONE ? b : a;
    }
    if (epochs[a].message->leave != epochs[b].message->leave) {
        return epochs[a].message->leave > epochs[b].message->leave ? a : b;
    }
    return a < b ? a : b;
}

/* @return the end of what the previous owner itself waited for in its release before it could pass
 * on the lock: progress, and its own predecessor on this lock. One that locked all targets may have
 * waited for the lock of another target. */
static uint64_t passable_after(const struct epoch *epochs, const struct epoch *epoch,
                               const struct epoch *before)
{
    bool other_lock = before->message->target == FM_NONE && before->blocked_by != FM_NONE &&
                      epochs[before->blocked_by].message->target != epoch->message->target;
    return other_lock ? before->message->progress_until : before->released_after;
}

/* Finds the call of `epoch` that waited for the release of `before`. */
static const struct lock_call *waiting_call(const struct epoch *epochs, const struct epoch *epoch,
                                            const struct epoch *before, uint64_t *until)
{
    const struct lock_message *release = before->message;
    const struct lock_call *chosen = NULL;
    uint64_t longest = 0, passable = passable_after(epochs, epoch, before);
    for (uint32_t i = 0; i < epoch->message->call_count; ++i) {
        const struct lock_call *call = &epoch->calls[i];
        uint64_t t = release->leave < call->leave ? release->leave : call->leave;
        bool may_wait = !epoch->message->candidates_known || call->only_candidate;
        if (epoch->message->target == FM_NONE && call->target != FM_NONE &&
            call->target != release->target) {
            may_wait = false;
        }
        if (!may_wait || call->enter >= t || call->leave <= release->enter ||
            call->leave <= passable || epoch->message->requested >= t) {
            continue;
        }
        uint64_t waited = t - call->enter;
        if (chosen == NULL || waited > longest ||
            (waited == longest && call->activity > chosen->activity)) {
            chosen = call;
            longest = waited;
            *until = t;
        }
    }
    return chosen;
}

static bool is_release(const struct lock_message *epoch, const struct lock_call *call)
{
    return call->activity == epoch->activity && call->location == epoch->location;
}

static void judge_epoch(struct contention *contention, unsigned worker, struct epoch *epochs,
                        uint32_t index, uint32_t before)
{
    struct epoch *epoch = &epochs[index];
    epoch->released_after = epoch->message->progress_until;
    if (before == FM_NONE || epochs[before].message->owner == epoch->message->owner) {
        return;
    }
    uint64_t until = 0;
    const struct lock_call *call = waiting_call(epochs, epoch, &epochs[before], &until);
    if (call == NULL) {
        return;
    }
    if (is_release(epoch->message, call) && until > epoch->released_after) {
        epoch->released_after = until;
    }
    epoch->waiting_call = call;
    epoch->waited_until = until;
    epoch->blocked_by = before;
    const struct lock_message *release = epochs[before].message;
    struct contention_message wait = {
        .location = call->location,
        .candidate =
            {
                .t = until,
                .activity = call->activity,
                .cause_location = release->location,
                .cause_activity = release->activity,
                .rule = FM_RULE_LOCK_CONTENTION,
            },
    };
    fm_dispatch_send(contention->waits, worker, epoch->message->owner, &wait);
}

/* Goes through the epochs of one window in the order of their release. */
static void judge_window(struct contention *contention, unsigned worker, struct epoch *epochs,
                         uint32_t begin, uint32_t end)
{
    struct fm_map index_of_target = {0};
    FM_VECTOR(struct latest) latest = {0};
    struct latest whole = {FM_NONE, FM_NONE}; /* any exclusive one; any of all targets */
    for (uint32_t i = begin; i < end; ++i) {
        const struct lock_message *message = epochs[i].message;
        uint32_t before;
        if (message->target == FM_NONE) {
            before = whole.exclusive;
            judge_epoch(contention, worker, epochs, i, before);
            whole.any = later(epochs, whole.any, i);
            continue;
        }
        uint32_t next = (uint32_t)latest.count;
        uint32_t slot = *fm_map_at(&index_of_target, message->target, next);
        if (slot == next) {
            fm_vector_push(&latest, (struct latest){FM_NONE, FM_NONE});
        }
        struct latest *own = &latest.items[slot];
        before = message->exclusive ? later(epochs, own->any, whole.any) : own->exclusive;
        judge_epoch(contention, worker, epochs, i, before);
        own->any = later(epochs, own->any, i);
        if (message->exclusive) {
            own->exclusive = later(epochs, own->exclusive, i);
            whole.exclusive = later(epochs, whole.exclusive, i);
        }
    }
    fm_map_free(&index_of_target);
    fm_vector_free(&latest);
}

/* @return when an epoch that did not wait got its lock, as far as the trace tells */
static uint64_t granted_at(const struct epoch *epoch)
{
    uint32_t count = epoch->message->call_count;
    for (uint32_t i = 0; i < count; ++i) {
        if (epoch->calls[i].only_candidate) {
            return epoch->calls[i].leave;
        }
    }
    return epoch->calls[count - 1].leave; /* the calls come last first: the requesting one */
}

/* Tells who had the locks of one window, and who waited for them. */
static void add_queues(struct contention *contention, unsigned worker, const struct epoch *epochs,
                       uint32_t begin, uint32_t end)
{
    struct fm_lock_hold *holds = fm_allocate(end - begin, sizeof *holds);
    for (uint32_t i = begin; i < end; ++i) {
        const struct epoch *epoch = &epochs[i];
        const struct lock_message *message = epoch->message;
        const struct lock_call *call = epoch->waiting_call;
        struct fm_lock_hold *hold = &holds[i - begin];
        *hold = (struct fm_lock_hold){
            .requested = message->requested,
            .released = message->leave,
            .owner = message->owner,
            .target = message->target,
            .blocked_by = FM_NONE,
            .exclusive = message->exclusive,
        };
        if (call == NULL) {
            hold->held_from = granted_at(epoch);
            continue;
        }
        hold->queued_from = call->enter;
        hold->queued_until = epoch->waited_until;
        hold->held_from = is_release(message, call) ? epoch->released_after : epoch->waited_until;
        hold->blocked_by = epoch->blocked_by - begin;
    }
    fm_lock_queues_add(contention->analysis->lock_queues, worker, epochs[begin].message->window,
                       holds, end - begin);
    fm_free(holds);
}

static void judge(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct contention *contention = context;
    FM_VECTOR(struct epoch) epochs = {0};
    for (uint32_t process = first; process < last; ++process) {
        struct home *home = &contention->homes[process];
        epochs.count = 0;
        fm_vector_reserve(&epochs, home->epochs.count);
        for (size_t i = 0; i < home->epochs.count; ++i) {
            const struct lock_message *message = &home->epochs.items[i];
            fm_vector_push(&epochs, (struct epoch){.message = message,
                                                   .calls = &home->calls.items[message->first_call],
                                                   .blocked_by = FM_NONE});
        }
        fm_sort(epochs.items, epochs.count, sizeof *epochs.items, compare_epochs);
        for (uint32_t begin = 0; begin < epochs.count;) {
            uint32_t end = begin + 1;
            while (end < epochs.count &&
                   epochs.items[end].message->window == epochs.items[begin].message->window) {
                ++end;
            }
            judge_window(contention, worker, epochs.items, begin, end);
            add_queues(contention, worker, epochs.items, begin, end);
            begin = end;
        }
        fm_vector_free(&home->epochs);
        fm_vector_free(&home->calls);
    }
    fm_vector_free(&epochs);
}

/* Notes a wait for a lock where it happened; handles what `waits` brings. */
static void take_wait(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    (void)process;
    struct contention *contention = context;
    const struct contention_message *wait = record;
    const struct fm_trace *trace = contention->analysis->trace;
    const struct fm_location *location = &trace->locations[wait->location];
    struct fm_candidate candidate = wait->candidate;
    fm_metric_t own = fm_own_metric(fm_trace_called(trace, location, candidate.activity));
    candidate.metric =
        (uint8_t)(own == FM_METRIC_MPI_RMA_COMMUNICATION ? FM_METRIC_MPI_RMA_COMM_LOCK_COMPETITION
                                                         : FM_METRIC_MPI_RMA_SYNC_LOCK_COMPETITION);
    fm_findings_add(&contention->analysis->findings[wait->location], location, &candidate);
}

void fm_detect_lock_contention(struct fm_analysis *analysis, const struct fm_epochs *epochs)
{
    struct contention contention = {
        .analysis = analysis,
        .epochs = epochs,
        .uses = fm_allocate(analysis->trace->window_count, sizeof(struct window_use)),
        .homes = fm_allocate(analysis->trace->process_count, sizeof(struct home)),
    };
    contention.locks = fm_list_dispatch_create(analysis->engine, sizeof(struct lock_message),
                                               sizeof(struct lock_call), keep_epoch, &contention);
    contention.waits = fm_dispatch_create(analysis->engine, sizeof(struct contention_message),
                                          take_wait, &contention);
    analysis->lock_queues = fm_lock_queues_create(fm_engine_workers(analysis->engine));
    fm_engine_run(analysis->engine, note_uses, &contention);
    share_uses(&contention);
    fm_engine_run(analysis->engine, send_epochs, &contention);
    fm_list_dispatch_deliver(contention.locks);
    fm_engine_run(analysis->engine, judge, &contention);
    fm_dispatch_deliver(contention.waits);
    fm_list_dispatch_free(contention.locks);
    fm_dispatch_free(contention.waits);
    fm_free(contention.homes);
    fm_free(contention.uses);
}
