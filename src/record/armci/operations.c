/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations and their completion.
 *
 * Operations on one process have common matching ids, of which there are two for what changes
 * memory (puts, accumulates, Rmw) and waits for a fence: one for operations that their call has
 * completed at the origin, one for those that were only begun. Gets that were begun have an id for
 * each handle, or one for all implicit handles of the process.
 *
 * A handle is open from its first operation to the call that completes it: ARMCI has no call that
 * ends it otherwise. There is room for many, without allocation; beyond that, operations are
 * recorded as those of implicit handles.
 *
 * ARMCI-MPI does not complete single operations: ARMCI_Wait and ARMCI_Test flush, at the origin,
 * all operations on the target of the handle, or those on all targets if the handle is one for
 * aggregates, which ARMCI_INIT_HANDLE makes it (version 0.3.1). Other libraries complete the
 * operations of the handle. */
#include "record/armci/armci.h"

#include <stdlib.h>
#include <string.h>

enum { HANDLES = 1024 }; /* a power of two */

/* Operations on one process that are not complete. */
struct target {
    uint64_t done;  /* id of those that await a fence only; 0: none */
    uint64_t begun; /* id of those that are not known to be complete at the origin; 0: none */
    uint64_t gets;  /* id of gets with implicit handles; 0: none */
    uint32_t place; /* in open, plus 1; 0: not there */
    bool waits;     /* some of `begun` were begun since the last completion at the origin */
};

/* An open handle; NULL: free. */
struct handle {
    void *address;
    int target;
    uint64_t gets; /* id; 0: none */
    bool changes;  /* it has operations of target.begun */
};

static struct {
    fm_spin_t lock;
    struct target *targets; /* by process; NULL: nothing is recorded */
    uint32_t *open;         /* processes with operations that are not complete */
    uint32_t open_count;
    struct handle handles[HANDLES];
    uint32_t handle_count;
} state;

static void lock_state(void)
{
    fm_spin_lock_if(fm_armci_threaded, &state.lock);
}

static void unlock_state(void)
{
    fm_spin_unlock_if(fm_armci_threaded, &state.lock);
}

void fm_armci_operations_begin(void)
{
    size_t size = (size_t)fm_armci_world.size;
    if (size != 0 && state.targets == NULL) {
        state.targets = calloc(size, sizeof *state.targets);
        state.open = calloc(size, sizeof *state.open);
        if (state.open == NULL) {
            free(state.targets);
            state.targets = NULL;
        }
    }
}

static bool is_recorded(int proc)
{
    return FM_LIKELY(state.targets != NULL && proc >= 0 && proc < fm_armci_world.size);
}

/* ---- handles: open addressing with linear probing ---- */

static uint32_t home_of(const void *address)
{
    return (uint32_t)(((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 32) % HANDLES;
}

/* The place of a handle, or the free one where it belongs. */
static uint32_t find_handle(const void *address)
{
    uint32_t i = home_of(address);
    while (state.handles[i].address != NULL && state.handles[i].address != address) {
        i = (i + 1) % HANDLES;
    }
    return i;
}

static void remove_handle(uint32_t hole)
{
    state.handle_count--;
    for (uint32_t i = (hole + 1) % HANDLES; state.handles[i].address != NULL;
         i = (i + 1) % HANDLES) {
        uint32_t home = home_of(state.handles[i].address);
        if ((i - home) % HANDLES >= (i - hole) % HANDLES) { /* the hole lies on its way */
            state.handles[hole] = state.handles[i];
            hole = i;
        }
    }
    state.handles[hole] = (struct handle){0};
}

/* The open handle; NULL: an implicit one, or there is no room. */
static struct handle *open_handle(void *address, int target)
{
    if (address == NULL) {
        return NULL;
    }
    struct handle *handle = &state.handles[find_handle(address)];
    if (handle->address == NULL) {
        if (state.handle_count >= HANDLES / 4 * 3) {
            return NULL;
        }
        state.handle_count++;
        *handle = (struct handle){.address = address};
    }
    handle->target = target;
    return handle;
}

/* ---- operations ---- */

static struct target *open_target(int proc)
{
    struct target *target = &state.targets[proc];
    if (target->place == 0) {
        state.open[state.open_count++] = (uint32_t)proc;
        target->place = state.open_count;
    }
    return target;
}

static uint64_t use(struct fm_thread *thread, uint64_t *id)
{
    *id = *id != 0 ? *id : fm_thread_new_id(thread);
    return *id;
}

/* The matching id of an operation that changes memory. */
static uint64_t begin_change(struct fm_thread *thread, int proc, void *hdl)
{
    lock_state();
    struct target *target = open_target(proc);
    uint64_t id;
    if (hdl == FM_ARMCI_COMPLETE) {
        id = use(thread, &target->done);
    } else {
        struct handle *handle = open_handle(hdl, proc);
        if (handle != NULL) {
            handle->changes = true;
        }
        target->waits = true;
        id = use(thread, &target->begun);
    }
    unlock_state();
    return id;
}

static uint64_t begin_get(struct fm_thread *thread, int proc, void *hdl)
{
    if (hdl == FM_ARMCI_COMPLETE) {
        return fm_thread_new_id(thread);
    }
    lock_state();
    struct handle *handle = open_handle(hdl, proc);
    uint64_t id = use(thread, handle != NULL ? &handle->gets : &open_target(proc)->gets);
    unlock_state();
    return id;
}

static void put_completion(struct fm_thread *thread, enum fm_record_kind kind, uint64_t id)
{
    fm_put_id(fm_thread_reserve(thread, FM_WORDS_COMPLETE_REMOTE), kind, fm_armci_world.window, id);
}

/* Ends the recorded call of an operation. */
static void end_operation(struct fm_thread *thread, const void *hdl, uint64_t id)
{
    if (hdl == FM_ARMCI_COMPLETE && id != 0) {
        put_completion(thread, FM_RECORD_COMPLETE_BLOCKING, id);
    }
    fm_thread_done(thread);
}

static void transfer(struct fm_thread *thread, enum fm_record_kind kind, uint64_t bytes, int proc,
                     void *hdl)
{
    if (is_recorded(proc)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_PUT + fm_words_above(bytes));
        uint64_t id =
            kind == FM_RECORD_GET ? begin_get(thread, proc, hdl) : begin_change(thread, proc, hdl);
        fm_put_transfer(r, kind, fm_armci_world.window, proc, bytes, id);
        end_operation(thread, hdl, id);
    } else {
        fm_call_leave(thread);
    }
}

void fm_armci_put(struct fm_thread *thread, uint64_t bytes, int proc, void *hdl)
{
    transfer(thread, FM_RECORD_PUT, bytes, proc, hdl);
}

void fm_armci_get(struct fm_thread *thread, uint64_t bytes, int proc, void *hdl)
{
    transfer(thread, FM_RECORD_GET, bytes, proc, hdl);
}

static void atomic(struct fm_thread *thread, OTF2_RmaAtomicType type, uint64_t sent,
                   uint64_t received, int proc, void *hdl)
{
    if (is_recorded(proc)) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ATOMIC);
        uint64_t id = begin_change(thread, proc, hdl);
        fm_put_atomic(r, type, fm_armci_world.window, proc, sent, received, id);
        end_operation(thread, hdl, id);
    } else {
        fm_call_leave(thread);
    }
}

void fm_armci_accumulate(struct fm_thread *thread, uint64_t bytes, int proc, void *hdl)
{
    atomic(thread, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, bytes, 0, proc, hdl);
}

int fm_ARMCI_Rmw(int op, void *local, void *remote, int value, int proc)
{
    /* ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG */
    enum { SWAP = 2, LONG = 1 };
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Rmw);
    int outcome = FM_ARMCI(ARMCI_Rmw)(op, local, remote, value, proc);
    if (FM_LIKELY(thread != NULL)) {
        uint64_t bytes = (op & LONG) != 0 ? sizeof(long) : sizeof(int);
        atomic(thread,
               (op & SWAP) != 0 ? OTF2_RMA_ATOMIC_TYPE_SWAP : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD,
               bytes, bytes, outcome == 0 ? proc : -1, FM_ARMCI_COMPLETE);
    }
    return outcome;
}

/* ---- completion at the origin ---- */

static void complete_changes_here(struct fm_thread *thread, struct target *target)
{
    if (target->begun != 0) {
        put_completion(thread, FM_RECORD_COMPLETE_LOCAL, target->begun);
        target->waits = false;
    }
}

/* Completes the operations of an open handle, and removes it. */
static void complete_handle(struct fm_thread *thread, uint32_t place)
{
    const struct handle handle = state.handles[place];
    remove_handle(place);
    if (handle.gets != 0) {
        put_completion(thread, FM_RECORD_COMPLETE_LOCAL, handle.gets);
    }
    if (handle.changes) {
        complete_changes_here(thread, &state.targets[handle.target]);
    }
}

/* Completes the gets of all open handles of a target; -1: of all. Removing a handle may move
 * another one to its place. */
static void complete_gets_of_handles(struct fm_thread *thread, int proc)
{
    uint32_t i = 0;
    while (state.handle_count != 0 && i < HANDLES) {
        const struct handle *handle = &state.handles[i];
        if (handle->address != NULL && (proc < 0 || handle->target == proc)) {
            if (handle->gets != 0) {
                put_completion(thread, FM_RECORD_COMPLETE_LOCAL, handle->gets);
            }
            remove_handle(i);
        } else {
            i++;
        }
    }
}

static void complete_target_here(struct fm_thread *thread, struct target *target)
{
    if (target->waits) {
        complete_changes_here(thread, target);
    }
    if (target->gets != 0) {
        put_completion(thread, FM_RECORD_COMPLETE_LOCAL, target->gets);
        target->gets = 0;
    }
}

static void complete_all_here(struct fm_thread *thread)
{
    for (uint32_t i = 0; i < state.open_count; i++) {
        complete_target_here(thread, &state.targets[state.open[i]]);
    }
    complete_gets_of_handles(thread, -1);
}

static void complete_process_here(struct fm_thread *thread, int proc)
{
    if (is_recorded(proc)) {
        complete_target_here(thread, &state.targets[proc]);
        complete_gets_of_handles(thread, proc);
    }
}

/* A handle (armci_hdl_t) of ARMCI-MPI. */
struct mpi_handle {
    int target;    /* of the last operation that was begun with it */
    int aggregate; /* > 0: ARMCI_Wait completes the operations on all targets */
};

/* @param handle  out: a handle as its call finds it
 * @return whether the library is ARMCI-MPI, which calls ARMCIX_Progress itself */
static bool read_mpi_handle(const void *hdl, struct mpi_handle *handle)
{
    if (hdl == NULL || fm_next_functions[FM_FUNCTION_ARMCIX_Progress] == NULL) {
        return false;
    }
    memcpy(handle, hdl, sizeof *handle);
    return true;
}

static void complete_by_mpi_handle(struct fm_thread *thread, const struct mpi_handle *handle)
{
    if (handle->aggregate > 0) {
        complete_all_here(thread);
    } else {
        complete_process_here(thread, handle->target);
    }
}

int fm_ARMCI_Wait(void *hdl)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Wait);
    struct mpi_handle handle;
    const bool is_of_mpi = read_mpi_handle(hdl, &handle);
    int outcome = FM_ARMCI(ARMCI_Wait)(hdl);
    if (FM_LIKELY(thread != NULL)) {
        fm_thread_leave(thread, 0);
        lock_state();
        uint32_t place = find_handle(hdl);
        if (outcome == 0 && is_of_mpi) {
            complete_by_mpi_handle(thread, &handle);
        } else if (outcome == 0 && hdl != NULL && state.handles[place].address != NULL) {
            complete_handle(thread, place);
        }
        unlock_state();
        fm_thread_done(thread);
    }
    return outcome;
}

static void record_failed_test(struct fm_thread *thread, const struct handle *handle)
{
    uint64_t id = handle->gets != 0 ? handle->gets : state.targets[handle->target].begun;
    if (id != 0) {
        put_completion(thread, FM_RECORD_OPERATION_TEST, id);
    }
}

/* 0: the operations are complete. */
int fm_ARMCI_Test(void *hdl)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Test);
    struct mpi_handle mpi_handle;
    const bool is_of_mpi = read_mpi_handle(hdl, &mpi_handle);
    int outcome = FM_ARMCI(ARMCI_Test)(hdl);
    if (FM_LIKELY(thread != NULL)) {
        fm_thread_leave_test(thread, outcome != 0);
        lock_state();
        uint32_t place = find_handle(hdl);
        const struct handle *handle = &state.handles[place];
        if (outcome == 0 && is_of_mpi) {
            complete_by_mpi_handle(thread, &mpi_handle);
        } else if (hdl != NULL && handle->address != NULL && outcome == 0) {
            complete_handle(thread, place);
        } else if (hdl != NULL && handle->address != NULL) {
            record_failed_test(thread, handle);
        }
        unlock_state();
        fm_thread_done(thread);
    }
    return outcome;
}

int fm_ARMCI_WaitProc(int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_WaitProc);
    int outcome = FM_ARMCI(ARMCI_WaitProc)(proc);
    if (FM_LIKELY(thread != NULL)) {
        fm_thread_leave(thread, 0);
        if (outcome == 0) {
            lock_state();
            complete_process_here(thread, proc);
            unlock_state();
        }
        fm_thread_done(thread);
    }
    return outcome;
}

int fm_ARMCI_WaitAll(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_WaitAll);
    int outcome = FM_ARMCI(ARMCI_WaitAll)();
    if (FM_LIKELY(thread != NULL)) {
        fm_thread_leave(thread, 0);
        lock_state();
        if (outcome == 0) {
            complete_all_here(thread);
        }
        unlock_state();
        fm_thread_done(thread);
    }
    return outcome;
}

/* ---- completion at the targets ---- */

/* Gets with implicit handles stay open. */
static void complete_target(struct fm_thread *thread, struct target *target)
{
    if (target->done != 0) {
        put_completion(thread, FM_RECORD_COMPLETE_REMOTE, target->done);
    }
    if (target->begun != 0) {
        put_completion(thread, target->waits ? FM_RECORD_COMPLETE_FULLY : FM_RECORD_COMPLETE_REMOTE,
                       target->begun);
    }
    target->done = target->begun = 0;
    target->waits = false;
}

/* A process without operations leaves the list of open ones; the last one takes its place. */
static void close_target(int proc)
{
    struct target *target = &state.targets[proc];
    if (target->gets == 0 && target->place != 0) {
        uint32_t last = state.open[--state.open_count];
        state.open[target->place - 1] = last;
        state.targets[last].place = target->place;
        target->place = 0;
    }
}

void fm_armci_complete_all(struct fm_thread *thread)
{
    lock_state();
    for (uint32_t i = state.open_count; i-- > 0;) {
        int proc = (int)state.open[i];
        complete_target(thread, &state.targets[proc]);
        close_target(proc);
    }
    unlock_state();
}

uint64_t fm_armci_completions(void)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < state.open_count; i++) {
        const struct target *target = &state.targets[state.open[i]];
        events += (target->done != 0) + (target->begun != 0) + target->waits;
    }
    return events;
}

void fm_ARMCI_Fence(int proc)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_Fence);
    if (FM_LIKELY(thread != NULL) && is_recorded(proc)) {
        fm_open_end(thread,
                    fm_put_awaited_target(fm_open_begin(thread), fm_armci_world.window, proc));
    }
    FM_ARMCI(ARMCI_Fence)(proc);
    if (FM_LIKELY(thread != NULL)) {
        fm_thread_leave(thread, 0);
        if (is_recorded(proc)) {
            lock_state();
            complete_target(thread, &state.targets[proc]);
            close_target(proc);
            unlock_state();
        }
        fm_thread_done(thread);
    }
}

void fm_ARMCI_AllFence(void)
{
    struct fm_thread *thread = fm_call_enter(FM_FUNCTION_ARMCI_AllFence);
    if (FM_LIKELY(thread != NULL) && fm_armci_world.size != 0) {
        fm_open_end(thread,
                    fm_put_awaited_target(fm_open_begin(thread), fm_armci_world.window, -1));
    }
    FM_ARMCI(ARMCI_AllFence)();
    if (FM_LIKELY(thread != NULL)) {
        fm_thread_leave(thread, 0);
        fm_armci_complete_all(thread);
        fm_thread_done(thread);
    }
}
