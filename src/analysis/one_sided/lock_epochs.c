/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock epochs of a process: from the request of a lock to its release. */
#include "analysis/one_sided/lock_walk.h"

struct fm_lock_walk *fm_lock_walk_create(struct fm_analysis *analysis, struct fm_progress *progress,
                                         unsigned worker)
{
    struct fm_lock_walk *walk = fm_allocate(1, sizeof *walk);
    walk->analysis = analysis;
    walk->progress = progress;
    walk->worker = worker;
    return walk;
}

static void forget_process(struct fm_lock_walk *walk)
{
    for (size_t i = 0; i < walk->windows.count; ++i) {
        fm_vector_free(&walk->windows.items[i].open);
        fm_map_free(&walk->windows.items[i].operation_by_id);
    }
    walk->windows.count = walk->open.count = walk->targets.count = walk->operations.count = 0;
    walk->sizes.count = 0;
    walk->recent_window = FM_NONE;
    fm_map_clear(&walk->window_index);
    fm_map_clear(&walk->open_by_target);
    fm_map_clear(&walk->target_index);
}

void fm_lock_walk_free(struct fm_lock_walk *walk)
{
    forget_process(walk);
    fm_vector_free(&walk->windows);
    fm_vector_free(&walk->open);
    fm_vector_free(&walk->targets);
    fm_vector_free(&walk->operations);
    fm_vector_free(&walk->sizes);
    fm_map_free(&walk->window_index);
    fm_map_free(&walk->open_by_target);
    fm_map_free(&walk->target_index);
    fm_free(walk);
}

void fm_lock_walk_begin(struct fm_lock_walk *walk, uint32_t process, struct fm_lock_epochs *into)
{
    forget_process(walk);
    walk->process = process;
    walk->into = into;
    walk->first_epoch = into->epochs.count;
}

/* Counts the epochs of the process whose records have a gap. */
static void count_gaps(struct fm_lock_walk *walk)
{
    uint64_t unrequested = 0, unreleased = 0;
    for (size_t i = walk->first_epoch; i < walk->into->epochs.count; i++) {
        const struct fm_lock_epoch *epoch = &walk->into->epochs.items[i];
        unrequested += epoch->unrequested;
        unreleased += epoch->release.activity == FM_NONE;
    }
    walk->analysis->omissions.unrequested_locks += unrequested;
    walk->analysis->omissions.unreleased_locks += unreleased;
}

void fm_lock_walk_end(struct fm_lock_walk *walk)
{
    count_gaps(walk);
    for (size_t i = 0; i < walk->windows.count; ++i) {
        fm_vector_push(&walk->into->uses, walk->windows.items[i].use);
    }
}

uint32_t fm_lock_walk_window(struct fm_lock_walk *walk, uint32_t window)
{
    if (window != walk->recent_window) {
        uint32_t next = (uint32_t)walk->windows.count;
        walk->recent_window = window;
        walk->recent_index = *fm_map_at(&walk->window_index, window, next);
        if (walk->recent_index == next) {
            fm_vector_push(&walk->windows, (struct fm_window_locks){
                                               .use.window = window,
                                               .all = FM_NONE,
                                           });
        }
    }
    return walk->recent_index;
}

struct fm_window_locks *fm_lock_walk_locks(struct fm_lock_walk *walk, uint32_t window)
{
    uint32_t index = fm_lock_walk_window(walk, window);
    return &walk->windows.items[index];
}

static void list_call(struct fm_lock_walk *walk, struct fm_lock_epoch *epoch,
                      struct fm_call_ref call, uint32_t target)
{
    fm_vector_push(&walk->into->calls, (struct fm_lock_call){call, target, epoch->last_call});
    epoch->last_call = (uint32_t)walk->into->calls.count - 1;
}

static void list_row(struct fm_lock_walk *walk, struct fm_lock_epoch *epoch)
{
    const uint32_t last = epoch->last_call;
    epoch->in_row = false;
    epoch->last_call = FM_NONE;
    struct fm_call_ref call = epoch->request;
    for (; call.activity <= last; ++call.activity) {
        list_call(walk, epoch, call, FM_NONE);
    }
}

void fm_lock_walk_add_call(struct fm_lock_walk *walk, uint32_t epoch_index, struct fm_call_ref call,
                           uint32_t target)
{
    struct fm_lock_epoch *epoch = &walk->into->epochs.items[epoch_index];
    if (epoch->in_row) {
        if (call.location == epoch->request.location && call.activity - epoch->last_call <= 1) {
            epoch->last_call = call.activity;
            return;
        }
        list_row(walk, epoch);
    }
    list_call(walk, epoch, call, target);
}

/* @return whether a call is the last one of an epoch so far */
static bool is_last_call(const struct fm_lock_walk *walk, const struct fm_lock_epoch *epoch,
                         struct fm_call_ref call)
{
    return epoch->in_row
               ? call.location == epoch->request.location && call.activity == epoch->last_call
               : fm_same_call(walk->into->calls.items[epoch->last_call].call, call);
}

void fm_lock_walk_need(struct fm_lock_walk *walk, struct fm_call_ref call, uint32_t target,
                       const struct fm_needed *why, bool is_new)
{
    if (walk->progress != NULL && target != walk->process && target != FM_NONE &&
        !walk->analysis->trace->windows[why->window].is_shared_memory) {
        fm_progress_need(walk->progress, walk->process, call, is_new ? target : FM_NONE, why);
    }
}

/* ---- locking ---- */

struct fm_open_epoch *fm_lock_walk_find_open(struct fm_lock_walk *walk, uint32_t window_index,
                                             uint32_t rank)
{
    uint32_t open = rank == FM_NONE
                        ? walk->windows.items[window_index].all
                        : fm_map_get(&walk->open_by_target, (uint64_t)window_index << 32 | rank);
    return open == FM_NONE ? NULL : &walk->open.items[open];
}

/* Lists the acquisition of a lock. @return its position in `acquisitions` */
static uint32_t add_acquisition(struct fm_lock_walk *walk, const struct fm_rma *record,
                                struct fm_call_ref call)
{
    fm_vector_push(&walk->into->acquisitions, (struct fm_lock_acquisition){record->id, 0, call});
    return (uint32_t)walk->into->acquisitions.count - 1;
}

/* Takes an epoch, of all targets or of the one with a rank, off the open ones of its window. */
static void close_epoch(struct fm_lock_walk *walk, uint32_t window_index, uint32_t rank,
                        const struct fm_open_epoch *open)
{
    struct fm_window_locks *locks = &walk->windows.items[window_index];
    const uint32_t position = open->position;
    const uint32_t last = locks->open.items[--locks->open.count];
    locks->open.items[position] = last;
    walk->open.items[last].position = position;
    if (rank == FM_NONE) {
        locks->all = FM_NONE;
    } else {
        fm_map_take(&walk->open_by_target, (uint64_t)window_index << 32 | rank);
    }
}

/* @return whether a record belongs to another epoch than the open one of its target: a process has
 * one at a time, so that the record of the release in between is lost. A request begins an epoch,
 * and an epoch has one acquisition. */
static bool begins_next(const struct fm_lock_walk *walk, const struct fm_open_epoch *open,
                        const struct fm_rma *record, struct fm_call_ref call)
{
    const struct fm_lock_epoch *epoch = &walk->into->epochs.items[open->epoch];
    if (record->type == FM_RMA_LOCK_REQUEST) {
        return !fm_same_call(epoch->request, call);
    }
    return epoch->acquisition != FM_NONE &&
           !fm_same_call(walk->into->acquisitions.items[epoch->acquisition].call, call);
}

void fm_lock_walk_lock(struct fm_lock_walk *walk, const struct fm_rma *record,
                       struct fm_call_ref call)
{
    const struct fm_trace *trace = walk->analysis->trace;
    uint32_t window_index = fm_lock_walk_window(walk, record->window);
    struct fm_open_epoch *already = fm_lock_walk_find_open(walk, window_index, record->peer);
    bool acquired = record->type == FM_RMA_LOCK_ACQUIRE &&
                    !fm_trace_is_open(&trace->locations[call.location], call.activity);
    if (already != NULL && begins_next(walk, already, record, call)) {
        close_epoch(walk, window_index, record->peer, already);
        already = NULL;
    }
    if (already != NULL) {
        struct fm_lock_epoch *epoch = &walk->into->epochs.items[already->epoch];
        if (acquired && epoch->acquisition == FM_NONE) {
            epoch->acquisition = add_acquisition(walk, record, call);
            /* Any call may acquire the lock, also one without other records of this epoch. */
            if (!is_last_call(walk, epoch, call)) {
                fm_lock_walk_add_call(walk, already->epoch, call, FM_NONE);
            }
        }
        return;
    }
    uint32_t target = record->peer == FM_NONE
                          ? FM_NONE
                          : fm_trace_member(trace, trace->windows[record->window].communicator,
                                            record->peer, walk->process);
    uint32_t epoch = (uint32_t)walk->into->epochs.count;
    uint32_t open = (uint32_t)walk->open.count;
    struct fm_call_ref none = {call.location, FM_NONE};
    fm_vector_push(&walk->into->epochs,
                   (struct fm_lock_epoch){
                       .window = record->window,
                       .target = target,
                       /* MPI_Win_lock_all is shared, whatever its record says. */
                       .exclusive = !record->shared && record->peer != FM_NONE,
                       .request = call,
                       .release = none,
                       .acquisition = acquired ? add_acquisition(walk, record, call) : FM_NONE,
                       .last_call = target == FM_NONE ? FM_NONE : call.activity,
                       .in_row = target != FM_NONE,
                       .unrequested = acquired,
                       .paradigm = FM_PARADIGM_MPI,
                   });
    struct fm_window_locks *locks = &walk->windows.items[window_index];
    fm_vector_push(&walk->open,
                   (struct fm_open_epoch){epoch, FM_NONE, 0, (uint32_t)locks->open.count, none});
    fm_vector_push(&locks->open, open);
    locks->use.exclusively |= walk->into->epochs.items[epoch].exclusive;
    if (record->peer == FM_NONE) {
        locks->use.all_targets = true;
        locks->all = open;
    } else {
        *fm_map_at(&walk->open_by_target, (uint64_t)window_index << 32 | record->peer, open) = open;
        fm_lock_walk_need(walk, call, target,
                          &(struct fm_needed){.what = FM_NEEDS_FOR_LOCK,
                                              .window = record->window,
                                              .epoch = FM_NEEDS_IN_LOCK_EPOCH},
                          true);
    }
    fm_lock_walk_add_call(walk, epoch, call, FM_NONE);
}

/* ---- unlocking ---- */

void fm_epoch_count_pairs(struct fm_analysis *analysis, struct fm_call_ref call, uint64_t needed,
                          uint64_t unneeded)
{
    struct fm_findings *findings = &analysis->findings[call.location];
    const struct fm_location *location = &analysis->trace->locations[call.location];
    fm_findings_count(findings, location, call.activity, FM_METRIC_MPI_RMA_PAIRSYNC_COUNT, needed);
    fm_findings_count(findings, location, call.activity, FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT,
                      unneeded);
}

void fm_lock_walk_unlock(struct fm_lock_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call)
{
    const struct fm_trace *trace = walk->analysis->trace;
    uint32_t window_index = fm_lock_walk_window(walk, record->window);
    struct fm_open_epoch *open = fm_lock_walk_find_open(walk, window_index, record->peer);
    /* Without its request (MPI_MODE_NOCHECK) a release ends no lock epoch. */
    if (open == NULL) {
        return;
    }
    if (fm_trace_is_open(&trace->locations[call.location], call.activity)) {
        fm_lock_walk_sync(walk, open, call, false);
        close_epoch(walk, window_index, record->peer, open);
        return; /* it is not released */
    }
    uint64_t pairs = record->peer == FM_NONE
                         ? trace->communicators[trace->windows[record->window].communicator].size
                         : 1;
    uint64_t needed = open->accessed < pairs ? open->accessed : pairs;
    fm_epoch_count_pairs(walk->analysis, call, needed, pairs - needed);
    fm_lock_walk_sync(walk, open, call, false);
    walk->into->epochs.items[open->epoch].release = call;
    close_epoch(walk, window_index, record->peer, open);
}
