/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/libraries/library_walk.h"

/* A lock that a thread of the process has requested or holds. */
struct open_lock {
    uint64_t id;
    uint32_t window;
    uint32_t peer;     /* rank; FM_NONE: it belongs to no process */
    uint32_t location; /* of the thread */
    uint32_t epoch;    /* in the process's epochs; FM_NONE: not yet acquired */
    struct fm_call_ref request;
};

/* An operation whose completion is not known yet. */
struct open_operation {
    struct fm_call_ref call;
    uint32_t target; /* process */
    uint32_t next;   /* with the same id, begun earlier; FM_NONE: none */
    uint8_t type;    /* fm_rma_type_t */
    uint8_t size_class;
    bool done_locally;
    bool returned; /* a get that its own call has completed */
};

struct window_state {
    struct fm_lock_use use;
    struct fm_map operation_by_id; /* the latest one; each window has ids of its own */
};

struct fm_library_walk {
    struct fm_analysis *analysis;
    struct fm_progress *progress; /* NULL: needs are not collected */
    struct fm_peer_waits *peers;
    unsigned worker;
    struct fm_lock_epochs *into;
    uint32_t process;
    struct fm_map window_index;
    FM_VECTOR(struct window_state) windows;
    FM_VECTOR(struct open_lock) locks;
    FM_VECTOR(struct open_operation) operations;
    uint32_t free_operation; /* first of the unused ones; FM_NONE: none */
    uint64_t lock_id;        /* of the next lock record */
    struct fm_map needed_by; /* process -> number of the last call that needed its progress */
    struct fm_call_ref needing;
    uint32_t needing_number;
};

struct fm_library_walk *fm_library_walk_create(struct fm_analysis *analysis,
                                               struct fm_progress *progress,
                                               struct fm_peer_waits *peers, unsigned worker)
{
    struct fm_library_walk *walk = fm_allocate(1, sizeof *walk);
    walk->analysis = analysis;
    walk->progress = progress;
    walk->peers = peers;
    walk->worker = worker;
    return walk;
}

static void forget_process(struct fm_library_walk *walk)
{
    for (size_t i = 0; i < walk->windows.count; i++) {
        fm_map_free(&walk->windows.items[i].operation_by_id);
    }
    walk->windows.count = walk->locks.count = walk->operations.count = 0;
    walk->free_operation = FM_NONE;
    fm_map_clear(&walk->window_index);
    fm_map_clear(&walk->needed_by);
    walk->needing = (struct fm_call_ref){FM_NONE, FM_NONE};
    walk->needing_number = 0;
}

void fm_library_walk_free(struct fm_library_walk *walk)
{
    forget_process(walk);
    fm_vector_free(&walk->windows);
    fm_vector_free(&walk->locks);
    fm_vector_free(&walk->operations);
    fm_map_free(&walk->window_index);
    fm_map_free(&walk->needed_by);
    fm_free(walk);
}

void fm_library_walk_begin(struct fm_library_walk *walk, uint32_t process,
                           struct fm_lock_epochs *into)
{
    forget_process(walk);
    walk->process = process;
    walk->into = into;
}

void fm_library_walk_end(struct fm_library_walk *walk)
{
    for (size_t i = 0; i < walk->windows.count; i++) {
        if (walk->windows.items[i].use.exclusively) {
            fm_vector_push(&walk->into->uses, walk->windows.items[i].use);
        }
    }
}

static struct window_state *state_of(struct fm_library_walk *walk, uint32_t window)
{
    const uint32_t next = (uint32_t)walk->windows.count;
    const uint32_t index = *fm_map_at(&walk->window_index, window, next);
    if (index == next) {
        fm_vector_push(&walk->windows, (struct window_state){.use.window = window});
    }
    return &walk->windows.items[index];
}

static const struct fm_region *called(const struct fm_library_walk *walk, struct fm_call_ref call)
{
    const struct fm_trace *trace = walk->analysis->trace;
    return fm_trace_called(trace, &trace->locations[call.location], call.activity);
}

static uint32_t member(const struct fm_library_walk *walk, uint32_t window, uint32_t rank)
{
    const struct fm_trace *trace = walk->analysis->trace;
    return fm_trace_member(trace, trace->windows[window].communicator, rank, walk->process);
}

/* Notes that a call cannot finish without the progress of a process.
 * @param size_class  of the operation for which it needs it; 0: for none */
static void need(struct fm_library_walk *walk, struct fm_call_ref call, uint32_t target,
                 uint32_t window, uint8_t size_class)
{
    if (walk->progress == NULL || target == walk->process || target == FM_NONE) {
        return;
    }
    if (!fm_same_call(walk->needing, call)) {
        walk->needing = call;
        walk->needing_number++;
    }
    uint32_t *number = fm_map_at(&walk->needed_by, target, 0);
    const struct fm_trace *trace = walk->analysis->trace;
    const uint32_t region = fm_trace_region(&trace->locations[call.location], call.activity);
    const struct fm_needed why = {.what = fm_needs_for_function(region),
                                  .window = window,
                                  .size_class = size_class,
                                  .epoch = FM_NEEDS_IN_NO_EPOCH};
    const bool is_new = *number != walk->needing_number;
    *number = walk->needing_number;
    fm_progress_need(walk->progress, walk->process, call, is_new ? target : FM_NONE, &why);
}

/* ---- locks ---- */

/* @return the position in `locks` of the lock that the thread has requested or holds, their number
 * if there is none. Processes hold few locks at the same time. */
static size_t find_lock(const struct fm_library_walk *walk, const struct fm_rma *record,
                        uint32_t location)
{
    size_t i = 0;
    while (i < walk->locks.count && (walk->locks.items[i].id != walk->lock_id ||
                                     walk->locks.items[i].window != record->window ||
                                     walk->locks.items[i].peer != record->peer ||
                                     walk->locks.items[i].location != location)) {
        i++;
    }
    return i;
}

static void open_epoch(struct fm_library_walk *walk, const struct fm_rma *record,
                       struct open_lock *lock, struct fm_call_ref call)
{
    struct fm_lock_epochs *into = walk->into;
    lock->epoch = (uint32_t)into->epochs.count;
    fm_vector_push(&into->acquisitions,
                   (struct fm_lock_acquisition){record->id, walk->lock_id, call});
    fm_vector_push(&into->calls, (struct fm_lock_call){call, FM_NONE, FM_NONE});
    fm_vector_push(&into->epochs, (struct fm_lock_epoch){
                                      .window = record->window,
                                      /* A lock of no process is judged by the first one. */
                                      .target = member(walk, record->window,
                                                       record->peer == FM_NONE ? 0 : record->peer),
                                      .request = lock->request,
                                      .release = {FM_NONE, FM_NONE},
                                      .acquisition = (uint32_t)into->acquisitions.count - 1,
                                      .last_call = (uint32_t)into->calls.count - 1,
                                      .exclusive = !record->shared,
                                      .lies_nowhere = record->peer == FM_NONE,
                                      .paradigm = (uint8_t)called(walk, call)->paradigm,
                                  });
    state_of(walk, record->window)->use.exclusively |= !record->shared;
}

/* @return whether a record belongs to another epoch than that of the lock: the thread has one at a
 * time, so that the record of the release in between is lost */
static bool begins_next(const struct fm_library_walk *walk, const struct open_lock *lock,
                        const struct fm_rma *record, struct fm_call_ref call)
{
    if (record->type == FM_RMA_LOCK_REQUEST) {
        return !fm_same_call(lock->request, call);
    }
    const struct fm_lock_epochs *into = walk->into;
    return lock->epoch != FM_NONE &&
           !fm_same_call(into->acquisitions.items[into->epochs.items[lock->epoch].acquisition].call,
                         call);
}

static void take_lock(struct fm_library_walk *walk, const struct fm_rma *record,
                      struct fm_call_ref call)
{
    size_t position = find_lock(walk, record, call.location);
    if (member(walk, record->window, record->peer == FM_NONE ? 0 : record->peer) == FM_NONE) {
        return;
    }
    if (position < walk->locks.count &&
        begins_next(walk, &walk->locks.items[position], record, call)) {
        walk->locks.items[position] = walk->locks.items[--walk->locks.count];
        position = walk->locks.count;
    }
    if (position == walk->locks.count) {
        fm_vector_push(&walk->locks, (struct open_lock){walk->lock_id, record->window, record->peer,
                                                        call.location, FM_NONE, call});
    }
    struct open_lock *lock = &walk->locks.items[position];
    if (record->type == FM_RMA_LOCK_ACQUIRE && lock->epoch == FM_NONE) {
        open_epoch(walk, record, lock, call);
    }
    if (record->type == FM_RMA_LOCK_ACQUIRE && record->peer != FM_NONE &&
        called(walk, call)->call == FM_CALL_LOCK) {
        need(walk, call, member(walk, record->window, record->peer), record->window, 0);
    }
}

static void release_lock(struct fm_library_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call)
{
    const size_t position = find_lock(walk, record, call.location);
    if (position == walk->locks.count) {
        return;
    }
    const uint32_t epoch = walk->locks.items[position].epoch;
    const struct fm_location *location = &walk->analysis->trace->locations[call.location];
    if (epoch != FM_NONE && !fm_trace_is_open(location, call.activity)) {
        walk->into->epochs.items[epoch].release = call;
    }
    walk->locks.items[position] = walk->locks.items[--walk->locks.count];
}

/* ---- operations ---- */

/* @return whether a call returns a value that it has read from its target: it has completed the
 * operation when it returns, also where the record of that is lost */
static bool reads_target(const struct fm_region *region, uint32_t type)
{
    return !region->is_begun_only &&
           (type == FM_RMA_GET || (type == FM_RMA_ATOMIC && region->is_fetching));
}

/* @return whether a call needs its target's progress for its own operation, whatever records tell
 * of the completion: it reads, or it is a blocking call of ARMCI */
static bool blocks(const struct fm_region *region, uint32_t type)
{
    return reads_target(region, type) ||
           (region->paradigm == FM_PARADIGM_ARMCI && !region->is_begun_only);
}

static void open_operation(struct fm_library_walk *walk, const struct fm_rma *record,
                           struct fm_call_ref call)
{
    const uint32_t target = member(walk, record->window, record->peer);
    if (target == FM_NONE) {
        return;
    }
    if (record->type != FM_RMA_GET) {
        fm_peer_waits_update(walk->peers, walk->worker, call, target);
    }
    if (walk->progress == NULL) {
        return;
    }
    const struct fm_region *region = called(walk, call);
    if (blocks(region, record->type)) {
        need(walk, call, target, record->window, record->size_class);
    }
    uint32_t index = walk->free_operation;
    if (index == FM_NONE) {
        index = (uint32_t)walk->operations.count;
        fm_vector_push(&walk->operations, (struct open_operation){.next = FM_NONE});
    } else {
        walk->free_operation = walk->operations.items[index].next;
    }
    uint32_t *head = fm_map_at(&state_of(walk, record->window)->operation_by_id, record->id, index);
    walk->operations.items[index] = (struct open_operation){
        .call = call,
        .target = target,
        .next = *head == index ? FM_NONE : *head,
        .type = record->type,
        .size_class = record->size_class,
        .returned = reads_target(region, record->type),
    };
    *head = index;
}

/* @return whether a call needs the targets of operations of earlier calls that it completes */
static bool completes_others(const struct fm_region *region)
{
    return region->call == FM_CALL_COMPLETION ||
           (region->call == FM_CALL_BARRIER && region->paradigm != FM_PARADIGM_ARMCI);
}

static bool needs_target(const struct open_operation *operation, const struct fm_region *completing,
                         struct fm_call_ref call, bool remotely)
{
    return fm_same_call(operation->call, call)
               ? completing->paradigm == FM_PARADIGM_ARMCI || operation->type != FM_RMA_PUT ||
                     remotely
               : completes_others(completing) && !operation->returned;
}

/* Handles the completion of the operations with an id. A list begins with the operations that have
 * no completion yet; behind them stand puts and atomics that are done at the origin only. */
static void complete_operations(struct fm_library_walk *walk, const struct fm_rma *record,
                                struct fm_call_ref call)
{
    struct fm_map *by_id = &state_of(walk, record->window)->operation_by_id;
    const struct fm_region *region = called(walk, call);
    const bool remotely = record->type == FM_RMA_DONE_REMOTELY;
    uint32_t next = fm_map_get(by_id, record->id);
    if (next == FM_MAP_ABSENT) {
        return;
    }
    uint32_t kept[2] = {FM_NONE, FM_NONE}; /* first and last of those done at the origin now */
    while (next != FM_NONE) {
        const uint32_t index = next;
        struct open_operation *operation = &walk->operations.items[index];
        if (!remotely && operation->done_locally) {
            break;
        }
        next = operation->next;
        if (needs_target(operation, region, call, remotely)) {
            need(walk, call, operation->target, record->window, operation->size_class);
        }
        if (remotely || operation->type == FM_RMA_GET) {
            operation->next = walk->free_operation;
            walk->free_operation = index;
            continue;
        }
        operation->done_locally = true;
        if (kept[0] == FM_NONE) {
            kept[0] = index;
        } else {
            walk->operations.items[kept[1]].next = index;
        }
        kept[1] = index;
    }
    if (kept[0] != FM_NONE) {
        walk->operations.items[kept[1]].next = next;
        next = kept[0];
    }
    if (next == FM_NONE) {
        fm_map_take(by_id, record->id);
    } else {
        *fm_map_at(by_id, record->id, next) = next;
    }
}

void fm_library_walk_record(struct fm_library_walk *walk, const struct fm_rma *record,
                            struct fm_call_ref call)
{
    switch (record->type) {
    case FM_RMA_LOCK_NAME:
        walk->lock_id = record->id;
        break;
    case FM_RMA_LOCK_REQUEST:
    case FM_RMA_LOCK_ACQUIRE:
        take_lock(walk, record, call);
        break;
    case FM_RMA_LOCK_RELEASE:
        release_lock(walk, record, call);
        break;
    case FM_RMA_PUT:
    case FM_RMA_GET:
    case FM_RMA_ATOMIC:
        open_operation(walk, record, call);
        break;
    case FM_RMA_DONE_LOCALLY:
    case FM_RMA_DONE_REMOTELY:
        complete_operations(walk, record, call);
        break;
    case FM_RMA_GROUP_SYNC:
        if (called(walk, call)->call == FM_CALL_SYNC_IMAGES) {
            fm_peer_waits_sync(walk->peers, walk->worker, walk->process, call, record->peer);
        }
        break;
    default:
        break;
    }
}
