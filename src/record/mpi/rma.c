/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations. */
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/request.h"
#include "record/mpi/objects/window.h"

/* Begins an operation, before the library does. @param thread  NULL: the call is not recorded
 * @return its window; NULL: the operation is not recorded */
FM_INLINE struct fm_win *begin(struct fm_thread *thread, MPI_Win win, int target)
{
    struct fm_win *w = thread != NULL && target != MPI_PROC_NULL ? fm_win_find(thread, win) : NULL;
    if (w == NULL || target < 0 || target >= w->size) {
        return NULL;
    }
    fm_open_target(thread, w, target);
    return w;
}

/* Bytes of the arguments of a successful call, else 0: for invalid arguments a further library call
 * would report the error a second time. */
static uint64_t bytes_of(int result, MPI_Count count, MPI_Datatype type)
{
    return result == MPI_SUCCESS ? fm_type_bytes(count, type) : 0;
}

/* A put or get. */
FM_INLINE void record_transfer(struct fm_thread *thread, int result, enum fm_record_kind kind,
                               struct fm_win *w, int target, uint64_t bytes)
{
    if (w != NULL && result == MPI_SUCCESS) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_PUT + fm_words_above(bytes));
        fm_put_transfer(r, kind, w->number, target, bytes,
                        fm_win_operation(thread, w, target, kind == FM_RECORD_GET));
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

static void record_atomic(struct fm_thread *thread, int result, OTF2_RmaAtomicType type,
                          struct fm_win *w, int target, uint64_t sent, uint64_t received)
{
    if (w != NULL && result == MPI_SUCCESS) {
        uint64_t *r = fm_thread_leave(thread, FM_WORDS_ATOMIC);
        fm_put_atomic(r, type, w->number, target, sent, received,
                      fm_win_operation(thread, w, target, false));
    } else {
        fm_thread_leave(thread, 0);
    }
    fm_thread_done(thread);
}

/* A request-based operation. */
static void record_request(struct fm_thread *thread, int result, enum fm_record_kind kind,
                           OTF2_RmaAtomicType type, struct fm_win *w, int target, uint64_t sent,
                           uint64_t received, MPI_Request handle)
{
    struct fm_request request = {.active = true};
    if (w != NULL && result == MPI_SUCCESS) {
        bool get = kind == FM_RECORD_GET, atomic = kind == FM_RECORD_ATOMIC;
        uint64_t bytes = get ? received : sent;
        size_t words = atomic ? FM_WORDS_ATOMIC : FM_WORDS_PUT + fm_words_above(bytes);
        uint64_t *r = fm_thread_leave(thread, words);
        request.kind = FM_REQUEST_RMA;
        request.ref = w->number;
        request.fetches = get;
        request.id = fm_win_request_operation(thread, w, target, get);
        if (atomic) {
            fm_put_atomic(r, type, w->number, target, sent, received, request.id);
        } else {
            fm_put_transfer(r, kind, w->number, target, bytes, request.id);
        }
    } else {
        fm_thread_leave(thread, 0);
    }
    if (result == MPI_SUCCESS) {
        fm_request_add(handle, &request);
    }
    fm_thread_done(thread);
}

/* Bytes that a fetching operation sends: none with MPI_NO_OP, which only reads. */
static uint64_t fetch_sends(MPI_Op op, uint64_t bytes)
{
    return op == MPI_NO_OP ? 0 : bytes;
}

int fm_MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Fetch_and_op);
    struct fm_win *w = begin(thread, win, target_rank);
    int result =
        PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win);
    if (thread != NULL) {
        OTF2_RmaAtomicType type = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
        uint64_t bytes = bytes_of(result, 1, datatype);
        if (op == MPI_SUM) {
            type = OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD;
        } else if (op == MPI_REPLACE) {
            type = OTF2_RMA_ATOMIC_TYPE_SWAP;
        }
        record_atomic(thread, result, type, w, target_rank, fetch_sends(op, bytes), bytes);
    }
    return result;
}

int fm_MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                            MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                            MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FUNCTION_MPI_Compare_and_swap);
    struct fm_win *w = begin(thread, win, target_rank);
    int result = PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype,
                                       target_rank, target_disp, win);
    if (thread != NULL) {
        uint64_t bytes = bytes_of(result, 1, datatype); /* sends the new and the compared value */
        record_atomic(thread, result, OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, w, target_rank,
                      2 * bytes, bytes);
    }
    return result;
}

#define FM_COUNT int
#define FM_SUFFIX
#include "record/mpi/counted/rma_counted.h"
#undef FM_COUNT
#undef FM_SUFFIX
#define FM_COUNT  MPI_Count
#define FM_SUFFIX _c
#include "record/mpi/counted/rma_counted.h"
