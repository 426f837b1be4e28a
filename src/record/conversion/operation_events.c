/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/operation_events.h"

#include "record/capture/record.h"

/* Bytes in OTF2's event files: of an event's kind and length, of the flags in operations. */
enum { EVENT_BYTES = 2, FLAG_BYTES = 3 };

/* Bytes of a number, which OTF2 writes without leading zeros. */
static uint64_t number_bytes(uint64_t number)
{
    return number == 0 ? 1 : 1 + (71 - (uint64_t)__builtin_clzll(number)) / 8;
}

uint64_t fm_region_event_bytes(uint32_t region)
{
    return EVENT_BYTES + number_bytes(region);
}

uint64_t fm_operation_event_bytes(const uint64_t *record, uint64_t bytes)
{
    uint64_t sum = EVENT_BYTES + FLAG_BYTES + number_bytes(fm_record_ref(record[0]));
    sum += number_bytes(bytes);
    for (int i = 1; i < fm_record_words[fm_record_kind(record[0])]; i++) {
        sum += number_bytes((uint32_t)record[i]) + number_bytes(record[i] >> 32);
    }
    return sum;
}

static OTF2_ErrorCode convert_message(OTF2_EvtWriter *w, uint64_t t, const uint64_t *r,
                                      uint64_t bytes)
{
    uint32_t comm = fm_record_ref(r[0]);
    uint32_t peer = (uint32_t)r[1], tag = (uint32_t)(r[1] >> 32);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_SEND:
        return OTF2_EvtWriter_MpiSend(w, NULL, t, peer, comm, tag, bytes);
    case FM_RECORD_ISEND:
        return OTF2_EvtWriter_MpiIsend(w, NULL, t, peer, comm, tag, bytes, r[2]);
    case FM_RECORD_RECV:
        return OTF2_EvtWriter_MpiRecv(w, NULL, t, peer, comm, tag, bytes);
    default:
        return OTF2_EvtWriter_MpiIrecv(w, NULL, t, peer, comm, tag, bytes, r[2]);
    }
}

static OTF2_ErrorCode convert_file(OTF2_EvtWriter *w, uint64_t t, const uint64_t *r, uint64_t bytes)
{
    const uint32_t handle = fm_record_ref(r[0]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_IO_CREATE:
        return OTF2_EvtWriter_IoCreateHandle(w, NULL, t, handle,
                                             (OTF2_IoAccessMode)fm_record_aux(r[0]),
                                             OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE);
    case FM_RECORD_IO_DESTROY:
        return OTF2_EvtWriter_IoDestroyHandle(w, NULL, t, handle);
    case FM_RECORD_IO_BEGIN:
        return OTF2_EvtWriter_IoOperationBegin(w, NULL, t, handle, (OTF2_IoOperationMode)r[2],
                                               (OTF2_IoOperationFlag)(r[2] >> 32), bytes, r[1]);
    default:
        return OTF2_EvtWriter_IoOperationComplete(w, NULL, t, handle, bytes, r[1]);
    }
}

static OTF2_ErrorCode convert_window(OTF2_EvtWriter *w, uint64_t t, const uint64_t *r,
                                     uint64_t bytes)
{
    uint32_t win = fm_record_ref(r[0]), aux = fm_record_aux(r[0]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_WIN_COLLECTIVE_BEGIN:
        return OTF2_EvtWriter_RmaCollectiveBegin(w, NULL, t);
    case FM_RECORD_WIN_COLLECTIVE_END:
        return OTF2_EvtWriter_RmaCollectiveEnd(w, NULL, t, (OTF2_CollectiveOp)aux,
                                               (OTF2_RmaSyncLevel)r[1], win,
                                               OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    case FM_RECORD_WIN_CREATE:
        return OTF2_EvtWriter_RmaWinCreate(w, NULL, t, win);
    case FM_RECORD_WIN_DESTROY:
        return OTF2_EvtWriter_RmaWinDestroy(w, NULL, t, win);
    case FM_RECORD_PUT:
        return OTF2_EvtWriter_RmaPut(w, NULL, t, win, (uint32_t)r[1], bytes, r[2]);
    case FM_RECORD_GET:
        return OTF2_EvtWriter_RmaGet(w, NULL, t, win, (uint32_t)r[1], bytes, r[2]);
    case FM_RECORD_ATOMIC:
        return OTF2_EvtWriter_RmaAtomic(w, NULL, t, win, (uint32_t)r[1], (OTF2_RmaAtomicType)aux,
                                        r[2], r[3], r[4]);
    case FM_RECORD_COMPLETE_LOCAL:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, NULL, t, win, r[1]);
    case FM_RECORD_COMPLETE_REMOTE:
        return OTF2_EvtWriter_RmaOpCompleteRemote(w, NULL, t, win, r[1]);
    case FM_RECORD_OPERATION_TEST:
        return OTF2_EvtWriter_RmaOpTest(w, NULL, t, win, r[1]);
    case FM_RECORD_GROUP_SYNC:
        return OTF2_EvtWriter_RmaGroupSync(w, NULL, t, (OTF2_RmaSyncLevel)aux, win, (uint32_t)r[1]);
    case FM_RECORD_COMPLETE_BLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(w, NULL, t, win, r[1]);
    case FM_RECORD_WAIT_CHANGE:
        return OTF2_EvtWriter_RmaWaitChange(w, NULL, t, win);
    case FM_RECORD_RMA_COLLECTIVE:
        return OTF2_EvtWriter_RmaCollectiveEnd(w, NULL, t, (OTF2_CollectiveOp)aux,
                                               (OTF2_RmaSyncLevel)r[4], win, (uint32_t)r[1], r[2],
                                               r[3]);
    case FM_RECORD_LOCK_REQUEST:
        return OTF2_EvtWriter_RmaRequestLock(w, NULL, t, win, (uint32_t)r[1], r[2],
                                             (OTF2_LockType)aux);
    case FM_RECORD_LOCK_ACQUIRE:
        return OTF2_EvtWriter_RmaAcquireLock(w, NULL, t, win, (uint32_t)r[1], r[2],
                                             (OTF2_LockType)aux);
    case FM_RECORD_LOCK_TRY:
        return OTF2_EvtWriter_RmaTryLock(w, NULL, t, win, (uint32_t)r[1], r[2], (OTF2_LockType)aux);
    default:
        return OTF2_EvtWriter_RmaReleaseLock(w, NULL, t, win, (uint32_t)r[1], r[2]);
    }
}

OTF2_ErrorCode fm_operation_event(OTF2_EvtWriter *w, uint64_t t, const uint64_t *r, uint64_t bytes)
{
    uint32_t ref = fm_record_ref(r[0]);
    OTF2_CollectiveOp operation = (OTF2_CollectiveOp)fm_record_aux(r[0]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_SEND:
    case FM_RECORD_ISEND:
    case FM_RECORD_RECV:
    case FM_RECORD_IRECV:
        return convert_message(w, t, r, bytes);
    case FM_RECORD_IRECV_REQUEST:
        return OTF2_EvtWriter_MpiIrecvRequest(w, NULL, t, r[1]);
    case FM_RECORD_ISEND_COMPLETE:
        return OTF2_EvtWriter_MpiIsendComplete(w, NULL, t, r[1]);
    case FM_RECORD_REQUEST_TEST:
        return OTF2_EvtWriter_MpiRequestTest(w, NULL, t, r[1]);
    case FM_RECORD_REQUEST_CANCELLED:
        return OTF2_EvtWriter_MpiRequestCancelled(w, NULL, t, r[1]);
    case FM_RECORD_COLLECTIVE_BEGIN:
        return OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, t);
    case FM_RECORD_COLLECTIVE_END:
        return OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, t, operation, ref, (uint32_t)r[1], r[2],
                                               r[3]);
    case FM_RECORD_COLLECTIVE_REQUEST:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, t, r[1]);
    case FM_RECORD_COLLECTIVE_COMPLETE:
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(w, NULL, t, operation, ref,
                                                            (uint32_t)r[1], r[2], r[3], r[4]);
    case FM_RECORD_COMM_CREATE:
        return OTF2_EvtWriter_CommCreate(w, NULL, t, ref);
    case FM_RECORD_COMM_DESTROY:
        return OTF2_EvtWriter_CommDestroy(w, NULL, t, ref);
    case FM_RECORD_IO_CREATE:
    case FM_RECORD_IO_DESTROY:
    case FM_RECORD_IO_BEGIN:
    case FM_RECORD_IO_COMPLETE:
        return convert_file(w, t, r, bytes);
    default:
        return convert_window(w, t, r, bytes);
    }
}
