/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sentences about locks for which others wait.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_LOCK_TEXT_H
#define FERMATA_DIAGNOSIS_PROBLEMS_LOCK_TEXT_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** @return the lock of a serialization or contention in words: "the lock of window `table` on rank
 * 0", "`table_lock` (cache.c:17)", "the locks of window `table` on 64 ranks", "a lock" if it is not
 * known; to be freed with free() */
char *fm_lock_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause);

/** @return how many wait for a lock or make others wait: "4 ranks"; to be freed with free() */
char *fm_lock_users_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause);

/** Appends for how long a lock that is a cause is held, in which calls, and how many wait. */
void fm_lock_how_add(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                     struct fm_sentences *lines);

/** @return whether most of what a serialization costs arises while its location holds the lock or
 * asks for it, not while the holder waits for it. */
static inline bool fm_runs_under_lock(const struct fm_cube_problem *cause)
{
    return 2 * cause->inside >= cause->cost;
}

#endif
