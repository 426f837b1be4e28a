#include "analysis/epochs.h"

#include "analysis/gaps.h"

#include "base/map.h"
#include "base/sort.h"

#include <stdlib.h>
#include <strings.h>

/* What is open on a window of the process at hand. */
struct window_state {
    uint32_t window;
    uint32_t collectives;
    uint32_t access;   /* open access epoch; FM_NONE: none */
    uint32_t exposure; /* open exposure epoch; FM_NONE: none */
    FM_VECTOR(struct fm_accessed) fence_epoch;
};

struct walk {
    struct fm_analysis *analysis;
    struct fm_epochs *epochs; /* of the process */
    uint32_t process;
    struct fm_map state_of_window;
    FM_VECTOR(struct window_state) states;
    struct fm_map fence_accessed; /* (window state, process) -> position in fence_epoch */
    struct fm_lock_walk *locks;
    struct fm_map access_ordinals;   /* (window state, process) -> access epochs so far */
    struct fm_map exposure_ordinals; /* (window state, process) -> exposure epochs so far */
};

static struct window_state *state_of(struct walk *walk, uint32_t window, uint32_t *index)
{
    uint32_t next = (uint32_t)walk->states.count;
    *index = *fm_map_at(&walk->state_of_window, window, next);
    if (*index == next) {
        fm_vector_push(
            &walk->states,
            (struct window_state){.window = window, .access = FM_NONE, .exposure = FM_NONE});
    }
    return &walk->states.items[*index];
}

static uint64_t pair_key(uint32_t state, uint32_t other)
{
    return (uint64_t)state << 32 | other;
}

static int compare_accessed(const void *a, const void *b)
{
    const struct fm_accessed *left = a, *right = b;
    return left->process < right->process ? -1 : left->process > right->process;
}

/* ---- fences ---- */

static void add_collective(struct walk *walk, uint32_t state_index, struct fm_call_ref call)
{
    struct fm_epochs *epochs = walk->epochs;
    struct window_state *state = &walk->states.items[state_index];
    struct fm_window_collective collective = {
        .window = state->window,
        .ordinal = state->collectives++,
        .call = call,
        .first_accessed = (uint32_t)epochs->accessed.count,
    };
    const struct fm_location *location = &walk->analysis->trace->locations[call.location];
    if (fm_trace_called(walk->analysis->trace, location, call.activity)->call == FM_CALL_FENCE) {
        fm_sort(state->fence_epoch.items, state->fence_epoch.count,
                sizeof *state->fence_epoch.items, compare_accessed);
        for (size_t i = 0; i < state->fence_epoch.count; ++i) {
            fm_vector_push(&epochs->accessed, state->fence_epoch.items[i]);
        }
        collective.accessed_count = (uint32_t)state->fence_epoch.count;
        state->fence_epoch.count = 0;
    }
    fm_vector_push(&epochs->collectives, collective);
}

static void access_in_fence_epoch(struct walk *walk, uint32_t state_index, uint32_t process,
                                  uint64_t leave)
{
    struct window_state *state = &walk->states.items[state_index];
    uint32_t *position = fm_map_at(&walk->fence_accessed, pair_key(state_index, process), 0);
    if (*position >= state->fence_epoch.count ||
        state->fence_epoch.items[*position].process != process) {
        *position = (uint32_t)state->fence_epoch.count;
        fm_vector_push(&state->fence_epoch, (struct fm_accessed){.process = process});
    }
    struct fm_accessed *accessed = &state->fence_epoch.items[*position];
    ++accessed->operations;
    accessed->last_operation = leave > accessed->last_operation ? leave : accessed->last_operation;
}

/* ---- start and complete ---- */

/* @return the distinct processes of a group, ascending, appended to `accessed` */
static uint32_t add_group(struct fm_epochs *epochs, const struct fm_group *group)
{
    size_t first = epochs->accessed.count;
    for (uint32_t i = 0; i < group->size; ++i) {
        if (group->processes[i] != FM_NONE) {
            fm_vector_push(&epochs->accessed, (struct fm_accessed){.process = group->processes[i]});
        }
    }
    size_t count = epochs->accessed.count - first;
    if (count == 0) {
        return 0;
    }
    struct fm_accessed *items = &epochs->accessed.items[first];
    fm_sort(items, count, sizeof *items, compare_accessed);
    size_t kept = 1;
    for (size_t i = 1; i < count; ++i) {
        if (items[i].process != items[kept - 1].process) {
            items[kept++] = items[i];
        }
    }
    epochs->accessed.count = first + kept;
    return (uint32_t)kept;
}

static void start_access(struct walk *walk, uint32_t state_index, struct fm_call_ref call,
                         const struct fm_group *group)
{
    struct fm_epochs *epochs = walk->epochs;
    struct window_state *state = &walk->states.items[state_index];
    struct fm_access_epoch epoch = {
        .window = state->window,
        .start = call,
        .complete = {call.location, FM_NONE},
        .first_target = (uint32_t)epochs->accessed.count,
        .target_count = add_group(epochs, group),
        .last_operation = FM_NONE,
    };
    for (uint32_t i = 0; i < epoch.target_count; ++i) {
        struct fm_accessed *target = &epochs->accessed.items[epoch.first_target + i];
        target->ordinal =
            (*fm_map_at(&walk->access_ordinals, pair_key(state_index, target->process), 0))++;
    }
    state->access = (uint32_t)epochs->accesses.count;
    fm_vector_push(&epochs->accesses, epoch);
}

static void complete_access(struct walk *walk, struct window_state *state, struct fm_call_ref call)
{
    if (state->access == FM_NONE) {
        return;
    }
    struct fm_access_epoch *epoch = &walk->epochs->accesses.items[state->access];
    epoch->complete = call;
    state->access = FM_NONE;
    uint32_t unneeded = 0;
    for (uint32_t i = 0; i < epoch->target_count; ++i) {
        unneeded += walk->epochs->accessed.items[epoch->first_target + i].operations == 0;
    }
    struct fm_findings *findings = &walk->analysis->findings[call.location];
    const struct fm_location *location = &walk->analysis->trace->locations[call.location];
    fm_findings_tally(findings, location, call.activity, FM_TALLY_PAIR_SYNCS, epoch->target_count);
    fm_findings_tally(findings, location, call.activity, FM_TALLY_UNNEEDED_PAIR_SYNCS, unneeded);
}

/* @return whether the open access epoch names the process; the operation is noted then */
static bool access_in_epoch(struct walk *walk, struct window_state *state, struct fm_call_ref call,
                            uint32_t process, uint64_t leave)
{
    if (state->access == FM_NONE) {
        return false;
    }
    struct fm_epochs *epochs = walk->epochs;
    struct fm_access_epoch *epoch = &epochs->accesses.items[state->access];
    const struct fm_accessed key = {.process = process};
    struct fm_accessed *targets = &epochs->accessed.items[epoch->first_target];
    struct fm_accessed *target =
        epoch->target_count == 0
            ? NULL
            : bsearch(&key, targets, epoch->target_count, sizeof *targets, compare_accessed);
    if (target == NULL) {
        return false;
    }
    ++target->operations;
    target->last_operation = leave > target->last_operation ? leave : target->last_operation;
    struct fm_epoch_operation operation = {call, (uint32_t)(target - targets),
                                           epoch->last_operation};
    epoch->last_operation = (uint32_t)epochs->operations.count;
    fm_vector_push(&epochs->operations, operation);
    return true;
}

/* ---- post and wait ---- */

static void post_exposure(struct walk *walk, uint32_t state_index, struct fm_call_ref call,
                          const struct fm_group *group)
{
    struct fm_epochs *epochs = walk->epochs;
    struct window_state *state = &walk->states.items[state_index];
    struct fm_exposure_epoch epoch = {
        .window = state->window,
        .post = call,
        .wait = {call.location, FM_NONE},
        .first_origin = (uint32_t)epochs->origins.count,
    };
    /* The list of origins is made distinct and ascending in the same way as that of targets. */
    size_t first = epochs->accessed.count;
    epoch.origin_count = add_group(epochs, group);
    for (uint32_t i = 0; i < epoch.origin_count; ++i) {
        uint32_t process = epochs->accessed.items[first + i].process;
        uint32_t ordinal =
            (*fm_map_at(&walk->exposure_ordinals, pair_key(state_index, process), 0))++;
        fm_vector_push(&epochs->origins, (struct fm_epoch_origin){process, ordinal});
    }
    epochs->accessed.count = first;
    state->exposure = (uint32_t)epochs->exposures.count;
    fm_vector_push(&epochs->exposures, epoch);
}

static void wait_exposure(struct walk *walk, struct window_state *state, struct fm_call_ref call)
{
    if (state->exposure != FM_NONE) {
        walk->epochs->exposures.items[state->exposure].wait = call;
        state->exposure = FM_NONE;
    }
}

/* ---- pauses of the recording ---- */

static void skip_epochs(struct fm_map *ordinals, uint32_t state_index, const struct fm_group *group,
                        uint64_t count)
{
    for (uint32_t i = 0; i < group->size; ++i) {
        if (group->processes[i] != FM_NONE) {
            *fm_map_at(ordinals, pair_key(state_index, group->processes[i]), 0) += (uint32_t)count;
        }
    }
}

static void skip(struct walk *walk, const struct fm_unrecorded *gap)
{
    const struct fm_trace *trace = walk->analysis->trace;
    uint32_t state_index;
    if (gap->series < FM_SERIES_WINDOW_COLLECTIVES) {
        return;
    }
    struct window_state *state = state_of(walk, gap->reference, &state_index);
    switch (gap->series) {
    case FM_SERIES_WINDOW_COLLECTIVES:
        state->collectives += (uint32_t)gap->count;
        state->fence_epoch.count = 0;
        break;
    case FM_SERIES_ACCESS_EPOCHS:
        skip_epochs(&walk->access_ordinals, state_index, &trace->groups[gap->peer], gap->count);
        state->access = FM_NONE;
        break;
    default:
        skip_epochs(&walk->exposure_ordinals, state_index, &trace->groups[gap->peer], gap->count);
        state->exposure = FM_NONE;
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
    if (communicator == FM_NONE) {
        return;
    }
    struct fm_call_ref call = {record->location, rma->activity};
    uint32_t state_index;
    struct window_state *state = state_of(walk, rma->window, &state_index);
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
    case FM_RMA_GROUP_SYNC: {
        static const struct fm_group nobody = {0};
        const struct fm_group *group = rma->peer == FM_NONE ? &nobody : &trace->groups[rma->peer];
        switch (fm_trace_called(trace, location, rma->activity)->call) {
        case FM_CALL_START:
            start_access(walk, state_index, call, group);
            break;
        case FM_CALL_COMPLETE:
            complete_access(walk, state, call);
            break;
        case FM_CALL_POST:
            post_exposure(walk, state_index, call, group);
            break;
        case FM_CALL_WAIT:
            wait_exposure(walk, state, call);
            break;
        default:
            break;
        }
        break;
    }
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
    walk->states.count = 0;
    fm_map_clear(&walk->state_of_window);
    fm_map_clear(&walk->fence_accessed);
    fm_map_clear(&walk->access_ordinals);
    fm_map_clear(&walk->exposure_ordinals);
}

struct building {
    struct fm_analysis *analysis;
    struct fm_epochs *epochs; /* by process */
};

static void build(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct building *building = context;
    struct walk walk = {.analysis = building->analysis,
                        .locks = fm_lock_walk_create(building->analysis)};
    struct fm_gaps gaps = {0};
    for (uint32_t process = first; process < last; ++process) {
        struct fm_record_merge merge;
        struct fm_record_ref record;
        const struct fm_unrecorded *gap;
        walk.epochs = &building->epochs[process];
        walk.process = process;
        fm_lock_walk_begin(walk.locks, process, &walk.epochs->locks);
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
        forget_process(&walk);
    }
    fm_gaps_free(&gaps);
    fm_vector_free(&walk.states);
    fm_lock_walk_free(walk.locks);
    fm_map_free(&walk.state_of_window);
    fm_map_free(&walk.fence_accessed);
    fm_map_free(&walk.access_ordinals);
    fm_map_free(&walk.exposure_ordinals);
}

struct fm_epochs *fm_epochs_build(struct fm_analysis *analysis)
{
    struct building building = {
        analysis, fm_allocate(analysis->trace->process_count, sizeof(struct fm_epochs))};
    fm_engine_run(analysis->engine, build, &building);
    return building.epochs;
}

void fm_epochs_free(struct fm_epochs *epochs, uint32_t count)
{
    if (epochs == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        fm_vector_free(&epochs[i].collectives);
        fm_vector_free(&epochs[i].accesses);
        fm_vector_free(&epochs[i].exposures);
        fm_vector_free(&epochs[i].accessed);
        fm_vector_free(&epochs[i].operations);
        fm_vector_free(&epochs[i].origins);
        fm_vector_free(&epochs[i].locks.epochs);
        fm_vector_free(&epochs[i].locks.calls);
        fm_vector_free(&epochs[i].locks.needs);
        fm_vector_free(&epochs[i].locks.progress);
    }
    fm_free(epochs);
}
