/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMCI as a paradigm: begin and end. MPI has begun the run before and ends it later, because
 * programs initialize MPI before ARMCI. */
#include "record/armci/armci.h"

bool fm_armci_threaded;

/* The recorder takes part in ARMCI: its begin was recorded, its end was not. */
static bool has_begun;

static const struct fm_paradigm_description description = {
    .otf2 = OTF2_PARADIGM_UNKNOWN, /* OTF2 has none for ARMCI */
    .otf2_class = OTF2_PARADIGM_CLASS_PROCESS,
    .rma_only = true,
    .name = "ARMCI",
    .process = "ARMCI Process",
    .communicator = "ARMCI group ${id}",
    .window = "ARMCI group ${id}",
    .last_call = "ARMCI_Finalize",
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

/* The processes of ARMCI, to be compared with those of MPI. Its functions are called only if no run
 * has begun: the run then ends with the failure. */
static void none(void)
{
}

static void no_data(void *data, size_t bytes, uint32_t rank)
{
    (void)data, (void)bytes, (void)rank;
}

static void no_pieces(const void *in, void *out, size_t bytes, uint32_t root)
{
    (void)in, (void)out, (void)bytes, (void)root;
}

static void no_values(uint64_t *values, size_t count, enum fm_reduction reduction)
{
    (void)values, (void)count, (void)reduction;
}

static void no_message(const void *data, size_t bytes, uint32_t to)
{
    (void)data, (void)bytes, (void)to;
}

static struct fm_exchange processes = {
    .failure = "ARMCI is based on an MPI library that is not recorded; `fermata doctor` finds why",
    .barrier = none,
    .broadcast = no_data,
    .gather = no_pieces,
    .scatter = no_pieces,
    .reduce = no_values,
    .send = no_message,
    .receive = no_data};

static void record_begin(struct fm_thread *thread)
{
    fm_thread_leave(thread, 0);
    if (fm_armci_world.size != 0) {
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN +
                                                    FM_WORDS_WIN_CREATE + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        r = fm_put_mark(r, FM_RECORD_WIN_CREATE, fm_armci_world.window);
        fm_put_rma_collective(r, OTF2_COLLECTIVE_OP_CREATE_HANDLE, fm_armci_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0, OTF2_RMA_SYNC_LEVEL_PROCESS);
    }
    fm_thread_done(thread);
}

/* Ends the recorded call of an initialization. */
static void begin(struct fm_thread *thread, int outcome, bool threaded)
{
    int rank = 0, size = 0;
    if (thread == NULL || outcome != 0 || has_begun) {
        fm_call_leave(thread);
        return;
    }
    fm_armci_place(&rank, &size);
    fm_armci_threaded = threaded;
    processes.rank = (uint32_t)rank;
    processes.size = (uint32_t)size;
    if (!fm_session_open(&fermata_paradigm, &processes, NULL)) {
        fm_call_leave(thread);
        return;
    }
    has_begun = true;
    fm_armci_groups_begin(size);
    fm_armci_operations_begin();
    record_begin(thread);
}

int fm_ARMCI_Init(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Init);
    int outcome = FM_ARMCI(ARMCI_Init)();
    begin(thread, outcome, false);
    return outcome;
}

int fm_ARMCI_Init_args(int *argc, char ***argv)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Init_args);
    int outcome = FM_ARMCI(ARMCI_Init_args)(argc, argv);
    begin(thread, outcome, false);
    return outcome;
}

enum { MPI_MULTIPLE = 3 }; /* MPI_THREAD_MULTIPLE of all libraries */

int fm_ARMCI_Init_thread(int requested)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Init_thread);
    int outcome = FM_ARMCI(ARMCI_Init_thread)(requested);
    begin(thread, outcome, requested == MPI_MULTIPLE);
    return outcome;
}

/* `comm` is an MPI_Comm, which is a pointer or an int: both are passed on in the same register. */
int fm_ARMCI_Init_thread_comm(int requested, void *comm)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Init_thread_comm);
    int outcome = FM_ARMCI(ARMCI_Init_thread_comm)(requested, comm);
    begin(thread, outcome, requested == MPI_MULTIPLE);
    return outcome;
}

/* ---- end ---- */

static void record_end(struct fm_thread *thread, uint64_t time)
{
    fm_thread_leave_at(thread, time, 0);
    if (fm_armci_world.size != 0) {
        fm_put_mark(fm_thread_reserve(thread, FM_WORDS_WIN_COLLECTIVE_BEGIN),
                    FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
        fm_armci_complete_all(thread);
        uint64_t *r = fm_thread_reserve(thread, FM_WORDS_WIN_DESTROY + FM_WORDS_RMA_COLLECTIVE);
        r = fm_put_mark(r, FM_RECORD_WIN_DESTROY, fm_armci_world.window);
        fm_put_rma_collective(r, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, fm_armci_world.window,
                              OTF2_COLLECTIVE_ROOT_NONE, 0, 0,
                              OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
        fm_armci_world.size = 0;
    }
}

/* MPI is still open and ends the run. */
int fm_ARMCI_Finalize(void)
{
    enum { ENTER_LEAVE_WINDOW_COLLECTIVE = 5 };
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Finalize);
    int outcome = FM_ARMCI(ARMCI_Finalize)();
    if (has_begun) {
        has_begun = false;
        fm_session_leave(&fermata_paradigm, thread, record_end,
                         ENTER_LEAVE_WINDOW_COLLECTIVE + fm_armci_completions());
    } else {
        fm_call_leave(thread);
    }
    return outcome;
}
