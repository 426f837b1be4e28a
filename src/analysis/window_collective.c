/* Collectives on windows: Wait at Create, Fence, Free; Early Fence; pair-wise synchronizations of
 * fences. */
#include "analysis/instance.h"
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
    struct fm_join *join;
    struct fm_exchange *accesses;
};

static uint8_t call_of(const struct fm_trace *trace, struct fm_call_ref call)
{
    return (uint8_t)fm_trace_called(trace, &trace->locations[call.location], call.activity)->call;
}

static void post_member(struct fences *fences, unsigned worker, uint32_t process,
                        const struct fm_window_collective *collective)
{
    const struct fm_trace *trace = fences->analysis->trace;
    uint32_t communicator = trace->windows[collective->window].communicator;
    uint32_t rank = fm_trace_rank(trace, communicator, process);
    if (rank == FM_NONE) {
        return;
    }
    const struct fm_location *location = &trace->locations[collective->call.location];
    uint64_t enter = location->enter.items[collective->call.activity];
    fm_join_post(fences->join, worker,
                 &(struct fm_member){
                     .enter = enter,
                     .wait_enter = enter,
                     .leave = location->leave.items[collective->call.activity],
                     .scope = collective->window,
                     .ordinal = collective->ordinal,
                     .communicator = communicator,
                     .rank = rank,
                     .process = process,
                     .start_location = collective->call.location,
                     .start_activity = collective->call.activity,
                     .wait_location = collective->call.location,
                     .wait_activity = collective->call.activity,
                     .call = call_of(trace, collective->call),
                 });
}

static void post_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fences *fences = context;
    for (uint32_t process = first; process < last; ++process) {
        const struct fm_epochs *epochs = &fences->epochs[process];
        for (size_t i = 0; i < epochs->collectives.count; ++i) {
            post_member(fences, worker, process, &epochs->collectives.items[i]);
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

static void judge(struct fm_join *join, unsigned worker, const struct fm_member **members,
                  uint32_t count)
{
    fm_metric_t metric;
    switch (members[0]->call) {
    case FM_CALL_WINDOW_CREATE:
        metric = FM_METRIC_MPI_RMA_WAIT_AT_CREATE;
        break;
    case FM_CALL_WINDOW_FREE:
        metric = FM_METRIC_MPI_RMA_WAIT_AT_FREE;
        break;
    case FM_CALL_FENCE:
        metric = FM_METRIC_MPI_RMA_WAIT_AT_FENCE;
        break;
    default:
        return;
    }
    const struct fm_member *last = fm_members_last(members, count);
    bool synchronized = last->enter < fm_members_first_leave(members, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (synchronized) {
            fm_join_return_synchronized(join, worker, members[i], last,
                                        FM_RULE_WINDOW_COLLECTIVE_WAIT, metric);
        } else if (metric == FM_METRIC_MPI_RMA_WAIT_AT_FENCE) {
            fm_join_return(join, worker, members[i],
                           &(struct fm_verdict){
                               .location = members[i]->wait_location,
                               .has_tally = true,
                               .tally = FM_TALLY_PARTIAL_FENCES,
                               .candidate = {.activity = members[i]->wait_activity},
                           });
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
        .join = fm_join_create(analysis),
        .accesses = fm_exchange_create(analysis->engine, sizeof(struct fence_access)),
    };
    fm_engine_run(analysis->engine, post_members, &fences);
    fm_join_judge(fences.join, judge);
    fm_engine_run(analysis->engine, post_accesses, &fences);
    fm_exchange_deliver(fences.accesses);
    fm_engine_run(analysis->engine, take_accesses, &fences);
    fm_join_free(fences.join);
    fm_exchange_free(fences.accesses);
}
