/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Commands whose work several processes do together when an MPI launcher has started them. MPI is
 * started in the isolated child only (cli/archive/isolated_command.h).
 */
#ifndef FERMATA_CLI_ARCHIVE_ANALYSIS_TEAM_H
#define FERMATA_CLI_ARCHIVE_ANALYSIS_TEAM_H

#include "base/error.h"
#include "engine/team/team.h"

#include <stdbool.h>

/** Which MPI library to use.
 * @param choice  the user's choice: "openmpi", "mpich", "none"; NULL: whose launcher has started
 *                this process together with others
 * @return NULL: none, this process is alone */
const char *fm_team_library(const char *choice);

/** Checks that the launcher can connect processes of the chosen library, without starting MPI: Open
 * MPI, started by MPICH's launcher, crashes in about 10% of the runs when it ends.
 * @param choice  as of fm_team_library()
 * @return FM_ERR_USAGE: it cannot; fm_team_library(NULL) is the library that reports this once */
fm_status_t fm_team_check_library(const char *choice, struct fm_error *error);

/** Starts MPI; once in a process, which has to leave the team before it ends: if it calls exit()
 * before, it ends the others, too.
 * @param library  NULL: the process stays alone
 * @param team     out: NULL for a process alone
 * @return FM_ERR_SYSTEM: the module is missing, or MPI cannot be started */
fm_status_t fm_team_join(const char *library, struct fm_team **team, struct fm_error *error);

/** Waits for the others and ends MPI. */
void fm_team_leave(struct fm_team *team);

/** @return whether this process is to report a failure that all may have and about which they
 * cannot talk: one on each machine is. */
bool fm_team_speaks(void);

#endif
