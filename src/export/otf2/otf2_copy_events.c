/* Copies events. The list of records is generated from OTF2's headers. */
#include "export/otf2/otf2_copy_internal.h"

#define EXPAND(...) __VA_ARGS__

static OTF2_ErrorCode advance(struct fm_otf2_copier *copier, uint64_t time)
{
    const struct fm_otf2_additions *additions = copier->additions;
    return copier->known && additions->advance != NULL
               ? additions->advance(additions->context, copier->writer, time)
               : OTF2_SUCCESS;
}

#define FM_COPY(record, parameters, arguments)                                                     \
    static OTF2_CallbackCode copy_##record(OTF2_LocationRef location, OTF2_TimeStamp time,         \
                                           uint64_t position, void *data,                          \
                                           OTF2_AttributeList *attributes EXPAND parameters)       \
    {                                                                                              \
        (void)location, (void)position;                                                            \
        struct fm_otf2_copier *copier = data;                                                      \
        OTF2_ErrorCode code = advance(copier, time);                                               \
        if (code == OTF2_SUCCESS)                                                                  \
            code = OTF2_EvtWriter_##record(copier->writer, attributes, time EXPAND arguments);     \
        return fm_otf2_copy_keep(copier, code);                                                    \
    }
#include "otf2_copy_events.inc"
#undef FM_COPY

static OTF2_CallbackCode enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                               void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct fm_otf2_copier *copier = data;
    const struct fm_otf2_additions *additions = copier->additions;
    if (copy_Enter(location, time, position, data, attributes, region) != OTF2_CALLBACK_SUCCESS) {
        return OTF2_CALLBACK_ERROR;
    }
    bool is_call = copier->known && region < copier->is_call.count && copier->is_call.items[region];
    uint32_t activity = is_call ? copier->activity++ : FM_NONE;
    fm_vector_push(&copier->open, activity);
    return is_call && additions->entered != NULL
               ? fm_otf2_copy_keep(
                     copier, additions->entered(additions->context, copier->writer, activity, time))
               : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                               void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    struct fm_otf2_copier *copier = data;
    const struct fm_otf2_additions *additions = copier->additions;
    uint32_t activity =
        copier->open.count == 0 ? FM_NONE : copier->open.items[--copier->open.count];
    if (activity != FM_NONE && additions->leaving != NULL) {
        OTF2_ErrorCode code = advance(copier, time);
        if (code == OTF2_SUCCESS) {
            code = additions->leaving(additions->context, copier->writer, activity, time);
        }
        if (fm_otf2_copy_keep(copier, code) != OTF2_CALLBACK_SUCCESS) {
            return OTF2_CALLBACK_ERROR;
        }
    }
    return copy_Leave(location, time, position, data, attributes, region);
}

OTF2_EvtReaderCallbacks *fm_otf2_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
#define FM_COPY(record, parameters, arguments)                                                     \
    OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, copy_##record);
#include "otf2_copy_events.inc"
#undef FM_COPY
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, leave);
    return callbacks;
}
