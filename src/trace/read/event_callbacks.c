/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/event_callbacks.h"

#include "trace/archive/event_fields.h"
#include "trace/read/calling_contexts.h"
#include "trace/read/event_sink.h"

/* A callback has all parameters of its event; the sink needs only some of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static struct fm_event_extras extras_of(const struct fm_event_sink *sink,
                                        const OTF2_AttributeList *attributes)
{
    struct fm_event_extras extras;
    fm_event_extras_open(&extras);
    for (uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(attributes); i++) {
        OTF2_AttributeRef reference;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &reference, &type, &value) ==
            OTF2_SUCCESS) {
            fm_event_extras_add(sink, &extras, reference, type, value);
        }
    }
    return extras;
}

/* A function for each event except those that the analysis ignores. */
#define CALLBACK_SINK(name, fields, meaning)                                                       \
    static OTF2_CallbackCode on_##name FM_EVENT_PARAMETERS(fields)                                 \
    {                                                                                              \
        struct fm_event_sink *sink = data;                                                         \
        fm_builder_time(&sink->builder, time);                                                     \
        meaning;                                                                                   \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#define CALLBACK_SINK_APART(name, fields, meaning) CALLBACK_SINK(name, fields, meaning)
#define CALLBACK_TIME(name, fields, meaning)       CALLBACK_SINK(name, fields, (void)sink)
#define CALLBACK_IGNORE(name, fields, meaning)

#define FM_EVENT_RECORD(number, symbol, name, framing, fields, use, ...)                           \
    CALLBACK_##use(name, fields, __VA_ARGS__)
#define FM_OPENMP_RECORD FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD

#define SET_SINK(name)       OTF2_EvtReaderCallbacks_Set##name##Callback(callbacks, on_##name);
#define SET_SINK_APART(name) SET_SINK(name)
#define SET_TIME(name)       SET_SINK(name)
#define SET_IGNORE(name)

OTF2_EvtReaderCallbacks *fm_event_callbacks_new(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
#define FM_EVENT_RECORD(number, symbol, name, framing, fields, use, ...) SET_##use(name)
#define FM_OPENMP_RECORD                                                 FM_EVENT_RECORD
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    return callbacks;
}
