/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/dependencies/collective_dependencies.h"

#include "analysis/collective/clock_condition.h"
#include "analysis/collective/neighborhood.h"
#include "analysis/collective/rooted.h"
#include "analysis/dependencies/dependencies.h"
#include "base/containers/sort.h"

static struct fm_call_ref waiting_call(const struct fm_member *member)
{
    return (struct fm_call_ref){member->wait_location, member->wait_activity};
}

static struct fm_awaited entered(const struct fm_member *member)
{
    return fm_awaited_enter((struct fm_call_ref){member->start_location, member->start_activity});
}

/* ---- each member waits for all ---- */

static int compare_enters(const void *a, const void *b)
{
    const struct fm_member *left = *(const struct fm_member *const *)a;
    const struct fm_member *right = *(const struct fm_member *const *)b;
    if (left->enter != right->enter) {
        return left->enter < right->enter ? -1 : 1;
    }
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static int compare_leaves(const void *a, const void *b)
{
    const struct fm_member *left = *(const struct fm_member *const *)a;
    const struct fm_member *right = *(const struct fm_member *const *)b;
    if (left->leave != right->leave) {
        return left->leave < right->leave ? -1 : 1;
    }
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* Members that left before others entered violate the clock condition. In an execution, they leave
 * behind all of them.
 * @param latest  the junction that the member which left last depends on */
static void depend_on_late(const struct fm_finder *finder, const struct fm_member *const *by_enter,
                           const struct fm_member *const *by_leave, uint32_t count,
                           struct fm_awaited latest, fm_dependency_rule_t rule)
{
    const uint64_t last = by_enter[count - 1]->enter;
    if (by_leave[0]->leave >= last) {
        return;
    }
    fm_junction_begin(finder->analysis, finder->worker, by_leave[0]->process);
    if (by_leave[count - 1]->leave >= last) {
        fm_junction_add(finder->analysis, finder->worker, latest);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            fm_junction_add(finder->analysis, finder->worker, entered(by_enter[i]));
        }
    }
    const struct fm_awaited all = fm_junction_end(finder->analysis, finder->worker);
    for (uint32_t i = 0; i < count && by_leave[i]->leave < last; i++) {
        fm_depend(finder->analysis, finder->worker, waiting_call(by_leave[i]), all, rule);
    }
}

/* A member depends on those that entered no later than it left: on a prefix of the members in the
 * order of their Enter. Each junction extends the one before it, so that an operation costs O(n log
 * n) also if members left before others entered.
 * @param must_wait  the operation synchronizes whatever the library does */
static void depend_on_all(const struct fm_finder *finder, const struct fm_member *const *members,
                          uint32_t count, fm_dependency_rule_t rule, bool must_wait)
{
    const struct fm_analysis *analysis = finder->analysis;
    const struct fm_member **by_enter = fm_allocate(count, 2 * sizeof *by_enter);
    const struct fm_member **by_leave = by_enter + count;
    for (uint32_t i = 0; i < count; i++) {
        by_enter[i] = by_leave[i] = members[i];
    }
    fm_sort(by_enter, count, sizeof *by_enter, compare_enters);
    fm_sort(by_leave, count, sizeof *by_leave, compare_leaves);
    struct fm_awaited latest = {0};
    uint32_t gathered = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct fm_member *member = by_leave[i];
        uint32_t end = gathered;
        while (end < count && by_enter[end]->enter <= member->leave) {
            end++;
        }
        if (end > gathered) {
            fm_junction_begin(analysis, finder->worker, member->process);
            if (gathered > 0) {
                fm_junction_add(analysis, finder->worker, latest);
            }
            for (; gathered < end; gathered++) {
                fm_junction_add(analysis, finder->worker, entered(by_enter[gathered]));
            }
            latest = fm_junction_end(analysis, finder->worker);
        }
        fm_depend(analysis, finder->worker, waiting_call(member), latest, rule);
    }
    if (must_wait && analysis->dependencies->keeps_violated) {
        depend_on_late(finder, by_enter, by_leave, count, latest, rule);
    }
    fm_free(by_enter);
}

/* Calls that need not synchronize did so if all members were in them at once. */
static bool all_were_inside(const struct fm_member *const *members, uint32_t count)
{
    return fm_members_last(members, count)->enter < fm_members_first_leave(members, count);
}

static bool all_must_synchronize(const struct fm_analysis *analysis,
                                 const struct fm_member *const *members, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && fm_member_must_synchronize(analysis, members[i])) {
        i++;
    }
    return i == count;
}

/* A split access synchronizes where it begins or where it is completed. */
static void depend_by_access(const struct fm_finder *finder, const struct fm_member *const *members,
                             uint32_t count)
{
    struct fm_member *starts = fm_allocate(count, sizeof *starts);
    const struct fm_member **at_start = fm_allocate(count, sizeof *at_start);
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = fm_member_at_start(members[i]);
        at_start[i] = &starts[i];
    }
    if (all_were_inside(at_start, count)) {
        depend_on_all(finder, at_start, count, FM_DEPENDS_ON_COLLECTIVE, false);
    } else if (all_were_inside(members, count)) {
        depend_on_all(finder, members, count, FM_DEPENDS_ON_COLLECTIVE, false);
    }
    fm_free(at_start);
    fm_free(starts);
}

/* ---- operations with roles ---- */

static void depend_on_root(const struct fm_finder *finder, const struct fm_member *const *members,
                           uint32_t count)
{
    const struct fm_member *root =
        fm_rooted_root(finder->analysis, members, count, FM_RULE_BROADCAST);
    for (uint32_t i = 0; root != NULL && i < count; i++) {
        if (fm_rooted_takes_part(members[i], root)) {
            fm_depend(finder->analysis, finder->worker, waiting_call(members[i]), entered(root),
                      FM_DEPENDS_ON_ROOT);
        }
    }
}

static void root_depends(const struct fm_finder *finder, const struct fm_member *const *members,
                         uint32_t count)
{
    const struct fm_member *root = fm_rooted_root(finder->analysis, members, count, FM_RULE_REDUCE);
    for (uint32_t i = 0; root != NULL && i < count; i++) {
        if (fm_rooted_takes_part(members[i], root)) {
            fm_depend(finder->analysis, finder->worker, waiting_call(root), entered(members[i]),
                      FM_DEPENDS_ON_CONTRIBUTION);
        }
    }
}

/* The k-th member depends on those of lower rank: on a junction that extends that of the member
 * before, unless some of them entered after the member left. */
static void depend_on_lower(const struct fm_finder *finder, const struct fm_member **members,
                            uint32_t count)
{
    const struct fm_analysis *analysis = finder->analysis;
    if (fm_member_paradigm(members[0]) != FM_PARADIGM_MPI) {
        return;
    }
    fm_members_sort(members, count);
    struct fm_awaited latest = {0};
    uint64_t last = 0;
    for (uint32_t i = 1; i < count; i++) {
        fm_junction_begin(analysis, finder->worker, members[i]->process);
        if (i > 1) {
            fm_junction_add(analysis, finder->worker, latest);
        }
        fm_junction_add(analysis, finder->worker, entered(members[i - 1]));
        latest = fm_junction_end(analysis, finder->worker);
        last = members[i - 1]->enter > last ? members[i - 1]->enter : last;
        if (last <= members[i]->leave) {
            fm_depend(analysis, finder->worker, waiting_call(members[i]), latest,
                      FM_DEPENDS_ON_SCAN);
            continue;
        }
        for (uint32_t j = 0; j < i; j++) {
            fm_depend(analysis, finder->worker, waiting_call(members[i]), entered(members[j]),
                      FM_DEPENDS_ON_SCAN);
        }
    }
}

static void depend_on_neighbors(const struct fm_finder *finder, const struct fm_member *member,
                                const struct fm_member *const *group, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (group[i] != member) {
            fm_depend(finder->analysis, finder->worker, waiting_call(member), entered(group[i]),
                      FM_DEPENDS_ON_NEIGHBORS);
        }
    }
}

void fm_depend_by_collective(const struct fm_finder *finder, const struct fm_member **members,
                             uint32_t count)
{
    switch (members[0]->call) {
    case FM_CALL_BARRIER:
    case FM_CALL_ALL_TO_ALL:
        depend_on_all(finder, members, count, FM_DEPENDS_ON_COLLECTIVE,
                      all_must_synchronize(finder->analysis, members, count));
        break;
    case FM_CALL_INIT:
    case FM_CALL_FINALIZE:
        depend_on_all(finder, members, count, FM_DEPENDS_ON_COLLECTIVE, false);
        break;
    case FM_CALL_COMMUNICATOR:
    case FM_CALL_DETACHED_COMMUNICATOR:
    case FM_CALL_FILE:
    case FM_CALL_ALLOCATE:
    case FM_CALL_DEALLOCATE:
    case FM_CALL_WINDOW_CREATE:
    case FM_CALL_WINDOW_FREE:
    case FM_CALL_FENCE:
        if (all_were_inside(members, count)) {
            depend_on_all(finder, members, count, FM_DEPENDS_ON_COLLECTIVE, false);
        }
        break;
    case FM_CALL_FILE_ACCESS:
        depend_by_access(finder, members, count);
        break;
    case FM_CALL_ONE_TO_ALL:
        depend_on_root(finder, members, count);
        break;
    case FM_CALL_ALL_TO_ONE:
        root_depends(finder, members, count);
        break;
    case FM_CALL_SCAN:
        depend_on_lower(finder, members, count);
        break;
    case FM_CALL_NEIGHBORHOOD:
        fm_neighborhoods(finder, members, count, depend_on_neighbors);
        break;
    default:
        break;
    }
}
