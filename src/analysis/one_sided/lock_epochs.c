#include "analysis/one_sided/lock_epochs.h"

/* What one lock epoch does on one target; or what request-based operations outside of all lock
 * epochs (MPI_MODE_NOCHECK) do there. */
struct epoch_target {
    uint32_t window;
    uint32_t epoch;              /* in the process's epochs; FM_NONE: none */
    uint32_t process;            /* target */
    bool accessed;               /* by an operation */
    uint32_t unfinished;         /* operations not done at the target (gets: at the origin) */
    uint32_t unfinished_locally; /* operations not done at the origin */
    uint32_t needed_by;          /* activity that this target was noted for last */
    uint32_t needed_by_location;
    uint32_t next; /* target of the same epoch; FM_NONE: none */
};

/* An epoch that is not released yet. */
struct open_epoch {
    uint32_t epoch;
    uint32_t first_target;
    uint32_t accessed;            /* targets of operations */
    uint32_t position;            /* among the open ones of its window */
    struct fm_call_ref synced_by; /* last call that was noted as a flush or unlock of it */
};

/* An operation that is not known to be done at its target. */
struct open_operation {
    uint32_t target; /* in `targets` */
    uint32_t next;   /* operation with the same id; FM_NONE: none */
    bool is_get;
    bool has_request;
    bool done_locally;
};

struct window_locks {
    bool shared_memory;
    struct fm_lock_use use;
    uint32_t all; /* open epoch of all targets, in `open`; FM_NONE: none */
    FM_VECTOR(uint32_t) open;
    struct fm_map operation_by_id; /* each window has ids of its own */
};

struct fm_lock_walk {
    struct fm_analysis *analysis;
    struct fm_progress *progress; /* NULL: nobody wants to know */
    unsigned worker;
    struct fm_lock_epochs *into;
    uint32_t process;
    struct fm_map window_index;
    FM_VECTOR(struct window_locks) windows;
    uint32_t recent_window, recent_index; /* what was looked up last */
    struct fm_map open_by_target; /* (window index, target rank) -> open epoch; released: none */
    FM_VECTOR(struct open_epoch) open;
    FM_VECTOR(struct epoch_target) targets;
    struct fm_map target_index; /* (epoch, process) -> in `targets`; of epochs of all targets */
    FM_VECTOR(struct open_operation) operations;
};

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
}

void fm_lock_walk_end(struct fm_lock_walk *walk)
{
    for (size_t i = 0; i < walk->windows.count; ++i) {
        fm_vector_push(&walk->into->uses, walk->windows.items[i].use);
    }
    if (walk->progress != NULL) {
        fm_progress_end(walk->progress, walk->worker);
    }
}

static uint32_t index_of_window(struct fm_lock_walk *walk, uint32_t window)
{
    if (window != walk->recent_window) {
        uint32_t next = (uint32_t)walk->windows.count;
        walk->recent_window = window;
        walk->recent_index = *fm_map_at(&walk->window_index, window, next);
        if (walk->recent_index == next) {
            fm_vector_push(&walk->windows, (struct window_locks){
                                               .use.window = window,
                                               .all = FM_NONE,
                                           });
        }
    }
    return walk->recent_index;
}

static struct window_locks *locks_of(struct fm_lock_walk *walk, uint32_t window)
{
    uint32_t index = index_of_window(walk, window);
    return &walk->windows.items[index];
}

void fm_lock_walk_shared_memory(struct fm_lock_walk *walk, uint32_t window)
{
    locks_of(walk, window)->shared_memory = true;
}

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

static void add_call(struct fm_lock_walk *walk, uint32_t epoch_index, struct fm_call_ref call,
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

static void add_need(struct fm_lock_walk *walk, uint32_t window, struct fm_call_ref call,
                     uint32_t target)
{
    if (walk->progress != NULL && target != walk->process && target != FM_NONE &&
        !locks_of(walk, window)->shared_memory) {
        fm_progress_need(walk->progress, walk->worker, walk->process, call, target);
    }
}

/* ---- locking ---- */

static struct open_epoch *find_open(struct fm_lock_walk *walk, uint32_t window_index, uint32_t rank)
{
    uint32_t open = rank == FM_NONE
                        ? walk->windows.items[window_index].all
                        : fm_map_get(&walk->open_by_target, (uint64_t)window_index << 32 | rank);
    return open == FM_NONE ? NULL : &walk->open.items[open];
}

/* Notes when a lock was acquired. @return where */
static uint32_t add_acquisition(struct fm_lock_walk *walk, const struct fm_rma *record,
                                struct fm_call_ref call)
{
    fm_vector_push(&walk->into->acquisitions, (struct fm_lock_acquisition){record->id, call});
    return (uint32_t)walk->into->acquisitions.count - 1;
}

void fm_lock_walk_lock(struct fm_lock_walk *walk, const struct fm_rma *record,
                       struct fm_call_ref call)
{
    const struct fm_trace *trace = walk->analysis->trace;
    uint32_t window_index = index_of_window(walk, record->window);
    struct open_epoch *already = find_open(walk, window_index, record->peer);
    bool acquired = record->type == FM_RMA_LOCK_ACQUIRE;
    if (already != NULL) {
        struct fm_lock_epoch *epoch = &walk->into->epochs.items[already->epoch];
        if (acquired && epoch->acquisition == FM_NONE) {
            epoch->acquisition = add_acquisition(walk, record, call);
            /* Any call may be the one that acquires, also one of which nothing else is known. */
            if (!is_last_call(walk, epoch, call)) {
                add_call(walk, already->epoch, call, FM_NONE);
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
                   });
    struct window_locks *locks = &walk->windows.items[window_index];
    fm_vector_push(&walk->open,
                   (struct open_epoch){epoch, FM_NONE, 0, (uint32_t)locks->open.count, none});
    fm_vector_push(&locks->open, open);
    locks->use.exclusively |= walk->into->epochs.items[epoch].exclusive;
    if (record->peer == FM_NONE) {
        locks->use.all_targets = true;
        locks->all = open;
    } else {
        *fm_map_at(&walk->open_by_target, (uint64_t)window_index << 32 | record->peer, open) = open;
        add_need(walk, record->window, call, target);
    }
    add_call(walk, epoch, call, FM_NONE);
}

/* ---- operations and their completion ---- */

#define OUTSIDE_OF_EPOCHS ((uint64_t)1 << 63)

static uint32_t add_target(struct fm_lock_walk *walk, uint32_t window, uint32_t process)
{
    fm_vector_push(&walk->targets, (struct epoch_target){.window = window,
                                                         .epoch = FM_NONE,
                                                         .process = process,
                                                         .needed_by = FM_NONE,
                                                         .next = FM_NONE});
    return (uint32_t)walk->targets.count - 1;
}

/* @return what `key` and the process name among the targets; a new one belongs to no epoch yet */
static uint32_t find_target(struct fm_lock_walk *walk, uint64_t key, uint32_t window,
                            uint32_t process)
{
    uint32_t next = (uint32_t)walk->targets.count;
    uint32_t index = *fm_map_at(&walk->target_index, key | process, next);
    return index == next ? add_target(walk, window, process) : index;
}

static uint32_t target_of_epoch(struct fm_lock_walk *walk, struct open_epoch *open,
                                uint32_t process)
{
    const struct fm_lock_epoch *epoch = &walk->into->epochs.items[open->epoch];
    uint32_t index = open->first_target;
    if (epoch->target == FM_NONE) {
        index = find_target(walk, (uint64_t)open->epoch << 32, epoch->window, process);
    } else if (index == FM_NONE) {
        index = add_target(walk, epoch->window, process);
    }
    struct epoch_target *target = &walk->targets.items[index];
    if (target->epoch == FM_NONE) {
        target->epoch = open->epoch;
        target->next = open->first_target;
        open->first_target = index;
    }
    return index;
}

/* Follows an operation until it is done. */
static void open_operation(struct fm_lock_walk *walk, const struct fm_rma *record,
                           uint32_t target_index, bool has_request)
{
    struct epoch_target *target = &walk->targets.items[target_index];
    ++target->unfinished;
    ++target->unfinished_locally;
    uint32_t next = (uint32_t)walk->operations.count;
    uint32_t *head = fm_map_at(&locks_of(walk, record->window)->operation_by_id, record->id, next);
    fm_vector_push(&walk->operations, (struct open_operation){
                                          .target = target_index,
                                          .next = *head == next ? FM_NONE : *head,
                                          .is_get = record->type == FM_RMA_GET,
                                          .has_request = has_request,
                                      });
    *head = next;
}

bool fm_lock_walk_operation(struct fm_lock_walk *walk, const struct fm_rma *record,
                            struct fm_call_ref call, uint32_t target)
{
    uint32_t window_index = index_of_window(walk, record->window);
    struct open_epoch *open = find_open(walk, window_index, record->peer);
    open = open == NULL ? find_open(walk, window_index, FM_NONE) : open;
    bool has_request = kind_of(walk, call) == FM_CALL_REQUEST_OPERATION;
    if (open == NULL) {
        if (has_request) {
            /* Its completion needs the target's progress all the same. */
            uint64_t key = OUTSIDE_OF_EPOCHS | (uint64_t)window_index << 32;
            open_operation(walk, record, find_target(walk, key, record->window, target), true);
        }
        return false;
    }
    uint32_t target_index = target_of_epoch(walk, open, target);
    struct epoch_target *accessed = &walk->targets.items[target_index];
    open->accessed += !accessed->accessed;
    accessed->accessed = true;
    open_operation(walk, record, target_index, has_request);
    add_call(walk, open->epoch, call, target);
    if (!has_request) {
        add_need(walk, record->window, call, target);
    }
    return true;
}

/* Notes that `call` waits for a target, once for each call. */
static void need_target(struct fm_lock_walk *walk, struct epoch_target *target,
                        struct fm_call_ref call)
{
    if (target->needed_by != call.activity || target->needed_by_location != call.location) {
        target->needed_by = call.activity;
        target->needed_by_location = call.location;
        add_need(walk, target->window, call, target->process);
    }
}

/* Notes a flush or unlock of an open epoch, before the completions that it brings: its targets
 * with unfinished operations, and the target of an exclusive lock, must make progress. */
static void sync_epoch(struct fm_lock_walk *walk, struct open_epoch *open, struct fm_call_ref call,
                       bool locally)
{
    if (fm_same_call(open->synced_by, call)) {
        return;
    }
    open->synced_by = call;
    uint32_t epoch_index = open->epoch;
    const struct fm_lock_epoch *epoch = &walk->into->epochs.items[epoch_index];
    if (epoch->exclusive && epoch->target != FM_NONE) {
        uint32_t target = target_of_epoch(walk, open, epoch->target);
        need_target(walk, &walk->targets.items[target], call);
    }
    for (uint32_t t = open->first_target; t != FM_NONE; t = walk->targets.items[t].next) {
        struct epoch_target *target = &walk->targets.items[t];
        if ((locally ? target->unfinished_locally : target->unfinished) != 0) {
            need_target(walk, target, call);
        }
    }
    add_call(walk, epoch_index, call, FM_NONE);
}

static struct open_epoch *open_of_target(struct fm_lock_walk *walk, const struct fm_rma *record,
                                         const struct epoch_target *target)
{
    struct window_locks *locks = locks_of(walk, record->window);
    for (size_t i = 0; i < locks->open.count; ++i) {
        struct open_epoch *open = &walk->open.items[locks->open.items[i]];
        if (open->epoch == target->epoch) {
            return open;
        }
    }
    return NULL;
}

/* What a call that brings the completion of an operation means for the open epochs. */
static void note_completing_call(struct fm_lock_walk *walk, const struct fm_rma *record,
                                 struct fm_call_ref call, const struct open_operation *operation)
{
    fm_call_t kind = kind_of(walk, call);
    bool locally = kind == FM_CALL_FLUSH_LOCAL;
    if (kind == FM_CALL_UNLOCK) {
        struct open_epoch *open =
            open_of_target(walk, record, &walk->targets.items[operation->target]);
        if (open != NULL) {
            sync_epoch(walk, open, call, false);
        }
    } else if (kind == FM_CALL_FLUSH || kind == FM_CALL_FLUSH_LOCAL) {
        struct epoch_target *target = &walk->targets.items[operation->target];
        struct open_epoch *open = open_of_target(walk, record, target);
        if (open != NULL && !fm_same_call(open->synced_by, call)) {
            open->synced_by = call;
            const struct fm_lock_epoch *epoch = &walk->into->epochs.items[open->epoch];
            if ((epoch->exclusive && epoch->target != FM_NONE) ||
                (locally ? target->unfinished_locally : target->unfinished) != 0) {
                need_target(walk, target, call);
            }
            add_call(walk, open->epoch, call, FM_NONE);
        }
    } else if (operation->has_request && !operation->done_locally &&
               fm_call_completes_requests(name_of(walk, call))) {
        need_target(walk, &walk->targets.items[operation->target], call);
    }
}

/* A flush of all targets concerns every open epoch of a window that one of its records names. */
static void flush_window(struct fm_lock_walk *walk, const struct fm_rma *record,
                         struct fm_call_ref call)
{
    fm_call_t kind = kind_of(walk, call);
    if (kind == FM_CALL_FLUSH_ALL || kind == FM_CALL_FLUSH_LOCAL_ALL) {
        struct window_locks *locks = locks_of(walk, record->window);
        for (size_t i = 0; i < locks->open.count; ++i) {
            sync_epoch(walk, &walk->open.items[locks->open.items[i]], call,
                       kind == FM_CALL_FLUSH_LOCAL_ALL);
        }
    }
}

void fm_lock_walk_done(struct fm_lock_walk *walk, const struct fm_rma *record,
                       struct fm_call_ref call)
{
    bool remotely = record->type == FM_RMA_DONE_REMOTELY;
    uint32_t head = fm_map_get(&locks_of(walk, record->window)->operation_by_id, record->id);
    flush_window(walk, record, call);
    for (uint32_t i = head; i != FM_NONE; i = walk->operations.items[i].next) {
        note_completing_call(walk, record, call, &walk->operations.items[i]);
    }
    bool all_finished = true;
    for (uint32_t i = head; i != FM_NONE; i = walk->operations.items[i].next) {
        struct open_operation *operation = &walk->operations.items[i];
        struct epoch_target *target = &walk->targets.items[operation->target];
        if (!operation->done_locally) {
            operation->done_locally = true;
            --target->unfinished_locally;
            /* Any completion finishes a get. */
            target->unfinished -= operation->is_get;
        }
        target->unfinished -= remotely && !operation->is_get;
        all_finished &= remotely || operation->is_get;
    }
    if (all_finished) {
        fm_map_take(&locks_of(walk, record->window)->operation_by_id, record->id);
    }
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
    uint32_t window_index = index_of_window(walk, record->window);
    struct open_epoch *open = find_open(walk, window_index, record->peer);
    /* Without its request (MPI_MODE_NOCHECK) a release ends no lock epoch. */
    if (open == NULL) {
        return;
    }
    uint64_t pairs = record->peer == FM_NONE
                         ? trace->communicators[trace->windows[record->window].communicator].size
                         : 1;
    uint64_t needed = open->accessed < pairs ? open->accessed : pairs;
    fm_epoch_count_pairs(walk->analysis, call, needed, pairs - needed);
    sync_epoch(walk, open, call, false);
    walk->into->epochs.items[open->epoch].release = call;

    struct window_locks *locks = &walk->windows.items[window_index];
    uint32_t last = locks->open.items[--locks->open.count];
    locks->open.items[open->position] = last;
    walk->open.items[last].position = open->position;
    if (record->peer == FM_NONE) {
        locks->all = FM_NONE;
    } else {
        fm_map_take(&walk->open_by_target, (uint64_t)window_index << 32 | record->peer);
    }
}
