/* Collectives on windows: Wait at Create, Fence, Free; Early Fence; pair-wise synchronizations of
 * fences. */
#include "analysis/gathering.h"
#include "analysis/one_sided.h"

#include "base/map.h"

#include <stdlib.h>

/* "The epoch that this fence closes holds operations on you": from an origin to a target. */
struct fence_access {
    uint64_t last_operation;
    uint32_t window;
    uint32_t ordinal;
    uint32_t origin;
};

struct fences {
    struct fm_analysis *analysis;
    const struct fm_epochs *epochs;
    struct fm_gathering *gathering;
    struct fm_exchange *accesses;
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

static void judge_member(const struct fm_analysis *analysis, const struct fm_member *member,
                         const struct fm_gathered *all, fm_metric_t metric)
{
    struct fm_findings *findings = &analysis->findings[member->wait_location];
    if (all->enter < all->first_leave) {
        fm_gathering_add_wait(analysis, member, all, FM_RULE_WINDOW_COLLECTIVE_WAIT, metric);
        fm_vector_push(&findings->points,
                       (struct fm_group_point){all->enter, member->communicator, false});
    } else if (metric == FM_METRIC_MPI_RMA_WAIT_AT_FENCE) {
        fm_findings_tally(findings, &analysis->trace->locations[member->wait_location],
                          member->wait_activity, FM_TALLY_PARTIAL_FENCES, 1);
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
                judge_member(fences->analysis, &member, &all, metric);
            }
        }
    }
}

static void post_accesses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fences *fences = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            const struct fm_window_collective *collective = &epochs->collectives.items[i];
            for (uint32_t a = 0; a < collective->accessed_count; ++a) {
                const struct fm_accessed *accessed =
                    &epochs->accessed.items[collective->first_accessed + a];
                struct fence_access *access =
                    fm_exchange_post(fences->accesses, worker, accessed->process);
                *access = (struct fence_access){accessed->last_operation, collective->window,
                                                collective->ordinal, process};
            }
        }
    }
}

static int compare_processes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = ((const struct fm_accessed *)b)->process;
    return left < right ? -1 : left > right;
}

/* One fence of a process as its origins see it. */
struct exposure {
    uint64_t last_operation;
    uint32_t only_origins; /* processes that accessed this one and were not accessed by it */
};

static void finish_fence(struct fences *fences, uint32_t process,
                         const struct fm_window_collective *fence, const struct exposure *exposure)
{
    struct fm_analysis *analysis = fences->analysis;
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *location = &trace->locations[fence->call.location];
    struct fm_findings *findings = &analysis->findings[fence->call.location];
    uint32_t activity = fence->call.activity;
    if (exposure->last_operation > location->enter.items[activity]) {
        fm_vector_push(&findings->parts,
                       (struct fm_part){exposure->last_operation, activity, FM_PART_EARLY_FENCE});
    }
    const struct fm_accessed *accessed =
        &fences->epochs[process].accessed.items[fence->first_accessed];
    uint32_t partners = exposure->only_origins;
    for (uint32_t i = 0; i < fence->accessed_count; ++i) {
        partners += accessed[i].process != process;
    }
    uint32_t others = trace->communicators[trace->windows[fence->window].communicator].size - 1;
    fm_findings_tally(findings, location, activity, FM_TALLY_PAIR_SYNCS, others);
    fm_findings_tally(findings, location, activity, FM_TALLY_UNNEEDED_PAIR_SYNCS,
                      others - (partners < others ? partners : others));
}

static void take_accesses(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fences *fences = context;
    struct fm_map fence_of = {0};
    FM_VECTOR(struct exposure) exposures = {0};
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        fm_map_clear(&fence_of);
        exposures.count = 0;
        for (uint32_t i = 0; i < epochs->collectives.count; ++i) {
            const struct fm_window_collective *fence = &epochs->collectives.items[i];
            *fm_map_at(&fence_of, (uint64_t)fence->window << 32 | fence->ordinal, 0) = i;
            fm_vector_push(&exposures, (struct exposure){0});
        }
        size_t count;
        const struct fence_access *accesses = fm_exchange_inbox(fences->accesses, process, &count);
        for (size_t i = 0; i < count; ++i) {
            const struct fence_access *access = &accesses[i];
            uint32_t index =
                fm_map_get(&fence_of, (uint64_t)access->window << 32 | access->ordinal);
            if (index == FM_MAP_ABSENT) {
                continue;
            }
            struct exposure *exposure = &exposures.items[index];
            if (access->last_operation > exposure->last_operation) {
                exposure->last_operation = access->last_operation;
            }
            const struct fm_window_collective *fence = &epochs->collectives.items[index];
            bool accessed_back =
                fence->accessed_count != 0 &&
                bsearch(&access->origin, &epochs->accessed.items[fence->first_accessed],
                        fence->accessed_count, sizeof(struct fm_accessed),
                        compare_processes) != NULL;
            exposure->only_origins += access->origin != process && !accessed_back;
        }
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            const struct fm_window_collective *fence = &epochs->collectives.items[i];
            if (call_of(fences->analysis->trace, fence->call) == FM_CALL_FENCE) {
                finish_fence(fences, process, fence, &exposures.items[i]);
            }
        }
    }
    fm_map_free(&fence_of);
    fm_vector_free(&exposures);
}

void fm_detect_window_collectives(struct fm_analysis *analysis, const struct fm_epochs *epochs)
{
    struct fences fences = {
        .analysis = analysis,
        .epochs = epochs,
        .gathering = fm_gathering_create(analysis),
        .accesses = fm_exchange_create(analysis->engine, sizeof(struct fence_access)),
    };
    fm_engine_run(analysis->engine, post_members, &fences);
    fm_gathering_close(fences.gathering);
    fm_engine_run(analysis->engine, judge_members, &fences);
    fm_engine_run(analysis->engine, post_accesses, &fences);
    fm_exchange_deliver(fences.accesses);
    fm_engine_run(analysis->engine, take_accesses, &fences);
    fm_gathering_free(fences.gathering);
    fm_exchange_free(fences.accesses);
}
