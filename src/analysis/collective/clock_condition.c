/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/clock_condition.h"

#include "analysis/collective/rooted.h"

#include <string.h>

/* Whether a member may get nothing from some of the others: counts of its own for each of them. */
static bool chooses_counts(const char *name)
{
    static const char *const names[] = {"alltoallv", "alltoallw", "allgatherv", "reduce_scatter",
                                        "collect32", "collect64", "_collect"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasestr(name, names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

bool fm_member_must_synchronize(const struct fm_analysis *analysis, const struct fm_member *member)
{
    if (member->call == FM_CALL_BARRIER) {
        return true;
    }
    const struct fm_trace *trace = analysis->trace;
    return member->call == FM_CALL_ALL_TO_ALL &&
           (member->moved_bytes || !analysis->counts_collective_bytes) &&
           !chooses_counts(fm_trace_called(trace, &trace->locations[member->start_location],
                                           member->start_activity)
                               ->name);
}

uint32_t fm_rooted_violations(const struct fm_analysis *analysis,
                              const struct fm_member *const *members, uint32_t count)
{
    const bool is_one_to_all = members[0]->call == FM_CALL_ONE_TO_ALL;
    if (!is_one_to_all && members[0]->call != FM_CALL_ALL_TO_ONE) {
        return 0;
    }
    const struct fm_member *root = fm_rooted_root(
        analysis, members, count, is_one_to_all ? FM_RULE_BROADCAST : FM_RULE_REDUCE);
    uint32_t violations = 0;
    for (uint32_t i = 0; root != NULL && i < count; i++) {
        if (fm_rooted_takes_part(members[i], root)) {
            violations +=
                is_one_to_all ? members[i]->leave < root->enter : root->leave < members[i]->enter;
        }
    }
    return violations;
}
