/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The run of an MPI program: its begin, with MPI_Init or with the first session of MPI 4, and its
 * end.
 */
#ifndef FERMATA_RECORD_MPI_MPI_RUN_H
#define FERMATA_RECORD_MPI_MPI_RUN_H

#include "record/mpi/wrap.h"

/** Whether the recorder takes part in this MPI program: the run has begun. */
extern FM_HIDDEN bool fm_run_has_begun;

/** Whether MPI_Init was called and MPI_Finalize was not. */
extern FM_HIDDEN bool fm_run_has_world;

/** Begins the run with a communicator of the recorder over all processes, which the recorder keeps
 * to the end of the run, together with the session that it is from. Collective.
 * @return whether MPI takes part in the run */
bool fm_run_open_sessions(MPI_Session session, MPI_Comm own);

/** Ends the records of a call that has begun MPI for the program, and begins the samples. */
void fm_run_begins(struct fm_thread *thread);

/** Registers that the program has sessions again, or that it has none and no MPI_COMM_WORLD any
 * more. Without effect if the run has begun with MPI_Init: it ends with MPI_Finalize. */
void fm_run_resumes(void);
void fm_run_rests(void);

#endif
