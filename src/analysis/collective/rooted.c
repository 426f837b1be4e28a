/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations in which data flow from or to one member, the root. */
#include "analysis/collective/rooted.h"

#include "analysis/pattern.h"

#include <otf2/otf2.h>

/* @return whether an operation moved bytes; true if the archive counts none in any collective */
static bool moved_bytes(const struct fm_analysis *analysis, const struct fm_member *const *members,
                        uint32_t count)
{
    if (!analysis->counts_collective_bytes) {
        return true;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (members[i]->moved_bytes) {
            return true;
        }
    }
    return false;
}

bool fm_rooted_takes_part(const struct fm_member *member, const struct fm_member *root)
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

const struct fm_member *fm_rooted_root(const struct fm_analysis *analysis,
                                       const struct fm_member *const *members, uint32_t count,
                                       fm_rule_t rule)
{
    return fm_library_metric(fm_member_paradigm(members[0]), rule) != FM_METRIC_NONE &&
                   moved_bytes(analysis, members, count)
               ? find_root(members, count)
               : NULL;
}

static void find_late_broadcast(const struct fm_finder *finder, const struct fm_member **members,
                                uint32_t count)
{
    const struct fm_member *root =
        fm_rooted_root(finder->analysis, members, count, FM_RULE_BROADCAST);
    const fm_metric_t metric = fm_library_metric(fm_member_paradigm(members[0]), FM_RULE_BROADCAST);
    if (root == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (fm_rooted_takes_part(members[i], root)) {
            fm_member_wait(finder, members[i], root, metric);
        }
    }
}

const struct fm_pattern fm_pattern_late_broadcast = {
    .name = "Late Broadcast",
    .instances = FM_CALLS(ONE_TO_ALL),
    .instance = find_late_broadcast,
};

static void find_early_reduce(const struct fm_finder *finder, const struct fm_member **members,
                              uint32_t count)
{
    const struct fm_member *root = fm_rooted_root(finder->analysis, members, count, FM_RULE_REDUCE);
    const fm_metric_t metric = fm_library_metric(fm_member_paradigm(members[0]), FM_RULE_REDUCE);
    if (root == NULL) {
        return;
    }
    const struct fm_member *last = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        const struct fm_member *member = members[i];
        if (fm_rooted_takes_part(member, root) &&
            (last == NULL || member->enter > last->enter ||
             (member->enter == last->enter && member->rank < last->rank))) {
            last = member;
        }
    }
    if (last != NULL) {
        fm_member_wait(finder, root, last, metric);
    }
}

const struct fm_pattern fm_pattern_early_reduce = {
    .name = "Early Reduce",
    .instances = FM_CALLS(ALL_TO_ONE),
    .instance = find_early_reduce,
};
