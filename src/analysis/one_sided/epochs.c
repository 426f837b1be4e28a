/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the epochs of each process from its one-sided records. */
#include "analysis/one_sided/epoch_walk.h"

#include "analysis/libraries/library_metrics.h"
#include "analysis/libraries/library_walk.h"
#include "analysis/model/gaps.h"
#include "analysis/model/readers.h"
#include "analysis/model/record_merge.h"

#include "base/containers/map.h"

static uint32_t state_of(struct fm_epoch_walk *walk, uint32_t window)
{
    if (walk->recent < walk->states.count && walk->states.items[walk->recent].window == window) {
        return walk->recent;
    }
    uint32_t next = (uint32_t)walk->states.count;
    walk->recent = *fm_map_at(&walk->state_of_window, window, next);
    if (walk->recent == next) {
        fm_vector_push(
            &walk->states,
            (struct fm_window_epochs){.window = window, .access = FM_NONE, .exposure = FM_NONE});
    }
    return walk->recent;
}

/* ---- pauses of the recording ---- */

static void skip_accesses(struct fm_epoch_walk *walk, uint32_t state_index,
                          const struct fm_unrecorded *gap)
{
    struct fm_call_ref unknown = {FM_NONE, FM_NONE};
    fm_epoch_walk_start(walk, state_index, unknown, gap->peer);
    struct fm_epochs *epochs = &walk->epochs;
    epochs->accesses.items[epochs->accesses.count - 1].unrecorded = (uint32_t)gap->count;
    walk->states.items[state_index].access = FM_NONE;
}

static void skip_exposures(struct fm_epoch_walk *walk, uint32_t state_index,
                           const struct fm_unrecorded *gap)
{
    struct fm_call_ref unknown = {FM_NONE, FM_NONE};
    fm_epoch_walk_post(walk, state_index, unknown, gap->peer);
    struct fm_epochs *epochs = &walk->epochs;
    epochs->exposures.items[epochs->exposures.count - 1].unrecorded = (uint32_t)gap->count;
    walk->states.items[state_index].exposure = FM_NONE;
}

static void skip(struct fm_epoch_walk *walk, const struct fm_unrecorded *gap)
{
    if (gap->series < FM_SERIES_WINDOW_COLLECTIVES || gap->count == 0) {
        return;
    }
    uint32_t state_index = state_of(walk, gap->reference);
    struct fm_window_epochs *state = &walk->states.items[state_index];
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

/* Notes which targets a complete needs. */
static void complete_operations(struct fm_epoch_walk *walk, uint32_t access,
                                struct fm_call_ref call)
{
    if (access == FM_NONE) {
        return;
    }
    const struct fm_access_epoch *epoch = &walk->epochs.accesses.items[access];
    for (uint32_t t = 0; t < epoch->target_count; ++t) {
        const struct fm_epoch_target *target = &walk->epochs.targets.items[epoch->first_target + t];
        fm_lock_walk_complete(walk->locks, call, target->process, access);
    }
}

/* A GroupSync record: a step of general active target synchronization, by the call. */
static void visit_group_sync(struct fm_epoch_walk *walk, uint32_t state_index,
                             const struct fm_rma *rma, struct fm_call_ref call, fm_call_t step)
{
    struct fm_window_epochs *state = &walk->states.items[state_index];
    switch (step) {
    case FM_CALL_START:
        fm_epoch_walk_start(walk, state_index, call, rma->peer);
        break;
    case FM_CALL_COMPLETE:
        complete_operations(walk, state->access, call);
        fm_epoch_walk_complete(walk, state, call);
        break;
    case FM_CALL_POST:
        fm_epoch_walk_post(walk, state_index, call, rma->peer);
        break;
    case FM_CALL_WAIT:
        fm_epoch_walk_wait(walk, state, call);
        break;
    default:
        break;
    }
}

static void visit(struct fm_epoch_walk *walk, const struct fm_record_ref *record)
{
    const struct fm_trace *trace = walk->analysis->trace;
    const struct fm_location *location = &trace->locations[record->location];
    const struct fm_rma *rma = &location->rma.items[record->row];
    uint32_t communicator = trace->windows[rma->window].communicator;
    const fm_paradigm_t paradigm = fm_trace_called(trace, location, rma->activity)->paradigm;
    struct fm_call_ref call = {record->location, rma->activity};
    if (communicator == FM_NONE || paradigm != FM_PARADIGM_MPI) {
        if (communicator != FM_NONE && fm_is_library(paradigm)) {
            fm_library_walk_record(walk->libraries, rma, call);
        }
        return;
    }
    uint32_t state_index = state_of(walk, rma->window);
    struct fm_window_epochs *state = &walk->states.items[state_index];
    switch (rma->type) {
    case FM_RMA_PUT:
    case FM_RMA_GET:
    case FM_RMA_ATOMIC: {
        uint32_t target = fm_trace_member(trace, communicator, rma->peer, walk->process);
        uint64_t leave = location->leave.items[rma->activity];
        if (target != FM_NONE && fm_epoch_walk_access_in_epoch(walk, state, call, target, leave)) {
            fm_lock_walk_access(walk->locks, rma, call, target, state->access);
        } else if (target != FM_NONE && !fm_lock_walk_operation(walk->locks, rma, call, target)) {
            fm_epoch_walk_access_in_fence_epoch(walk, state_index, target, leave);
        }
        break;
    }
    case FM_RMA_COLLECTIVE:
        fm_epoch_walk_collective(walk, state_index, call);
        break;
    case FM_RMA_GROUP_SYNC:
        visit_group_sync(walk, state_index, rma, call,
                         fm_trace_called(trace, location, rma->activity)->call);
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
    case FM_RMA_SYNC:
        fm_lock_walk_named(walk->locks, rma, call);
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

static void forget_process(struct fm_epoch_walk *walk)
{
    for (size_t i = 0; i < walk->states.count; ++i) {
        fm_vector_free(&walk->states.items[i].fence_epoch);
    }
    walk->states.count = walk->last_origins.count = 0;
    fm_map_clear(&walk->state_of_window);
    fm_map_clear(&walk->fence_accessed);
}

/* Moves the finished epochs to their process, in no more memory than they need. */
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
    fm_vector_settle(&made->locks.access_completions, &of_process->locks.access_completions);
    fm_vector_settle(&made->locks.acquisitions, &of_process->locks.acquisitions);
    fm_vector_settle(&made->locks.uses, &of_process->locks.uses);
}

void fm_epochs_forget_active(struct fm_epochs *epochs)
{
    fm_vector_free(&epochs->accesses);
    fm_vector_free(&epochs->exposures);
    fm_vector_free(&epochs->targets);
    fm_vector_free(&epochs->operations);
    fm_vector_free(&epochs->origins);
    fm_vector_free(&epochs->first_origins);
    fm_map_free(&epochs->stream_of_origin);
    fm_vector_free(&epochs->locks.access_completions);
}

static void free_epochs(struct fm_epochs *epochs)
{
    fm_vector_free(&epochs->collectives);
    fm_epochs_forget_active(epochs);
    fm_vector_free(&epochs->fence_accesses.processes);
    fm_vector_free(&epochs->fence_accesses.last_operations);
    fm_vector_free(&epochs->locks.epochs);
    fm_vector_free(&epochs->locks.calls);
    fm_vector_free(&epochs->locks.acquisitions);
    fm_vector_free(&epochs->locks.uses);
    fm_vector_free(&epochs->locks.releases);
    fm_vector_free(&epochs->locks.contended);
    fm_vector_free(&epochs->locks.contentions);
}

struct building {
    struct fm_analysis *analysis;
    struct fm_progress *progress; /* NULL: needs are not collected */
    struct fm_peer_waits *peers;
    struct fm_epochs *epochs; /* by process */
};

static void build(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct building *building = context;
    struct fm_epoch_walk walk = {
        .analysis = building->analysis,
        .locks = fm_lock_walk_create(building->analysis, building->progress, worker),
        .libraries =
            fm_library_walk_create(building->analysis, building->progress, building->peers, worker),
    };
    struct fm_gaps gaps = {0};
    for (uint32_t process = first; process < last; ++process) {
        struct fm_record_merge merge;
        struct fm_record_ref record;
        const struct fm_unrecorded *gap;
        walk.process = process;
        fm_lock_walk_begin(walk.locks, process, &walk.epochs.locks);
        fm_library_walk_begin(walk.libraries, process, &walk.epochs.locks);
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
        fm_library_walk_end(walk.libraries);
        /* Frees the records first: the epochs reuse their memory, whose pages are mapped already.
         */
        fm_readers_forget_one_sided(building->analysis, process);
        hand_over(&walk.epochs, &building->epochs[process]);
        if (building->progress != NULL) {
            fm_progress_trim(building->progress, process);
        }
        forget_process(&walk);
    }
    free_epochs(&walk.epochs);
    fm_gaps_free(&gaps);
    fm_vector_free(&walk.states);
    fm_lock_walk_free(walk.locks);
    fm_library_walk_free(walk.libraries);
    fm_map_free(&walk.state_of_window);
    fm_map_free(&walk.fence_accessed);
    fm_group_members_free(&walk.members);
    fm_vector_free(&walk.last_origins);
}

/* Spreads over all processes of the analysis which windows are of shared memory: the records of one
 * member are enough. */
static void share_window_kinds(struct fm_analysis *analysis)
{
    const uint32_t count = analysis->trace->window_count;
    uint64_t *shared = fm_allocate(count, sizeof *shared);
    for (uint32_t w = 0; w < count; w++) {
        shared[w] = analysis->trace->windows[w].is_shared_memory;
    }
    fm_team_sum(analysis->team, shared, count);
    for (uint32_t w = 0; w < count; w++) {
        analysis->records->windows[w].is_shared_memory = shared[w] != 0;
    }
    fm_free(shared);
}

void fm_epochs_build(struct fm_analysis *analysis)
{
    share_window_kinds(analysis);
    struct building building = {
        .analysis = analysis,
        .progress = analysis->asynchronous_progress ? NULL : fm_progress_create(analysis),
        .peers = fm_peer_waits_create(analysis),
        .epochs = fm_allocate(analysis->trace->process_count, sizeof(struct fm_epochs)),
    };
    fm_engine_run(analysis->engine, build, &building);
    analysis->progress = building.progress;
    fm_peer_waits_close(building.peers);
    analysis->peer_waits = building.peers;
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
