/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Who needs whom in non-blocking collectives. The members of each collective are gathered at a
 * process, its home, which finds for each member since when it needs which others, and keeps what
 * those do while others wait.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_NEEDED_MEMBERS_H
#define FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_NEEDED_MEMBERS_H

#include "analysis/collective/instance.h"
#include "analysis/collective/progress/collective_home.h"

/** A member needs others. */
struct fm_member_need {
    struct fm_call_ref call; /**< that completes its part */
    uint64_t event;          /**< t_c: the last of the members that it needs starts */
    uint64_t ends;           /**< of the calls of this event, the latest Leave */
    struct fm_call_ref late; /**< the first one of these calls by rank */
    uint32_t home;           /**< process */
    uint32_t instance, part; /**< of the home */
    uint32_t names;          /**< of the operation: a bit */
    uint8_t size_class;
    uint8_t order; /**< of its rule */
    bool is_persistent;
    bool is_far; /**< it needs a member on another node */
};

typedef FM_VECTOR(struct fm_member_need) fm_member_needs;

struct fm_needed_members;

/** @return no members yet, to be freed with fm_needed_members_free() */
struct fm_needed_members *fm_needed_members_create(struct fm_analysis *analysis);
void fm_needed_members_free(struct fm_needed_members *needed);

/** Adds a member of a collective; others than non-blocking ones of MPI are ignored. To be called in
 * a stage, by the owner of the member. */
void fm_needed_members_add(struct fm_needed_members *needed, unsigned worker,
                           const struct fm_member *member);

/** Finds all needs, after the last member. Runs stages; collective. */
void fm_needed_members_find(struct fm_needed_members *needed);

/** @return the needs of the members of a process that is owned here, in no order. The caller may
 * sort them. */
fm_member_needs *fm_needed_members_of(struct fm_needed_members *needed, uint32_t process);

/** @return the collectives whose home is a process that is owned here. */
const struct fm_collective_home *fm_needed_members_home(const struct fm_needed_members *needed,
                                                        uint32_t process);

#endif
