/* SPDX-License-Identifier: BSD-3-Clause */
/* Coarrays as a paradigm: begin and end of the program.
 *
 * The library begins and ends MPI inside its own calls. MPI's wrappers begin the run there, and
 * this paradigm joins it. At the end they keep MPI alive until this paradigm has ended, too, when
 * all images have told each other that they stop: an image that stops early must not be awaited
 * before. */
#include "record/caf/caf.h"
#include "record/flight/flight.h"
#include "record/paradigm/alone.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool fm_caf_has_begun;

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_UNKNOWN, /* OTF2 knows no coarrays */
    .otf2_class = OTF2_PARADIGM_CLASS_PROCESS,
    .rma_only = true,
    .first_process = 1,
    .name = "Coarrays",
    .process = "Image",
    .communicator = "Team ${id}",
    .window = "Team ${id}",
    .last_call = "caf finalize",
};

static const struct fm_function functions[] = {
#include "regions.inc"
};

static const fm_function_t wrappers[] = {
#include "wrappers.inc"
};

uint32_t fm_first_function;

FM_API extern const struct fm_paradigm fermata_paradigm;
const struct fm_paradigm fermata_paradigm = {.description = &description,
                                             .count = FM_FUNCTION_COUNT,
                                             .functions = functions,
                                             .wrappers = wrappers,
                                             .next = fm_next_functions,
                                             .first = &fm_first_function};

/* ---- begin ---- */

/* The library has no function for its version: the name of its file. */
static const char *library_version(void)
{
    static char text[128];
    Dl_info library;
    const char *file = "";
    if (dladdr((void *)(uintptr_t)FM_CAF(init), &library) != 0 && library.dli_fname != NULL) {
        const char *slash = strrchr(library.dli_fname, '/');
        file = slash != NULL ? slash + 1 : library.dli_fname;
    }
    snprintf(text, sizeof text, "OpenCoarrays, %s", file);
    return text;
}

static void record_begin(struct fm_thread *thread)
{
    fm_thread_leave(thread, 0);
    if (fm_caf_world.size != 0) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN +
                                                    FM_WORDS_WIN_CREATE + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        r = fm_put_mark(r, FM_RECORD_WIN_CREATE, fm_caf_world.window);
        fm_put_rma_collective(r, OTF2_COLLECTIVE_OP_CREATE_HANDLE, fm_caf_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0, OTF2_RMA_SYNC_LEVEL_PROCESS);
    }
    fm_thread_done(thread);
}

/* Begins, or joins the run that MPI's wrappers have begun. Without them nothing can be recorded:
 * coarrays have no communication of the recorder's own. @return whether there is a run */
static bool join_run(int rank, int size)
{
    static struct fm_exchange numbers;
    numbers = fm_exchange_alone;
    numbers.rank = (uint32_t)rank;
    numbers.size = (uint32_t)size;
    numbers.failure =
        size == 1 ? NULL
                  : "the MPI library that coarrays are based on is not one that can be recorded; "
                    "`fermata doctor` finds what is missing";
    return fm_session_open(&fermata_paradigm, &numbers, library_version());
}

/* Static coarrays have begun the library before the program does. */
void fm__gfortran_caf_init(int *argc, char ***argv)
{
    struct fm_thread *thread = fm_call_enter(FM_CAF_FUNCTION(init));
    if (thread != NULL) {
        thread->depth = FM_DEPTH_LENDING;
    }
    FM_CAF(init)(argc, argv);
    if (thread == NULL) {
        return;
    }
    thread->depth = 1;
    if (fm_caf_has_begun) {
        fm_call_leave(thread);
        return;
    }
    int rank = FM_CAF(this_image)(0) - 1, size = FM_CAF(num_images)(0, -1);
    fm_caf_has_begun = true;
    if (!join_run(rank, size)) {
        return;
    }
    fm_caf_teams_begin(rank, size);
    record_begin(thread);
    fm_pause_run_begins();
    fm_session_sample();
}

/* ---- end ---- */

static void record_end(struct fm_thread *thread, uint64_t time)
{
    fm_thread_leave_at(thread, time, 0);
    if (fm_caf_world.size != 0) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN +
                                                    FM_WORDS_WIN_DESTROY + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        r = fm_put_mark(r, FM_RECORD_WIN_DESTROY, fm_caf_world.window);
        fm_put_rma_collective(r, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, fm_caf_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
                              OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
    }
}

void fm__gfortran_caf_finalize(void)
{
    enum { ENTER_LEAVE_WINDOW_COLLECTIVE = 5 };
    struct fm_thread *thread = fm_call_enter(FM_CAF_FUNCTION(finalize));
    FM_CAF(finalize)();
    if (fm_caf_has_begun) {
        fm_caf_has_begun = false;
        fm_session_leave(&fermata_paradigm, thread, record_end, ENTER_LEAVE_WINDOW_COLLECTIVE);
    }
}

/* The functions below end the process, and most of them the other images, too: the records are
 * saved first. */
static void save(void)
{
    fm_session_save(true);
    fm_flight_alarm();
}

#define STOP(name, prototype, arguments)                                                           \
    void fm__gfortran_caf_##name prototype                                                         \
    {                                                                                              \
        struct fm_thread *thread = fm_call_enter(FM_CAF_FUNCTION(name));                           \
        save();                                                                                    \
        FM_CAF(name) arguments;                                                                    \
        if (thread != NULL) {                                                                      \
            fm_thread_done(thread);                                                                \
        }                                                                                          \
    }

STOP(stop_numeric, (int code, bool quiet), (code, quiet))
STOP(stop_str, (const char *text, size_t length, bool quiet), (text, length, quiet))
STOP(error_stop, (int code, bool quiet), (code, quiet))
STOP(error_stop_str, (const char *text, size_t length, bool quiet), (text, length, quiet))
STOP(fail_image, (void), ())
