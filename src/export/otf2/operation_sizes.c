/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/otf2/operation_sizes.h"

#include "base/memory.h"
#include "trace/archive/anchor.h"

static OTF2_CallbackCode add(void *sizes, uint64_t bytes)
{
    fm_vector_push((fm_operation_sizes *)sizes, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_operation(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t position, void *sizes,
                                      OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                      uint32_t remote, uint64_t bytes, uint64_t id)
{
    (void)location, (void)time, (void)position, (void)attributes, (void)window, (void)remote;
    (void)id;
    return add(sizes, bytes);
}

static OTF2_CallbackCode on_atomic(OTF2_LocationRef location, OTF2_TimeStamp time,
                                   uint64_t position, void *sizes, OTF2_AttributeList *attributes,
                                   OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type,
                                   uint64_t sent, uint64_t received, uint64_t id)
{
    (void)location, (void)time, (void)position, (void)attributes, (void)window, (void)remote;
    (void)type, (void)id;
    return add(sizes, sent > received ? sent : received);
}

static void read_location(OTF2_Reader *reader, uint64_t id,
                          const OTF2_EvtReaderCallbacks *callbacks, fm_operation_sizes *sizes)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, id);
    uint64_t read;
    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, sizes);
        OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
        OTF2_Reader_CloseEvtReader(reader, events);
    }
}

fm_status_t fm_operation_sizes_read(const struct fm_trace *trace, fm_operation_sizes **sizes,
                                    struct fm_error *error)
{
    OTF2_Reader *reader = NULL;
    fm_status_t status = fm_anchor_open(trace->anchor, &reader, error);
    if (status != FM_OK) {
        return status;
    }
    fm_operation_sizes *made = fm_allocate(trace->location_count + (size_t)1, sizeof *made);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(callbacks, on_operation);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(callbacks, on_operation);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_atomic);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        OTF2_Reader_SelectLocation(reader, trace->locations[l].id);
    }
    OTF2_Reader_OpenEvtFiles(reader);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        read_location(reader, trace->locations[l].id, callbacks, &made[l]);
    }
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_Reader_Close(reader);
    *sizes = made;
    return FM_OK;
}

void fm_operation_sizes_free(const struct fm_trace *trace, fm_operation_sizes *sizes)
{
    for (uint32_t l = 0; l < trace->location_count; l++) {
        fm_vector_free(&sizes[l]);
    }
    fm_free(sizes);
}
