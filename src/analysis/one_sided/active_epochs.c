/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs of active target synchronization: between two fences, from start to complete, from post to
 * wait. */
#include "analysis/one_sided/epoch_walk.h"

#include "base/containers/sort.h"

/* Up to this number, processes accessed between two fences are searched linearly; beyond, by a map.
 */
#define FEW_ACCESSED 8

static int compare_fence_accesses(const void *a, const void *b)
{
    const struct fm_fence_access *left = a, *right = b;
    return left->process < right->process ? -1 : left->process > right->process;
}

/* ---- fences ---- */

/* Lists the processes that were accessed since the last fence. @return their number */
static uint32_t close_fence_epoch(struct fm_epochs *epochs, struct fm_window_epochs *state)
{
    fm_sort(state->fence_epoch.items, state->fence_epoch.count, sizeof *state->fence_epoch.items,
            compare_fence_accesses);
    for (size_t i = 0; i < state->fence_epoch.count; ++i) {
        const struct fm_fence_access *access = &state->fence_epoch.items[i];
        fm_vector_push(&epochs->fence_accesses.processes, access->process);
        fm_vector_push(&epochs->fence_accesses.last_operations, access->last_operation);
    }
    uint32_t count = (uint32_t)state->fence_epoch.count;
    state->fence_epoch.count = 0;
    return count;
}

void fm_epoch_walk_collective(struct fm_epoch_walk *walk, uint32_t state_index,
                              struct fm_call_ref call)
{
    struct fm_epochs *epochs = &walk->epochs;
    struct fm_window_epochs *state = &walk->states.items[state_index];
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

/* @return the position of a process among the accessed ones; their number: it is none of them */
static size_t find_fence_access(struct fm_epoch_walk *walk, uint32_t state_index, uint32_t process)
{
    const struct fm_window_epochs *state = &walk->states.items[state_index];
    size_t count = state->fence_epoch.count;
    const struct fm_fence_access *accesses = state->fence_epoch.items;
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
    /* The map may hold entries of earlier epochs: the entry is verified. */
    uint32_t *position = fm_map_at(&walk->fence_accessed, (uint64_t)state_index << 32 | process, 0);
    if (*position >= count || accesses[*position].process != process) {
        *position = (uint32_t)count;
    }
    return *position;
}

void fm_epoch_walk_access_in_fence_epoch(struct fm_epoch_walk *walk, uint32_t state_index,
                                         uint32_t process, uint64_t leave)
{
    size_t position = find_fence_access(walk, state_index, process);
    struct fm_window_epochs *state = &walk->states.items[state_index];
    if (position == state->fence_epoch.count) {
        fm_vector_push(&state->fence_epoch, (struct fm_fence_access){process, leave});
        return;
    }
    struct fm_fence_access *access = &state->fence_epoch.items[position];
    access->last_operation = leave > access->last_operation ? leave : access->last_operation;
}

/* ---- start and complete ---- */

void fm_epoch_walk_start(struct fm_epoch_walk *walk, uint32_t state_index, struct fm_call_ref call,
                         uint32_t group)
{
    struct fm_epochs *epochs = &walk->epochs;
    struct fm_window_epochs *state = &walk->states.items[state_index];
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

void fm_epoch_walk_complete(struct fm_epoch_walk *walk, struct fm_window_epochs *state,
                            struct fm_call_ref call)
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

/* @return the target of an epoch that is this process; NULL: the process is no target */
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

bool fm_epoch_walk_access_in_epoch(struct fm_epoch_walk *walk, struct fm_window_epochs *state,
                                   struct fm_call_ref call, uint32_t process, uint64_t leave)
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
static void add_origin(struct fm_epoch_walk *walk, uint32_t window, uint32_t exposure,
                       uint32_t process)
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

void fm_epoch_walk_post(struct fm_epoch_walk *walk, uint32_t state_index, struct fm_call_ref call,
                        uint32_t group)
{
    struct fm_epochs *epochs = &walk->epochs;
    struct fm_window_epochs *state = &walk->states.items[state_index];
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

void fm_epoch_walk_wait(struct fm_epoch_walk *walk, struct fm_window_epochs *state,
                        struct fm_call_ref call)
{
    if (state->exposure != FM_NONE) {
        walk->epochs.exposures.items[state->exposure].wait = call;
        state->exposure = FM_NONE;
    }
}
