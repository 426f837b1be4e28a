/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of one form (wrap.h) of the one-sided operations with counts. */

int FM_FORM(fm_, MPI_Put)(const void *origin_addr, FM_COUNT origin_count,
                          MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                          FM_COUNT target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Put));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Put)(origin_addr, origin_count, origin_datatype, target_rank,
                                     target_disp, target_count, target_datatype, win);
    if (thread != NULL) {
        record_transfer(thread, result, FM_RECORD_PUT, w, target_rank,
                        bytes_of(result, origin_count, origin_datatype));
    }
    return result;
}

int FM_FORM(fm_, MPI_Get)(void *origin_addr, FM_COUNT origin_count, MPI_Datatype origin_datatype,
                          int target_rank, MPI_Aint target_disp, FM_COUNT target_count,
                          MPI_Datatype target_datatype, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Get));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Get)(origin_addr, origin_count, origin_datatype, target_rank,
                                     target_disp, target_count, target_datatype, win);
    if (thread != NULL) {
        record_transfer(thread, result, FM_RECORD_GET, w, target_rank,
                        bytes_of(result, origin_count, origin_datatype));
    }
    return result;
}

int FM_FORM(fm_, MPI_Rput)(const void *origin_addr, FM_COUNT origin_count,
                           MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                           FM_COUNT target_count, MPI_Datatype target_datatype, MPI_Win win,
                           MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Rput));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Rput)(origin_addr, origin_count, origin_datatype, target_rank,
                                      target_disp, target_count, target_datatype, win, request);
    if (thread != NULL) {
        record_request(thread, result, FM_RECORD_PUT, 0, w, target_rank,
                       bytes_of(result, origin_count, origin_datatype), 0, *request);
    }
    return result;
}

int FM_FORM(fm_, MPI_Rget)(void *origin_addr, FM_COUNT origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, FM_COUNT target_count,
                           MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Rget));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Rget)(origin_addr, origin_count, origin_datatype, target_rank,
                                      target_disp, target_count, target_datatype, win, request);
    if (thread != NULL) {
        record_request(thread, result, FM_RECORD_GET, 0, w, target_rank, 0,
                       bytes_of(result, origin_count, origin_datatype), *request);
    }
    return result;
}

int FM_FORM(fm_, MPI_Accumulate)(const void *origin_addr, FM_COUNT origin_count,
                                 MPI_Datatype origin_datatype, int target_rank,
                                 MPI_Aint target_disp, FM_COUNT target_count,
                                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Accumulate));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Accumulate)(origin_addr, origin_count, origin_datatype, target_rank,
                                            target_disp, target_count, target_datatype, op, win);
    if (thread != NULL) {
        record_atomic(thread, result, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, w, target_rank,
                      bytes_of(result, origin_count, origin_datatype), 0);
    }
    return result;
}

int FM_FORM(fm_, MPI_Raccumulate)(const void *origin_addr, FM_COUNT origin_count,
                                  MPI_Datatype origin_datatype, int target_rank,
                                  MPI_Aint target_disp, FM_COUNT target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                  MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Raccumulate));
    struct fm_win *w = begin(thread, win, target_rank);
    int result =
        FM_FORM(P, MPI_Raccumulate)(origin_addr, origin_count, origin_datatype, target_rank,
                                    target_disp, target_count, target_datatype, op, win, request);
    if (thread != NULL) {
        record_request(thread, result, FM_RECORD_ATOMIC, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, w,
                       target_rank, bytes_of(result, origin_count, origin_datatype), 0, *request);
    }
    return result;
}

int FM_FORM(fm_, MPI_Get_accumulate)(const void *origin_addr, FM_COUNT origin_count,
                                     MPI_Datatype origin_datatype, void *result_addr,
                                     FM_COUNT result_count, MPI_Datatype result_datatype,
                                     int target_rank, MPI_Aint target_disp, FM_COUNT target_count,
                                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Get_accumulate));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Get_accumulate)(
        origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
        target_rank, target_disp, target_count, target_datatype, op, win);
    if (thread != NULL) {
        uint64_t received = bytes_of(result, result_count, result_datatype);
        record_atomic(thread, result, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, w, target_rank,
                      fetch_sends(op, received), received);
    }
    return result;
}

int FM_FORM(fm_, MPI_Rget_accumulate)(const void *origin_addr, FM_COUNT origin_count,
                                      MPI_Datatype origin_datatype, void *result_addr,
                                      FM_COUNT result_count, MPI_Datatype result_datatype,
                                      int target_rank, MPI_Aint target_disp, FM_COUNT target_count,
                                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                      MPI_Request *request)
{
    struct fm_thread *thread = fm_call_enter_brief(FM_FORM(FM_FUNCTION_, MPI_Rget_accumulate));
    struct fm_win *w = begin(thread, win, target_rank);
    int result = FM_FORM(P, MPI_Rget_accumulate)(
        origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
        target_rank, target_disp, target_count, target_datatype, op, win, request);
    if (thread != NULL) {
        uint64_t received = bytes_of(result, result_count, result_datatype);
        record_request(thread, result, FM_RECORD_ATOMIC, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                       w, target_rank, fetch_sends(op, received), received, *request);
    }
    return result;
}
