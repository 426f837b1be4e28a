/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a scenario as OTF2 event records, one to one. */
#include "functions/function_kind.h"
#include "scenario/archive_records.h"
#include "scenario/region_kind.h"

#include <string.h>

static const char *region_name(const struct fm_scenario *scenario,
                               const struct fm_scenario_event *event)
{
    return event->region == FM_SCENARIO_NONE ? "" : scenario->regions.keys[event->region].bytes;
}

/* Opening an epoch synchronizes processes, closing one completes the accesses, too. */
static OTF2_RmaSyncLevel group_sync_level(const char *region)
{
    fm_call_t call = fm_function_kind(FM_PARADIGM_MPI, region).call;
    bool opens = call == FM_CALL_START || call == FM_CALL_POST;
    return opens ? OTF2_RMA_SYNC_LEVEL_PROCESS
                 : OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
}

static OTF2_RmaSyncLevel collective_sync_level(OTF2_CollectiveOp operation)
{
    return operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE
               ? OTF2_RMA_SYNC_LEVEL_PROCESS
               : OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
}

static OTF2_RmaAtomicType atomic_type(const char *region)
{
    static const struct {
        const char *part;
        OTF2_RmaAtomicType type;
    } types[] = {
        {"ompare_", OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP}, /* Compare_and_swap, compare_swap */
        {"_cswap", OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP},
        {"Fetch_and_op", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE},
        {"et_accumulate", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE},
        {"_Rmw", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD},
        {"fetch_inc", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT},
        {"_finc", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT},
        {"fetch_add", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD},
        {"_fadd", OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD},
        {"swap", OTF2_RMA_ATOMIC_TYPE_SWAP},
        {"_inc", OTF2_RMA_ATOMIC_TYPE_INCREMENT},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strstr(region, types[i].part) != NULL) {
            return types[i].type;
        }
    }
    return OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
}

OTF2_Paradigm fm_archive_thread_paradigm(const char *region)
{
    OTF2_Paradigm paradigm = fm_region_kind(region).paradigm;
    return paradigm == OTF2_PARADIGM_PTHREAD ? paradigm : OTF2_PARADIGM_OPENMP;
}

OTF2_LocationRef fm_archive_location_id(const struct fm_scenario *scenario, uint32_t location)
{
    uint64_t rank = location / scenario->thread_count;
    uint64_t thread = location % scenario->thread_count;
    return rank | thread << 32;
}

/* A release tells when and where its lock was acquired if that has no record of its own. */
static OTF2_ErrorCode write_release(OTF2_EvtWriter *writer, const struct fm_scenario_event *event,
                                    OTF2_Paradigm paradigm)
{
    OTF2_AttributeList *attributes = NULL;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (event->detail != 0) {
        attributes = OTF2_AttributeList_New();
        code = attributes != NULL ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    if (code == OTF2_SUCCESS && (event->detail & FM_SCENARIO_ACQUIRED_AT) != 0) {
        code = OTF2_AttributeList_AddUint64(attributes, FM_ARCHIVE_ACQUIRED_AT, event->bytes);
    }
    if (code == OTF2_SUCCESS && (event->detail & FM_SCENARIO_ACQUIRED_IN) != 0) {
        code = OTF2_AttributeList_AddRegionRef(attributes, FM_ARCHIVE_ACQUIRED_IN, event->object);
    }
    if (code == OTF2_SUCCESS && (event->detail & FM_SCENARIO_ACQUIRED_SHARED) != 0) {
        code = OTF2_AttributeList_AddUint8(attributes, FM_ARCHIVE_ACQUIRED_SHARED, 1);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_EvtWriter_ThreadReleaseLock(writer, attributes, event->time, paradigm,
                                                (uint32_t)event->id, event->peer);
    }
    if (attributes != NULL) {
        OTF2_AttributeList_Delete(attributes);
    }
    return code;
}

/* The completion of a persistent collective names it. */
static OTF2_ErrorCode write_collective_completion(OTF2_EvtWriter *writer,
                                                  const struct fm_scenario_event *event)
{
    OTF2_AttributeList *attributes = NULL;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (event->init != 0) {
        attributes = OTF2_AttributeList_New();
        code = attributes != NULL
                   ? OTF2_AttributeList_AddUint32(attributes, FM_ARCHIVE_PERSISTENT, event->tag)
                   : OTF2_ERROR_MEM_ALLOC_FAILED;
        if (code == OTF2_SUCCESS) {
            code = OTF2_AttributeList_AddRegionRef(attributes, FM_ARCHIVE_PERSISTENT_INIT,
                                                   event->init - 1);
        }
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_EvtWriter_NonBlockingCollectiveComplete(
            writer, attributes, event->time, event->detail, event->object, event->peer,
            event->bytes, event->received, event->id);
    }
    if (attributes != NULL) {
        OTF2_AttributeList_Delete(attributes);
    }
    return code;
}

/* A test that failed. The operations of SHMEM, ARMCI and coarrays are those of the first window. */
static OTF2_ErrorCode write_failed(OTF2_EvtWriter *writer, const struct fm_scenario_event *event,
                                   const char *region)
{
    return fm_region_kind(region).paradigm == OTF2_PARADIGM_MPI
               ? OTF2_EvtWriter_MpiRequestTest(writer, NULL, event->time, event->id)
               : OTF2_EvtWriter_RmaOpTest(writer, NULL, event->time, 0, event->id);
}

OTF2_ErrorCode fm_archive_write_event(const struct fm_scenario *scenario, OTF2_EvtWriter *writer,
                                      const struct fm_scenario_event *event)
{
    const uint64_t time = event->time;
    const uint32_t object = event->object;
    const uint32_t peer = event->peer;
    const char *region = region_name(scenario, event);
    const OTF2_CommRef team = FM_ARCHIVE_TEAM(scenario, object); /* of thread events */
    const OTF2_LockType lock = event->detail != 0 ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE;

    switch ((enum fm_scenario_kind)event->kind) {
    case FM_SCENARIO_ENTER:
        return OTF2_EvtWriter_Enter(writer, NULL, time, object);
    case FM_SCENARIO_LEAVE:
        return OTF2_EvtWriter_Leave(writer, NULL, time, object);
    case FM_SCENARIO_SEND:
        return OTF2_EvtWriter_MpiSend(writer, NULL, time, peer, object, event->tag, event->bytes);
    case FM_SCENARIO_RECV:
        return OTF2_EvtWriter_MpiRecv(writer, NULL, time, peer, object, event->tag, event->bytes);
    case FM_SCENARIO_ISEND:
        return OTF2_EvtWriter_MpiIsend(writer, NULL, time, peer, object, event->tag, event->bytes,
                                       event->id);
    case FM_SCENARIO_ISEND_COMPLETE:
        return OTF2_EvtWriter_MpiIsendComplete(writer, NULL, time, event->id);
    case FM_SCENARIO_IRECV_REQUEST:
        return OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, event->id);
    case FM_SCENARIO_IRECV:
        return OTF2_EvtWriter_MpiIrecv(writer, NULL, time, peer, object, event->tag, event->bytes,
                                       event->id);
    case FM_SCENARIO_REQUEST_CANCELLED:
        return OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time, event->id);
    case FM_SCENARIO_COLL_BEGIN:
        return OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time);
    case FM_SCENARIO_COLL_END:
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, time, event->detail, object, peer,
                                               event->bytes, event->received);
    case FM_SCENARIO_NB_COLL_REQUEST:
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, time, event->id);
    case FM_SCENARIO_NB_COLL_COMPLETE:
        return write_collective_completion(writer, event);
    case FM_SCENARIO_IO_READ:
        return OTF2_EvtWriter_IoOperationBegin(writer, NULL, time, 0, OTF2_IO_OPERATION_MODE_READ,
                                               OTF2_IO_OPERATION_FLAG_NONE, event->bytes,
                                               event->id);
    case FM_SCENARIO_IO_WRITE:
        return OTF2_EvtWriter_IoOperationBegin(writer, NULL, time, 0, OTF2_IO_OPERATION_MODE_WRITE,
                                               OTF2_IO_OPERATION_FLAG_NONE, event->bytes,
                                               event->id);
    case FM_SCENARIO_IO_COMPLETE:
        return OTF2_EvtWriter_IoOperationComplete(writer, NULL, time, 0, event->bytes, event->id);
    case FM_SCENARIO_PARAMETER:
        return OTF2_EvtWriter_ParameterInt(writer, NULL, time, object, (int64_t)event->id);
    case FM_SCENARIO_PARAMETER_UNSIGNED:
        return OTF2_EvtWriter_ParameterUnsignedInt(writer, NULL, time, object, event->id);
    case FM_SCENARIO_PARAMETER_TEXT:
        return OTF2_EvtWriter_ParameterString(writer, NULL, time, object, (uint32_t)event->id);
    case FM_SCENARIO_ACTIVITY: {
        const OTF2_Type type = OTF2_TYPE_DOUBLE;
        OTF2_MetricValue value;
        memcpy(&value.floating_point, &event->id, sizeof value.floating_point);
        return OTF2_EvtWriter_Metric(
            writer, NULL, time, FM_ARCHIVE_ACTIVITY(scenario, event->detail), 1, &type, &value);
    }
    case FM_SCENARIO_SAMPLE: {
        const OTF2_Type type = OTF2_TYPE_UINT64;
        const OTF2_MetricValue value = {.unsigned_int = 1};
        return OTF2_EvtWriter_Metric(writer, NULL, time, FM_ARCHIVE_SAMPLES, 1, &type, &value);
    }
    case FM_SCENARIO_WIN_CREATE:
        return OTF2_EvtWriter_RmaWinCreate(writer, NULL, time, object);
    case FM_SCENARIO_WIN_DESTROY:
        return OTF2_EvtWriter_RmaWinDestroy(writer, NULL, time, object);
    case FM_SCENARIO_RMA_COLL_BEGIN:
        return OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, time);
    case FM_SCENARIO_RMA_COLL_END:
        return OTF2_EvtWriter_RmaCollectiveEnd(writer, NULL, time, event->detail,
                                               collective_sync_level(event->detail), object, peer,
                                               event->bytes, event->received);
    case FM_SCENARIO_GROUP_SYNC:
        return OTF2_EvtWriter_RmaGroupSync(writer, NULL, time, group_sync_level(region), object,
                                           peer + FM_ARCHIVE_FIRST_SYNC_GROUP(scenario));
    case FM_SCENARIO_PUT:
        return OTF2_EvtWriter_RmaPut(writer, NULL, time, object, peer, event->bytes, event->id);
    case FM_SCENARIO_GET:
        return OTF2_EvtWriter_RmaGet(writer, NULL, time, object, peer, event->bytes, event->id);
    case FM_SCENARIO_ATOMIC:
        return OTF2_EvtWriter_RmaAtomic(writer, NULL, time, object, peer, atomic_type(region),
                                        event->bytes, 0, event->id);
    case FM_SCENARIO_DONE_BLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(writer, NULL, time, object, event->id);
    case FM_SCENARIO_DONE_NONBLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, time, object, event->id);
    case FM_SCENARIO_DONE_REMOTE:
        return OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time, object, event->id);
    case FM_SCENARIO_LOCK_REQUEST:
        return OTF2_EvtWriter_RmaRequestLock(writer, NULL, time, object, peer, event->id, lock);
    case FM_SCENARIO_LOCK_ACQUIRE:
        return OTF2_EvtWriter_RmaAcquireLock(writer, NULL, time, object, peer, event->id, lock);
    case FM_SCENARIO_LOCK_TRY:
        return OTF2_EvtWriter_RmaTryLock(writer, NULL, time, object, peer, event->id, lock);
    case FM_SCENARIO_LOCK_RELEASE:
        return OTF2_EvtWriter_RmaReleaseLock(writer, NULL, time, object, peer, event->id);
    case FM_SCENARIO_SYNC:
        return OTF2_EvtWriter_RmaSync(writer, NULL, time, object, peer, OTF2_RMA_SYNC_TYPE_MEMORY);
    case FM_SCENARIO_WAIT_CHANGE:
        return OTF2_EvtWriter_RmaWaitChange(writer, NULL, time, object);
    case FM_SCENARIO_FORK:
        return OTF2_EvtWriter_ThreadFork(writer, NULL, time, OTF2_PARADIGM_OPENMP, peer);
    case FM_SCENARIO_BUFFER_FLUSH:
        return OTF2_EvtWriter_BufferFlush(writer, NULL, time, event->bytes);
    case FM_SCENARIO_RECORDING_OFF:
        return OTF2_EvtWriter_MeasurementOnOff(writer, NULL, time, OTF2_MEASUREMENT_OFF);
    case FM_SCENARIO_RECORDING_ON:
        return OTF2_EvtWriter_MeasurementOnOff(writer, NULL, time, OTF2_MEASUREMENT_ON);
    case FM_SCENARIO_JOIN:
        return OTF2_EvtWriter_ThreadJoin(writer, NULL, time, OTF2_PARADIGM_OPENMP);
    case FM_SCENARIO_ACQUIRE_LOCK:
        return OTF2_EvtWriter_ThreadAcquireLock(
            writer, NULL, time, fm_archive_thread_paradigm(region), (uint32_t)event->id, peer);
    case FM_SCENARIO_RELEASE_LOCK:
        return write_release(writer, event, fm_archive_thread_paradigm(region));
    case FM_SCENARIO_TEAM_BEGIN:
        return OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, time, team);
    case FM_SCENARIO_TEAM_END:
        return OTF2_EvtWriter_ThreadTeamEnd(writer, NULL, time, team);
    case FM_SCENARIO_TASK_CREATE:
        return OTF2_EvtWriter_ThreadTaskCreate(writer, NULL, time, team, peer, event->tag);
    case FM_SCENARIO_TASK_SWITCH:
        return OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, time, team, peer, event->tag);
    case FM_SCENARIO_TASK_COMPLETE:
        return OTF2_EvtWriter_ThreadTaskComplete(writer, NULL, time, team, peer, event->tag);
    case FM_SCENARIO_THREAD_CREATE:
        return OTF2_EvtWriter_ThreadCreate(writer, NULL, time, team, event->id);
    case FM_SCENARIO_THREAD_BEGIN:
        return OTF2_EvtWriter_ThreadBegin(writer, NULL, time, team, event->id);
    case FM_SCENARIO_THREAD_WAIT:
        return OTF2_EvtWriter_ThreadWait(writer, NULL, time, team, event->id);
    case FM_SCENARIO_THREAD_END:
        return OTF2_EvtWriter_ThreadEnd(writer, NULL, time, team, event->id);
    case FM_SCENARIO_FAILED:
        return write_failed(writer, event, region);
    case FM_SCENARIO_PROBE: /* only in texts, likewise the next ones */
    case FM_SCENARIO_MERGED:
    case FM_SCENARIO_LOST:
    case FM_SCENARIO_MEMBERS:
    case FM_SCENARIO_TARGET:
    case FM_SCENARIO_OWNER:
    case FM_SCENARIO_OMITTED:
    case FM_SCENARIO_HEARTBEAT:
        break;
    }
    return OTF2_ERROR_INVALID_ARGUMENT;
}
