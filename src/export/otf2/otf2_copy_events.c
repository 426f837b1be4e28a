/* SPDX-License-Identifier: BSD-3-Clause */
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

/* @return a time as the tables of the trace have it: its clock may have been repaired */
static uint64_t repaired(const struct fm_otf2_copier *copier, uint64_t time)
{
    struct fm_time_cursors cursors = copier->cursors;
    return copier->known && copier->trace->time_maps != NULL
               ? fm_time_maps_at(copier->trace->time_maps, copier->location, &cursors, time)
               : time;
}

static void repair(struct fm_otf2_copier *copier, uint64_t *time)
{
    if (copier->known && copier->trace->time_maps != NULL) {
        *time =
            fm_time_maps_at(copier->trace->time_maps, copier->location, &copier->cursors, *time);
        copier->last_time = *time > copier->last_time ? *time : copier->last_time;
    }
}

/* @return whether the event is copied; *time is its new time then */
static bool retime(struct fm_otf2_copier *copier, uint64_t *time)
{
    const struct fm_otf2_additions *additions = copier->additions;
    if (additions->retime == NULL) {
        return true;
    }
    if (copier->known) {
        *time = additions->retime(additions->context, copier->event, copier->call, *time);
    }
    if (*time != FM_OTF2_LEFT_OUT && *time > copier->last_time) {
        copier->last_time = *time;
    }
    return *time != FM_OTF2_LEFT_OUT;
}

/* Attributes with times. */
static void retime_attributes(struct fm_otf2_copier *copier, OTF2_AttributeList *attributes)
{
    const struct fm_otf2_additions *additions = copier->additions;
    const bool is_retimed = additions->retime_acquisition != NULL;
    uint64_t acquired = 0;
    if (copier->known && (is_retimed || copier->trace->time_maps != NULL) &&
        copier->acquired_at != OTF2_UNDEFINED_ATTRIBUTE &&
        OTF2_AttributeList_GetUint64(attributes, copier->acquired_at, &acquired) == OTF2_SUCCESS) {
        acquired = is_retimed ? additions->retime_acquisition(additions->context)
                              : repaired(copier, acquired);
        OTF2_AttributeList_RemoveAttribute(attributes, copier->acquired_at);
        OTF2_AttributeList_AddUint64(attributes, copier->acquired_at, acquired);
    }
}

#define FM_COPY(record, parameters, arguments)                                                     \
    static OTF2_CallbackCode copy_##record(OTF2_LocationRef location, OTF2_TimeStamp time,         \
                                           uint64_t position, void *data,                          \
                                           OTF2_AttributeList *attributes EXPAND parameters)       \
    {                                                                                              \
        (void)location, (void)position;                                                            \
        struct fm_otf2_copier *copier = data;                                                      \
        repair(copier, &time);                                                                     \
        if (!retime(copier, &time))                                                                \
            return OTF2_CALLBACK_SUCCESS;                                                          \
        retime_attributes(copier, attributes);                                                     \
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
    bool is_call = copier->known && region < copier->is_call.count && copier->is_call.items[region];
    uint32_t activity = is_call ? copier->activity++ : FM_NONE;
    copier->event = is_call ? FM_OTF2_CALL_ENTER : FM_OTF2_RECORD;
    copier->call = activity;
    OTF2_CallbackCode copied = copy_Enter(location, time, position, data, attributes, region);
    copier->event = FM_OTF2_RECORD;
    if (copied != OTF2_CALLBACK_SUCCESS) {
        return OTF2_CALLBACK_ERROR;
    }
    fm_vector_push(&copier->open, activity);
    return is_call && additions->entered != NULL
               ? fm_otf2_copy_keep(copier, additions->entered(additions->context, copier->writer,
                                                              activity, repaired(copier, time)))
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
        const uint64_t at = repaired(copier, time);
        OTF2_ErrorCode code = advance(copier, at);
        if (code == OTF2_SUCCESS) {
            code = additions->leaving(additions->context, copier->writer, activity, at);
        }
        if (fm_otf2_copy_keep(copier, code) != OTF2_CALLBACK_SUCCESS) {
            return OTF2_CALLBACK_ERROR;
        }
    }
    copier->event = activity == FM_NONE ? FM_OTF2_RECORD : FM_OTF2_CALL_LEAVE;
    copier->call = activity;
    OTF2_CallbackCode copied = copy_Leave(location, time, position, data, attributes, region);
    copier->event = FM_OTF2_RECORD;
    return copied;
}

/* The end of a flush of the recorder's buffer is a time, too. */
static OTF2_CallbackCode buffer_flush(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t position, void *data, OTF2_AttributeList *attributes,
                                      OTF2_TimeStamp stop_time)
{
    const struct fm_otf2_copier *copier = data;
    const uint64_t from = repaired(copier, time), to = repaired(copier, stop_time);
    const uint64_t length = to > from ? to - from : 0;
    if (copier->additions->retime == NULL || !copier->known) {
        return copy_BufferFlush(location, time, position, data, attributes, to);
    }
    uint64_t begin =
        copier->additions->retime(copier->additions->context, FM_OTF2_RECORD, FM_NONE, from);
    return begin == FM_OTF2_LEFT_OUT
               ? OTF2_CALLBACK_SUCCESS
               : copy_BufferFlush(location, time, position, data, attributes, begin + length);
}

/* @return the number of an acquisition of a lock in the copy */
static uint32_t renumbered(const struct fm_otf2_copier *copier, OTF2_Paradigm model, uint32_t lock,
                           uint32_t order)
{
    const struct fm_otf2_additions *additions = copier->additions;
    return copier->known && additions->renumber != NULL
               ? additions->renumber(additions->context, copier->location,
                                     (uint64_t)(model == OTF2_PARADIGM_PTHREAD) << 32 | lock, order)
               : order;
}

static OTF2_CallbackCode acquire(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                 uint32_t lock, uint32_t order)
{
    return copy_ThreadAcquireLock(location, time, position, data, attributes, model, lock,
                                  renumbered(data, model, lock, order));
}

static OTF2_CallbackCode release(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                 void *data, OTF2_AttributeList *attributes, OTF2_Paradigm model,
                                 uint32_t lock, uint32_t order)
{
    return copy_ThreadReleaseLock(location, time, position, data, attributes, model, lock,
                                  renumbered(data, model, lock, order));
}

OTF2_EvtReaderCallbacks *fm_otf2_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
#define FM_COPY(record, parameters, arguments)                                                     \
    OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, copy_##record);
#include "otf2_copy_events.inc"
#undef FM_COPY
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(callbacks, buffer_flush);
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(callbacks, acquire);
    OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(callbacks, release);
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, leave);
    return callbacks;
}
