/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/survey/survey_events.h"

#include "trace/archive/event_fields.h"

/* A callback has all parameters of its event; the survey keeps only some of them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The initializers of the members that keep the fields of a record. */
#define MEMBER_1(kind, name) FM_FIELD_##kind(MEMBER, name) MEMBER_2
#define MEMBER_2(kind, name) FM_FIELD_##kind(MEMBER, name) MEMBER_1
#define MEMBER_1_END
#define MEMBER_2_END
#define MEMBER(name, coding, member, check) MEMBER_##member(name)
#define MEMBER_none(name)
#define MEMBER_reference(name) .reference = name,
#define MEMBER_peer(name)      .peer = name,
#define MEMBER_group(name)     .group = name,
#define MEMBER_parameter(name) .parameter = name,
#define MEMBER_id(name)        .id = name,
#define MEMBER_tag(name)       .tag = name,
#define MEMBER_bytes(name)     .bytes = name,
#define MEMBER_received(name)  .received = name,
#define MEMBER_value(name)     .value = name,

#define FM_EVENT_RECORD(number, symbol, record, framing, fields, ...)                              \
    static OTF2_CallbackCode on_##record FM_EVENT_PARAMETERS(fields)                               \
    {                                                                                              \
        const struct fm_survey_pass *pass = data;                                                  \
        const struct fm_survey_event event = {                                                     \
            .kind = FM_SURVEY_##symbol, .time = time, FM_EACH_FIELD(MEMBER, fields)};              \
        pass->handler(pass->context, &event);                                                      \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD

OTF2_EvtReaderCallbacks *fm_survey_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (callbacks == NULL) {
        return NULL;
    }
#define FM_EVENT_RECORD(number, symbol, record, ...)                                               \
    OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, on_##record);
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    return callbacks;
}

const char *fm_survey_kind_name(fm_survey_kind_t kind)
{
    static const char *const names[] = {
#define FM_EVENT_RECORD(number, symbol, record, ...) #record,
#include "trace/archive/event_records.def"
#undef FM_EVENT_RECORD
    };
    return names[kind];
}
