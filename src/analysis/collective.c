/* Collective operations of MPI: each kind's rule for who waits for whom. */
#include "analysis/gaps.h"
#include "analysis/instance.h"

#include "base/map.h"
#include "base/sort.h"

#include <otf2/otf2.h>
#include <stdlib.h>

/* Collectives that result in a communicator are counted on that communicator, apart from those that
 * use it. */
enum { SERIES_USE, SERIES_CREATION };

static bool has_part(uint8_t call)
{
    return call == FM_CALL_BARRIER || call == FM_CALL_ALL_TO_ALL || call == FM_CALL_NEIGHBORHOOD ||
           call == FM_CALL_INIT;
}

static fm_part_kind_t part_kind(uint8_t call)
{
    return call == FM_CALL_BARRIER ? FM_PART_BARRIER_COMPLETION
           : call == FM_CALL_INIT  ? FM_PART_INIT_COMPLETION
                                   : FM_PART_NXN_COMPLETION;
}

/* `waiter` waits for the last of `group`, to which it belongs; and it completes late if it stays
 * after all have come and one has left. */
static void judge_member_of(struct fm_join *join, unsigned worker, const struct fm_member *waiter,
                            const struct fm_member *last, uint64_t first_leave, fm_rule_t rule,
                            fm_metric_t metric)
{
    struct fm_verdict verdict = {.location = waiter->wait_location};
    if (fm_member_may_wait(waiter, last)) {
        verdict.has_wait = true;
        verdict.candidate = fm_member_waits_for(waiter, last, rule, metric);
    }
    uint64_t since = last->enter > first_leave ? last->enter : first_leave;
    if (has_part(waiter->call) && !waiter->non_blocking && waiter->leave > since) {
        verdict.has_part = true;
        verdict.part =
            (struct fm_part){since, waiter->wait_activity, (uint8_t)part_kind(waiter->call)};
    }
    /* Neighbours synchronize with neighbours only: their wait states are their points. */
    if (waiter->call != FM_CALL_NEIGHBORHOOD && !waiter->non_blocking) {
        verdict.has_point = true;
        verdict.point = (struct fm_group_point){last->enter, waiter->communicator,
                                                waiter->call == FM_CALL_INIT};
    }
    if (verdict.has_wait || verdict.has_part || verdict.has_point) {
        fm_join_return(join, worker, waiter, &verdict);
    }
}

static void judge_all_to_all(struct fm_join *join, unsigned worker,
                             const struct fm_member **members, uint32_t count, fm_rule_t rule,
                             fm_metric_t metric)
{
    const struct fm_member *last = fm_members_last(members, count);
    uint64_t first_leave = fm_members_first_leave(members, count);
    for (uint32_t i = 0; i < count; ++i) {
        judge_member_of(join, worker, members[i], last, first_leave, rule, metric);
    }
}

/* Collectives that need not synchronize: they did if all were in the call at the same time. */
static void judge_overlapping(struct fm_join *join, unsigned worker,
                              const struct fm_member **members, uint32_t count, fm_rule_t rule,
                              fm_metric_t metric)
{
    const struct fm_member *last = fm_members_last(members, count);
    if (last->enter < fm_members_first_leave(members, count)) {
        for (uint32_t i = 0; i < count; ++i) {
            fm_join_return_synchronized(join, worker, members[i], last, rule, metric);
        }
    }
}

static bool moved_bytes(const struct fm_member *const *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (members[i]->moved_bytes) {
            return true;
        }
    }
    return false;
}

/* Whether a member plays a part in the data flow from or to the root: in an inter-communicator the
 * root's own group, except for itself, does not. */
static bool takes_part(const struct fm_member *member, const struct fm_member *root)
{
    return member != root && member->root != OTF2_COLLECTIVE_ROOT_THIS_GROUP;
}

static const struct fm_member *find_root(const struct fm_member *const *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (members[i]->root == OTF2_COLLECTIVE_ROOT_SELF) {
            return members[i];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (members[i]->rank == members[0]->root) {
            return members[i];
        }
    }
    return NULL;
}

static void judge_one_to_all(struct fm_join *join, unsigned worker,
                             const struct fm_member **members, uint32_t count)
{
    const struct fm_member *root = find_root(members, count);
    if (root == NULL || !moved_bytes(members, count)) {
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (takes_part(members[i], root)) {
            fm_join_return_wait(join, worker, members[i], root, FM_RULE_LATE_BROADCAST,
                                FM_METRIC_MPI_LATEBROADCAST);
        }
    }
}

static void judge_all_to_one(struct fm_join *join, unsigned worker,
                             const struct fm_member **members, uint32_t count)
{
    const struct fm_member *root = find_root(members, count);
    if (root == NULL || !moved_bytes(members, count)) {
        return;
    }
    const struct fm_member *last = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_member *member = members[i];
        if (takes_part(member, root) &&
            (last == NULL || member->enter > last->enter ||
             (member->enter == last->enter && member->rank < last->rank))) {
            last = member;
        }
    }
    if (last != NULL) {
        fm_join_return_wait(join, worker, root, last, FM_RULE_EARLY_REDUCE,
                            FM_METRIC_MPI_EARLYREDUCE);
    }
}

static int compare_ranks(const void *a, const void *b)
{
    const struct fm_member *left = *(const struct fm_member *const *)a;
    const struct fm_member *right = *(const struct fm_member *const *)b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static void judge_scan(struct fm_join *join, unsigned worker, const struct fm_member **members,
                       uint32_t count)
{
    fm_sort(members, count, sizeof *members, compare_ranks);
    const struct fm_member *last = members[0];
    for (uint32_t i = 1; i < count; ++i) {
        fm_join_return_wait(join, worker, members[i], last, FM_RULE_EARLY_SCAN,
                            FM_METRIC_MPI_EARLYSCAN);
        last = members[i]->enter > last->enter ? members[i] : last;
    }
}

/* @return the rank one step along a dimension, or FM_NONE at the border */
static uint32_t neighbor(const struct fm_topology *topology, const struct fm_map *rank_at,
                         uint32_t rank, uint8_t dimension, int step)
{
    const uint32_t *own = &topology->coordinates[(size_t)rank * topology->dimension_count];
    uint64_t position = 0;
    for (uint8_t d = 0; d < topology->dimension_count; ++d) {
        uint32_t size = topology->sizes[d];
        uint64_t coordinate = own[d];
        if (d == dimension) {
            if ((step < 0 && own[d] == 0) || (step > 0 && own[d] + 1 >= size)) {
                if (!topology->periodic[d]) {
                    return FM_NONE;
                }
                coordinate = step < 0 ? size - 1 : 0;
            } else {
                coordinate = step < 0 ? own[d] - 1 : own[d] + 1;
            }
        }
        position = position * size + coordinate;
    }
    return fm_map_get(rank_at, position);
}

static struct fm_map map_coordinates(const struct fm_topology *topology, uint32_t count)
{
    struct fm_map rank_at = {0};
    for (uint32_t rank = 0; rank < count; ++rank) {
        uint64_t position = 0;
        for (uint8_t d = 0; d < topology->dimension_count; ++d) {
            position = position * topology->sizes[d] +
                       topology->coordinates[(size_t)rank * topology->dimension_count + d];
        }
        *fm_map_at(&rank_at, position, rank) = rank;
    }
    return rank_at;
}

static void judge_neighborhood(struct fm_join *join, unsigned worker,
                               const struct fm_member **members, uint32_t count)
{
    struct fm_analysis *analysis = fm_join_analysis(join);
    const struct fm_topology *topology =
        analysis->trace->communicators[members[0]->communicator].topology;
    if (topology == NULL) {
        ++analysis->omissions.unknown_neighborhoods;
        return;
    }
    fm_sort(members, count, sizeof *members, compare_ranks);
    struct fm_map rank_at = map_coordinates(topology, count);
    const struct fm_member **group =
        fm_allocate(1 + 2 * (size_t)topology->dimension_count, sizeof *group);
    for (uint32_t rank = 0; rank < count; ++rank) {
        uint32_t size = 0;
        group[size++] = members[rank];
        for (uint8_t d = 0; d < topology->dimension_count; ++d) {
            for (int step = -1; step <= 1; step += 2) {
                uint32_t other = neighbor(topology, &rank_at, rank, d, step);
                if (other < count) {
                    group[size++] = members[other];
                }
            }
        }
        judge_member_of(join, worker, members[rank], fm_members_last(group, size),
                        fm_members_first_leave(group, size), FM_RULE_NXN_WAIT,
                        FM_METRIC_MPI_WAIT_NXN);
    }
    fm_free(group);
    fm_map_free(&rank_at);
}

static void judge(struct fm_join *join, unsigned worker, const struct fm_member **members,
                  uint32_t count)
{
    switch (members[0]->call) {
    case FM_CALL_BARRIER:
        judge_all_to_all(join, worker, members, count, FM_RULE_BARRIER_WAIT,
                         FM_METRIC_MPI_BARRIER_WAIT);
        break;
    case FM_CALL_ALL_TO_ALL:
        judge_all_to_all(join, worker, members, count, FM_RULE_NXN_WAIT, FM_METRIC_MPI_WAIT_NXN);
        break;
    case FM_CALL_INIT:
        judge_all_to_all(join, worker, members, count, FM_RULE_INIT_OR_FINALIZE_WAIT,
                         FM_METRIC_MPI_INIT_WAIT);
        break;
    case FM_CALL_FINALIZE:
        judge_all_to_all(join, worker, members, count, FM_RULE_INIT_OR_FINALIZE_WAIT,
                         FM_METRIC_MPI_FINALIZE_WAIT);
        break;
    case FM_CALL_NEIGHBORHOOD:
        judge_neighborhood(join, worker, members, count);
        break;
    case FM_CALL_ONE_TO_ALL:
        judge_one_to_all(join, worker, members, count);
        break;
    case FM_CALL_ALL_TO_ONE:
        judge_all_to_one(join, worker, members, count);
        break;
    case FM_CALL_SCAN:
        judge_scan(join, worker, members, count);
        break;
    case FM_CALL_COMMUNICATOR:
    case FM_CALL_DETACHED_COMMUNICATOR:
        judge_overlapping(join, worker, members, count, FM_RULE_COMM_OR_FILE_WAIT,
                          FM_METRIC_MPI_COMM_WAIT);
        break;
    case FM_CALL_FILE:
        judge_overlapping(join, worker, members, count, FM_RULE_COMM_OR_FILE_WAIT,
                          FM_METRIC_MPI_FILE_WAIT);
        break;
    default:
        break;
    }
}

static size_t collective_count(const struct fm_location *location)
{
    return location->collectives.count;
}

static uint32_t collective_start(const struct fm_location *location, uint32_t row)
{
    return location->collectives.items[row].start;
}

/* A process's place in a communicator. */
struct membership {
    uint32_t rank;
    uint32_t next_ordinal[2]; /* by series */
};

struct posting {
    struct fm_analysis *analysis;
    struct fm_join *join;
};

/* What a call is as a collective: a completing call like Wait says nothing, its operation does. */
static uint8_t call_of(const struct fm_trace *trace, const struct fm_location *location,
                       const struct fm_collective *part)
{
    fm_call_t call = fm_trace_called(trace, location, part->start)->call;
    if (call != FM_CALL_OTHER) {
        return (uint8_t)call;
    }
    switch (part->operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return FM_CALL_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return FM_CALL_ONE_TO_ALL;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return FM_CALL_ALL_TO_ONE;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return FM_CALL_ALL_TO_ALL;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return FM_CALL_SCAN;
    default:
        return FM_CALL_OTHER;
    }
}

typedef FM_VECTOR(struct membership) membership_vector;

/* @return the process's place in a communicator; valid until the next one is made */
static struct membership *membership_in(struct fm_map *membership_of, membership_vector *all,
                                        const struct fm_trace *trace, uint32_t communicator,
                                        uint32_t process)
{
    uint32_t next = (uint32_t)all->count;
    uint32_t index = *fm_map_at(membership_of, communicator, next);
    if (index == next) {
        uint32_t rank = fm_trace_rank(trace, communicator, process);
        fm_vector_push(all, (struct membership){.rank = rank});
    }
    return &all->items[index];
}

static void post_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct posting *posting = context;
    const struct fm_trace *trace = posting->analysis->trace;
    struct fm_map membership_of = {0};
    membership_vector memberships = {0};
    struct fm_gaps gaps = {0};
    for (uint32_t process = first; process < last; ++process) {
        struct fm_record_merge merge;
        struct fm_record_ref record;
        fm_map_clear(&membership_of);
        memberships.count = 0;
        fm_gaps_begin(&gaps, trace, process);
        fm_record_merge_begin(&merge, trace, process, collective_count, collective_start);
        while (fm_record_merge_next(&merge, &record)) {
            const struct fm_location *location = &trace->locations[record.location];
            const struct fm_collective *part = &location->collectives.items[record.row];
            if (part->communicator == FM_NONE ||
                trace->communicators[part->communicator].size < 2) {
                continue;
            }
            const struct fm_unrecorded *gap;
            while (fm_gaps_ahead(&gaps) &&
                   (gap = fm_gaps_before(&gaps, location->enter.items[part->start])) != NULL) {
                if (gap->series == FM_SERIES_COLLECTIVES) {
                    membership_in(&membership_of, &memberships, trace, gap->reference, process)
                        ->next_ordinal[SERIES_USE] += (uint32_t)gap->count;
                }
            }
            struct membership *membership =
                membership_in(&membership_of, &memberships, trace, part->communicator, process);
            if (membership->rank == FM_NONE) {
                continue;
            }
            uint8_t call = call_of(trace, location, part);
            uint8_t series = call == FM_CALL_DETACHED_COMMUNICATOR ? SERIES_CREATION : SERIES_USE;
            const struct fm_location *waiting = &trace->locations[part->complete_location];
            fm_join_post(posting->join, worker,
                         &(struct fm_member){
                             .enter = location->enter.items[part->start],
                             .wait_enter = waiting->enter.items[part->complete],
                             .leave = waiting->leave.items[part->complete],
                             .scope = part->communicator,
                             .ordinal = membership->next_ordinal[series]++,
                             .communicator = part->communicator,
                             .rank = membership->rank,
                             .process = process,
                             .start_location = record.location,
                             .start_activity = part->start,
                             .wait_location = part->complete_location,
                             .wait_activity = part->complete,
                             .root = part->root,
                             .call = call,
                             .series = series,
                             .non_blocking = part->non_blocking,
                             .moved_bytes = part->moved_bytes,
                         });
        }
    }
    fm_map_free(&membership_of);
    fm_vector_free(&memberships);
    fm_gaps_free(&gaps);
}

static void detect(struct fm_analysis *analysis)
{
    struct posting posting = {analysis, fm_join_create(analysis)};
    fm_engine_run(analysis->engine, post_members, &posting);
    fm_join_judge(posting.join, judge);
    fm_join_free(posting.join);
}

const struct fm_pattern fm_pattern_collective = {"collective", detect};
