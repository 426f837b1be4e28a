/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The teams of OpenMP threads of a process, from the records of its threads: each instance of a
 * team with its members and their barriers.
 *
 * An instance begins with the fork of its master and ends with the join. Its members are the
 * threads that begin the team meanwhile, whatever its communicator defines: teams may change their
 * size. Where no forks are recorded, the k-th beginnings of all threads are one instance; where
 * some fell into pauses of the recording, a beginning without a fork is one of its
 * own.
 */
#ifndef FERMATA_ANALYSIS_THREADS_TEAM_INSTANCES_H
#define FERMATA_ANALYSIS_THREADS_TEAM_INSTANCES_H

#include "analysis/model/run.h"

/** An instance of a team. */
struct fm_team_instance {
    uint64_t fork; /**< time of the fork record, else of the first beginning */
    uint64_t join; /**< time of the join record; UINT64_MAX: unknown */
    uint32_t communicator;
    uint32_t master;       /**< location; FM_NONE: unknown */
    uint32_t fork_record;  /**< row of the master's records; FM_NONE: unknown */
    uint32_t first_member; /**< in the members of the process */
    uint32_t member_count;
};

/** A thread in an instance of a team. */
struct fm_team_member {
    uint32_t team; /**< number of the instance in the process */
    uint32_t location;
    uint32_t record; /**< row of the location's records of threads: the beginning */
};

/** A thread's call of a barrier of its innermost team. */
struct fm_team_barrier {
    uint32_t team;    /**< number of the instance */
    uint32_t ordinal; /**< among the barriers of the thread in this instance; if the recording was
                           paused meanwhile, among those that any member is known to be in */
    uint32_t location;
    uint32_t activity; /**< its first stretch */
    uint64_t enter;
};

/** The teams of one process; {0}: none. */
struct fm_teams {
    FM_VECTOR(struct fm_team_instance) instances; /**< those with forks by communicator and time */
    FM_VECTOR(struct fm_team_member) members;     /**< by instance, location */
    FM_VECTOR(struct fm_team_barrier) barriers;   /**< by instance, ordinal, location */
};

/** Finds the teams of a process that is owned here. O(n log n) for n calls and records.
 * @param teams  replaced; to be freed with fm_teams_free() */
void fm_teams_find(const struct fm_trace *trace, uint32_t process, struct fm_teams *teams);

void fm_teams_free(struct fm_teams *teams);

/** @return the row of the first of a location's continuations from `activity` on. O(log n) */
size_t fm_first_continuation(const struct fm_location *location, uint32_t activity);

/** @return the activity that begins the call that an activity is a stretch of. O(log n) */
uint32_t fm_first_stretch(const struct fm_location *location, uint32_t activity);

/** @return the stretch of a call that contains an instant t > Enter of the call, or else the last
 * one before it; the call begins with activity `first`. O(log n + calls behind it that have
 * stretches before t) */
uint32_t fm_stretch_at(const struct fm_location *location, uint32_t first, uint64_t t);

#endif
