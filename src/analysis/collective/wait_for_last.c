/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations in which each member waits for the one that enters last: barriers, N x N
 * operations, Init and Finalize, and calls that manage communicators and files. */
#include "analysis/collective/gathering.h"
#include "analysis/collective/neighborhood.h"
#include "analysis/libraries/library_metrics.h"
#include "analysis/pattern.h"

static void find_wait_as(const struct fm_finder *finder, const struct fm_member *member,
                         const struct fm_gathered *all, fm_metric_t metric)
{
    if (metric != FM_METRIC_NONE) {
        fm_gathered_wait(finder, member, all, metric);
    }
    if (!member->non_blocking) {
        fm_found_group_point(finder, member->wait_location,
                             &(struct fm_group_point){.t = all->enter,
                                                      .communicator = member->communicator,
                                                      .is_init = member->call == FM_CALL_INIT});
    }
}

static void find_wait(const struct fm_finder *finder, const struct fm_member *member,
                      const struct fm_gathered *all, fm_rule_t rule)
{
    find_wait_as(finder, member, all, fm_library_metric(fm_member_paradigm(member), rule));
}

static void find_completion(const struct fm_finder *finder, const struct fm_member *member,
                            const struct fm_gathered *all, fm_rule_t rule)
{
    const fm_metric_t metric = fm_library_metric(fm_member_paradigm(member), rule);
    if (metric != FM_METRIC_NONE && fm_member_completes_late(member, all)) {
        struct fm_part part = fm_member_late_completion(member, all, metric);
        fm_found_part(finder, member->wait_location, &part);
    }
}

static void find_barrier(const struct fm_finder *finder, const struct fm_member *member,
                         const struct fm_gathered *all)
{
    find_wait(finder, member, all, FM_RULE_BARRIER);
    find_completion(finder, member, all, FM_RULE_BARRIER_COMPLETION);
}

const struct fm_pattern fm_pattern_wait_at_barrier = {
    .name = "Wait at Barrier",
    .members = FM_CALLS(BARRIER),
    .member = find_barrier,
};

static void find_nxn(const struct fm_finder *finder, const struct fm_member *member,
                     const struct fm_gathered *all)
{
    find_wait(finder, member, all, FM_RULE_NXN);
    find_completion(finder, member, all, FM_RULE_NXN_COMPLETION);
}

const struct fm_pattern fm_pattern_wait_at_nxn = {
    .name = "Wait at N x N",
    .members = FM_CALLS(ALL_TO_ALL),
    .member = find_nxn,
    .instances = FM_CALLS(NEIGHBORHOOD),
    .instance = fm_find_neighborhood,
};

static void find_init_or_finalize(const struct fm_finder *finder, const struct fm_member *member,
                                  const struct fm_gathered *all)
{
    if (member->call == FM_CALL_FINALIZE) {
        find_wait(finder, member, all, FM_RULE_FINALIZE);
    } else {
        find_wait(finder, member, all, FM_RULE_INIT);
        find_completion(finder, member, all, FM_RULE_INIT_COMPLETION);
    }
}

const struct fm_pattern fm_pattern_wait_at_init_or_finalize = {
    .name = "Wait at Init, Wait at Finalize",
    .members = FM_CALLS(INIT) | FM_CALLS(FINALIZE),
    .member = find_init_or_finalize,
};

/* MPI does not require these calls to synchronize: they did if all members were in them at once. */
static void find_communicator_or_file_call(const struct fm_finder *finder,
                                           const struct fm_member *member,
                                           const struct fm_gathered *all)
{
    if (all->enter < all->first_leave) {
        find_wait_as(finder, member, all,
                     member->call == FM_CALL_FILE ? FM_METRIC_MPI_FILE_WAIT
                                                  : FM_METRIC_MPI_COMM_WAIT);
    }
}

const struct fm_pattern fm_pattern_wait_at_communicator_or_file_call = {
    .name = "Wait at communicator call, Wait at file call",
    .members = FM_CALLS(COMMUNICATOR) | FM_CALLS(DETACHED_COMMUNICATOR) | FM_CALLS(FILE),
    .member = find_communicator_or_file_call,
};

/* A split access may synchronize where it begins or where it is completed: where all members were
 * in the call at once. */
static void find_file_access(const struct fm_finder *finder, const struct fm_member *member,
                             const struct fm_gathered *all)
{
    if (member->non_blocking && all->enter < all->first_start_leave) {
        const struct fm_member at_start = fm_member_at_start(member);
        find_wait_as(finder, &at_start, all, FM_METRIC_MPI_IO_COLLECTIVE_WAIT);
    } else if (all->enter < all->first_leave) {
        find_wait_as(finder, member, all, FM_METRIC_MPI_IO_COLLECTIVE_WAIT);
    }
}

const struct fm_pattern fm_pattern_wait_at_collective_io = {
    .name = "Wait at collective I/O",
    .members = FM_CALLS(FILE_ACCESS),
    .member = find_file_access,
};

/* Neither do allocations outside of MPI, although most libraries have a barrier in them. */
static void find_allocation(const struct fm_finder *finder, const struct fm_member *member,
                            const struct fm_gathered *all)
{
    if (all->enter < all->first_leave) {
        find_wait(finder, member, all,
                  member->call == FM_CALL_ALLOCATE ? FM_RULE_ALLOCATE : FM_RULE_DEALLOCATE);
    }
}

const struct fm_pattern fm_pattern_wait_at_allocation = {
    .name = "Wait at allocation, Wait at deallocation",
    .members = FM_CALLS(ALLOCATE) | FM_CALLS(DEALLOCATE),
    .member = find_allocation,
};
