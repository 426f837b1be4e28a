#include "trace/survey/survey_events.h"

/* The callbacks take what their record has; most of it is nobody's business here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define UNPACK(...) __VA_ARGS__

#define FM_SURVEY_EVENT(symbol, record, parameters, ...)                                           \
    static OTF2_CallbackCode on_##record(OTF2_LocationRef location, OTF2_TimeStamp time,           \
                                         uint64_t position, void *data,                            \
                                         OTF2_AttributeList *attributes UNPACK parameters)         \
    {                                                                                              \
        const struct fm_survey_pass *pass = data;                                                  \
        const struct fm_survey_event event = {                                                     \
            .kind = FM_SURVEY_##symbol, .time = time, __VA_ARGS__};                                \
        pass->handler(pass->context, &event);                                                      \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include "trace/survey/survey_events.def"
#undef FM_SURVEY_EVENT

OTF2_EvtReaderCallbacks *fm_survey_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    if (callbacks == NULL) {
        return NULL;
    }
#define FM_SURVEY_EVENT(symbol, record, ...)                                                       \
    OTF2_EvtReaderCallbacks_Set##record##Callback(callbacks, on_##record);
#include "trace/survey/survey_events.def"
#undef FM_SURVEY_EVENT
    return callbacks;
}

const char *fm_survey_kind_name(fm_survey_kind_t kind)
{
    static const char *const names[] = {
#define FM_SURVEY_EVENT(symbol, record, ...) #record,
#include "trace/survey/survey_events.def"
#undef FM_SURVEY_EVENT
    };
    return names[kind];
}
