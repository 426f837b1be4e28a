/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenSHMEM as a paradigm: begin and end of the program. The library need not survive its end: the
 * archive is complete before the real shmem_finalize, in which programs of some libraries crash. */
#include "record/flight/flight.h"
#include "record/shmem/shmem.h"

#include <stdio.h>
#include <stdlib.h>

bool fm_shmem_threaded;

/* The recorder takes part in this program: its begin was recorded, its end was not. */
static bool has_begun;

/* The program's shmem_finalize has returned without the library's, because other paradigms or
 * processes still record, and writing the archive may need the library. */
static bool finalize_deferred;

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_SHMEM,
    .otf2_class = OTF2_PARADIGM_CLASS_PROCESS,
    .rma_only = true,
    .name = "SHMEM",
    .process = "SHMEM PE",
    .communicator = "PEs ${id}",
    .window = "PEs ${id}",
    .last_call = "shmem_finalize",
};

static const struct fm_function functions[] = {
#include "regions.inc"
};

static const fm_function_t wrappers[] = {
#include "wrappers.inc"
};

uint32_t fm_first_function;

static void finalize(void)
{
    if (finalize_deferred) {
        FM_SHMEM(shmem_finalize)();
    }
}

FM_API extern const struct fm_paradigm fermata_paradigm;
const struct fm_paradigm fermata_paradigm = {.description = &description,
                                             .count = FM_FUNCTION_COUNT,
                                             .functions = functions,
                                             .wrappers = wrappers,
                                             .next = fm_next_functions,
                                             .first = &fm_first_function,
                                             .finalize = finalize};

/* ---- begin ---- */

/* Version of the specification and name of the library. */
static const char *library_version(void)
{
    enum { ROOM = 1024 }; /* more than SHMEM_MAX_NAME_LEN of any library */
    static char name[ROOM], text[ROOM + 32];
    int major = 0, minor = 0;
    if (fm_shmem_has(shmem_info_get_version) && fm_shmem_has(shmem_info_get_name)) {
        FM_SHMEM(shmem_info_get_version)(&major, &minor);
        FM_SHMEM(shmem_info_get_name)(name);
    }
    snprintf(text, sizeof text, "OpenSHMEM %d.%d, %s", major, minor, name);
    return text;
}

static void record_begin(struct fm_thread *thread)
{
    fm_thread_leave(thread, 0);
    if (fm_shmem_world.size != 0) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN +
                                                    FM_WORDS_WIN_CREATE + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        r = fm_put_mark(r, FM_RECORD_WIN_CREATE, fm_shmem_world.window);
        fm_put_rma_collective(r, OTF2_COLLECTIVE_OP_CREATE_HANDLE, fm_shmem_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0, OTF2_RMA_SYNC_LEVEL_PROCESS);
    }
    fm_thread_done(thread);
}

/* Begins the run, after the library's initialization and within the recorded call. */
static void begin_run(struct fm_thread *thread, bool threaded)
{
    if (has_begun) {
        fm_call_leave(thread);
        return;
    }
    int rank = FM_SHMEM(shmem_my_pe)(), size = FM_SHMEM(shmem_n_pes)();
    fm_shmem_threaded = threaded;
    fm_shmem_exchange.rank = (uint32_t)rank;
    fm_shmem_exchange.size = (uint32_t)size;
    fm_shmem_locks_begin(fm_shmem_exchange_begin());
    has_begun = true;
    bool opened = fm_session_open(&fermata_paradigm, &fm_shmem_exchange, library_version());
    fm_shmem_exchange_end();
    if (!opened) {
        return;
    }
    fm_shmem_groups_begin(rank, size);
    fm_shmem_contexts_begin();
    record_begin(thread);
    fm_pause_run_begins();
    fm_session_sample();
}

void fm_shmem_init(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_init);
    FM_SHMEM(shmem_init)();
    if (thread != NULL) {
        begin_run(thread, false);
    }
}

int fm_shmem_init_thread(int requested, int *provided)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_init_thread);
    int outcome = FM_SHMEM(shmem_init_thread)(requested, provided);
    if (thread != NULL && outcome == 0) {
        begin_run(thread, *provided != 0); /* 0 is SHMEM_THREAD_SINGLE in all libraries */
    } else if (thread != NULL) {
        fm_thread_done(thread);
    }
    return outcome;
}

/* ---- end ---- */

static void record_end(struct fm_thread *thread, uint64_t time)
{
    fm_thread_leave_at(thread, time, 0);
    if (fm_shmem_world.size != 0) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN),
                    FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_shmem_complete(thread, &fm_shmem_default);
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_DESTROY + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_DESTROY, fm_shmem_world.window);
        fm_put_rma_collective(r, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, fm_shmem_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
                              OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
    }
}

/* Ends the recording of the library. @return as fm_session_leave */
static bool end_run(struct fm_thread *thread)
{
    enum { ENTER_LEAVE_WINDOW_COLLECTIVE = 5 };
    has_begun = false;
    fm_shmem_exchange_begin();
    return fm_session_leave(&fermata_paradigm, thread, record_end,
                            ENTER_LEAVE_WINDOW_COLLECTIVE +
                                fm_shmem_completions(&fm_shmem_default));
}

void fm_shmem_finalize(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_finalize);
    if (thread != NULL) {
        fm_pe_awaits(thread, &fm_shmem_world, -1);
    }
    if (has_begun && !end_run(thread)) {
        finalize_deferred = true;
        FM_SHMEM(shmem_barrier_all)(); /* which belongs to the end, and completes all operations */
        return;
    }
    FM_SHMEM(shmem_finalize)();
}

/* The library ends itself in an exit handler that it has registered before this one. */
static void end_at_exit(void)
{
    if (has_begun) {
        end_run(fm_call_enter(FM_FUNCTION_shmem_finalize));
    }
}

void fm_start_pes(int npes)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_start_pes);
    FM_SHMEM(start_pes)(npes);
    if (thread != NULL) {
        if (!has_begun) {
            atexit(end_at_exit);
        }
        begin_run(thread, false);
    }
}

/* The records are saved first, because the process does not return. */
void fm_shmem_global_exit(int status)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_shmem_global_exit);
    fm_session_save(true);
    fm_flight_alarm();
    FM_SHMEM(shmem_global_exit)(status);
    if (thread != NULL) {
        fm_thread_done(thread);
    }
}
