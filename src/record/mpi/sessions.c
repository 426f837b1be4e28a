/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of MPI 4, with and without MPI_Init.
 *
 * A program without MPI_Init begins its run with the first session: the recorder begins a session
 * of its own and makes a communicator of all processes ("mpi://WORLD"), which it keeps. Which
 * session is the last one of a process is only known at its exit, and no call of the program comes
 * together with those of all other processes: the archive is written at the exit, when the sessions
 * of the program have ended. The recorder's session keeps the library in operation until then. */
#include "record/mpi/sessions.h"

#include "record/mpi/inside/inside.h"
#include "record/mpi/mpi_run.h"
#include "record/mpi/objects/comm.h"

#include <stdio.h>
#include <unistd.h>

static fm_spin_t lock;    /* guards what follows */
static uint32_t sessions; /* of the program, open */
static bool has_tried;    /* the first session has begun the run, or failed to */

/* Takes the lock. Threads may begin sessions before the recorder knows of any thread level. */
static void take(void)
{
    fm_spin_lock_if(true, &lock);
}

static void give(void)
{
    fm_spin_unlock_if(true, &lock);
}

/* Prepares a call that begins a session. Threads may use this session, or another one that begins
 * at the same time, as soon as the library has made it. */
static void prepare(void)
{
    take();
    __atomic_store_n(&fm_mpi_threaded, true, __ATOMIC_RELAXED);
    fm_inside_prepare();
    give();
}

/* @return false, with a message */
static bool fail(const char *call)
{
    dprintf(STDERR_FILENO,
            "fermata: nothing is recorded: the recorder's own %s failed in the first session\n",
            call);
    return false;
}

/* Begins the run of a program that has no MPI_COMM_WORLD. Collective. @return whether it has begun
 */
static bool open_run(void)
{
    static MPI_Group all;
    MPI_Session own;
    MPI_Comm comm;
    if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own) != MPI_SUCCESS) {
        return fail("MPI_Session_init");
    }
    if (PMPI_Group_from_session_pset(own, "mpi://WORLD", &all) != MPI_SUCCESS ||
        PMPI_Comm_create_from_group(all, "fermata", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) !=
            MPI_SUCCESS) {
        PMPI_Session_finalize(&own);
        return fail("MPI_Comm_create_from_group");
    }
    if (!fm_run_open_sessions(own, comm)) {
        return false;
    }
    fm_comm_begin_sessions(all);
    return true;
}

/* Notes a new session of the program. @return whether it is to begin the run */
static bool note_begin(void)
{
    take();
    const bool first = !has_tried && !fm_run_has_begun;
    has_tried = true;
    if (sessions++ == 0 && !first && !fm_run_has_world) {
        fm_run_resumes();
    }
    give();
    return first;
}

int fm_MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    prepare();
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Session_init);
    int result = PMPI_Session_init(info, errhandler, session);
    const bool begins = result == MPI_SUCCESS && thread != NULL && note_begin() && open_run();
    if (begins) {
        fm_thread_leave(thread, 0);
        fm_run_begins(thread);
    } else if (thread != NULL) {
        fm_thread_leave(thread, 0);
        fm_thread_done(thread);
    }
    return result;
}

void fm_sessions_note_end_of_world(void)
{
    take();
    if (sessions == 0) {
        fm_run_rests();
    }
    give();
}

int fm_MPI_Session_finalize(MPI_Session *session)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Session_finalize);
    int result = PMPI_Session_finalize(session);
    if (thread == NULL) {
        return result;
    }
    fm_thread_leave(thread, 0);
    fm_thread_done(thread);
    if (result == MPI_SUCCESS) {
        take();
        if (sessions != 0 && --sessions == 0 && !fm_run_has_world) {
            fm_run_rests();
        }
        give();
    }
    return result;
}
