/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Wait..., MPI_Test..., MPI_Request_free, MPI_Cancel. */
#include "record/mpi/objects/awaited.h"
#include "record/mpi/objects/partitioned.h"
#include "record/mpi/objects/request.h"

/* Requests of a call, and their statuses (own ones if the program passes MPI_STATUSES_IGNORE). */
struct batch {
    struct fm_request **requests;
    MPI_Status *statuses;
    int count;
};

/* Claims the requests. @return false: no requests or no memory; only the call is recorded */
static bool claim_all(struct fm_thread *thread, struct batch *batch, int count,
                      const MPI_Request handles[], MPI_Status statuses[])
{
    batch->count = 0;
    batch->statuses = statuses;
    if (count <= 0) {
        return false;
    }
    batch->requests = fm_thread_scratch(thread, 0, (size_t)count * sizeof *batch->requests);
    if (statuses == MPI_STATUSES_IGNORE) {
        batch->statuses = fm_thread_scratch(thread, 1, (size_t)count * sizeof *statuses);
    }
    if (batch->requests == NULL || batch->statuses == NULL) {
        batch->statuses = statuses;
        return false;
    }
    batch->count = count;
    for (int i = 0; i < count; i++) {
        batch->requests[i] = fm_request_claim(handles[i]);
    }
    return true;
}

/* Whether a request is complete. After an error some requests may be complete; their handles are
 * MPI_REQUEST_NULL then. */
static bool is_through(int result, MPI_Request handle)
{
    return result == MPI_SUCCESS || handle == MPI_REQUEST_NULL;
}

static void complete_one(struct fm_thread *thread, struct batch *batch, int i,
                         const MPI_Status *status)
{
    if (i >= 0 && i < batch->count && batch->requests[i] != NULL) {
        fm_request_complete(thread, batch->requests[i], status);
        batch->requests[i] = NULL;
    }
}

/* Returns the incomplete requests to the table, last first, so that requests of one handle keep
 * their order. */
static void return_rest(struct fm_thread *thread, struct batch *batch, bool tested)
{
    for (int i = batch->count; i-- > 0;) {
        if (batch->requests[i] == NULL) {
            continue;
        }
        if (tested) {
            fm_request_failed_test(thread, batch->requests[i]);
        } else {
            fm_request_return(batch->requests[i]);
        }
    }
}

int fm_MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Wait);
    if (thread == NULL) {
        return PMPI_Wait(request, status);
    }
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    struct fm_request *claimed = fm_request_claim(*request);
    fm_open_request(thread, claimed);
    int result = PMPI_Wait(request, used);
    fm_thread_leave(thread, 0);
    if (claimed != NULL) {
        if (is_through(result, *request)) {
            fm_request_complete(thread, claimed, used);
        } else {
            fm_request_return(claimed);
        }
    }
    fm_thread_done(thread);
    return result;
}

/* Ends a test that has failed, of a request that is still in the table; NULL: of none that is
 * known. */
static inline void record_failed(struct fm_thread *thread, const struct fm_request *request)
{
    uint64_t detail[FM_WORDS_REQUEST_TEST];
    const bool has_detail = request != NULL && fm_request_put_test(detail, request) != detail;
    const uint64_t now = fm_clock_now();
    if (thread->merging.attention == 0 ||
        !fm_merged_add(thread, now, has_detail ? detail : NULL, true)) {
        fm_thread_leave_brief_at(thread, now, true);
        if (request != NULL) {
            fm_request_note_test(thread, request);
        }
        fm_thread_done(thread);
    }
}

int fm_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Test);
    if (thread == NULL) {
        return PMPI_Test(request, flag, status);
    }
    MPI_Status own;
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request handle = *request;
    const bool is_alone = !fm_mpi_is_threaded(); /* nobody can use the handle meanwhile */
    struct fm_request *tested = is_alone ? fm_request_first(handle) : fm_request_claim(handle);
    int result = PMPI_Test(request, flag, used);
    const bool has_failed = result == MPI_SUCCESS && !*flag;
    if (is_alone && has_failed) {
        record_failed(thread, tested);
        return result;
    }
    fm_thread_leave_test(thread, has_failed);
    if (tested != NULL) {
        tested = is_alone ? fm_request_claim(handle) : tested;
        if (result == MPI_SUCCESS ? *flag : *request == MPI_REQUEST_NULL) {
            fm_request_complete(thread, tested, used);
        } else {
            fm_request_failed_test(thread, tested);
        }
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Waitall);
    struct batch batch;
    if (thread == NULL) {
        return PMPI_Waitall(count, array_of_requests, array_of_statuses);
    }
    claim_all(thread, &batch, count, array_of_requests, array_of_statuses);
    fm_open_requests(thread, batch.requests, batch.count);
    int result = PMPI_Waitall(count, array_of_requests, batch.statuses);
    fm_thread_leave(thread, 0);
    for (int i = 0; i < batch.count; i++) {
        if (is_through(result, array_of_requests[i])) {
            complete_one(thread, &batch, i, &batch.statuses[i]);
        }
    }
    return_rest(thread, &batch, false);
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                   MPI_Status array_of_statuses[])
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Testall);
    struct batch batch;
    if (thread == NULL) {
        return PMPI_Testall(count, array_of_requests, flag, array_of_statuses);
    }
    claim_all(thread, &batch, count, array_of_requests, array_of_statuses);
    int result = PMPI_Testall(count, array_of_requests, flag, batch.statuses);
    fm_thread_leave_test(thread, result == MPI_SUCCESS && !*flag);
    for (int i = 0; i < batch.count; i++) {
        if (result == MPI_SUCCESS ? *flag : array_of_requests[i] == MPI_REQUEST_NULL) {
            complete_one(thread, &batch, i, &batch.statuses[i]);
        }
    }
    return_rest(thread, &batch, result == MPI_SUCCESS);
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Waitany);
    struct batch batch;
    MPI_Status own;
    if (thread == NULL) {
        return PMPI_Waitany(count, array_of_requests, index, status);
    }
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    claim_all(thread, &batch, count, array_of_requests, used);
    fm_open_requests(thread, batch.requests, batch.count);
    int result = PMPI_Waitany(count, array_of_requests, index, used);
    fm_thread_leave(thread, 0);
    int done = *index;
    if (done != MPI_UNDEFINED && done >= 0 && done < batch.count &&
        is_through(result, array_of_requests[done])) {
        complete_one(thread, &batch, done, used);
    }
    return_rest(thread, &batch, false);
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                   MPI_Status *status)
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Testany);
    struct batch batch;
    MPI_Status own;
    if (thread == NULL) {
        return PMPI_Testany(count, array_of_requests, index, flag, status);
    }
    MPI_Status *used = status == MPI_STATUS_IGNORE ? &own : status;
    claim_all(thread, &batch, count, array_of_requests, used);
    int result = PMPI_Testany(count, array_of_requests, index, flag, used);
    bool found = result == MPI_SUCCESS && *flag;
    fm_thread_leave_test(thread, result == MPI_SUCCESS && !found);
    if (found && *index != MPI_UNDEFINED) {
        complete_one(thread, &batch, *index, used);
    }
    return_rest(thread, &batch, result == MPI_SUCCESS && !found);
    fm_thread_done(thread);
    return result;
}

/* Common part of Waitsome and Testsome after the library's call. */
static void complete_some(struct fm_thread *thread, struct batch *batch, int result, int outcount,
                          const int indices[], const MPI_Request handles[], bool test)
{
    bool answered = result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS;
    int some = answered && outcount != MPI_UNDEFINED ? outcount : 0;
    for (int i = 0; i < some && batch->count > 0; i++) {
        if (is_through(result, handles[indices[i]])) {
            complete_one(thread, batch, indices[i], &batch->statuses[i]);
        }
    }
    return_rest(thread, batch, test && answered && outcount == 0);
}

int fm_MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                    int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Waitsome);
    struct batch batch;
    if (thread == NULL) {
        return PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices,
                             array_of_statuses);
    }
    claim_all(thread, &batch, incount, array_of_requests, array_of_statuses);
    fm_open_requests(thread, batch.requests, batch.count);
    int result =
        PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, batch.statuses);
    fm_thread_leave(thread, 0);
    complete_some(thread, &batch, result, *outcount, array_of_indices, array_of_requests, false);
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                    int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Testsome);
    struct batch batch;
    if (thread == NULL) {
        return PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices,
                             array_of_statuses);
    }
    claim_all(thread, &batch, incount, array_of_requests, array_of_statuses);
    int result =
        PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, batch.statuses);
    fm_thread_leave_test(thread, result == MPI_SUCCESS && *outcount == 0);
    complete_some(thread, &batch, result, *outcount, array_of_indices, array_of_requests, true);
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Request_free(MPI_Request *request)
{
    struct fm_thread *thread = fm_completion_enter(FM_FUNCTION_MPI_Request_free);
    if (thread == NULL) {
        return PMPI_Request_free(request);
    }
    struct fm_request *claimed = fm_request_claim(*request);
    bool partitioned = claimed != NULL && claimed->kind == FM_REQUEST_PARTITIONED;
    if (partitioned) { /* now, because the library may reuse the handle at once */
        fm_partitioned_enter(claimed->handle, NULL);
    }
    int result = PMPI_Request_free(request);
    fm_thread_leave(thread, 0);
    if (claimed != NULL && result != MPI_SUCCESS) {
        if (partitioned) {
            fm_partitioned_enter(claimed->handle, claimed->partitioned);
        }
        fm_request_return(claimed);
    } else if (claimed != NULL) {
        /* OTF2: a send whose request is freed counts as complete here; a receive stays open. */
        const uint64_t id = claimed->kind == FM_REQUEST_SEND       ? claimed->id
                            : claimed->kind == FM_REQUEST_SENDRECV ? claimed->send_id
                                                                   : 0;
        if (claimed->active && id != 0) {
            fm_put_id(fm_thread_reserve(thread, FM_WORDS_ISEND_COMPLETE), FM_RECORD_ISEND_COMPLETE,
                      0, id);
        }
        if (claimed->kind == FM_REQUEST_PARTITIONED) {
            fm_partitioned_free(claimed->partitioned);
        }
        fm_request_release(claimed);
    }
    fm_thread_done(thread);
    return result;
}

int fm_MPI_Cancel(MPI_Request *request)
{
    /* The status of the completing call states whether the operation was cancelled. */
    FM_RECORD_PLAIN(int, MPI_Cancel, PMPI_Cancel(request));
}
