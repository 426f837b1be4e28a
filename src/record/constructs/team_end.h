/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The end of a team at its members. A member that the runtime has released from the barrier at the
 * end of a team does not return to the program: it waits for the next team, inside the runtime.
 * When the barrier was over is known to the thread that forked the team, which returns. It writes
 * this time to all members; a member records its end of the team before its next event, or when the
 * run ends. Threads of nested teams may even end before the forking thread returns: the next thread
 * of the location, which plays the same part (fm_thread_attach_as), records the end of the team
 * then.
 */
#ifndef FERMATA_RECORD_CONSTRUCTS_TEAM_END_H
#define FERMATA_RECORD_CONSTRUCTS_TEAM_END_H

#include "record/capture/thread.h"

/** Words that fm_team_end_put writes at most. */
enum { FM_TEAM_END_WORDS = FM_WORDS_REGION_LEAVE + FM_WORDS_TEAM_END };

/** Writes the records of the end of the team that the thread awaits. For a thread that records no
 * more. @return number of words; 0: it awaits none */
size_t fm_team_end_put(struct fm_thread *thread, uint64_t words[FM_TEAM_END_WORDS]);

/** Records the end of the team that the calling thread awaits, if there is one; or that an earlier
 * thread of its location awaited when it ended. */
FM_API void fm_team_end_record(struct fm_thread *thread);

#endif
