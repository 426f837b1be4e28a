/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Memory of teams that outlive the call that forks them: from the fork to the join, in the list of
 * the location that forks. Pages of a location serve its later threads, too: threads that end keep
 * none.
 */
#ifndef FERMATA_RECORD_OPENMP_TEAM_MEMORY_H
#define FERMATA_RECORD_OPENMP_TEAM_MEMORY_H

#include "record/openmp/openmp.h"

#include <errno.h>
#include <sys/mman.h>

/** Adds a page of teams to the unused ones of a location. errno is preserved. */
static FM_COLD void fm_omp_add_teams(struct fm_thread *thread)
{
    enum { BYTES = 4096 };
    int saved = errno;
    struct fm_omp_team *teams =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; teams != MAP_FAILED && i < BYTES / sizeof *teams; i++) {
        teams[i].outer = thread->member.unused;
        thread->member.unused = &teams[i];
    }
    errno = saved;
}

/** Takes memory for a team that the calling thread forks. @return NULL: no memory */
static inline struct fm_omp_team *fm_omp_take_team(struct fm_thread *thread)
{
    if (FM_UNLIKELY(thread->member.unused == NULL)) {
        fm_omp_add_teams(thread);
    }
    struct fm_omp_team *team = thread->member.unused;
    thread->member.unused = team != NULL ? team->outer : NULL;
    return team;
}

/** Gives back the memory of a team that has ended, in the thread that forked it. */
static inline void fm_omp_give_back_team(struct fm_omp_team *team)
{
    struct fm_thread *thread = team->forker;
    team->outer = thread->member.unused;
    thread->member.unused = team;
}

#endif
