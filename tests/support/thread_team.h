/** @file
 * A team whose processes are threads of a test: as much apart from one another as those of MPI, but
 * quick to start.
 */
#ifndef FERMATA_TESTS_THREAD_TEAM_H
#define FERMATA_TESTS_THREAD_TEAM_H

#include "engine/team/team.h"

/** Runs `body(context, team)` in as many threads as the team is to have processes, and waits for
 * all of them. */
void run_thread_team(unsigned size, void (*body)(void *context, struct fm_team *team),
                     void *context);

#endif
