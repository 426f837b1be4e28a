/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/one_sided/lock_homes.h"

#include "engine/dispatch/dispatch.h"

#include <string.h>

/* Distance of prefetching, in epochs: epochs are prefetched twice as far ahead as their calls. */
#define FETCHED_AHEAD 8

/* A released epoch of an owner whose tables this process of the analysis has: described when it is
 * judged. */
struct local_epoch {
    uint32_t owner; /* process */
    uint32_t epoch; /* of the owner */
};

/* A released epoch on its way to a home in another process of the analysis. */
struct remote_epoch {
    struct fm_released_epoch epoch;
    struct fm_items calls; /* struct fm_released_call */
};

/* The epochs that have arrived at one process. */
struct home {
    FM_VECTOR(struct local_epoch) local;
    struct fm_released_epochs remote; /* from other processes of the analysis */
};

/* How a window is locked anywhere in the run. */
struct window_use {
    bool exclusively;
    bool all_targets;
};

struct fm_lock_homes {
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs;
    struct window_use *uses;
    struct home *homes; /* by process */
    struct fm_dispatch *local_epochs;
    struct fm_dispatch *remote_epochs;
};

static void note_uses(struct fm_lock_homes *homes)
{
    uint32_t first, last;
    fm_engine_own(homes->analysis->engine, &first, &last);
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_lock_epochs *locks = &homes->epochs[process].locks;
        for (size_t i = 0; i < locks->uses.count; ++i) {
            const struct fm_lock_use *use = &locks->uses.items[i];
            homes->uses[use->window].exclusively |= use->exclusively;
            homes->uses[use->window].all_targets |= use->all_targets;
        }
    }
}

/* Combines the uses that all processes of the analysis have noted. */
static void share_uses(struct fm_lock_homes *homes)
{
    uint32_t windows = homes->analysis->trace->window_count;
    uint64_t *counts = fm_allocate((size_t)windows * 2, sizeof *counts);
    for (uint32_t w = 0; w < windows; ++w) {
        counts[2 * (size_t)w] = homes->uses[w].exclusively;
        counts[2 * (size_t)w + 1] = homes->uses[w].all_targets;
    }
    fm_team_sum(homes->analysis->team, counts, (size_t)windows * 2);
    for (uint32_t w = 0; w < windows; ++w) {
        homes->uses[w].exclusively = counts[2 * (size_t)w] != 0;
        homes->uses[w].all_targets = counts[2 * (size_t)w + 1] != 0;
    }
    fm_free(counts);
}

static uint32_t home_of(const struct fm_lock_homes *homes, const struct fm_lock_epoch *epoch)
{
    if (!homes->uses[epoch->window].all_targets) {
        return epoch->target;
    }
    const struct fm_trace *trace = homes->analysis->trace;
    const struct fm_communicator *communicator =
        &trace->communicators[trace->windows[epoch->window].communicator];
    return communicator->is_self ? epoch->target : communicator->members[0];
}

static uint64_t progress_until(const struct fm_lock_epochs *locks, struct fm_call_ref release)
{
    const struct fm_release_progress *releases = locks->releases.items;
    const size_t count = locks->releases.count;
    const size_t place =
        count == 0 ? 0 : fm_count_calls_before(&releases->call, count, sizeof *releases, release);
    return place < count && fm_same_call(releases[place].call, release) ? releases[place].until : 0;
}

/* Completes a call by its wait for progress behind one for the lock. */
static void describe_progress(const struct fm_lock_epochs *locks, uint32_t epoch,
                              struct fm_released_call *described)
{
    const struct fm_call_ref call = {described->location, described->activity};
    size_t low = 0, high = locks->contended.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_contended_progress *progress = &locks->contended.items[middle];
        if (progress->epoch < epoch ||
            (progress->epoch == epoch && fm_compare_calls(progress->call, call) < 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < locks->contended.count && locks->contended.items[low].epoch == epoch &&
        fm_same_call(locks->contended.items[low].call, call)) {
        described->served_until = locks->contended.items[low].until;
        described->served_by = locks->contended.items[low].cause_location;
    }
}

static void describe_call(const struct fm_trace *trace, const struct fm_lock_epochs *locks,
                          uint32_t epoch, struct fm_call_ref call, uint32_t target,
                          const struct fm_lock_acquisition *acquisition,
                          struct fm_released_epochs *list)
{
    const struct fm_location *location = &trace->locations[call.location];
    struct fm_released_call described = {
        .enter = fm_trace_begin(location, call.activity),
        .leave = location->leave.items[call.activity],
        .target = target,
        .location = call.location,
        .activity = call.activity,
        .only_candidate = acquisition != NULL && fm_same_call(call, acquisition->call),
    };
    if (locks->contended.count != 0) {
        describe_progress(locks, epoch, &described);
    }
    fm_vector_push(&list->calls, described);
}

/* Appends an epoch and its calls to a list. */
static void describe_epoch(const struct fm_lock_homes *homes, const struct local_epoch *local,
                           struct fm_released_epochs *list)
{
    const struct fm_trace *trace = homes->analysis->trace;
    const struct fm_lock_epochs *locks = &homes->epochs[local->owner].locks;
    const struct fm_lock_epoch *epoch = &locks->epochs.items[local->epoch];
    const struct fm_location *releasing = &trace->locations[epoch->release.location];
    const struct fm_lock_acquisition *acquisition =
        epoch->acquisition == FM_NONE ? NULL : &locks->acquisitions.items[epoch->acquisition];
    struct fm_released_epoch message = {
        .enter = releasing->enter.items[epoch->release.activity],
        .leave = releasing->leave.items[epoch->release.activity],
        .requested = fm_call_begin(trace, epoch->request),
        .progress_until = progress_until(locks, epoch->release),
        .acquired = acquisition == NULL ? 0 : acquisition->time,
        .lock = acquisition == NULL ? 0 : acquisition->lock,
        .window = epoch->window,
        .owner = local->owner,
        .target = epoch->target,
        .location = epoch->release.location,
        .activity = epoch->release.activity,
        .epoch = local->epoch,
        .first_call = (uint32_t)list->calls.count,
        .exclusive = epoch->exclusive,
        .lies_nowhere = epoch->lies_nowhere,
        .candidates_known = acquisition != NULL,
        .paradigm = epoch->paradigm,
    };
    if (epoch->in_row) {
        struct fm_call_ref call = {epoch->request.location, epoch->last_call + 1};
        while (call.activity-- > epoch->request.activity) {
            describe_call(trace, locks, local->epoch, call, FM_NONE, acquisition, list);
        }
    } else {
        for (uint32_t c = epoch->last_call; c != FM_NONE; c = locks->calls.items[c].previous) {
            const struct fm_lock_call *call = &locks->calls.items[c];
            describe_call(trace, locks, local->epoch, call->call, call->target, acquisition, list);
        }
    }
    message.call_count = (uint32_t)list->calls.count - message.first_call;
    fm_vector_push(&list->epochs, message);
}

static void clear_list(struct fm_released_epochs *list)
{
    list->epochs.count = list->calls.count = 0;
}

void fm_released_epochs_free(struct fm_released_epochs *list)
{
    fm_vector_free(&list->epochs);
    fm_vector_free(&list->calls);
}

/* Sends an epoch to its home; `list` is scratch. */
static void send_epoch(struct fm_lock_homes *homes, unsigned worker,
                       const struct local_epoch *local, struct fm_released_epochs *list)
{
    uint32_t home = home_of(homes, &homes->epochs[local->owner].locks.epochs.items[local->epoch]);
    home = home == FM_NONE ? local->owner : home;
    if (fm_engine_owns(homes->analysis->engine, home)) {
        fm_dispatch_send(homes->local_epochs, worker, home, local);
        return;
    }
    clear_list(list);
    describe_epoch(homes, local, list);
    const struct remote_epoch remote = {list->epochs.items[0],
                                        {list->calls.items, (uint32_t)list->calls.count}};
    fm_dispatch_send(homes->remote_epochs, worker, home, &remote);
}

/* Keeps an epoch at its home; handler of `local_epochs`. */
static void keep_local_epoch(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_lock_homes *homes = context;
    fm_vector_push(&homes->homes[process].local, *(const struct local_epoch *)record);
}

static void append_epoch(struct fm_released_epochs *list, const struct fm_released_epoch *released,
                         const struct fm_released_call *calls, uint32_t count)
{
    struct fm_released_epoch epoch = *released;
    epoch.first_call = (uint32_t)list->calls.count;
    fm_vector_push(&list->epochs, epoch);
    if (count != 0) {
        fm_vector_reserve(&list->calls, count);
        memcpy(&list->calls.items[list->calls.count], calls, count * sizeof *calls);
        list->calls.count += count;
    }
}

/* Keeps an epoch at its home; handler of `remote_epochs`. */
static void keep_remote_epoch(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_lock_homes *homes = context;
    const struct remote_epoch *remote = record;
    append_epoch(&homes->homes[process].remote, &remote->epoch, remote->calls.items,
                 remote->calls.count);
}

static void send_epochs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_lock_homes *homes = context;
    struct fm_released_epochs list = {0};
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_lock_epochs *locks = &homes->epochs[process].locks;
        for (uint32_t i = 0; i < locks->epochs.count; ++i) {
            const struct fm_lock_epoch *epoch = &locks->epochs.items[i];
            if (epoch->release.activity != FM_NONE && homes->uses[epoch->window].exclusively) {
                struct local_epoch local = {process, i};
                send_epoch(homes, worker, &local, &list);
            }
        }
    }
    fm_released_epochs_free(&list);
}

struct fm_lock_homes *fm_lock_homes_gather(struct fm_analysis *analysis,
                                           const struct fm_epochs *epochs)
{
    struct fm_lock_homes *homes = fm_allocate(1, sizeof *homes);
    *homes = (struct fm_lock_homes){
        .analysis = analysis,
        .epochs = epochs,
        .uses = fm_allocate(analysis->trace->window_count, sizeof *homes->uses),
        .homes = fm_allocate(analysis->trace->process_count, sizeof *homes->homes),
        .local_epochs = fm_dispatch_create(analysis->engine, sizeof(struct local_epoch),
                                           keep_local_epoch, homes),
        .remote_epochs = fm_dispatch_create(analysis->engine, sizeof(struct remote_epoch),
                                            keep_remote_epoch, homes),
    };
    fm_dispatch_carry_items(homes->remote_epochs, offsetof(struct remote_epoch, calls),
                            sizeof(struct fm_released_call));
    note_uses(homes);
    share_uses(homes);
    fm_dispatch_run(homes->local_epochs, send_epochs, homes);
    fm_dispatch_deliver(homes->remote_epochs);
    fm_dispatch_free(homes->local_epochs);
    fm_dispatch_free(homes->remote_epochs);
    fm_free(homes->uses);
    homes->uses = NULL;
    return homes;
}

static void free_home(struct home *home)
{
    fm_vector_free(&home->local);
    fm_released_epochs_free(&home->remote);
}

void fm_lock_homes_free(struct fm_lock_homes *homes, uint32_t process_count)
{
    for (uint32_t process = 0; process < process_count; ++process) {
        free_home(&homes->homes[process]);
    }
    fm_free(homes->homes);
    fm_free(homes);
}

/* Prefetches the record of an epoch, which lies in the tables of its owner. */
static void prefetch_epoch(const struct fm_lock_homes *homes, const struct local_epoch *local)
{
    const struct fm_lock_epoch *epoch =
        &homes->epochs[local->owner].locks.epochs.items[local->epoch];
    __builtin_prefetch(epoch);
    __builtin_prefetch((const char *)(epoch + 1) - 1);
}

static void prefetch_times(const struct fm_lock_homes *homes, struct fm_call_ref call)
{
    const struct fm_location *location = &homes->analysis->trace->locations[call.location];
    __builtin_prefetch(&location->enter.items[call.activity]);
    __builtin_prefetch(&location->leave.items[call.activity]);
}

static void prefetch_calls(const struct fm_lock_homes *homes, const struct local_epoch *local)
{
    const struct fm_lock_epochs *locks = &homes->epochs[local->owner].locks;
    const struct fm_lock_epoch *epoch = &locks->epochs.items[local->epoch];
    if (!epoch->in_row && epoch->last_call != FM_NONE) {
        __builtin_prefetch(&locks->calls.items[epoch->last_call]);
    }
    prefetch_times(homes, epoch->request);
    prefetch_times(homes, epoch->release);
}

void fm_lock_homes_list(struct fm_lock_homes *homes, uint32_t process,
                        struct fm_released_epochs *list)
{
    const struct home *home = &homes->homes[process];
    const struct local_epoch *local = home->local.items;
    const size_t count = home->local.count;
    clear_list(list);
    fm_vector_reserve(&list->epochs, count + home->remote.epochs.count);
    for (size_t i = 0; i < count; ++i) {
        if (i + 2 * FETCHED_AHEAD < count) {
            prefetch_epoch(homes, &local[i + 2 * FETCHED_AHEAD]);
        }
        if (i + FETCHED_AHEAD < count) {
            prefetch_calls(homes, &local[i + FETCHED_AHEAD]);
        }
        describe_epoch(homes, &local[i], list);
    }
    for (size_t i = 0; i < home->remote.epochs.count; ++i) {
        const struct fm_released_epoch *epoch = &home->remote.epochs.items[i];
        append_epoch(list, epoch, &home->remote.calls.items[epoch->first_call], epoch->call_count);
    }
}
