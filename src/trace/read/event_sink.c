/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/event_sink.h"

#include <string.h>

/* Whether visits of a region have the line that they are called from. Iterations of a phase belong
 * together, whichever line begins them. */
static bool has_line(const struct fm_trace *trace, const struct fm_region *region)
{
    return fm_region_has_lines(region) || region->is_system_wait ||
           (trace->with_callsites && region->paradigm == FM_PARADIGM_USER && !region->is_phase);
}

/* @return the line of a visit of a region, FM_NONE if there is none. Without debug information it
 * has the number 0 and an address, which only tells functions of the program apart; some recorders
 * give the place of another kind of element. */
static uint32_t line_of(const struct fm_trace *trace, uint32_t region, uint32_t line)
{
    const struct fm_region *called = &trace->regions[region];
    if (line == FM_NONE || !has_line(trace, called)) {
        return FM_NONE;
    }
    const struct fm_source_line *place = &trace->lines[line];
    const bool is_address = place->line == 0 && strstr(place->file, "+0x") != NULL;
    const bool may_have_address = trace->with_callsites && !fm_region_has_lines(called);
    return place->line != 0 || (is_address && may_have_address) ? line : FM_NONE;
}

void fm_event_sink_use_lines(struct fm_event_sink *sink, const struct fm_location_maps *maps)
{
    const struct fm_trace *trace = sink->builder.trace;
    sink->calls.count = 0;
    if (maps == NULL || !fm_location_has_lines(maps)) {
        return;
    }
    sink->maps = maps;
    for (uint32_t i = 0; i < maps->of[FM_MAP_REGIONS].count; i++) {
        uint32_t region = fm_event_region(sink, i), line = FM_NONE;
        if (region != FM_NONE && i < maps->of[FM_MAP_LINES].count) {
            line = line_of(
                trace, region,
                fm_references_find(&sink->references->lines, maps->of[FM_MAP_LINES].items[i]));
        }
        fm_vector_push(&sink->calls, fm_builder_call(&sink->builder, region, line));
    }
}

void fm_event_program_begin(struct fm_event_sink *sink, uint32_t name)
{
    if (sink->program_name == FM_NONE) {
        sink->program_name = fm_location_map(sink->maps, FM_MAP_STRINGS, name);
        sink->program_process = sink->builder.location->process;
    }
    fm_builder_program_begin(&sink->builder, sink->references->program_region);
}

void fm_event_program_end(struct fm_event_sink *sink)
{
    fm_builder_program_end(&sink->builder, sink->references->program_region);
}

/* A parameter states what a call waits for. */
static void await(struct fm_event_sink *sink, fm_parameter_t parameter, int64_t value)
{
    uint32_t number = value >= 0 && value < UINT32_MAX ? (uint32_t)value : FM_NONE;
    if (parameter == FM_PARAMETER_AWAITED_COMMUNICATOR) {
        number = fm_event_communicator(sink, number);
    } else if (parameter == FM_PARAMETER_AWAITED_WINDOW) {
        number = fm_event_window(sink, number);
    }
    fm_builder_await(&sink->builder, parameter, number);
}

void fm_event_parameter(struct fm_event_sink *sink, uint32_t parameter, fm_parameter_t type,
                        uint64_t value)
{
    const struct fm_trace *trace = sink->builder.trace;
    uint32_t region = fm_references_find(&sink->references->parameters,
                                         fm_location_map(sink->maps, FM_MAP_PARAMETERS, parameter));
    if (region != FM_NONE &&
        trace->regions[region].parameter >= FM_PARAMETER_AWAITED_COMMUNICATOR) {
        if (type == FM_PARAMETER_UNSIGNED) { /* the archive is damaged */
            fm_builder_parameter(&sink->builder, FM_NONE, 0);
        } else {
            await(sink, trace->regions[region].parameter, (int64_t)value);
        }
        return;
    }
    if (region != FM_NONE && type == FM_PARAMETER_UNSIGNED &&
        trace->regions[region].parameter >= FM_PARAMETER_MERGED_VISITS) {
        fm_builder_merged_visits(&sink->builder, trace->regions[region].parameter, value);
        return;
    }
    if (region != FM_NONE && type == FM_PARAMETER_UNSIGNED &&
        trace->regions[region].parameter >= FM_PARAMETER_LOST_PROCESSOR) {
        if (trace->regions[region].parameter == FM_PARAMETER_LOST_PROCESSOR) {
            fm_polling_lost(&sink->builder);
        } else {
            fm_builder_merged(&sink->builder, region, value);
        }
        return;
    }
    if (region != FM_NONE && type == FM_PARAMETER_UNSIGNED &&
        trace->regions[region].parameter >= FM_PARAMETER_PROBE_COMMUNICATOR) {
        const bool is_communicator =
            trace->regions[region].parameter == FM_PARAMETER_PROBE_COMMUNICATOR;
        fm_builder_probe(&sink->builder, trace->regions[region].parameter,
                         is_communicator ? fm_event_communicator(sink, (uint32_t)value)
                                         : (uint32_t)value);
        return;
    }
    if (region != FM_NONE && type == FM_PARAMETER_UNSIGNED &&
        trace->regions[region].parameter >= FM_PARAMETER_PARTITIONED_OPERATION) {
        fm_builder_partitioned(&sink->builder, trace->regions[region].parameter, value);
        return;
    }
    if (region != FM_NONE && trace->regions[region].parameter >= FM_PARAMETER_OBJECT &&
        type == FM_PARAMETER_UNSIGNED) {
        static const fm_thread_record_type_t types[] = {FM_THREAD_OBJECT, FM_THREAD_CORRELATION,
                                                        FM_THREAD_STREAM, FM_THREAD_EVENT};
        fm_builder_thread(&sink->builder,
                          types[trace->regions[region].parameter - FM_PARAMETER_OBJECT], FM_NONE,
                          value);
        return;
    }
    bool is_usable = region != FM_NONE && trace->regions[region].parameter == type;
    fm_builder_parameter(&sink->builder, is_usable ? region : FM_NONE, value);
}

void fm_event_parameter_text(struct fm_event_sink *sink, uint32_t parameter, uint32_t string)
{
    uint32_t text = fm_references_find(&sink->references->strings,
                                       fm_location_map(sink->maps, FM_MAP_STRINGS, string));
    if (text == FM_NONE) {
        fm_builder_parameter(&sink->builder, FM_NONE, 0);
    } else {
        fm_event_parameter(sink, parameter, FM_PARAMETER_TEXT, text);
    }
}

void fm_event_extras_open(struct fm_event_extras *extras)
{
    *extras = (struct fm_event_extras){.series = FM_ATTRIBUTE_COUNT,
                                       .communicator = FM_NONE,
                                       .window = FM_NONE,
                                       .peer = FM_NONE,
                                       .tag = FM_NONE,
                                       .group = FM_NONE,
                                       .acquired_at = UINT64_MAX,
                                       .acquired_in = FM_NONE,
                                       .persistent = FM_NONE,
                                       .init = FM_NONE};
}

void fm_event_extras_add(const struct fm_event_sink *sink, struct fm_event_extras *extras,
                         uint32_t reference, OTF2_Type type, OTF2_AttributeValue value)
{
    static const OTF2_Type types[FM_ATTRIBUTE_COUNT] = {
#define FM_ATTRIBUTE(symbol, name, type, description) OTF2_TYPE_##type,
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    };
    uint32_t attribute = fm_references_find(
        &sink->references->attributes, fm_location_map(sink->maps, FM_MAP_ATTRIBUTES, reference));
    if (attribute >= FM_ATTRIBUTE_COUNT || types[attribute] != type) {
        return;
    }
    switch ((fm_attribute_t)attribute) {
    case FM_ATTRIBUTE_SENDS:
    case FM_ATTRIBUTE_RECEIVES:
    case FM_ATTRIBUTE_COLLECTIVES:
    case FM_ATTRIBUTE_WINDOW_COLLECTIVES:
    case FM_ATTRIBUTE_ACCESS_EPOCHS:
    case FM_ATTRIBUTE_EXPOSURE_EPOCHS:
        extras->series = (fm_attribute_t)attribute;
        extras->count = value.uint64;
        break;
    case FM_ATTRIBUTE_COMMUNICATOR:
        extras->communicator = fm_event_communicator(sink, value.commRef);
        break;
    case FM_ATTRIBUTE_WINDOW:
        extras->window = fm_event_window(sink, value.rmaWinRef);
        break;
    case FM_ATTRIBUTE_PEER:
        extras->peer = value.uint32;
        break;
    case FM_ATTRIBUTE_TAG:
        extras->tag = value.uint32;
        break;
    case FM_ATTRIBUTE_GROUP:
        extras->group = fm_event_group(sink, value.groupRef);
        break;
    case FM_ATTRIBUTE_ACQUIRED_AT:
        extras->acquired_at = value.uint64;
        break;
    case FM_ATTRIBUTE_ACQUIRED_IN:
        extras->acquired_in = fm_event_region(sink, value.regionRef);
        break;
    case FM_ATTRIBUTE_ACQUIRED_SHARED:
        extras->acquired_shared = value.uint8 != 0;
        break;
    case FM_ATTRIBUTE_PERSISTENT:
        extras->persistent = value.uint32;
        break;
    case FM_ATTRIBUTE_PERSISTENT_INIT:
        extras->init = fm_event_region(sink, value.regionRef);
        break;
    default:
        break;
    }
}

static void note_gap(struct fm_builder *builder, const struct fm_event_extras *extras)
{
    switch (extras->series) {
    case FM_ATTRIBUTE_SENDS:
    case FM_ATTRIBUTE_RECEIVES:
        fm_builder_unrecorded(
            builder, extras->series == FM_ATTRIBUTE_SENDS ? FM_SERIES_SENDS : FM_SERIES_RECEIVES,
            extras->communicator, extras->peer, extras->tag, extras->count);
        break;
    case FM_ATTRIBUTE_COLLECTIVES:
        fm_builder_unrecorded(builder, FM_SERIES_COLLECTIVES, extras->communicator,
                              extras->persistent, 0, extras->count);
        break;
    case FM_ATTRIBUTE_WINDOW_COLLECTIVES:
        fm_builder_unrecorded(builder, FM_SERIES_WINDOW_COLLECTIVES, extras->window, 0, 0,
                              extras->count);
        break;
    case FM_ATTRIBUTE_ACCESS_EPOCHS:
    case FM_ATTRIBUTE_EXPOSURE_EPOCHS:
        fm_builder_unrecorded(
            builder,
            extras->series == FM_ATTRIBUTE_ACCESS_EPOCHS ? FM_SERIES_ACCESS_EPOCHS
                                                         : FM_SERIES_EXPOSURE_EPOCHS,
            extras->group == FM_NONE ? FM_NONE : extras->window, extras->group, 0, extras->count);
        break;
    default:
        break;
    }
}

void fm_event_thread_lock(struct fm_event_sink *sink, fm_thread_record_type_t type,
                          uint8_t paradigm, uint32_t lock, uint32_t order,
                          struct fm_event_extras extras)
{
    const struct fm_trace *trace = sink->builder.trace;
    size_t interval = 0;
    if (extras.acquired_at != UINT64_MAX && sink->clock != NULL &&
        !fm_clock_correct(sink->clock, &interval, &extras.acquired_at)) {
        extras.acquired_at = UINT64_MAX;
    }
    if (extras.acquired_at != UINT64_MAX) {
        extras.acquired_at = fm_event_repaired(sink, extras.acquired_at);
    }
    fm_builder_thread_lock(
        &sink->builder, type, (uint64_t)(paradigm == OTF2_PARADIGM_PTHREAD) << 32 | lock, order,
        extras.acquired_at,
        extras.acquired_shared || (extras.acquired_in != FM_NONE &&
                                   trace->regions[extras.acquired_in].call == FM_CALL_SHARED_LOCK));
}

void fm_event_measurement(struct fm_event_sink *sink, OTF2_MeasurementMode mode,
                          struct fm_event_extras extras)
{
    if (mode == OTF2_MEASUREMENT_OFF) {
        fm_builder_pause(&sink->builder);
    } else {
        fm_builder_resume(&sink->builder);
    }
    note_gap(&sink->builder, &extras);
}

void fm_event_metric(struct fm_event_sink *sink, uint32_t metric, uint8_t count,
                     const OTF2_Type *types, const OTF2_MetricValue *values)
{
    const struct fm_trace_private *references = sink->references;
    uint32_t set = fm_references_find(&references->metrics,
                                      fm_location_map(sink->maps, FM_MAP_METRICS, metric));
    fm_polling_ignore(&sink->builder);
    if (set != FM_NONE) {
        const struct fm_counter_set *members = &references->sets.items[set];
        for (uint8_t i = 0; i < count && i < members->count; i++) {
            uint32_t counter = references->set_members.items[members->first + i];
            double value = types[i] == OTF2_TYPE_DOUBLE  ? values[i].floating_point
                           : types[i] == OTF2_TYPE_INT64 ? (double)values[i].signed_int
                                                         : (double)values[i].unsigned_int;
            fm_builder_counter(&sink->builder, counter, value);
        }
    }
}
