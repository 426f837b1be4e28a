/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The members of groups in the form that epochs need: each member once, in ascending order. A group
 * is sorted at its first use; programs use the same few groups repeatedly.
 */
#ifndef FERMATA_ANALYSIS_MODEL_GROUP_MEMBERS_H
#define FERMATA_ANALYSIS_MODEL_GROUP_MEMBERS_H

#include "base/containers/map.h"
#include "trace/tables/trace.h"

/** Position of one group's members in `processes`. */
struct fm_member_range {
    size_t first;
    uint32_t count;
};

/** The groups used so far; {0}: none. Not thread-safe. */
struct fm_group_members {
    struct fm_map range_of_group;
    FM_VECTOR(struct fm_member_range) ranges;
    FM_VECTOR(uint32_t) processes;
};

/** Finds the members of a group.
 * @param group  of the trace; FM_NONE: no members
 * @param count  out: number of members
 * @return processes; valid until the next call */
const uint32_t *fm_group_members_of(struct fm_group_members *members, const struct fm_trace *trace,
                                    uint32_t group, uint32_t *count);

void fm_group_members_free(struct fm_group_members *members);

#endif
