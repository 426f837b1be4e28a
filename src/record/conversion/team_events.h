/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Events of teams of threads, tasks and locks that threads share. Private to src/record/conversion.
 *
 * A location's open teams are tracked, so that each ThreadTeamBegin has its ThreadTeamEnd, also
 * where records are left out (a pause) or missing (a killed run): a team ends no later than the
 * region of its construct.
 */
#ifndef FERMATA_RECORD_CONVERSION_TEAM_EVENTS_H
#define FERMATA_RECORD_CONVERSION_TEAM_EVENTS_H

#include "record/conversion/convert_state.h"

/** Writes the event of a record FORK, TEAM_, TASK_ or LOCK_TAKEN and LOCK_GIVEN. */
void fm_team_event(struct fm_thread *thread, const uint64_t *record);

/** Ends the open teams whose regions are not among the outer `regions` marked regions, each behind
 * the marked regions inside it. */
void fm_team_events_end_behind(struct fm_thread *thread, size_t regions, uint64_t time);

/** Ends a fork whose team does not begin: the recording pauses, or ends, in between. */
void fm_team_events_end_fork(struct fm_thread *thread, uint64_t time);

/** Number of events that the functions above would write if no region were open. */
size_t fm_team_events_open(const struct fm_thread *thread);

#endif
