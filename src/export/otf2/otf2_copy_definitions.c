/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies definitions. The list of records is generated from OTF2's headers. */
#include "export/otf2/otf2_copy_internal.h"

#include "base/memory.h"

#include <string.h>

#define EXPAND(...) __VA_ARGS__

/* ---- definitions needed before the events are copied ---- */

#define AT_LEAST(field, self)                                                                      \
    do {                                                                                           \
        if (copier->unused.field <= (self))                                                        \
            copier->unused.field = (self) + 1;                                                     \
    } while (0)

static OTF2_CallbackCode survey_string(void *data, OTF2_StringRef self, const char *text)
{
    struct fm_otf2_copier *copier = data;
    AT_LEAST(string, self);
    while (copier->strings.count <= self) {
        fm_vector_push(&copier->strings, NULL);
    }
    copier->strings.items[self] = fm_copy_string(text);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode survey_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                       OTF2_StringRef canonical, OTF2_StringRef description,
                                       OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                       OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                       uint32_t end)
{
    (void)canonical, (void)description, (void)flags, (void)file, (void)begin, (void)end;
    struct fm_otf2_copier *copier = data;
    AT_LEAST(region, self);
    const char *text = name < copier->strings.count ? copier->strings.items[name] : NULL;
    text = text == NULL ? "" : text;
    while (copier->is_call.count <= self) {
        fm_vector_push(&copier->is_call, false);
    }
    copier->is_call.items[self] =
        fm_call_classify(fm_paradigm_classify(paradigm, text), text, role) != FM_CALL_USER;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode survey_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                         OTF2_LocationType type, uint64_t events,
                                         OTF2_LocationGroupRef group)
{
    (void)name, (void)type, (void)events, (void)group;
    struct fm_otf2_copier *copier = data;
    uint32_t next = (uint32_t)copier->locations.count;
    if (*fm_map_at(&copier->number_of_location, self, next) == next) {
        fm_vector_push(
            &copier->locations,
            (struct fm_otf2_location){self, fm_map_get(&copier->index_of_location, self), 0});
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* The attributes of the recorder. */
enum {
#define FM_ATTRIBUTE(symbol, text, type, description) FM_COPIED_##symbol,
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
};

static OTF2_CallbackCode survey_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                          OTF2_StringRef description, OTF2_Type type)
{
    static const char *const names[] = {
#define FM_ATTRIBUTE(symbol, text, type, description) [FM_COPIED_##symbol] = (text),
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    };
    (void)description, (void)type;
    struct fm_otf2_copier *copier = data;
    AT_LEAST(attribute, self);
    const char *text = name < copier->strings.count ? copier->strings.items[name] : NULL;
    if (text != NULL && strcmp(text, names[FM_COPIED_ACQUIRED_AT]) == 0) {
        copier->acquired_at = self;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode survey_metric_member(void *data, OTF2_MetricMemberRef self,
                                              OTF2_StringRef name, OTF2_StringRef description,
                                              OTF2_MetricType type, OTF2_MetricMode mode,
                                              OTF2_Type value, OTF2_Base base, int64_t exponent,
                                              OTF2_StringRef unit)
{
    (void)name, (void)description, (void)type, (void)mode, (void)value, (void)base, (void)exponent;
    (void)unit;
    struct fm_otf2_copier *copier = data;
    AT_LEAST(metric_member, self);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode survey_metric_class(void *data, OTF2_MetricRef self, uint8_t count,
                                             const OTF2_MetricMemberRef *members,
                                             OTF2_MetricOccurrence occurrence,
                                             OTF2_RecorderKind recorder)
{
    (void)count, (void)members, (void)occurrence, (void)recorder;
    struct fm_otf2_copier *copier = data;
    AT_LEAST(metric, self);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode survey_metric_instance(void *data, OTF2_MetricRef self,
                                                OTF2_MetricRef metric_class,
                                                OTF2_LocationRef recorder, OTF2_MetricScope scope,
                                                uint64_t where)
{
    (void)metric_class, (void)recorder, (void)scope, (void)where;
    struct fm_otf2_copier *copier = data;
    AT_LEAST(metric, self);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode survey_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
                                       OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
    (void)self, (void)name, (void)flags;
    struct fm_otf2_copier *copier = data;
    fm_vector_push(&copier->window_communicators, communicator);
    copier->unused.window_communicators = copier->window_communicators.items;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalDefReaderCallbacks *fm_otf2_surveying_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, survey_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, survey_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, survey_location);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, survey_attribute);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, survey_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, survey_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, survey_metric_instance);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, survey_window);
    return callbacks;
}

/* ---- copying ---- */

/* Old archives may contain deprecated definitions: a copy keeps them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define FM_COPY(record, parameters, arguments)                                                     \
    static OTF2_CallbackCode copy_##record(void *data EXPAND parameters)                           \
    {                                                                                              \
        struct fm_otf2_copier *copier = data;                                                      \
        return fm_otf2_copy_keep(                                                                  \
            copier, OTF2_GlobalDefWriter_Write##record(copier->definitions EXPAND arguments));     \
    }
#include "otf2_copy_definitions.inc"
#undef FM_COPY

/* The number of events of a location changes. */
static OTF2_CallbackCode location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                  OTF2_LocationType type, uint64_t events,
                                  OTF2_LocationGroupRef group)
{
    const struct fm_otf2_copier *copier = data;
    uint32_t number = fm_map_get(&copier->number_of_location, self);
    events = number == FM_MAP_ABSENT ? events : copier->locations.items[number].events;
    return copy_Location(data, self, name, type, events, group);
}

/* ... and with other times the length of the run. */
static OTF2_CallbackCode clock_properties(void *data, uint64_t resolution, uint64_t offset,
                                          uint64_t length, uint64_t realtime)
{
    const struct fm_otf2_copier *copier = data;
    const uint64_t needed = copier->last_time > offset ? copier->last_time - offset : 0;
    return copy_ClockProperties(data, resolution, offset, needed > length ? needed : length,
                                realtime);
}

OTF2_GlobalDefReaderCallbacks *fm_otf2_copying_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
#define FM_COPY(record, parameters, arguments)                                                     \
    OTF2_GlobalDefReaderCallbacks_Set##record##Callback(callbacks, copy_##record);
#include "otf2_copy_definitions.inc"
#undef FM_COPY
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, location);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, clock_properties);
    return callbacks;
}
