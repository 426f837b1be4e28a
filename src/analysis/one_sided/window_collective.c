/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives on windows: Wait at Create, Fence, Free; Early Fence; pair-wise synchronizations of
 * fences. */
#include "analysis/collective/gathering.h"
#include "analysis/dependencies/collective_dependencies.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/one_sided/epochs.h"
#include "analysis/pattern.h"
#include "engine/dispatch/dispatch.h"

#include "base/containers/map.h"

/* From an origin to a target: there are operations on the target in the epoch that a fence ends. */
struct sent_access {
    uint64_t last_operation;
    uint32_t window;
    uint32_t ordinal;
    uint32_t origin;
    uint32_t fence; /* of the origin: in its collectives */
};

/* The accesses of origins to a process in the epoch that one of its fences ends. */
struct fence_exposure {
    uint64_t last_operation;
    uint32_t only_origins; /* processes that accessed this one and were not accessed by it */
};

/* The accesses of origins to a process, for all of its fences. */
struct fence_target {
    struct fence_exposure *exposures; /* by collective */
    struct fm_map slot_of_window;     /* window -> slot */
    FM_VECTOR(uint32_t) begins;       /* by slot: first collective of the window, in `by_ordinal` */
    uint32_t *by_ordinal; /* collectives of each window, in the order of their ordinals */
    uint32_t recent_window, recent_slot;
};

struct fences {
    const struct fm_finder *finder;
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs;
    struct fm_gathering *gathering;
    struct fm_join *join;         /* for dependencies; NULL: none are wanted */
    struct fence_target *targets; /* by process */
    struct fm_dispatch *accesses;
    struct fm_dispatch *partners; /* of fences; NULL: they do not wait for them */
};

/* To the origin of an access: the target's fence that ends the epoch, which does not synchronize
 * all processes of the window. The two fences wait for each other. */
struct partner_fence {
    uint64_t enter, leave;
    struct fm_call_ref target;
    uint32_t fence; /* of the origin: in its collectives */
    uint32_t unused;
};

static uint8_t call_of(const struct fm_trace *trace, struct fm_call_ref call)
{
    return (uint8_t)fm_trace_called(trace, &trace->locations[call.location], call.activity)->call;
}

/* @return whether a process is a member of a window; *member is its part in the collective then */
static bool describe_member(const struct fences *fences, uint32_t process,
                            const struct fm_window_collective *collective, struct fm_member *member)
{
    const struct fm_trace *trace = fences->analysis->trace;
    uint32_t communicator = trace->windows[collective->window].communicator;
    const struct fm_location *location = &trace->locations[collective->call.location];
    uint64_t enter = location->enter.items[collective->call.activity];
    *member = (struct fm_member){
        .enter = enter,
        .wait_enter = enter,
        .leave = location->leave.items[collective->call.activity],
        .scope = collective->window,
        .ordinal = collective->ordinal,
        .communicator = communicator,
        .rank = fm_trace_rank(trace, communicator, process),
        .process = process,
        .start_location = collective->call.location,
        .start_activity = collective->call.activity,
        .wait_location = collective->call.location,
        .wait_activity = collective->call.activity,
        .call = call_of(trace, collective->call),
    };
    return member->rank != FM_NONE;
}

static void post_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fences *fences = context;
    struct fm_member member;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            if (describe_member(fences, process, &epochs->collectives.items[i], &member)) {
                fm_gathering_add(fences->gathering, worker, &member);
                if (fences->join != NULL) {
                    fm_join_post(fences->join, worker, &member);
                }
            }
        }
    }
}

static fm_metric_t metric_of(uint8_t call)
{
    switch (call) {
    case FM_CALL_WINDOW_CREATE:
        return FM_METRIC_MPI_RMA_WAIT_AT_CREATE;
    case FM_CALL_WINDOW_FREE:
        return FM_METRIC_MPI_RMA_WAIT_AT_FREE;
    case FM_CALL_FENCE:
        return FM_METRIC_MPI_RMA_WAIT_AT_FENCE;
    default:
        return FM_METRIC_NONE;
    }
}

static void judge_member(const struct fm_finder *finder, const struct fm_member *member,
                         const struct fm_gathered *all, fm_metric_t metric)
{
    if (all->enter < all->first_leave) {
        fm_gathered_wait(finder, member, all, metric);
        fm_found_group_point(
            finder, member->wait_location,
            &(struct fm_group_point){.t = all->enter, .communicator = member->communicator});
    } else if (metric == FM_METRIC_MPI_RMA_WAIT_AT_FENCE &&
               !finder->analysis->trace->has_partner_fences) {
        fm_found_count(finder, (struct fm_call_ref){member->wait_location, member->wait_activity},
                       FM_METRIC_MPI_RMA_FENCE_PARTIAL, 1);
    }
}

static void judge_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fences *fences = context;
    struct fm_member member;
    struct fm_gathered all;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            if (!describe_member(fences, process, &epochs->collectives.items[i], &member)) {
                continue;
            }
            fm_metric_t metric = metric_of(member.call);
            if (metric != FM_METRIC_NONE &&
                fm_gathering_find(fences->gathering, worker, &member, &all)) {
                judge_member(fences->finder, &member, &all, metric);
            }
        }
    }
}

/* ---- operations between two fences ---- */

static uint32_t slot_of(struct fence_target *target, uint32_t window)
{
    if (target->recent_window != window) {
        uint32_t slot = fm_map_get(&target->slot_of_window, window);
        if (slot == FM_MAP_ABSENT) {
            return FM_NONE;
        }
        target->recent_window = window;
        target->recent_slot = slot;
    }
    return target->recent_slot;
}

static void open_target(struct fence_target *target, const struct fm_epochs *epochs)
{
    size_t count = epochs->collectives.count;
    target->exposures = fm_allocate_written(count, sizeof *target->exposures);
    target->by_ordinal = fm_resize(NULL, 0, count * sizeof *target->by_ordinal);
    FM_VECTOR(uint32_t) sizes = {0};
    for (size_t i = 0; i < count; ++i) {
        uint32_t next = (uint32_t)sizes.count;
        uint32_t slot =
            *fm_map_at(&target->slot_of_window, epochs->collectives.items[i].window, next);
        if (slot == next) {
            fm_vector_push(&sizes, 0);
        }
        ++sizes.items[slot];
    }
    target->recent_window = FM_NONE;
    uint32_t begin = 0;
    for (size_t s = 0; s < sizes.count; ++s) {
        fm_vector_push(&target->begins, begin);
        begin += sizes.items[s];
        sizes.items[s] = 0;
    }
    fm_vector_push(&target->begins, begin);
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_window_collective *collective = &epochs->collectives.items[i];
        uint32_t slot = slot_of(target, collective->window);
        target->by_ordinal[target->begins.items[slot] + sizes.items[slot]++] = i;
    }
    fm_vector_free(&sizes);
}

static void close_target(struct fence_target *target)
{
    fm_free(target->exposures);
    fm_free(target->by_ordinal);
    fm_map_free(&target->slot_of_window);
    fm_vector_free(&target->begins);
}

static void open_targets(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fences *fences = context;
    for (uint32_t process = first; process < last; ++process) {
        open_target(&fences->targets[process], &fences->epochs[process]);
    }
}

static void send_accesses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fences *fences = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        const struct fm_fence_accesses *accesses = &epochs->fence_accesses;
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            const struct fm_window_collective *fence = &epochs->collectives.items[i];
            for (uint32_t a = 0; a < fence->accessed_count; ++a) {
                uint32_t number = fence->first_accessed + a;
                fm_dispatch_send(fences->accesses, worker, accesses->processes.items[number],
                                 &(struct sent_access){accesses->last_operations.items[number],
                                                       fence->window, fence->ordinal, process,
                                                       (uint32_t)i});
            }
        }
    }
}

/* @return whether the owner of `epochs` accessed `process` in the epoch that `fence` ends */
static bool accesses(const struct fm_epochs *epochs, const struct fm_window_collective *fence,
                     uint32_t process)
{
    const uint32_t *processes = epochs->fence_accesses.processes.items + fence->first_accessed;
    uint32_t low = 0, high = fence->accessed_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (processes[middle] < process) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < fence->accessed_count && processes[low] == process;
}

/* @return the position of a window's collective; FM_NONE: the process has none with that ordinal.
 * Ordinals are missing where recording was paused. */
static uint32_t find_collective(const struct fence_target *target, uint32_t slot,
                                const struct fm_epochs *epochs, uint32_t ordinal)
{
    const uint32_t *own = target->by_ordinal + target->begins.items[slot];
    uint32_t count = target->begins.items[slot + 1] - target->begins.items[slot];
    const struct fm_window_collective *collectives = epochs->collectives.items;
    if (ordinal < count && collectives[own[ordinal]].ordinal == ordinal) {
        return own[ordinal];
    }
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (collectives[own[middle]].ordinal < ordinal) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && collectives[own[low]].ordinal == ordinal ? own[low] : FM_NONE;
}

/* The fences of an origin and a target that end the same epoch depend on each other. */
static void depend_on_partners(const struct fences *fences, unsigned worker,
                               struct fm_call_ref target, struct fm_call_ref origin)
{
    fm_depend(fences->analysis, worker, target, fm_awaited_enter(origin), FM_DEPENDS_ON_PARTNER);
    fm_depend(fences->analysis, worker, origin, fm_awaited_enter(target), FM_DEPENDS_ON_PARTNER);
}

/* Tells an origin of the target's fence, if this one waits only for its partners. */
static void join_partners(const struct fences *fences, unsigned worker, uint32_t process,
                          const struct fm_window_collective *fence,
                          const struct sent_access *access)
{
    struct fm_member member;
    struct fm_gathered all;
    if (describe_member(fences, process, fence, &member) && member.call == FM_CALL_FENCE &&
        fm_gathering_find(fences->gathering, worker, &member, &all) &&
        all.enter >= all.first_leave) {
        fm_dispatch_send(fences->partners, worker, access->origin,
                         &(struct partner_fence){.enter = member.enter,
                                                 .leave = member.leave,
                                                 .target = fence->call,
                                                 .fence = access->fence});
    }
}

/* Of two fences that wait for each other, the one that is entered first waits. */
static void take_partner(void *context, unsigned worker, uint32_t process, const void *record)
{
    const struct fences *fences = context;
    const struct partner_fence *partner = record;
    const struct fm_trace *trace = fences->analysis->trace;
    const struct fm_call_ref own = fences->epochs[process].collectives.items[partner->fence].call;
    const uint64_t enter = trace->locations[own.location].enter.items[own.activity];
    const uint64_t leave = trace->locations[own.location].leave.items[own.activity];
    const struct fm_finder finder = {fences->analysis, worker, fences->finder->precedence};
    if (enter < partner->enter && partner->enter <= leave) {
        fm_found_wait(&finder, own, partner->enter, partner->target,
                      FM_METRIC_MPI_RMA_WAIT_AT_FENCE);
    } else if (partner->enter < enter && enter <= partner->leave) {
        fm_found_remote_wait(&finder, partner->target, enter, own, FM_METRIC_MPI_RMA_WAIT_AT_FENCE,
                             FM_METRIC_MPI_RMA_WAIT_AT_FENCE);
    }
}

static void take_access(void *context, unsigned worker, uint32_t process, const void *record)
{
    struct fences *fences = context;
    const struct sent_access *access = record;
    struct fence_target *target = &fences->targets[process];
    const struct fm_epochs *epochs = &fences->epochs[process];
    uint32_t slot = slot_of(target, access->window);
    uint32_t index =
        slot == FM_NONE ? FM_NONE : find_collective(target, slot, epochs, access->ordinal);
    if (index == FM_NONE) {
        return;
    }
    if (fences->analysis->dependencies != NULL && access->origin != process) {
        depend_on_partners(fences, worker, epochs->collectives.items[index].call,
                           fences->epochs[access->origin].collectives.items[access->fence].call);
    }
    if (fences->partners != NULL && access->origin != process) {
        join_partners(fences, worker, process, &epochs->collectives.items[index], access);
    }
    struct fence_exposure *exposure = &target->exposures[index];
    if (access->last_operation > exposure->last_operation) {
        exposure->last_operation = access->last_operation;
    }
    exposure->only_origins += access->origin != process &&
                              !accesses(epochs, &epochs->collectives.items[index], access->origin);
}

static void finish_fence(const struct fences *fences, uint32_t process,
                         const struct fm_window_collective *fence,
                         const struct fence_exposure *exposure)
{
    struct fm_analysis *analysis = fences->analysis;
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[fence->call.location];
    uint32_t activity = fence->call.activity;
    if (exposure->last_operation > location->enter.items[activity]) {
        fm_found_part(fences->finder, fence->call.location,
                      &(struct fm_part){
                          .since = exposure->last_operation,
                          .activity = activity,
                          .kind = FM_PART_HEAD,
                          .metric = FM_METRIC_MPI_RMA_EARLY_FENCE,
                          .of = FM_METRIC_MPI_RMA_WAIT_AT_FENCE,
                      });
    }
    const uint32_t *accessed =
        fences->epochs[process].fence_accesses.processes.items + fence->first_accessed;
    uint32_t partners = exposure->only_origins;
    for (uint32_t i = 0; i < fence->accessed_count; ++i) {
        partners += accessed[i] != process;
    }
    uint32_t others =
        trace->has_partner_fences
            ? partners
            : trace->communicators[trace->windows[fence->window].communicator].size - 1;
    uint32_t needed = partners < others ? partners : others;
    fm_found_count(fences->finder, fence->call, FM_METRIC_MPI_RMA_PAIRSYNC_COUNT, needed);
    fm_found_count(fences->finder, fence->call, FM_METRIC_MPI_RMA_PAIRSYNC_UNNEEDED_COUNT,
                   others - needed);
}

static void finish_fences(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fences *fences = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        struct fence_target *target = &fences->targets[process];
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            const struct fm_window_collective *fence = &epochs->collectives.items[i];
            if (call_of(fences->analysis->trace, fence->call) == FM_CALL_FENCE) {
                finish_fence(fences, process, fence, &target->exposures[i]);
            }
        }
        close_target(target);
    }
}

static void judge_instance(void *context, unsigned worker, const struct fm_member **members,
                           uint32_t count)
{
    const struct fences *fences = context;
    fm_depend_by_collective(
        &(struct fm_finder){fences->analysis, worker, fences->finder->precedence}, members, count);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_analysis *analysis = finder->analysis;
    struct fences fences = {
        .finder = finder,
        .analysis = analysis,
        .epochs = analysis->epochs,
        .gathering = fm_gathering_create(analysis),
        .targets = fm_allocate(analysis->trace->process_count, sizeof *fences.targets),
    };
    fences.accesses =
        fm_dispatch_create(analysis->engine, sizeof(struct sent_access), take_access, &fences);
    if (analysis->trace->has_partner_fences) {
        fences.partners = fm_dispatch_create(analysis->engine, sizeof(struct partner_fence),
                                             take_partner, &fences);
    }
    if (analysis->dependencies != NULL) {
        fences.join = fm_join_create(analysis);
    }
    fm_engine_run(analysis->engine, post_members, &fences);
    if (fences.join != NULL) {
        fm_join_judge(fences.join, judge_instance, &fences);
        fm_join_free(fences.join);
    }
    fm_gathering_close(fences.gathering);
    fm_engine_run(analysis->engine, judge_members, &fences);
    fm_engine_run(analysis->engine, open_targets, &fences);
    fm_dispatch_run(fences.accesses, send_accesses, &fences);
    if (analysis->dependencies != NULL) {
        fm_dispatch_deliver(analysis->sent_dependencies);
    }
    if (fences.partners != NULL) {
        fm_dispatch_deliver(fences.partners);
        fm_dispatch_deliver(analysis->sent_findings);
        fm_dispatch_free(fences.partners);
    }
    fm_engine_run(analysis->engine, finish_fences, &fences);
    fm_gathering_free(fences.gathering);
    fm_dispatch_free(fences.accesses);
    fm_free(fences.targets);
}

const struct fm_pattern fm_pattern_wait_at_window_collective = {
    .name = "Wait at Create, Fence, Free",
    .reads = FM_READS(EPOCHS),
    .detect = detect,
};
