/* Collective operations of MPI: each kind's rule for who waits for whom. */
#include "analysis/collective/collective_walk.h"
#include "analysis/collective/gathering.h"

#include "base/containers/map.h"
#include "base/containers/sort.h"

#include <otf2/otf2.h>
#include <stdlib.h>

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

/* From when on a blocking member that is still in its call completes late: all have come and one
 * has left. */
static uint64_t all_could_go(const struct fm_gathered *all)
{
    return all->enter > all->first_leave ? all->enter : all->first_leave;
}

static bool completes_late(const struct fm_member *member, const struct fm_gathered *all)
{
    return has_part(member->call) && !member->non_blocking && member->leave > all_could_go(all);
}

static struct fm_part late_completion(const struct fm_member *member, const struct fm_gathered *all)
{
    return (struct fm_part){all_could_go(all), member->wait_activity,
                            (uint8_t)part_kind(member->call)};
}

/* ---- operations in which each waits for the last one ---- */

/* How operations of a kind are judged. */
struct symmetric_rule {
    bool applies;
    bool must_overlap; /* they need not synchronize: they did if all were in the call at once */
    fm_rule_t rule;
    fm_metric_t metric;
};

static struct symmetric_rule symmetric_rule_of(uint8_t call)
{
    switch (call) {
    case FM_CALL_BARRIER:
        return (struct symmetric_rule){true, false, FM_RULE_BARRIER_WAIT,
                                       FM_METRIC_MPI_BARRIER_WAIT};
    case FM_CALL_ALL_TO_ALL:
        return (struct symmetric_rule){true, false, FM_RULE_NXN_WAIT, FM_METRIC_MPI_WAIT_NXN};
    case FM_CALL_INIT:
        return (struct symmetric_rule){true, false, FM_RULE_INIT_OR_FINALIZE_WAIT,
                                       FM_METRIC_MPI_INIT_WAIT};
    case FM_CALL_FINALIZE:
        return (struct symmetric_rule){true, false, FM_RULE_INIT_OR_FINALIZE_WAIT,
                                       FM_METRIC_MPI_FINALIZE_WAIT};
    case FM_CALL_COMMUNICATOR:
    case FM_CALL_DETACHED_COMMUNICATOR:
        return (struct symmetric_rule){true, true, FM_RULE_COMM_OR_FILE_WAIT,
                                       FM_METRIC_MPI_COMM_WAIT};
    case FM_CALL_FILE:
        return (struct symmetric_rule){true, true, FM_RULE_COMM_OR_FILE_WAIT,
                                       FM_METRIC_MPI_FILE_WAIT};
    default:
        return (struct symmetric_rule){.applies = false};
    }
}

static void judge_symmetric(const struct fm_analysis *analysis, const struct fm_member *member,
                            const struct fm_gathered *all, const struct symmetric_rule *rule)
{
    if (rule->must_overlap && all->enter >= all->first_leave) {
        return;
    }
    struct fm_findings *findings = &analysis->findings[member->wait_location];
    fm_gathering_add_wait(analysis, member, all, rule->rule, rule->metric);
    if (completes_late(member, all)) {
        fm_vector_push(&findings->parts, late_completion(member, all));
    }
    if (!member->non_blocking) {
        fm_vector_push(&findings->points, (struct fm_group_point){all->enter, member->communicator,
                                                                  member->call == FM_CALL_INIT});
    }
}

/* ---- operations whose members play different parts ---- */

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

/* `member` waits for the last of `group`, to which it belongs. Neighbours synchronize with
 * neighbours only: their wait states are their points. */
static void judge_neighbor(struct fm_join *join, unsigned worker, const struct fm_member *member,
                           const struct fm_member *const *group, uint32_t size)
{
    const struct fm_member *last = fm_members_last(group, size);
    const struct fm_gathered all = {.enter = last->enter,
                                    .first_leave = fm_members_first_leave(group, size)};
    struct fm_verdict verdict = {
        .location = member->wait_location,
        .has_wait = fm_member_may_wait(member, last),
        .has_part = completes_late(member, &all),
        .candidate = fm_member_waits_for(member, last, FM_RULE_NXN_WAIT, FM_METRIC_MPI_WAIT_NXN),
        .part = late_completion(member, &all),
    };
    if (verdict.has_wait || verdict.has_part) {
        fm_join_return(join, worker, member, &verdict);
    }
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
        judge_neighbor(join, worker, members[rank], group, size);
    }
    fm_free(group);
    fm_map_free(&rank_at);
}

static void judge(struct fm_join *join, unsigned worker, const struct fm_member **members,
                  uint32_t count)
{
    switch (members[0]->call) {
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
    default:
        break;
    }
}

/* ---- phases ---- */

struct posting {
    struct fm_analysis *analysis;
    struct fm_gathering *gathering;
    struct fm_join *join;
};

static void post_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct posting *posting = context;
    struct fm_collective_walk walk = {0};
    struct fm_member member;
    for (uint32_t process = first; process < last; ++process) {
        fm_collective_walk_begin(&walk, posting->analysis->trace, process);
        while (fm_collective_walk_next(&walk, &member)) {
            /* Also the others: members of one instance may have called different operations. */
            fm_gathering_add(posting->gathering, worker, &member);
            if (!symmetric_rule_of(member.call).applies) {
                fm_join_post(posting->join, worker, &member);
            }
        }
    }
    fm_collective_walk_free(&walk);
}

static void judge_members(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct posting *posting = context;
    struct fm_collective_walk walk = {0};
    struct fm_member member;
    struct fm_gathered all;
    for (uint32_t process = first; process < last; ++process) {
        fm_collective_walk_begin(&walk, posting->analysis->trace, process);
        while (fm_collective_walk_next(&walk, &member)) {
            struct symmetric_rule rule = symmetric_rule_of(member.call);
            if (rule.applies && fm_gathering_find(posting->gathering, worker, &member, &all)) {
                judge_symmetric(posting->analysis, &member, &all, &rule);
            }
        }
    }
    fm_collective_walk_free(&walk);
}

static void detect(struct fm_analysis *analysis)
{
    struct posting posting = {analysis, fm_gathering_create(analysis), fm_join_create(analysis)};
    fm_engine_run(analysis->engine, post_members, &posting);
    fm_gathering_close(posting.gathering);
    fm_engine_run(analysis->engine, judge_members, &posting);
    fm_join_judge(posting.join, judge);
    fm_gathering_free(posting.gathering);
    fm_join_free(posting.join);
}

const struct fm_pattern fm_pattern_collective = {"collective", detect};
