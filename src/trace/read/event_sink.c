#include "trace/read/event_sink.h"

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
        if (region != FM_NONE && trace->regions[region].call != FM_CALL_USER &&
            i < maps->of[FM_MAP_LINES].count) {
            line = fm_references_find(&sink->references->lines, maps->of[FM_MAP_LINES].items[i]);
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
    fm_builder_enter(&sink->builder, sink->references->program_region);
}

void fm_event_program_end(struct fm_event_sink *sink)
{
    fm_builder_leave(&sink->builder, sink->references->program_region);
}

void fm_event_parameter(struct fm_event_sink *sink, uint32_t parameter, fm_parameter_t type,
                        uint64_t value)
{
    const struct fm_trace *trace = sink->builder.trace;
    uint32_t region = fm_references_find(&sink->references->parameters,
                                         fm_location_map(sink->maps, FM_MAP_PARAMETERS, parameter));
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

void fm_event_gap_open(struct fm_event_gap *gap)
{
    *gap =
        (struct fm_event_gap){0, FM_ATTRIBUTE_COUNT, FM_NONE, FM_NONE, FM_NONE, FM_NONE, FM_NONE};
}

void fm_event_gap_add(const struct fm_event_sink *sink, struct fm_event_gap *gap,
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
        gap->series = (fm_attribute_t)attribute;
        gap->count = value.uint64;
        break;
    case FM_ATTRIBUTE_COMMUNICATOR:
        gap->communicator = fm_event_communicator(sink, value.commRef);
        break;
    case FM_ATTRIBUTE_WINDOW:
        gap->window = fm_event_window(sink, value.rmaWinRef);
        break;
    case FM_ATTRIBUTE_PEER:
        gap->peer = value.uint32;
        break;
    case FM_ATTRIBUTE_TAG:
        gap->tag = value.uint32;
        break;
    case FM_ATTRIBUTE_GROUP:
        gap->group = fm_event_group(sink, value.groupRef);
        break;
    default:
        break;
    }
}

static void note_gap(struct fm_builder *builder, const struct fm_event_gap *gap)
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

void fm_event_measurement(struct fm_event_sink *sink, OTF2_MeasurementMode mode,
                          struct fm_event_gap gap)
{
    if (mode == OTF2_MEASUREMENT_OFF) {
        fm_builder_pause(&sink->builder);
    } else {
        fm_builder_resume(&sink->builder);
    }
    note_gap(&sink->builder, &gap);
}

void fm_event_metric(struct fm_event_sink *sink, uint32_t metric, uint8_t count,
                     const OTF2_Type *types, const OTF2_MetricValue *values)
{
    const struct fm_trace_private *references = sink->references;
    uint32_t set = fm_references_find(&references->metrics,
                                      fm_location_map(sink->maps, FM_MAP_METRICS, metric));
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
