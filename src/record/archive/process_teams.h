/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Teams of threads in an archive. A team is a communicator of a paradigm of threads (OpenMP, POSIX
 * threads) whose group consists of locations of one process. Members are known when all events are
 * written: a team is defined when the first of its events is, its group at the end. Used by one
 * thread, for one process after the other.
 *
 * OTF2 has a group of all locations for each such paradigm (COMM_LOCATIONS); groups of teams
 * contain indices of it. In definitions (define.h) a group of locations lists ranks and threads
 * instead, because the number of threads of other processes is not known.
 */
#ifndef FERMATA_RECORD_ARCHIVE_PROCESS_TEAMS_H
#define FERMATA_RECORD_ARCHIVE_PROCESS_TEAMS_H

#include "record/archive/define.h"

/** Forgets all teams, before the first one of a process.
 * @param set  definitions of the process; valid until fm_teams_define */
void fm_teams_begin(struct fm_definitions *set);

/** The communicator of a team; it is defined at its first use.
 * @param paradigm  OTF2_Paradigm
 * @param rank      of the process
 * @param creator   index of the thread that made the team
 * @param kind      distinguishes the teams of this thread
 * @return its number; FM_DEFINE_NONE without memory */
uint32_t fm_team(uint32_t paradigm, uint32_t rank, uint32_t creator, uint32_t kind);

/** Notes that a thread takes part in a team, as its member `number`. If another thread has been
 * this member before, both are members. @return false without memory */
bool fm_team_note_member(uint32_t team, uint32_t number, uint32_t thread);

/** Defines the groups of all teams. @return false without memory */
bool fm_teams_define(uint32_t rank);

#endif
