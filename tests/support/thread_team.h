/* SPDX-License-Identifier: BSD-3-Clause */
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

#ifdef FERMATA_SANITIZED
enum { MANY_THREADS_ARE_SLOW = 1 };
#else
enum { MANY_THREADS_ARE_SLOW = 0 };
#endif

/** The size of the next team to try behind `size`: all small ones, then some up to `most`; where
 * sanitizers make many threads slow, only `most`. */
static inline unsigned next_team_size(unsigned size, unsigned most)
{
    if (size < 4) {
        return size + 1;
    }
    return MANY_THREADS_ARE_SLOW && size < most ? most : size + 9;
}

#endif
