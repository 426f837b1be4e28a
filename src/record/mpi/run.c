/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI as a paradigm: begin and end of the MPI program (MPI_Init, MPI_Init_thread, MPI_Finalize,
 * MPI_Finalized, MPI_Abort), and the recorder's communication.
 *
 * The recorder communicates in MPI_Init and in MPI_Finalize only. Between them it has no
 * communicator: an additional one would change which errors of an MPI library the program meets.
 * Without MPI_Init it communicates in the first MPI_Session_init and at the exit of the process
 * (sessions.c), and keeps a communicator and a session.
 *   MPI_Init      MPI_COMM_WORLD. No message of the program can be confused with the recorder's:
 *                 each message of the recorder is received within MPI_Init, and messages between
 *                 two processes do not overtake each other.
 *   MPI_Finalize  A communicator of its own, because receives of the program that match any message
 *                 may still be pending. It is made by MPI_Comm_create, which does not call the
 *                 program's attribute functions. If the library has no communicator left,
 *                 MPI_COMM_WORLD and the highest tag. */
#include "record/capture/lock.h"
#include "record/experiment/process_state.h"
#include "record/flight/flight.h"
#include "record/mpi/connections.h"
#include "record/mpi/inside/inside.h"
#include "record/mpi/mpi_description.h"
#include "record/mpi/mpi_run.h"
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/comm.h"
#include "record/mpi/sessions.h"
#include "record/paradigm/exchange/message_pieces.h"
#include "record/user/pcontrol.h"

#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fm_mpi_threaded;

/* Communicator of the recorder's calls. Its error handler is MPI_ERRORS_RETURN, so that a failure
 * of these calls ends recording, not the program. MPI_COMM_NULL: the program runs. */
static MPI_Comm own_comm = MPI_COMM_NULL;
static int own_tag;

/* The program's error handler of MPI_COMM_WORLD while the recorder has replaced it. */
static MPI_Errhandler program_handler;

enum { PIECE = 1 << 30 };

static struct fm_exchange exchange;

bool fm_run_has_begun;
bool fm_run_has_world;

/* The session of the recorder in a run that has begun with sessions. */
static MPI_Session own_session;
static bool has_own_session;

/* The program's MPI_Finalize has returned without PMPI_Finalize, because other paradigms or
 * processes still record, and writing the archive needs the MPI library. */
static bool finalize_deferred;

/* Stores the first failure of the recorder's own calls. @return whether this call succeeded */
static bool worked(const char *call, int result)
{
    static char failure[64 + MPI_MAX_ERROR_STRING];
    if (result != MPI_SUCCESS && exchange.failure == NULL) {
        char reason[MPI_MAX_ERROR_STRING] = "";
        int length;
        PMPI_Error_string(result, reason, &length);
        reason[strcspn(reason, "\n")] = '\0'; /* MPICH appends an error stack */
        snprintf(failure, sizeof failure, "the recorder's own %s failed: %s", call, reason);
        exchange.failure = failure;
    }
    return result == MPI_SUCCESS;
}

static void own_barrier(void)
{
    if (exchange.failure == NULL) {
        worked("MPI_Barrier", PMPI_Barrier(own_comm));
    }
}

static void own_broadcast(void *data, size_t bytes, uint32_t root)
{
    if (exchange.failure != NULL ||
        !worked("MPI_Bcast", PMPI_Bcast(data, (int)bytes, MPI_BYTE, (int)root, own_comm))) {
        memset(data, 0, bytes);
    }
}

static void own_gather(const void *in, void *out, size_t bytes, uint32_t root)
{
    if ((exchange.failure != NULL ||
         !worked("MPI_Gather", PMPI_Gather(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE,
                                           (int)root, own_comm))) &&
        exchange.rank == root) {
        memset(out, 0, bytes * exchange.size);
    }
}

static void own_scatter(const void *in, void *out, size_t bytes, uint32_t root)
{
    if (exchange.failure != NULL ||
        !worked("MPI_Scatter", PMPI_Scatter(in, (int)bytes, MPI_BYTE, out, (int)bytes, MPI_BYTE,
                                            (int)root, own_comm))) {
        memset(out, 0, bytes);
    }
}

static void own_reduce(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    const MPI_Op ops[] = {
        [FM_REDUCE_SUM] = MPI_SUM, [FM_REDUCE_MIN] = MPI_MIN, [FM_REDUCE_MAX] = MPI_MAX};
    if (exchange.failure != NULL ||
        !worked("MPI_Allreduce", PMPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T,
                                                ops[reduction], own_comm))) {
        memset(values, 0, count * sizeof *values);
    }
}

static void own_send(const void *data, size_t bytes, uint32_t to)
{
    const char *from = data;
    for (struct fm_message_pieces piece = {.size = bytes, .most = PIECE};
         fm_message_pieces_next(&piece);) {
        if (exchange.failure != NULL ||
            !worked("MPI_Send", PMPI_Send(from + piece.at, (int)piece.bytes, MPI_BYTE, (int)to,
                                          own_tag, own_comm))) {
            return;
        }
    }
}

static void own_receive(void *data, size_t bytes, uint32_t from)
{
    char *to = data;
    for (struct fm_message_pieces piece = {.size = bytes, .most = PIECE};
         fm_message_pieces_next(&piece);) {
        if (exchange.failure != NULL ||
            !worked("MPI_Recv", PMPI_Recv(to + piece.at, (int)piece.bytes, MPI_BYTE, (int)from,
                                          own_tag, own_comm, MPI_STATUS_IGNORE))) {
            memset(to + piece.at, 0, bytes - piece.at);
            return;
        }
    }
}

static struct fm_exchange exchange = {.barrier = own_barrier,
                                      .broadcast = own_broadcast,
                                      .gather = own_gather,
                                      .scatter = own_scatter,
                                      .reduce = own_reduce,
                                      .send = own_send,
                                      .receive = own_receive};

/* ---- the paradigm ---- */

static const struct fm_function functions[] = {
#include "regions.inc"
};

static fm_function_t wrappers[] = {
#include "wrappers.inc"
};

static const struct {
    uint32_t function;
    fm_function_t original; /* NULL: the library lacks it */
} optional[] = {
#include "optional.inc"
};

uint32_t fm_first_function;

/* Leaves out the wrappers of functions that the library of this process lacks. */
static void leave_out_lacking(void)
{
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
        if (optional[i].original == NULL) {
            wrappers[optional[i].function] = NULL;
        }
    }
}

/* Begins communication on MPI_COMM_WORLD with its highest tag. */
static void borrow_world(void)
{
    int *highest, found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&highest, &found);
    own_tag = found ? *highest : 32767; /* the smallest value that MPI permits */
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &program_handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    own_comm = MPI_COMM_WORLD;
}

/* Makes the communicator for the end of the run, if all processes can. */
static void make_own_comm(void)
{
    MPI_Group group;
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_group(MPI_COMM_WORLD, &group);
    uint64_t good = PMPI_Comm_create(MPI_COMM_WORLD, group, &made) == MPI_SUCCESS;
    PMPI_Group_free(&group);
    bool was_made = good != 0;
    own_reduce(&good, 1, FM_REDUCE_MIN);
    if (good) {
        PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
        own_comm = made;
    } else if (was_made) {
        PMPI_Comm_free(&made);
    }
}

/* Ends the recorder's communication, if it has begun. */
static void end_communication(void)
{
    if (own_comm == MPI_COMM_NULL) {
        return;
    }
    if (own_comm != MPI_COMM_WORLD) {
        PMPI_Comm_free(&own_comm);
    }
    own_comm = MPI_COMM_NULL;
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, program_handler);
    PMPI_Errhandler_free(&program_handler);
}

/* Ends the recorder's session, at the exit of the process. */
static void end_session(void)
{
    PMPI_Comm_free(&own_comm);
    own_comm = MPI_COMM_NULL;
    PMPI_Session_finalize(&own_session);
    has_own_session = false;
}

static void finalize(void)
{
    if (has_own_session) {
        end_session();
    }
    fm_inside_end();
    end_communication();
    if (finalize_deferred) {
        PMPI_Finalize();
    }
}

FM_API extern const struct fm_paradigm fermata_paradigm;
const struct fm_paradigm fermata_paradigm = {.description = &fm_mpi_description,
                                             .count = FM_FUNCTION_COUNT,
                                             .functions = functions,
                                             .wrappers = wrappers,
                                             .first = &fm_first_function,
                                             .attach = leave_out_lacking,
                                             .finalize = finalize};

/* ---- begin and end ---- */

static char version[MPI_MAX_LIBRARY_VERSION_STRING];

/* Notes the process's place among those of a communicator. */
static void note_place(MPI_Comm all)
{
    int length, rank, size;
    PMPI_Comm_rank(all, &rank);
    PMPI_Comm_size(all, &size);
    exchange.rank = (uint32_t)rank;
    exchange.size = (uint32_t)size;
    PMPI_Get_library_version(version, &length);
    fm_run_has_begun = true;
}

/* Libraries with the standard ABI may lack functions that the program does not use. */
int PMPI_Query_thread(int *provided) __attribute__((weak));

/* The level of threads that the library states, as of struct fm_exchange. */
static uint32_t thread_level(void)
{
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    int provided = 0;
    uint32_t level = 0, count = sizeof levels / sizeof levels[0];
    if (PMPI_Query_thread != NULL && PMPI_Query_thread(&provided) == MPI_SUCCESS) {
        while (level < count && levels[level] != provided) {
            level++;
        }
    }
    return level < count ? level + 1 : 0;
}

/* Begins the run, after PMPI_Init. @return whether MPI takes part in it */
static bool open_run(int provided)
{
    if (provided == MPI_THREAD_MULTIPLE) {
        __atomic_store_n(&fm_mpi_threaded, true, __ATOMIC_RELAXED);
    }
    note_place(MPI_COMM_WORLD);
    exchange.is_spawned = fm_connect_is_spawned();
    exchange.thread_level = thread_level();
    borrow_world();
    bool opened = fm_session_open(&fermata_paradigm, &exchange, version);
    end_communication();
    if (opened) {
        fm_inside_begin(version, true, exchange.rank, exchange.size);
        fm_types_begin(MPI_COMM_SELF, 0, exchange.rank);
    }
    return opened;
}

bool fm_run_open_sessions(MPI_Session session, MPI_Comm own)
{
    own_session = session;
    own_comm = own;
    has_own_session = true;
    note_place(own);
    if (!fm_session_open(&fermata_paradigm, &exchange, version)) {
        end_session();
        return false;
    }
    fm_inside_begin(version, false, exchange.rank, exchange.size);
    /* In MPICH 4.0 a message of a process to itself crashes in sessions of a single process. */
    fm_types_begin(exchange.size > 1 ? own : MPI_COMM_NULL, (int)exchange.rank, exchange.rank);
    return true;
}

void fm_run_begins(struct fm_thread *thread)
{
    fm_thread_done(thread);
    fm_pause_run_begins();
    fm_session_sample();
}

void fm_run_resumes(void)
{
    if (has_own_session) {
        fm_session_join(&fermata_paradigm, version);
    }
}

void fm_run_rests(void)
{
    if (has_own_session) {
        fm_session_rest(&fermata_paradigm);
    }
}

/* Begins the run within the recorded call; a run that has begun with sessions gets MPI_COMM_WORLD.
 */
static void begin_run(struct fm_thread *thread, int provided)
{
    fm_run_has_world = true;
    if (has_own_session) {
        fm_run_resumes();
    } else if (!open_run(provided)) {
        return;
    }
    fm_comm_begin();
    struct fm_comm *world = fm_comm_find(thread, MPI_COMM_WORLD);
    struct fm_comm *self = fm_comm_find(thread, MPI_COMM_SELF);
    fm_thread_leave(thread, 0);
    if (world != NULL && self != NULL) {
        fm_put_mark(fm_thread_reserve(thread, 1), FM_RECORD_COLLECTIVE_BEGIN, 0);
        fm_put_mark(fm_thread_reserve(thread, 1), FM_RECORD_COMM_CREATE, world->number);
        fm_put_mark(fm_thread_reserve(thread, 1), FM_RECORD_COMM_CREATE, self->number);
        fm_put_collective(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_END),
                          OTF2_COLLECTIVE_OP_CREATE_HANDLE, world->number,
                          OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    }
    struct fm_comm *parent = fm_connect_parent(thread->enter);
    if (parent != NULL) {
        fm_put_creation(thread, parent, parent);
    }
    if (has_own_session) {
        fm_thread_done(thread);
    } else {
        fm_run_begins(thread);
    }
}

/* Whether a library that is based on MPI initializes it, and has no communication for the recorder
 * itself. Communicators are defined when the program calls MPI itself. */
static bool is_lent(void)
{
    const struct fm_thread *thread = fm_thread_self;
    return thread != NULL && thread->depth == FM_DEPTH_LENDING && !fm_run_has_begun;
}

int fm_MPI_Init(int *argc, char ***argv)
{
    fm_inside_prepare();
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Init);
    int result = PMPI_Init(argc, argv);
    if (thread != NULL && result == MPI_SUCCESS) {
        begin_run(thread, MPI_THREAD_SINGLE);
    } else if (thread != NULL) {
        fm_thread_done(thread);
    } else if (result == MPI_SUCCESS && is_lent()) {
        open_run(MPI_THREAD_SINGLE);
    }
    return result;
}

int fm_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    fm_inside_prepare();
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Init_thread);
    int result = PMPI_Init_thread(argc, argv, required, provided);
    if (thread != NULL && result == MPI_SUCCESS) {
        begin_run(thread, *provided);
    } else if (thread != NULL) {
        fm_thread_done(thread);
    } else if (result == MPI_SUCCESS && is_lent()) {
        open_run(*provided);
    }
    return result;
}

/* Writes the records of MPI_Finalize, which ended at `time`. */
static void record_finalize(struct fm_thread *thread, uint64_t time)
{
    struct fm_comm *world = fm_comm_find(thread, MPI_COMM_WORLD);
    struct fm_comm *self = fm_comm_find(thread, MPI_COMM_SELF);
    fm_thread_leave_at(thread, time, 0);
    if (world != NULL && self != NULL) {
        fm_put_mark(fm_thread_reserve(thread, 1), FM_RECORD_COLLECTIVE_BEGIN, 0);
        fm_put_mark(fm_thread_reserve(thread, 1), FM_RECORD_COMM_DESTROY, self->number);
        fm_put_mark(fm_thread_reserve(thread, 1), FM_RECORD_COMM_DESTROY, world->number);
        fm_put_collective(fm_thread_reserve(thread, FM_WORDS_COLLECTIVE_END),
                          OTF2_COLLECTIVE_OP_DESTROY_HANDLE, world->number,
                          OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    }
}

/* Enter, four records and Leave. */
enum { FINALIZE_EVENTS = 6 };

/* The thread that ends the run. Other threads, and this one in a function that the library calls
 * meanwhile, may call MPI_Finalize, too, as far as the library permits it. */
static pthread_t ending_thread;
static fm_lock_t ending = FM_LOCK_FREE; /* held until the recorder has no more to do */

/* @return whether the calling thread is the first one that ends MPI */
static bool begin_ending(void)
{
    const pthread_t self = pthread_self();
    if (__atomic_load_n(&ending_thread, __ATOMIC_RELAXED) == self) {
        return false;
    }
    fm_lock(&ending);
    if (ending_thread != 0) {
        fm_unlock(&ending);
        return false;
    }
    __atomic_store_n(&ending_thread, self, __ATOMIC_RELAXED);
    return true;
}

/* The archive is complete before PMPI_Finalize begins, so that a crash there loses no data. The
 * recorded call ends when all processes have entered it, and does not include the recorder's work
 * after that. */
int fm_MPI_Finalize(void)
{
    if (!begin_ending()) {
        return finalize_deferred ? MPI_SUCCESS : PMPI_Finalize();
    }
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Finalize);
    fm_run_has_world = false;
    if (thread != NULL && fm_run_has_begun) {
        fm_open_collective(thread, fm_comm_find(thread, MPI_COMM_WORLD), -1);
    }
    if (has_own_session) { /* the run ends at the exit of the process */
        if (thread != NULL) {
            record_finalize(thread, fm_clock_now());
            fm_thread_done(thread);
        }
        fm_sessions_note_end_of_world();
        fm_unlock(&ending);
        return PMPI_Finalize();
    }
    if (fm_run_has_begun) {
        fm_inside_end();
        exchange.failure = exchange.failure != NULL ? exchange.failure : fm_process_change();
        borrow_world();
        if (exchange.failure == NULL) {
            make_own_comm();
        }
        if (!fm_session_leave(&fermata_paradigm, thread, record_finalize, FINALIZE_EVENTS)) {
            finalize_deferred = true;
            fm_unlock(&ending);
            return MPI_SUCCESS;
        }
    }
    end_communication();
    fm_unlock(&ending);
    return PMPI_Finalize();
}

int fm_MPI_Finalized(int *flag)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Finalized);
    int result = PMPI_Finalized(flag);
    if (finalize_deferred) {
        *flag = 1;
    }
    fm_call_leave(thread);
    return result;
}

/* The records are saved first, because the process may not return from PMPI_Abort. */
int fm_MPI_Abort(MPI_Comm comm, int errorcode)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_MPI_Abort);
    fm_session_save(true);
    fm_flight_alarm();
    int result = PMPI_Abort(comm, errorcode);
    if (thread != NULL) {
        fm_thread_done(thread);
    }
    return result;
}

int fm_MPI_Pcontrol(const int level, ...)
{
    const char *name = NULL;
    if ((level == 1 || level == -1) && fm_pcontrol_has_names()) {
        va_list arguments;
        va_start(arguments, level);
        name = va_arg(arguments, const char *);
        va_end(arguments);
    }
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Pcontrol);
    int result = PMPI_Pcontrol(level);
    fm_call_leave(thread);
    fm_pcontrol(level, name);
    return result;
}
