/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations in lock epochs: their needs for the progress of targets, and their completion. */
#include "analysis/one_sided/lock_walk.h"

static const char *name_of(const struct fm_lock_walk *walk, struct fm_call_ref call)
{
    const struct fm_trace *trace = walk->analysis->trace;
    return fm_trace_called(trace, &trace->locations[call.location], call.activity)->name;
}

static fm_call_t kind_of(const struct fm_lock_walk *walk, struct fm_call_ref call)
{
    const struct fm_trace *trace = walk->analysis->trace;
    return fm_trace_called(trace, &trace->locations[call.location], call.activity)->call;
}

#define OUTSIDE_OF_EPOCHS ((uint64_t)1 << 63)
#define IN_ACCESS_EPOCH   ((uint64_t)1 << 62)

static uint32_t add_target(struct fm_lock_walk *walk, uint32_t window, uint32_t process)
{
    fm_vector_push(&walk->targets, (struct fm_lock_target){.window = window,
                                                           .epoch = FM_NONE,
                                                           .process = process,
                                                           .needed_by = FM_NONE,
                                                           .sizes = FM_NONE,
                                                           .next = FM_NONE});
    return (uint32_t)walk->targets.count - 1;
}

/* @return the target with `key` and this process; a new one is added and belongs to no epoch yet */
static uint32_t find_target(struct fm_lock_walk *walk, uint64_t key, uint32_t window,
                            uint32_t process)
{
    uint32_t next = (uint32_t)walk->targets.count;
    uint32_t index = *fm_map_at(&walk->target_index, key | process, next);
    return index == next ? add_target(walk, window, process) : index;
}

static uint32_t target_of_epoch(struct fm_lock_walk *walk, struct fm_open_epoch *open,
                                uint32_t process)
{
    const struct fm_lock_epoch *epoch = &walk->into->epochs.items[open->epoch];
    uint32_t index = open->first_target;
    if (epoch->target == FM_NONE) {
        index = find_target(walk, (uint64_t)open->epoch << 32, epoch->window, process);
    } else if (index == FM_NONE) {
        index = add_target(walk, epoch->window, process);
    }
    struct fm_lock_target *target = &walk->targets.items[index];
    if (target->epoch == FM_NONE) {
        target->epoch = open->epoch;
        target->next = open->first_target;
        open->first_target = index;
    }
    return index;
}

/* @return whether nothing of an operation is left to do at its target (of a get: at its origin) */
static bool is_finished(const struct fm_open_operation *operation)
{
    return operation->is_get ? operation->done_locally : operation->done_remotely;
}

/* @return the first unfinished operation of a list, or FM_NONE */
static uint32_t first_unfinished(const struct fm_lock_walk *walk, uint32_t operation)
{
    while (operation != FM_NONE && is_finished(&walk->operations.items[operation])) {
        operation = walk->operations.items[operation].next;
    }
    return operation;
}

/* @return what an operation is, as the reason of a need */
static uint8_t what_of(const struct fm_rma *record)
{
    return record->type == FM_RMA_PUT   ? FM_NEEDS_FOR_PUT
           : record->type == FM_RMA_GET ? FM_NEEDS_FOR_GET
                                        : FM_NEEDS_FOR_ATOMIC;
}

/* ---- sizes of unfinished operations ---- */

/* Counts an operation that is about to be added to the unfinished ones of its target. */
static void count_size(struct fm_lock_walk *walk, struct fm_lock_target *target, uint8_t size_class)
{
    if (target->unfinished == 0 && target->unfinished_locally == 0) {
        target->size_class = size_class;
        target->sizes = FM_NONE;
    } else if (target->sizes == FM_NONE && target->size_class != size_class) {
        struct fm_unfinished_sizes sizes = {{0}, {0}};
        sizes.of_class[target->size_class] = target->unfinished;
        sizes.of_class_locally[target->size_class] = target->unfinished_locally;
        target->sizes = (uint32_t)walk->sizes.count;
        fm_vector_push(&walk->sizes, sizes);
    }
    if (target->sizes != FM_NONE) {
        ++walk->sizes.items[target->sizes].of_class[size_class];
        ++walk->sizes.items[target->sizes].of_class_locally[size_class];
    }
}

/* @return the largest size class of the operations on a target that are not done, at the origin
 * (`locally`) or at all; 0: all are */
static uint8_t largest_size(const struct fm_lock_walk *walk, const struct fm_lock_target *target,
                            bool locally)
{
    if ((locally ? target->unfinished_locally : target->unfinished) == 0) {
        return 0;
    }
    if (target->sizes == FM_NONE) {
        return target->size_class;
    }
    const struct fm_unfinished_sizes *sizes = &walk->sizes.items[target->sizes];
    const uint32_t *of_class = locally ? sizes->of_class_locally : sizes->of_class;
    uint8_t largest = FM_SIZE_CLASSES - 1;
    while (of_class[largest] == 0) {
        --largest;
    }
    return largest;
}

/* ---- operations ---- */

/* Adds an operation to those with its id. */
static void open_operation(struct fm_lock_walk *walk, const struct fm_rma *record,
                           uint32_t target_index, bool has_request)
{
    struct fm_lock_target *target = &walk->targets.items[target_index];
    count_size(walk, target, record->size_class);
    ++target->unfinished;
    ++target->unfinished_locally;
    uint32_t next = (uint32_t)walk->operations.count;
    uint32_t *head =
        fm_map_at(&fm_lock_walk_locks(walk, record->window)->operation_by_id, record->id, next);
    const uint32_t earlier = *head == next ? FM_NONE : first_unfinished(walk, *head);
    fm_vector_push(&walk->operations, (struct fm_open_operation){
                                          .target = target_index,
                                          .next = earlier,
                                          .is_get = record->type == FM_RMA_GET,
                                          .has_request = has_request,
                                          .what = what_of(record),
                                          .size_class = record->size_class,
                                      });
    *head = next;
}

bool fm_lock_walk_operation(struct fm_lock_walk *walk, const struct fm_rma *record,
                            struct fm_call_ref call, uint32_t target)
{
    uint32_t window_index = fm_lock_walk_window(walk, record->window);
    struct fm_open_epoch *open = fm_lock_walk_find_open(walk, window_index, record->peer);
    open = open == NULL ? fm_lock_walk_find_open(walk, window_index, FM_NONE) : open;
    bool has_request = kind_of(walk, call) == FM_CALL_REQUEST_OPERATION;
    if (open == NULL) {
        if (has_request || walk->analysis->trace->has_passive_target) {
            /* A flush, an unlock, or the completion of the request needs the target's progress also
             * outside of lock epochs. */
            uint64_t key = OUTSIDE_OF_EPOCHS | (uint64_t)window_index << 32;
            open_operation(walk, record, find_target(walk, key, record->window, target),
                           has_request);
        }
        return false;
    }
    uint32_t target_index = target_of_epoch(walk, open, target);
    struct fm_lock_target *accessed = &walk->targets.items[target_index];
    open->accessed += !accessed->accessed;
    accessed->accessed = true;
    open_operation(walk, record, target_index, has_request);
    fm_lock_walk_add_call(walk, open->epoch, call, target);
    if (!has_request) {
        fm_lock_walk_need(walk, call, target,
                          &(struct fm_needed){.what = what_of(record),
                                              .window = record->window,
                                              .size_class = record->size_class,
                                              .epoch = FM_NEEDS_IN_LOCK_EPOCH},
                          true);
    }
    return true;
}

/* Notes that `call` needs the progress of a target to do `what`, with messages up to a size. */
static void need_target(struct fm_lock_walk *walk, struct fm_lock_target *target,
                        struct fm_call_ref call, uint32_t what, uint8_t size_class)
{
    const bool is_new =
        target->needed_by != call.activity || target->needed_by_location != call.location;
    target->needed_by = call.activity;
    target->needed_by_location = call.location;
    const struct fm_needed why = {
        .what = what,
        .window = target->window,
        .size_class = size_class,
        .epoch = target->is_of_access ? FM_NEEDS_IN_ACCESS_EPOCH : FM_NEEDS_IN_LOCK_EPOCH,
        .is_later = (what & (FM_NEEDS_FOR_PUT | FM_NEEDS_FOR_GET | FM_NEEDS_FOR_ATOMIC)) != 0,
    };
    fm_lock_walk_need(walk, call, target->process, &why, is_new);
}

/* @return a key of the targets of an epoch from start to complete */
static uint64_t key_of_access(uint32_t access)
{
    return IN_ACCESS_EPOCH | (uint64_t)access << 32;
}

void fm_lock_walk_access(struct fm_lock_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call, uint32_t target, uint32_t access)
{
    if (walk->progress == NULL) {
        return;
    }
    const bool has_request = kind_of(walk, call) == FM_CALL_REQUEST_OPERATION;
    const uint32_t index = find_target(walk, key_of_access(access), record->window, target);
    walk->targets.items[index].is_of_access = true;
    walk->targets.items[index].access = access;
    open_operation(walk, record, index, has_request);
    if (!has_request) {
        fm_lock_walk_need(walk, call, target,
                          &(struct fm_needed){.what = what_of(record),
                                              .window = record->window,
                                              .size_class = record->size_class,
                                              .epoch = FM_NEEDS_IN_ACCESS_EPOCH},
                          true);
    }
}

/* @return what a flush or unlock does, as the reason of a need */
static uint32_t what_of_sync(const struct fm_lock_walk *walk, struct fm_call_ref call)
{
    const fm_call_t kind = kind_of(walk, call);
    return kind >= FM_CALL_FLUSH && kind <= FM_CALL_FLUSH_LOCAL_ALL ? FM_NEEDS_FOR_FLUSH
                                                                    : FM_NEEDS_FOR_UNLOCK;
}

void fm_lock_walk_sync(struct fm_lock_walk *walk, struct fm_open_epoch *open,
                       struct fm_call_ref call, bool locally)
{
    if (fm_same_call(open->synced_by, call)) {
        return;
    }
    open->synced_by = call;
    uint32_t epoch_index = open->epoch;
    const struct fm_lock_epoch *epoch = &walk->into->epochs.items[epoch_index];
    const uint32_t what = what_of_sync(walk, call);
    const bool is_needed = epoch->exclusive && epoch->target != FM_NONE;
    if (is_needed) {
        target_of_epoch(walk, open, epoch->target);
    }
    for (uint32_t t = open->first_target; t != FM_NONE; t = walk->targets.items[t].next) {
        struct fm_lock_target *target = &walk->targets.items[t];
        const uint8_t largest = largest_size(walk, target, locally);
        if (largest != 0 || is_needed) {
            need_target(walk, target, call, what, largest);
        }
    }
    fm_lock_walk_add_call(walk, epoch_index, call, FM_NONE);
}

/* Notes that a complete needs a target, unless the operations on it were done before. */
static void need_completion(struct fm_lock_walk *walk, uint32_t target, struct fm_call_ref call)
{
    struct fm_lock_target *accessed = &walk->targets.items[target];
    const uint8_t largest = largest_size(walk, accessed, false);
    if (largest != 0) {
        need_target(walk, accessed, call, FM_NEEDS_FOR_COMPLETE, largest);
    }
}

void fm_lock_walk_complete(struct fm_lock_walk *walk, struct fm_call_ref call, uint32_t target,
                           uint32_t access)
{
    const uint32_t index = fm_map_get(&walk->target_index, key_of_access(access) | target);
    if (walk->progress != NULL && index != FM_MAP_ABSENT) {
        need_completion(walk, index, call);
    }
}

static struct fm_open_epoch *open_of_target(struct fm_lock_walk *walk, const struct fm_rma *record,
                                            const struct fm_lock_target *target)
{
    struct fm_window_locks *locks = fm_lock_walk_locks(walk, record->window);
    for (size_t i = 0; i < locks->open.count; ++i) {
        struct fm_open_epoch *open = &walk->open.items[locks->open.items[i]];
        if (open->epoch == target->epoch) {
            return open;
        }
    }
    return NULL;
}

static bool is_local_flush(fm_call_t call)
{
    return call == FM_CALL_FLUSH_LOCAL || call == FM_CALL_FLUSH_LOCAL_ALL;
}

/* Notes a flush of one target: its need for the target's progress, and that it is a call of the
 * epoch. */
static void note_flush(struct fm_lock_walk *walk, struct fm_open_epoch *open, uint32_t target_index,
                       struct fm_call_ref call)
{
    if (fm_same_call(open->synced_by, call)) {
        return;
    }
    open->synced_by = call;
    struct fm_lock_target *target = &walk->targets.items[target_index];
    const struct fm_lock_epoch *epoch = &walk->into->epochs.items[open->epoch];
    const uint8_t largest = largest_size(walk, target, is_local_flush(kind_of(walk, call)));
    if ((epoch->exclusive && epoch->target != FM_NONE) || largest != 0) {
        need_target(walk, target, call, FM_NEEDS_FOR_FLUSH, largest);
    }
    fm_lock_walk_add_call(walk, open->epoch, call, FM_NONE);
}

/* Notes the need of a flush or unlock that completes an operation outside of lock epochs (their
 * locks were taken with MPI_MODE_NOCHECK): without an epoch only completions name the targets. */
static void note_unchecked_completion(struct fm_lock_walk *walk, struct fm_call_ref call,
                                      const struct fm_open_operation *operation)
{
    const fm_call_t kind = kind_of(walk, call);
    const bool completes = kind >= FM_CALL_UNLOCK && kind <= FM_CALL_FLUSH_LOCAL_ALL;
    const bool was_done = is_local_flush(kind) ? operation->done_locally : is_finished(operation);
    if (completes && !was_done) {
        need_target(walk, &walk->targets.items[operation->target], call, what_of_sync(walk, call),
                    operation->size_class);
    }
}

static void note_access_completion(struct fm_lock_walk *walk, const struct fm_lock_target *target,
                                   struct fm_call_ref call)
{
    if (target->is_of_access) {
        const struct fm_access_completion completion = {call, target->access, target->process};
        fm_vector_push(&walk->into->access_completions, completion);
    }
}

/* Notes the effects of a call that completes an operation: on the open epoch, and as a need. */
static void note_completing_call(struct fm_lock_walk *walk, const struct fm_rma *record,
                                 struct fm_call_ref call, const struct fm_open_operation *operation)
{
    fm_call_t kind = kind_of(walk, call);
    const bool is_of_access = walk->targets.items[operation->target].is_of_access;
    if (walk->targets.items[operation->target].epoch == FM_NONE && !is_of_access) {
        note_unchecked_completion(walk, call, operation);
    }
    if (kind == FM_CALL_COMPLETE && is_of_access) {
        need_completion(walk, operation->target, call);
    } else if (kind == FM_CALL_UNLOCK) {
        struct fm_open_epoch *open =
            open_of_target(walk, record, &walk->targets.items[operation->target]);
        if (open != NULL) {
            fm_lock_walk_sync(walk, open, call, false);
        }
    } else if (kind == FM_CALL_FLUSH || kind == FM_CALL_FLUSH_LOCAL) {
        struct fm_open_epoch *open =
            open_of_target(walk, record, &walk->targets.items[operation->target]);
        if (open != NULL) {
            note_flush(walk, open, operation->target, call);
        }
    } else if (operation->has_request && !is_finished(operation) &&
               fm_call_completes_requests(name_of(walk, call))) {
        need_target(walk, &walk->targets.items[operation->target], call, operation->what,
                    operation->size_class);
        note_access_completion(walk, &walk->targets.items[operation->target], call);
    }
}

/* A flush of all targets synchronizes all open epochs of the window that its record names. */
static void flush_window(struct fm_lock_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call)
{
    fm_call_t kind = kind_of(walk, call);
    if (kind == FM_CALL_FLUSH_ALL || kind == FM_CALL_FLUSH_LOCAL_ALL) {
        struct fm_window_locks *locks = fm_lock_walk_locks(walk, record->window);
        for (size_t i = 0; i < locks->open.count; ++i) {
            fm_lock_walk_sync(walk, &walk->open.items[locks->open.items[i]], call,
                              is_local_flush(kind));
        }
    }
}

/* Notes that an operation is done at its origin, or also at its target. */
static void finish(struct fm_lock_walk *walk, struct fm_open_operation *operation, bool remotely)
{
    struct fm_lock_target *target = &walk->targets.items[operation->target];
    const bool was_finished = is_finished(operation), was_done_locally = operation->done_locally;
    operation->done_locally = true;
    operation->done_remotely |= remotely;
    const bool is_finished_now = is_finished(operation) && !was_finished;
    target->unfinished_locally -= !was_done_locally;
    target->unfinished -= is_finished_now;
    if (target->sizes != FM_NONE) {
        struct fm_unfinished_sizes *sizes = &walk->sizes.items[target->sizes];
        sizes->of_class_locally[operation->size_class] -= !was_done_locally;
        sizes->of_class[operation->size_class] -= is_finished_now;
    }
}

void fm_lock_walk_done(struct fm_lock_walk *walk, const struct fm_rma *record,
                       struct fm_call_ref call)
{
    const bool remotely = record->type == FM_RMA_DONE_REMOTELY;
    const uint32_t head =
        fm_map_get(&fm_lock_walk_locks(walk, record->window)->operation_by_id, record->id);
    flush_window(walk, record, call);
    /* A completion names the unfinished operations; if there are none, those that were completed
     * before. */
    const bool any_unfinished = first_unfinished(walk, head) != FM_NONE;
    for (uint32_t i = head; i != FM_NONE; i = walk->operations.items[i].next) {
        if (!any_unfinished || !is_finished(&walk->operations.items[i])) {
            note_completing_call(walk, record, call, &walk->operations.items[i]);
        }
    }
    for (uint32_t i = head; i != FM_NONE; i = walk->operations.items[i].next) {
        finish(walk, &walk->operations.items[i], remotely);
    }
}

void fm_lock_walk_named(struct fm_lock_walk *walk, const struct fm_rma *record,
                        struct fm_call_ref call)
{
    const fm_call_t kind = kind_of(walk, call);
    flush_window(walk, record, call);
    if ((kind != FM_CALL_FLUSH && kind != FM_CALL_FLUSH_LOCAL) || record->peer == FM_NONE) {
        return;
    }
    const uint32_t window_index = fm_lock_walk_window(walk, record->window);
    struct fm_open_epoch *open = fm_lock_walk_find_open(walk, window_index, record->peer);
    open = open == NULL ? fm_lock_walk_find_open(walk, window_index, FM_NONE) : open;
    const struct fm_trace *trace = walk->analysis->trace;
    const uint32_t target = fm_trace_member(trace, trace->windows[record->window].communicator,
                                            record->peer, walk->process);
    if (open != NULL && target != FM_NONE) {
        note_flush(walk, open, target_of_epoch(walk, open, target), call);
    }
}
