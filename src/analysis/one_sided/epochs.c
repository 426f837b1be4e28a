#include "analysis/one_sided/epochs.h"

#include "analysis/model/gaps.h"
#include "analysis/model/group_members.h"
#include "analysis/model/readers.h"
#include "analysis/model/record_merge.h"
#include "analysis/one_sided/progress_waits.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

#include <stdlib.h>
#include <strings.h>

/* A process that was accessed since the last fence. */
struct fence_access {
    uint32_t process;
    uint64_t last_operation;
};

/* What is open on a window of the process at hand. */
struct window_state {
    uint32_t window;
    uint32_t collectives;
    uint32_t access;   /* open access epoch; FM_NONE: none */
    uint32_t exposure; /* open exposure epoch; FM_NONE: none */
    FM_VECTOR(struct fence_access) fence_epoch;
};

/* More than so many processes accessed between two fences are found by a map. */
#define FEW_ACCESSED 8

struct walk {
    struct fm_analysis *analysis;
    struct fm_epochs epochs; /* of the process so far: memory that each process uses in turn */
    uint32_t process;
    struct fm_map state_of_window;
    FM_VECTOR(struct window_state) states;
    uint32_t recent;              /* in `states` */
    struct fm_map fence_accessed; /* (window state, process) -> position in fence_epoch */
    struct fm_lock_walk *locks;
    struct fm_group_members members;
    FM_VECTOR(uint32_t) last_origins; /* by stream of exposure epochs: the last one so far */
};

static uint32_t state_of(struct walk *walk, uint32_t window)
{
    if (walk->recent < walk->states.count && walk->states.items[walk->recent].window == window) {
        return walk->recent;
    }
    uint32_t next = (uint32_t)walk->states.count;
    walk->recent = *fm_map_at(&walk->state_of_window, window, next);
    if (walk->recent == next) {
        fm_vector_push(
            &walk->states,
            (struct window_state){.window = window, .access = FM_NONE, .exposure = FM_NONE});
    }
    return walk->recent;
}

static int compare_fence_accesses(const void *a, const void *b)
{
    const struct fence_access *left = a, *right = b;
    return left->process < right->process ? -1 : left->process > right->process;
}

/* ---- fences ---- */

/* Notes what was accessed since the last fence. @return of how many processes */
static uint32_t close_fence_epoch(struct fm_epochs *epochs, struct window_state *state)
{
    fm_sort(state->fence_epoch.items, state->fence_epoch.count, sizeof *state->fence_epoch.items,
            compare_fence_accesses);
    for (size_t i = 0; i < state->fence_epoch.count; ++i) {
        const struct fence_access *access = &state->fence_epoch.items[i];
        fm_vector_push(&epochs->fence_accesses.processes, access->process);
        fm_vector_push(&epochs->fence_accesses.last_operations, access->last_operation);
    }
    uint32_t count = (uint32_t)state->fence_epoch.count;
    state->fence_epoch.count = 0;
    return count;
}

static void add_collective(struct walk *walk, uint32_t state_index, struct fm_call_ref call)
{
    struct fm_epochs *epochs = &walk->epochs;
    struct window_state *state = &walk->states.items[state_index];
    struct fm_window_collective collective = {
        .window = state->window,
        .ordinal = state->collectives++,
        .call = call,
        .first_accessed = (uint32_t)epochs->fence_accesses.processes.count,
    };
    const struct fm_location *location = &walk->analysis->trace->locations[call.location];
    if (fm_trace_called(walk->analysis->trace, location, call.activity)->call == FM_CALL_FENCE) {
        collective.accessed_count = close_fence_epoch(epochs, state);
    }
    fm_vector_push(&epochs->collectives, collective);
}

/* @return the position of a process among those accessed; behind the last one: it was not */
static size_t find_fence_access(struct walk *walk, uint32_t state_index, uint32_t process)
{
    const struct window_state *state = &walk->states.items[state_index];
    size_t count = state->fence_epoch.count;
    const struct fence_access *accesses = state->fence_epoch.items;
    if (count <= FEW_ACCESSED) {
        size_t i = 0;
        while (i < count && accesses[i].process != process) {
            ++i;
        }
        if (i < count || count < FEW_ACCESSED) {
            return i;
        }
        for (i = 0; i < count; ++i) {
            uint64_t key = (uint64_t)state_index << 32 | accesses[i].process;
            *fm_map_at(&walk->fence_accessed, key, 0) = (uint32_t)i;
        }
    }
    /* Entries of earlier epochs may stand in the map: look whether it is right. */
    uint32_t *position = fm_map_at(&walk->fence_accessed, (uint64_t)state_index << 32 | process, 0);
    if (*position >= count || accesses[*position].process != process) {
        *position = (uint32_t)count;
    }
    return *position;
}

static void access_in_fence_epoch(struct walk *walk, uint32_t state_index, uint32_t process,
                                  uint64_t leave)
{
    size_t position = find_fence_access(walk, state_index, process);
    struct window_state *state = &walk->states.items[state_index];
    if (position == state->fence_epoch.count) {
        fm_vector_push(&state->fence_epoch, (struct fence_access){process, leave});
        return;
    }
    struct fence_access *access = &state->fence_epoch.items[position];
    access->last_operation = leave > access->last_operation ? leave : access->last_operation;
}

/* ---- start and complete ---- */

static void start_access(struct walk *walk, uint32_t state_index, struct fm_call_ref call,
                         uint32_t group)
{
    struct fm_epochs *epochs = &walk->epochs;
    struct window_state *state = &walk->states.items[state_index];
    uint32_t target_count;
    const uint32_t *targets =
        fm_group_members_of(&walk->members, walk->analysis->trace, group, &target_count);
    struct fm_access_epoch epoch = {
        .window = state->window,
        .start = call,
        .complete = {call.location, FM_NONE},
        .first_target = (uint32_t)epochs->targets.count,
        .target_count = target_count,
    };
    for (uint32_t i = 0; i < target_count; ++i) {
        fm_vector_push(&epochs->targets, (struct fm_epoch_target){0, targets[i], FM_NONE});
    }
    state->access = (uint32_t)epochs->accesses.count;
    fm_vector_push(&epochs->accesses, epoch);
}

static void complete_access(struct walk *walk, struct window_state *state, struct fm_call_ref call)
{
    if (state->access == FM_NONE) {
        return;
    }
    struct fm_access_epoch *epoch = &walk->epochs.accesses.items[state->access];
    epoch->complete = call;
    state->access = FM_NONE;
    uint32_t unneeded = 0;
    for (uint32_t i = 0; i < epoch->target_count; ++i) {
        unneeded += walk->epochs.targets.items[epoch->first_target + i].operations == FM_NONE;
    }
    fm_epoch_count_pairs(walk->analysis, call, epoch->target_count - unneeded, unneeded);
}

/* @return a target of an epoch; NULL: the process is none */
static struct fm_epoch_target *find_target(const struct fm_epochs *epochs,
                                           const struct fm_access_epoch *epoch, uint32_t process)
{
    struct fm_epoch_target *targets = epochs->targets.items + epoch->first_target;
    uint32_t low = 0, high = epoch->target_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (targets[middle].process < process) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < epoch->target_count && targets[low].process == process ? &targets[low] : NULL;
}

/* @return whether the open access epoch names the process; the operation is noted then */
static bool access_in_epoch(struct walk *walk, struct window_state *state, struct fm_call_ref call,
                            uint32_t process, uint64_t leave)
{
    if (state->access == FM_NONE) {
        return false;
    }
    struct fm_epochs *epochs = &walk->epochs;
    struct fm_epoch_target *target =
        find_target(epochs, &epochs->accesses.items[state->access], process);
    if (target == NULL) {
        return false;
    }
    target->last_operation = leave > target->last_operation ? leave : target->last_operation;
    fm_vector_push(&epochs->operations, (struct fm_epoch_operation){call, target->operations});
    target->operations = (uint32_t)epochs->operations.count - 1;
    return true;
}

/* ---- post and wait ---- */

/* Notes that an exposure epoch names an origin. */
static void add_origin(struct walk *walk, uint32_t window, uint32_t exposure, uint32_t process)
{
    struct fm_epochs *epochs = &walk->epochs;
    uint32_t origin = (uint32_t)epochs->origins.count;
    uint32_t next = (uint32_t)epochs->first_origins.count;
    uint32_t stream = *fm_map_at(&epochs->stream_of_origin, fm_origin_key(window, process), next);
    if (stream == next) {
        fm_vector_push(&epochs->first_origins, origin);
        fm_vector_push(&walk->last_origins, origin);
    } else {
        epochs->origins.items[walk->last_origins.items[stream]].next = origin;
        walk->last_origins.items[stream] = origin;
    }
    fm_vector_push(&epochs->origins, (struct fm_epoch_origin){exposure, FM_NONE});
}

static void post_exposure(struct walk *walk, uint32_t state_index, struct fm_call_ref call,
                          uint32_t group)
{
    struct fm_epochs *epochs = &walk->epochs;
    struct window_state *state = &walk->states.items[state_index];
    uint32_t origin_count;
    const uint32_t *origins =
        fm_group_members_of(&walk->members, walk->analysis->trace, group, &origin_count);
    state->exposure = (uint32_t)epochs->exposures.count;
    for (uint32_t i = 0; i < origin_count; ++i) {
        add_origin(walk, state->window, state->exposure, origins[i]);
    }
    fm_vector_push(&epochs->exposures, (struct fm_exposure_epoch){
                                           .window = state->window,
                                           .post = call,
                                           .wait = {call.location, FM_NONE},
                                           .origin_count = origin_count,
                                       });
}

static void wait_exposure(struct walk *walk, struct window_state *state, struct fm_call_ref call)
{
    if (state->exposure != FM_NONE) {
        walk->epochs.exposures.items[state->exposure].wait = call;
        state->exposure = FM_NONE;
    }
}

/* ---- pauses of the recording ---- */

static void skip_accesses(struct walk *walk, uint32_t state_index, const struct fm_unrecorded *gap)
{
    struct fm_call_ref unknown = {FM_NONE, FM_NONE};
    start_access(walk, state_index, unknown, gap->peer);
    struct fm_epochs *epochs = &walk->epochs;
    epochs->accesses.items[epochs->accesses.count - 1].unrecorded = (uint32_t)gap->count;
    walk->states.items[state_index].access = FM_NONE;
}

static void skip_exposures(struct walk *walk, uint32_t state_index, const struct fm_unrecorded *gap)
{
    struct fm_call_ref unknown = {FM_NONE, FM_NONE};
    post_exposure(walk, state_index, unknown, gap->peer);
    struct fm_epochs *epochs = &walk->epochs;
    epochs->exposures.items[epochs->exposures.count - 1].unrecorded = (uint32_t)gap->count;
    walk->states.items[state_index].exposure = FM_NONE;
}

static void skip(struct walk *walk, const struct fm_unrecorded *gap)
{
    if (gap->series < FM_SERIES_WINDOW_COLLECTIVES || gap->count == 0) {
        return;
    }
    uint32_t state_index = state_of(walk, gap->reference);
    struct window_state *state = &walk->states.items[state_index];
    switch (gap->series) {
    case FM_SERIES_WINDOW_COLLECTIVES:
        state->collectives += (uint32_t)gap->count;
        state->fence_epoch.count = 0;
        break;
    case FM_SERIES_ACCESS_EPOCHS:
        skip_accesses(walk, state_index, gap);
        break;
    default:
        skip_exposures(walk, state_index, gap);
        break;
    }
}

/* ---- the walk ---- */

static void visit(struct walk *walk, const struct fm_record_ref *record)
{
    const struct fm_trace *trace = walk->analysis->trace;
    const struct fm_location *location = &trace->locations[record->location];
    const struct fm_rma *rma = &location->rma.items[record->row];
    uint32_t communicator = trace->windows[rma->window].communicator;
    /* Libraries other than MPI have epochs and locks of their own. */
    if (communicator == FM_NONE ||
        fm_trace_called(trace, location, rma->activity)->paradigm != FM_PARADIGM_MPI) {
        return;
    }
    struct fm_call_ref call = {record->location, rma->activity};
    uint32_t state_index = state_of(walk, rma->window);
    struct window_state *state = &walk->states.items[state_index];
    switch (rma->type) {
    case FM_RMA_PUT:
    case FM_RMA_GET:
    case FM_RMA_ATOMIC: {
        uint32_t target = fm_trace_member(trace, communicator, rma->peer, walk->process);
        uint64_t leave = location->leave.items[rma->activity];
        if (target != FM_NONE && !access_in_epoch(walk, state, call, target, leave) &&
            !fm_lock_walk_operation(walk->locks, rma, call, target)) {
            access_in_fence_epoch(walk, state_index, target, leave);
        }
        break;
    }
    case FM_RMA_COLLECTIVE:
        add_collective(walk, state_index, call);
        if (strcasecmp(fm_trace_called(trace, location, rma->activity)->name,
                       "MPI_Win_allocate_shared") == 0) {
            fm_lock_walk_shared_memory(walk->locks, rma->window);
        }
        break;
    case FM_RMA_GROUP_SYNC:
        switch (fm_trace_called(trace, location, rma->activity)->call) {
        case FM_CALL_START:
            start_access(walk, state_index, call, rma->peer);
            break;
        case FM_CALL_COMPLETE:
            complete_access(walk, state, call);
            break;
        case FM_CALL_POST:
            post_exposure(walk, state_index, call, rma->peer);
            break;
        case FM_CALL_WAIT:
            wait_exposure(walk, state, call);
            break;
        default:
            break;
        }
        break;
    case FM_RMA_LOCK_REQUEST:
    case FM_RMA_LOCK_ACQUIRE:
        fm_lock_walk_lock(walk->locks, rma, call);
        break;
    case FM_RMA_LOCK_RELEASE:
        fm_lock_walk_unlock(walk->locks, rma, call);
        break;
    case FM_RMA_DONE_LOCALLY:
    case FM_RMA_DONE_REMOTELY:
        fm_lock_walk_done(walk->locks, rma, call);
        break;
    default:
        break;
    }
}

static size_t rma_count(const struct fm_location *location)
{
    return location->rma.count;
}

static uint32_t rma_activity(const struct fm_location *location, uint32_t row)
{
    return location->rma.items[row].activity;
}

static uint64_t enter_of(const struct fm_trace *trace, const struct fm_record_ref *record)
{
    const struct fm_location *location = &trace->locations[record->location];
    return location->enter.items[location->rma.items[record->row].activity];
}

static void forget_process(struct walk *walk)
{
    for (size_t i = 0; i < walk->states.count; ++i) {
        fm_vector_free(&walk->states.items[i].fence_epoch);
    }
    walk->states.count = walk->last_origins.count = 0;
    fm_map_clear(&walk->state_of_window);
    fm_map_clear(&walk->fence_accessed);
}

/* Gives a process its epochs, in no more memory than they take. */
static void hand_over(struct fm_epochs *made, struct fm_epochs *of_process)
{
    fm_vector_settle(&made->collectives, &of_process->collectives);
    fm_vector_settle(&made->accesses, &of_process->accesses);
    fm_vector_settle(&made->exposures, &of_process->exposures);
    fm_vector_settle(&made->fence_accesses.processes, &of_process->fence_accesses.processes);
    fm_vector_settle(&made->fence_accesses.last_operations,
                     &of_process->fence_accesses.last_operations);
    fm_vector_settle(&made->targets, &of_process->targets);
    fm_vector_settle(&made->operations, &of_process->operations);
    fm_vector_settle(&made->origins, &of_process->origins);
    fm_vector_settle(&made->first_origins, &of_process->first_origins);
    of_process->stream_of_origin = made->stream_of_origin;
    made->stream_of_origin = (struct fm_map){0};
    fm_vector_settle(&made->locks.epochs, &of_process->locks.epochs);
    fm_vector_settle(&made->locks.calls, &of_process->locks.calls);
    fm_vector_settle(&made->locks.acquisitions, &of_process->locks.acquisitions);
    fm_vector_settle(&made->locks.uses, &of_process->locks.uses);
}

static void free_epochs(struct fm_epochs *epochs)
{
    fm_vector_free(&epochs->collectives);
    fm_vector_free(&epochs->accesses);
    fm_vector_free(&epochs->exposures);
    fm_vector_free(&epochs->fence_accesses.processes);
    fm_vector_free(&epochs->fence_accesses.last_operations);
    fm_vector_free(&epochs->targets);
    fm_vector_free(&epochs->operations);
    fm_vector_free(&epochs->origins);
    fm_vector_free(&epochs->first_origins);
    fm_map_free(&epochs->stream_of_origin);
    fm_vector_free(&epochs->locks.epochs);
    fm_vector_free(&epochs->locks.calls);
    fm_vector_free(&epochs->locks.acquisitions);
    fm_vector_free(&epochs->locks.uses);
    fm_vector_free(&epochs->locks.progress);
}

struct building {
    struct fm_analysis *analysis;
    struct fm_progress *progress; /* NULL: nobody wants to know */
    struct fm_epochs *epochs;     /* by process */
};

static void build(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct building *building = context;
    struct walk walk = {
        .analysis = building->analysis,
        .locks = fm_lock_walk_create(building->analysis, building->progress, worker),
    };
    struct fm_gaps gaps = {0};
    for (uint32_t process = first; process < last; ++process) {
        struct fm_record_merge merge;
        struct fm_record_ref record;
        const struct fm_unrecorded *gap;
        walk.process = process;
        fm_lock_walk_begin(walk.locks, process, &walk.epochs.locks);
        fm_gaps_begin(&gaps, building->analysis->trace, process);
        fm_record_merge_begin(&merge, building->analysis->trace, process, rma_count, rma_activity);
        while (fm_record_merge_next(&merge, &record)) {
            while (fm_gaps_ahead(&gaps) &&
                   (gap = fm_gaps_before(&gaps, enter_of(building->analysis->trace, &record))) !=
                       NULL) {
                skip(&walk, gap);
            }
            visit(&walk, &record);
        }
        fm_lock_walk_end(walk.locks);
        /* The next tables go where these were: pages that are touched already. */
        fm_readers_forget_one_sided(building->analysis, process);
        hand_over(&walk.epochs, &building->epochs[process]);
        forget_process(&walk);
    }
    free_epochs(&walk.epochs);
    fm_gaps_free(&gaps);
    fm_vector_free(&walk.states);
    fm_lock_walk_free(walk.locks);
    fm_map_free(&walk.state_of_window);
    fm_map_free(&walk.fence_accessed);
    fm_group_members_free(&walk.members);
    fm_vector_free(&walk.last_origins);
}

void fm_epochs_build(struct fm_analysis *analysis)
{
    struct building building = {
        .analysis = analysis,
        .progress = analysis->asynchronous_progress ? NULL : fm_progress_create(analysis),
        .epochs = fm_allocate(analysis->trace->process_count, sizeof(struct fm_epochs)),
    };
    if (building.progress != NULL) {
        fm_progress_run(building.progress, build, &building);
        fm_progress_waits_find(analysis, building.progress, building.epochs);
        fm_progress_free(building.progress);
    } else {
        fm_engine_run(analysis->engine, build, &building);
    }
    analysis->epochs = building.epochs;
}

void fm_epochs_free(struct fm_epochs *epochs, uint32_t count)
{
    if (epochs == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        free_epochs(&epochs[i]);
    }
    fm_free(epochs);
}
