/* Reads the events of an archive into the tables of the trace. */
#include "trace/anchor.h"
#include "trace/builder.h"
#include "trace/location_maps.h"
#include "trace/otf2_error.h"
#include "trace/other_events.h"
#include "trace/trace_internal.h"

#include <otf2/otf2.h>

struct event_reader {
    struct fm_builder builder; /* first: callbacks get it as their data */
    const struct fm_trace_private *references;
    uint32_t program_name; /* string of the first ProgramBegin event; FM_NONE: none yet */
    uint32_t program_process;
    const struct fm_location_maps *maps; /* NULL: references in events are the archive's */
    FM_VECTOR(uint32_t) calls;           /* with maps: by number of a region in events */
};

#define EVENT_ARGUMENTS                                                                            \
    OTF2_LocationRef self, OTF2_TimeStamp time, uint64_t position, void *data,                     \
        OTF2_AttributeList *attributes
#define BEGIN_EVENT                                                                                \
    (void)self;                                                                                    \
    (void)position;                                                                                \
    (void)attributes;                                                                              \
    struct event_reader *reader = data;                                                            \
    struct fm_builder *builder = &reader->builder;                                                 \
    fm_builder_time(builder, time)
#define END_EVENT return OTF2_CALLBACK_SUCCESS

static inline uint32_t region_of(const struct event_reader *reader, uint32_t reference)
{
    return fm_references_find(&reader->references->regions,
                              fm_location_map(reader->maps, FM_MAP_REGIONS, reference));
}

static inline uint32_t communicator_of(const struct event_reader *reader, uint32_t reference)
{
    return fm_references_find(&reader->references->communicators,
                              fm_location_map(reader->maps, FM_MAP_COMMUNICATORS, reference));
}

static inline uint32_t window_of(const struct event_reader *reader, uint32_t reference)
{
    return fm_references_find(&reader->references->windows,
                              fm_location_map(reader->maps, FM_MAP_WINDOWS, reference));
}

static inline uint32_t group_of(const struct event_reader *reader, uint32_t reference)
{
    return fm_references_find(&reader->references->groups,
                              fm_location_map(reader->maps, FM_MAP_GROUPS, reference));
}

/* Where known, calls of communication have their lines. */
static inline uint32_t call_of(const struct event_reader *reader, uint32_t reference)
{
    return reference < reader->calls.count ? reader->calls.items[reference]
                                           : region_of(reader, reference);
}

static OTF2_CallbackCode on_enter(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
    BEGIN_EVENT;
    fm_builder_enter(builder, call_of(reader, region));
    END_EVENT;
}

static OTF2_CallbackCode on_leave(EVENT_ARGUMENTS, OTF2_RegionRef region)
{
    BEGIN_EVENT;
    fm_builder_leave(builder, region_of(reader, region));
    END_EVENT;
}

static OTF2_CallbackCode on_program_begin(EVENT_ARGUMENTS, OTF2_StringRef name, uint32_t count,
                                          const OTF2_StringRef *arguments)
{
    BEGIN_EVENT;
    (void)count;
    (void)arguments;
    if (reader->program_name == FM_NONE) {
        reader->program_name = fm_location_map(reader->maps, FM_MAP_STRINGS, name);
        reader->program_process = builder->location->process;
    }
    fm_builder_enter(builder, reader->references->program_region);
    END_EVENT;
}

static OTF2_CallbackCode on_program_end(EVENT_ARGUMENTS, int64_t status)
{
    BEGIN_EVENT;
    (void)status;
    fm_builder_leave(builder, reader->references->program_region);
    END_EVENT;
}

/* What attributes of the event tell of one series. */
struct gap {
    uint64_t count;
    fm_attribute_t series; /* FM_ATTRIBUTE_COUNT: none */
    uint32_t communicator, window, peer, tag, group;
};

static void read_attribute(const struct event_reader *reader, struct gap *gap, uint32_t reference,
                           OTF2_AttributeValue value)
{
    uint32_t attribute =
        fm_references_find(&reader->references->attributes,
                           fm_location_map(reader->maps, FM_MAP_ATTRIBUTES, reference));
    switch (attribute) {
    case FM_ATTRIBUTE_SENDS:
    case FM_ATTRIBUTE_RECEIVES:
    case FM_ATTRIBUTE_COLLECTIVES:
    case FM_ATTRIBUTE_WINDOW_COLLECTIVES:
    case FM_ATTRIBUTE_ACCESS_EPOCHS:
    case FM_ATTRIBUTE_EXPOSURE_EPOCHS:
        gap->series = (fm_attribute_t)attribute;
        gap->count = value.uint64;
        break;
    case FM_ATTRIBUTE_COMMUNICATOR:
        gap->communicator = communicator_of(reader, value.commRef);
        break;
    case FM_ATTRIBUTE_WINDOW:
        gap->window = window_of(reader, value.rmaWinRef);
        break;
    case FM_ATTRIBUTE_PEER:
        gap->peer = value.uint32;
        break;
    case FM_ATTRIBUTE_TAG:
        gap->tag = value.uint32;
        break;
    case FM_ATTRIBUTE_GROUP:
        gap->group = group_of(reader, value.groupRef);
        break;
    default:
        break;
    }
}

static void note_gap(struct fm_builder *builder, const struct gap *gap)
{
    switch (gap->series) {
    case FM_ATTRIBUTE_SENDS:
    case FM_ATTRIBUTE_RECEIVES:
        fm_builder_unrecorded(
            builder, gap->series == FM_ATTRIBUTE_SENDS ? FM_SERIES_SENDS : FM_SERIES_RECEIVES,
            gap->communicator, gap->peer, gap->tag, gap->count);
        break;
    case FM_ATTRIBUTE_COLLECTIVES:
        fm_builder_unrecorded(builder, FM_SERIES_COLLECTIVES, gap->communicator, 0, 0, gap->count);
        break;
    case FM_ATTRIBUTE_WINDOW_COLLECTIVES:
        fm_builder_unrecorded(builder, FM_SERIES_WINDOW_COLLECTIVES, gap->window, 0, 0, gap->count);
        break;
    case FM_ATTRIBUTE_ACCESS_EPOCHS:
    case FM_ATTRIBUTE_EXPOSURE_EPOCHS:
        fm_builder_unrecorded(builder,
                              gap->series == FM_ATTRIBUTE_ACCESS_EPOCHS ? FM_SERIES_ACCESS_EPOCHS
                                                                        : FM_SERIES_EXPOSURE_EPOCHS,
                              gap->group == FM_NONE ? FM_NONE : gap->window, gap->group, 0,
                              gap->count);
        break;
    default:
        break;
    }
}

static OTF2_CallbackCode on_measurement(EVENT_ARGUMENTS, OTF2_MeasurementMode mode)
{
    BEGIN_EVENT;
    struct gap gap = {0, FM_ATTRIBUTE_COUNT, FM_NONE, FM_NONE, FM_NONE, FM_NONE, FM_NONE};
    if (mode == OTF2_MEASUREMENT_OFF) {
        fm_builder_pause(builder);
    } else {
        fm_builder_resume(builder);
    }
    for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(attributes); ++i) {
        OTF2_AttributeRef reference;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &reference, &type, &value) ==
            OTF2_SUCCESS) {
            read_attribute(reader, &gap, reference, value);
        }
    }
    note_gap(builder, &gap);
    END_EVENT;
}

static OTF2_CallbackCode on_flush(EVENT_ARGUMENTS, OTF2_TimeStamp stop)
{
    BEGIN_EVENT;
    fm_builder_flush(builder, stop);
    END_EVENT;
}

static OTF2_CallbackCode on_send(EVENT_ARGUMENTS, uint32_t receiver, OTF2_CommRef communicator,
                                 uint32_t tag, uint64_t bytes)
{
    BEGIN_EVENT;
    fm_builder_send(builder, communicator_of(reader, communicator), receiver, tag, bytes, NULL);
    END_EVENT;
}

static OTF2_CallbackCode on_isend(EVENT_ARGUMENTS, uint32_t receiver, OTF2_CommRef communicator,
                                  uint32_t tag, uint64_t bytes, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_send(builder, communicator_of(reader, communicator), receiver, tag, bytes, &request);
    END_EVENT;
}

static OTF2_CallbackCode on_isend_complete(EVENT_ARGUMENTS, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_send_complete(builder, request);
    END_EVENT;
}

static OTF2_CallbackCode on_irecv_request(EVENT_ARGUMENTS, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_receive_request(builder, request);
    END_EVENT;
}

static OTF2_CallbackCode on_recv(EVENT_ARGUMENTS, uint32_t sender, OTF2_CommRef communicator,
                                 uint32_t tag, uint64_t bytes)
{
    BEGIN_EVENT;
    fm_builder_receive(builder, communicator_of(reader, communicator), sender, tag, bytes, NULL);
    END_EVENT;
}

static OTF2_CallbackCode on_irecv(EVENT_ARGUMENTS, uint32_t sender, OTF2_CommRef communicator,
                                  uint32_t tag, uint64_t bytes, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_receive(builder, communicator_of(reader, communicator), sender, tag, bytes,
                       &request);
    END_EVENT;
}

static OTF2_CallbackCode on_cancelled(EVENT_ARGUMENTS, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_cancelled(builder, request);
    END_EVENT;
}

static OTF2_CallbackCode on_collective(EVENT_ARGUMENTS, OTF2_CollectiveOp operation,
                                       OTF2_CommRef communicator, uint32_t root, uint64_t sent,
                                       uint64_t received)
{
    BEGIN_EVENT;
    fm_builder_collective(builder, operation, communicator_of(reader, communicator), root, sent,
                          received, NULL);
    END_EVENT;
}

static OTF2_CallbackCode on_collective_request(EVENT_ARGUMENTS, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_collective_request(builder, request);
    END_EVENT;
}

static OTF2_CallbackCode on_collective_complete(EVENT_ARGUMENTS, OTF2_CollectiveOp operation,
                                                OTF2_CommRef communicator, uint32_t root,
                                                uint64_t sent, uint64_t received, uint64_t request)
{
    BEGIN_EVENT;
    fm_builder_collective(builder, operation, communicator_of(reader, communicator), root, sent,
                          received, &request);
    END_EVENT;
}

static OTF2_CallbackCode on_comm_create(EVENT_ARGUMENTS, OTF2_CommRef communicator)
{
    BEGIN_EVENT;
    fm_builder_communicator_created(builder, communicator_of(reader, communicator));
    END_EVENT;
}

static OTF2_CallbackCode on_rma_collective(EVENT_ARGUMENTS, OTF2_CollectiveOp operation,
                                           OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                           uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN_EVENT;
    (void)operation;
    (void)level;
    (void)root;
    fm_builder_rma(builder, FM_RMA_COLLECTIVE, window_of(reader, window), FM_NONE, false, 0, sent,
                   received);
    END_EVENT;
}

static OTF2_CallbackCode on_group_sync(EVENT_ARGUMENTS, OTF2_RmaSyncLevel level,
                                       OTF2_RmaWinRef window, OTF2_GroupRef group)
{
    BEGIN_EVENT;
    (void)level;
    fm_builder_rma(builder, FM_RMA_GROUP_SYNC, window_of(reader, window), group_of(reader, group),
                   false, 0, 0, 0);
    END_EVENT;
}

static OTF2_CallbackCode on_put(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint32_t target,
                                uint64_t bytes, uint64_t id)
{
    BEGIN_EVENT;
    fm_builder_rma(builder, FM_RMA_PUT, window_of(reader, window), target, false, id, bytes, 0);
    END_EVENT;
}

static OTF2_CallbackCode on_get(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint32_t target,
                                uint64_t bytes, uint64_t id)
{
    BEGIN_EVENT;
    fm_builder_rma(builder, FM_RMA_GET, window_of(reader, window), target, false, id, 0, bytes);
    END_EVENT;
}

static OTF2_CallbackCode on_atomic(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint32_t target,
                                   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
                                   uint64_t id)
{
    BEGIN_EVENT;
    (void)type;
    fm_builder_rma(builder, FM_RMA_ATOMIC, window_of(reader, window), target, false, id, sent,
                   received);
    END_EVENT;
}

static OTF2_CallbackCode on_lock_request(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint32_t target,
                                         uint64_t lock, OTF2_LockType type)
{
    BEGIN_EVENT;
    (void)lock;
    fm_builder_rma(builder, FM_RMA_LOCK_REQUEST, window_of(reader, window), target,
                   type == OTF2_LOCK_SHARED, 0, 0, 0);
    END_EVENT;
}

static OTF2_CallbackCode on_lock_acquire(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint32_t target,
                                         uint64_t lock, OTF2_LockType type)
{
    BEGIN_EVENT;
    (void)lock;
    fm_builder_rma(builder, FM_RMA_LOCK_ACQUIRE, window_of(reader, window), target,
                   type == OTF2_LOCK_SHARED, 0, 0, 0);
    END_EVENT;
}

static OTF2_CallbackCode on_lock_release(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint32_t target,
                                         uint64_t lock)
{
    BEGIN_EVENT;
    (void)lock;
    fm_builder_rma(builder, FM_RMA_LOCK_RELEASE, window_of(reader, window), target, false, 0, 0, 0);
    END_EVENT;
}

static OTF2_CallbackCode on_done_locally(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint64_t id)
{
    BEGIN_EVENT;
    fm_builder_rma(builder, FM_RMA_DONE_LOCALLY, window_of(reader, window), FM_NONE, false, id, 0,
                   0);
    END_EVENT;
}

static OTF2_CallbackCode on_done_remotely(EVENT_ARGUMENTS, OTF2_RmaWinRef window, uint64_t id)
{
    BEGIN_EVENT;
    fm_builder_rma(builder, FM_RMA_DONE_REMOTELY, window_of(reader, window), FM_NONE, false, id, 0,
                   0);
    END_EVENT;
}

static OTF2_CallbackCode on_metric(EVENT_ARGUMENTS, OTF2_MetricRef metric, uint8_t count,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    BEGIN_EVENT;
    const struct fm_trace_private *references = reader->references;
    uint32_t set = fm_references_find(&references->metrics,
                                      fm_location_map(reader->maps, FM_MAP_METRICS, metric));
    if (set != FM_NONE) {
        const struct fm_counter_set *members = &references->sets.items[set];
        for (uint8_t i = 0; i < count && i < members->count; ++i) {
            uint32_t counter = references->set_members.items[members->first + i];
            double value = types[i] == OTF2_TYPE_DOUBLE  ? values[i].floating_point
                           : types[i] == OTF2_TYPE_INT64 ? (double)values[i].signed_int
                                                         : (double)values[i].unsigned_int;
            fm_builder_counter(builder, counter, value);
        }
    }
    END_EVENT;
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef self, OTF2_TimeStamp time, uint64_t position,
                                    void *data, OTF2_AttributeList *attributes)
{
    BEGIN_EVENT;
    END_EVENT;
}

static OTF2_EvtReaderCallbacks *new_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    fm_other_events_register(callbacks);
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, on_metric);
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(callbacks, on_program_begin);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(callbacks, on_program_end);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, on_flush);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(callbacks, on_measurement);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks,
                                                                    on_collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks,
                                                                     on_collective_complete);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(callbacks, on_comm_create);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, on_rma_collective);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(callbacks, on_group_sync);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, on_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, on_get);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_atomic);
    OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(callbacks, on_lock_request);
    OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(callbacks, on_lock_acquire);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(callbacks, on_lock_release);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_done_locally);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks, on_done_locally);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, on_done_remotely);
    return callbacks;
}

/* What the numbers of regions in a location's events stand for. */
static void note_lines(struct event_reader *reader, const struct fm_location_maps *maps)
{
    const struct fm_trace *trace = reader->builder.trace;
    reader->calls.count = 0;
    reader->maps = maps != NULL && fm_location_has_lines(maps) ? maps : NULL;
    for (uint32_t i = 0; reader->maps != NULL && i < maps->of[FM_MAP_REGIONS].count; ++i) {
        uint32_t region = region_of(reader, i), line = FM_NONE;
        if (region != FM_NONE && trace->regions[region].call != FM_CALL_USER &&
            i < maps->of[FM_MAP_LINES].count) {
            line = fm_references_find(&reader->references->lines, maps->of[FM_MAP_LINES].items[i]);
        }
        fm_vector_push(&reader->calls, fm_builder_call(&reader->builder, region, line));
    }
}

/* Whether OTF2 failed for want of memory, and not because damaged data ask for absurdly much. */
static bool lacks_memory(OTF2_Reader *archive)
{
    uint64_t events = 0, definitions = 0;
    return fm_otf2_error_is_memory() &&
           OTF2_Reader_GetChunkSize(archive, &events, &definitions) == OTF2_SUCCESS &&
           events <= OTF2_CHUNK_SIZE_MAX;
}

static void read_location(OTF2_Reader *archive, const OTF2_EvtReaderCallbacks *callbacks,
                          struct event_reader *reader, uint32_t index,
                          const struct fm_location_maps *maps)
{
    struct fm_location *location = &reader->builder.trace->locations[index];
    fm_builder_begin_location(&reader->builder, index);
    note_lines(reader, maps);
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(archive, location->id);
    bool complete = false;
    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks(archive, events, callbacks, reader);
        uint64_t read = 0;
        if (reader->maps != NULL) {
            OTF2_EvtReader_ApplyMappingTables(events, false);
        }
        complete = OTF2_Reader_ReadAllLocalEvents(archive, events, &read) == OTF2_SUCCESS;
        OTF2_Reader_CloseEvtReader(archive, events);
        /* Some kinds of events have no callback above. */
        location->event_count = read > location->event_count ? read : location->event_count;
    }
    if (!complete && location->defined_events != location->event_count) {
        if (lacks_memory(archive)) {
            fm_memory_exhausted();
        }
        ++reader->builder.defects->missing_locations;
    }
    (void)fm_otf2_error_take();
    fm_builder_end_location(&reader->builder);
}

fm_status_t fm_trace_load(struct fm_trace *trace, uint32_t first, uint32_t last,
                          struct fm_trace_defects *defects, struct fm_error *error)
{
    if (first >= last) {
        return FM_OK;
    }
    OTF2_Reader *archive = NULL;
    fm_status_t status = fm_anchor_open(trace->anchor, &archive, error);
    if (status != FM_OK) {
        return status;
    }
    OTF2_Reader_SetSerialCollectiveCallbacks(archive);
    const struct fm_process *end = &trace->processes[last - 1];
    uint32_t first_location = trace->processes[first].first_location;
    uint32_t last_location = end->first_location + end->location_count;
    for (uint32_t i = first_location; i < last_location; ++i) {
        OTF2_Reader_SelectLocation(archive, trace->locations[i].id);
    }
    struct fm_location_maps *maps =
        trace->line_count != 0 ? fm_allocate(last_location - first_location, sizeof *maps) : NULL;
    if (OTF2_Reader_OpenDefFiles(archive) == OTF2_SUCCESS) {
        for (uint32_t i = first_location; i < last_location; ++i) {
            fm_location_maps_read(archive, trace->locations[i].id,
                                  maps != NULL ? &maps[i - first_location] : NULL);
        }
        OTF2_Reader_CloseDefFiles(archive);
    }
    (void)fm_otf2_error_take();

    struct event_reader reader = {.references = fm_trace_private(trace), .program_name = FM_NONE};
    fm_builder_open(&reader.builder, trace, defects);
    OTF2_EvtReaderCallbacks *callbacks = new_callbacks();
    OTF2_Reader_OpenEvtFiles(archive);
    for (uint32_t process = first; process < last; ++process) {
        for (uint32_t t = 0; t < trace->processes[process].location_count; ++t) {
            uint32_t location = trace->processes[process].first_location + t;
            struct fm_location_maps *own = maps != NULL ? &maps[location - first_location] : NULL;
            read_location(archive, callbacks, &reader, location, own);
            if (own != NULL) {
                fm_location_maps_free(own);
            }
        }
        fm_builder_end_process(&reader.builder);
    }
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    fm_builder_close(&reader.builder);
    fm_vector_free(&reader.calls);
    fm_free(maps);
    /* The lowest process names the program, whichever thread reads it first. */
    uint32_t text = fm_references_find(&reader.references->strings, reader.program_name);
    if (reader.program_name != FM_NONE && text != FM_NONE) {
        fm_trace_name_program(trace, (struct fm_program_name){reader.program_process, text});
    }
    OTF2_Reader_Close(archive);
    return FM_OK;
}
