#include "trace/read/event_callbacks.h"

#include "trace/read/event_sink.h"
#include "trace/read/other_events.h"

/* Callbacks must take all arguments of their event, of which not all are wanted. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static void measurement(struct fm_event_sink *sink, OTF2_MeasurementMode mode,
                        const OTF2_AttributeList *attributes)
{
    struct fm_event_gap gap;
    fm_event_gap_open(&gap);
    for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(attributes); ++i) {
        OTF2_AttributeRef reference;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &reference, &type, &value) ==
            OTF2_SUCCESS) {
            fm_event_gap_add(sink, &gap, reference, type, value);
        }
    }
    fm_event_measurement(sink, mode, &gap);
}

/* EVENT(name in OTF2, its parameters, what it means) */
#define EVENTS(EVENT)                                                                              \
    EVENT(Unknown, (), (void)sink)                                                                 \
    EVENT(Metric,                                                                                  \
          (, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types,                         \
           const OTF2_MetricValue *values),                                                        \
          fm_event_metric(sink, metric, count, types, values))                                     \
    EVENT(Enter, (, OTF2_RegionRef region), fm_event_enter(sink, region))                          \
    EVENT(Leave, (, OTF2_RegionRef region), fm_event_leave(sink, region))                          \
    EVENT(ProgramBegin, (, OTF2_StringRef name, uint32_t count, const OTF2_StringRef *arguments),  \
          fm_event_program_begin(sink, name))                                                      \
    EVENT(ProgramEnd, (, int64_t status), fm_event_program_end(sink))                              \
    EVENT(BufferFlush, (, OTF2_TimeStamp stop), fm_event_flush(sink, stop))                        \
    EVENT(MeasurementOnOff, (, OTF2_MeasurementMode mode), measurement(sink, mode, attributes))    \
    EVENT(MpiSend, (, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes), \
          fm_event_send(sink, receiver, communicator, tag, bytes))                                 \
    EVENT(MpiIsend,                                                                                \
          (, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,           \
           uint64_t request),                                                                      \
          fm_event_isend(sink, receiver, communicator, tag, bytes, request))                       \
    EVENT(MpiIsendComplete, (, uint64_t request), fm_event_isend_complete(sink, request))          \
    EVENT(MpiIrecvRequest, (, uint64_t request), fm_event_irecv_request(sink, request))            \
    EVENT(MpiRecv, (, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes),   \
          fm_event_recv(sink, sender, communicator, tag, bytes))                                   \
    EVENT(MpiIrecv,                                                                                \
          (, uint32_t sender, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,             \
           uint64_t request),                                                                      \
          fm_event_irecv(sink, sender, communicator, tag, bytes, request))                         \
    EVENT(MpiRequestCancelled, (, uint64_t request), fm_event_cancelled(sink, request))            \
    EVENT(MpiCollectiveEnd,                                                                        \
          (, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent, \
           uint64_t received),                                                                     \
          fm_event_collective(sink, operation, communicator, root, sent, received))                \
    EVENT(NonBlockingCollectiveRequest, (, uint64_t request),                                      \
          fm_event_collective_request(sink, request))                                              \
    EVENT(NonBlockingCollectiveComplete,                                                           \
          (, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root, uint64_t sent, \
           uint64_t received, uint64_t request),                                                   \
          fm_event_collective_complete(sink, operation, communicator, root, sent, received,        \
                                       request))                                                   \
    EVENT(CommCreate, (, OTF2_CommRef communicator),                                               \
          fm_event_communicator_created(sink, communicator))                                       \
    EVENT(RmaCollectiveEnd,                                                                        \
          (, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,          \
           uint32_t root, uint64_t sent, uint64_t received),                                       \
          fm_event_rma_collective(sink, window, sent, received))                                   \
    EVENT(RmaGroupSync, (, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group),   \
          fm_event_group_sync(sink, window, group))                                                \
    EVENT(RmaPut, (, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t id),         \
          fm_event_put(sink, window, target, bytes, id))                                           \
    EVENT(RmaGet, (, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t id),         \
          fm_event_get(sink, window, target, bytes, id))                                           \
    EVENT(RmaAtomic,                                                                               \
          (, OTF2_RmaWinRef window, uint32_t target, OTF2_RmaAtomicType type, uint64_t sent,       \
           uint64_t received, uint64_t id),                                                        \
          fm_event_atomic(sink, window, target, sent, received, id))                               \
    EVENT(RmaRequestLock,                                                                          \
          (, OTF2_RmaWinRef window, uint32_t target, uint64_t lock, OTF2_LockType type),           \
          fm_event_lock(sink, FM_RMA_LOCK_REQUEST, window, target, type))                          \
    EVENT(RmaAcquireLock,                                                                          \
          (, OTF2_RmaWinRef window, uint32_t target, uint64_t lock, OTF2_LockType type),           \
          fm_event_lock(sink, FM_RMA_LOCK_ACQUIRE, window, target, type))                          \
    EVENT(RmaReleaseLock, (, OTF2_RmaWinRef window, uint32_t target, uint64_t lock),               \
          fm_event_lock_release(sink, window, target))                                             \
    EVENT(RmaOpCompleteBlocking, (, OTF2_RmaWinRef window, uint64_t id),                           \
          fm_event_done(sink, FM_RMA_DONE_LOCALLY, window, id))                                    \
    EVENT(RmaOpCompleteNonBlocking, (, OTF2_RmaWinRef window, uint64_t id),                        \
          fm_event_done(sink, FM_RMA_DONE_LOCALLY, window, id))                                    \
    EVENT(RmaOpCompleteRemote, (, OTF2_RmaWinRef window, uint64_t id),                             \
          fm_event_done(sink, FM_RMA_DONE_REMOTELY, window, id))

#define UNPACK(...) __VA_ARGS__
#define CALLBACK(name, parameters, meaning)                                                        \
    static OTF2_CallbackCode on_##name(OTF2_LocationRef self, OTF2_TimeStamp time,                 \
                                       uint64_t position, void *data,                              \
                                       OTF2_AttributeList *attributes UNPACK parameters)           \
    {                                                                                              \
        struct fm_event_sink *sink = data;                                                         \
        fm_builder_time(&sink->builder, time);                                                     \
        meaning;                                                                                   \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
EVENTS(CALLBACK)

OTF2_EvtReaderCallbacks *fm_event_callbacks_new(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    fm_other_events_register(callbacks);
#define SET(name, parameters, meaning)                                                             \
    OTF2_EvtReaderCallbacks_Set##name##Callback(callbacks, on_##name);
    EVENTS(SET)
    return callbacks;
}
