/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The sessions of MPI 4 that the program has.
 */
#ifndef FERMATA_RECORD_MPI_SESSIONS_H
#define FERMATA_RECORD_MPI_SESSIONS_H

/** Called in MPI_Finalize of a run that has begun with sessions. */
void fm_sessions_note_end_of_world(void);

#endif
