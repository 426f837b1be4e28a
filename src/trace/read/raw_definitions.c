/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/raw_definitions.h"

#include "base/awaited_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static OTF2_CallbackCode define(struct fm_references *references, uint64_t reference, size_t index)
{
    fm_references_define(references, reference, (uint32_t)index);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    (void)length;
    (void)realtime;
    struct fm_raw_definitions *raw = data;
    raw->into->trace.ticks_per_second = resolution;
    raw->into->trace.clock_begin = offset;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->into->text, fm_copy_string(string));
    return define(&raw->into->strings, self, raw->into->text.count - 1);
}

/* The attributes of unrecorded.def are identified by name and type. */
static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    static const struct {
        const char *name;
        OTF2_Type type;
    } known[] = {
#define FM_ATTRIBUTE(symbol, name, type, description) {name, OTF2_TYPE_##type},
#include "base/unrecorded.def"
#undef FM_ATTRIBUTE
    };
    struct fm_raw_definitions *raw = data;
    const char *text = fm_raw_string(raw, name);
    (void)description;
    for (uint32_t i = 0; text != NULL && i < FM_ATTRIBUTE_COUNT; i++) {
        if (known[i].type == type && strcmp(known[i].name, text) == 0) {
            return define(&raw->into->attributes, self, i);
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    (void)canonical;
    (void)description;
    (void)end;
    struct fm_raw_definitions *raw = data;
    bool is_phase = (flags & (OTF2_REGION_FLAG_PHASE | OTF2_REGION_FLAG_DYNAMIC)) != 0;
    fm_vector_push(&raw->regions,
                   (struct fm_raw_region){name, file, begin, role, paradigm, is_phase});
    return define(&raw->into->regions, self, raw->regions.count - 1);
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    struct fm_raw_definitions *raw = data;
    fm_parameter_t own = type == OTF2_PARAMETER_TYPE_STRING   ? FM_PARAMETER_TEXT
                         : type == OTF2_PARAMETER_TYPE_UINT64 ? FM_PARAMETER_UNSIGNED
                                                              : FM_PARAMETER_SIGNED;
    fm_vector_push(&raw->parameters, (struct fm_raw_parameter){name, own});
    return define(&raw->into->parameters, self, raw->parameters.count - 1);
}

static OTF2_CallbackCode on_line(void *data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                 uint32_t line)
{
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->lines, (struct fm_raw_line){file, line});
    return define(&raw->into->lines, self, raw->lines.count - 1);
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    (void)class_name;
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->nodes_raw, (struct fm_raw_node){name, parent});
    return define(&raw->nodes, self, raw->nodes_raw.count - 1);
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    struct fm_raw_definitions *raw = data;
    if (type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR) {
        creator = OTF2_UNDEFINED_LOCATION_GROUP;
    }
    fm_vector_push(&raw->location_groups_raw, (struct fm_raw_location_group){name, node, creator});
    return define(&raw->location_groups, self, raw->location_groups_raw.count - 1);
}

/* Properties whose names begin like this name objects that threads synchronize by. */
#define OBJECT_PROPERTY "fermata::object::"

/* The property that states the world of a process, in archives of several worlds. */
#define WORLD_PROPERTY "fermata::world"

static OTF2_CallbackCode on_location_group_property(void *data, OTF2_LocationGroupRef group,
                                                    OTF2_StringRef name, OTF2_Type type,
                                                    OTF2_AttributeValue value)
{
    struct fm_raw_definitions *raw = data;
    const char *text = fm_raw_string(raw, name);
    const size_t length = sizeof OBJECT_PROPERTY - 1;
    if (text != NULL && type == OTF2_TYPE_UINT32 && strcmp(text, WORLD_PROPERTY) == 0) {
        fm_vector_push(&raw->worlds, (struct fm_raw_world){group, value.uint32});
    }
    if (text == NULL || type != OTF2_TYPE_STRING || strncmp(text, OBJECT_PROPERTY, length) != 0) {
        return OTF2_CALLBACK_SUCCESS;
    }
    char *end;
    unsigned long object = strtoul(text + length, &end, 10);
    if (end != text + length && *end == '\0' && object <= UINT32_MAX) {
        fm_vector_push(&raw->objects,
                       (struct fm_raw_object){group, (uint32_t)object, value.stringRef});
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location,
                                              OTF2_StringRef name, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
    static const struct {
        const char *name;
        fm_raw_end_t what;
    } properties[] = {
        {FM_PROPERTY_HEARTBEAT, FM_END_HEARTBEAT},
        {FM_PROPERTY_JOB_END, FM_END_OF_JOB},
        {FM_PROPERTY_ENDED, FM_END_BY_ITSELF},
        {FM_PROPERTY_THREAD_LEVEL, FM_END_THREAD_LEVEL},
    };
    struct fm_raw_definitions *raw = data;
    const char *text = fm_raw_string(raw, name);
    for (size_t i = 0; text != NULL && i < sizeof properties / sizeof *properties; i++) {
        if (type == OTF2_TYPE_UINT64 && strcmp(text, properties[i].name) == 0) {
            fm_vector_push(&raw->ends,
                           ((struct fm_raw_end){location, value.uint64, properties[i].what}));
        }
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    struct fm_raw_definitions *raw = data;
    if (type == OTF2_LOCATION_TYPE_METRIC) {
        raw->metric_location = raw->metric_locations++ == 0 ? name : raw->metric_location;
        return OTF2_CALLBACK_SUCCESS;
    }
    *fm_map_at(&raw->location_of_id, self, 0) = (uint32_t)raw->locations.count;
    fm_vector_push(&raw->locations,
                   (struct fm_raw_location){self, events, name, group, FM_NONE,
                                            type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t size, const uint64_t *members)
{
    (void)name;
    (void)flags;
    struct fm_raw_definitions *raw = data;
    uint64_t *copy = fm_resize(NULL, 0, size * sizeof *copy);
    memcpy(copy, members, size * sizeof *copy);
    fm_vector_push(&raw->groups, (struct fm_raw_group){type, paradigm, size, copy});
    return define(&raw->into->groups, self, raw->groups.count - 1);
}

static OTF2_CallbackCode on_communicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef group, OTF2_CommRef parent,
                                         OTF2_CommFlag flags)
{
    (void)parent;
    (void)flags;
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->communicators,
                   (struct fm_raw_communicator){name, group, OTF2_UNDEFINED_GROUP});
    return define(&raw->into->communicators, self, raw->communicators.count - 1);
}

static OTF2_CallbackCode on_intercommunicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                              OTF2_GroupRef first, OTF2_GroupRef second,
                                              OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)common;
    (void)flags;
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->communicators, (struct fm_raw_communicator){name, first, second});
    return define(&raw->into->communicators, self, raw->communicators.count - 1);
}

static OTF2_CallbackCode on_window(void *data, OTF2_RmaWinRef self, OTF2_StringRef name,
                                   OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
    (void)flags;
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->windows, (struct fm_raw_window){name, communicator});
    return define(&raw->into->windows, self, raw->windows.count - 1);
}

static OTF2_CallbackCode on_context(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef line, OTF2_CallingContextRef parent)
{
    (void)line;
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->contexts, (struct fm_raw_context){region, parent});
    return define(&raw->into->context_numbers, self, raw->contexts.count - 1);
}

static OTF2_CallbackCode on_generator(void *data, OTF2_InterruptGeneratorRef self,
                                      OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
                                      OTF2_Base base, int64_t exponent, uint64_t period)
{
    struct fm_raw_definitions *raw = data;
    const double scale = pow(base == OTF2_BASE_BINARY ? 2 : 10, (double)exponent);
    fm_vector_push(&raw->generators,
                   (struct fm_raw_generator){name, mode == OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                                             (double)period * scale});
    return define(&raw->into->generator_numbers, self, raw->generators.count - 1);
}

static OTF2_CallbackCode on_dimension(void *data, OTF2_CartDimensionRef self, OTF2_StringRef name,
                                      uint32_t size, OTF2_CartPeriodicity periodicity)
{
    struct fm_raw_definitions *raw = data;
    fm_vector_push(&raw->dimensions_raw,
                   (struct fm_raw_dimension){name, size, periodicity == OTF2_CART_PERIODIC_TRUE});
    return define(&raw->dimensions, self, raw->dimensions_raw.count - 1);
}

static OTF2_CallbackCode on_topology(void *data, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                     OTF2_CommRef communicator, uint8_t dimension_count,
                                     const OTF2_CartDimensionRef *dimensions)
{
    struct fm_raw_definitions *raw = data;
    uint32_t *copy = fm_resize(NULL, 0, dimension_count * sizeof *copy);
    memcpy(copy, dimensions, dimension_count * sizeof *copy);
    fm_vector_push(&raw->topologies,
                   (struct fm_raw_topology){self, name, communicator, dimension_count, copy});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_coordinate(void *data, OTF2_CartTopologyRef topology, uint32_t rank,
                                       uint8_t dimension_count, const uint32_t *values)
{
    struct fm_raw_definitions *raw = data;
    struct fm_raw_coordinate coordinate = {topology, rank, dimension_count, {0}};
    if (dimension_count <= sizeof coordinate.values / sizeof coordinate.values[0]) {
        memcpy(coordinate.values, values, dimension_count * sizeof *values);
        fm_vector_push(&raw->coordinates, coordinate);
    }
    return OTF2_CALLBACK_SUCCESS;
}

void fm_raw_definitions_register(OTF2_GlobalDefReaderCallbacks *callbacks)
{
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_line);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks,
                                                                   on_location_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_communicator);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_intercommunicator);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_context);
    OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(callbacks, on_generator);
    OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(callbacks, on_dimension);
    OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(callbacks, on_topology);
    OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(callbacks, on_coordinate);
    fm_raw_counters_register(callbacks);
}

void fm_raw_definitions_free(struct fm_raw_definitions *raw)
{
    fm_raw_counters_free(&raw->counters);
    for (size_t i = 0; i < raw->groups.count; i++) {
        fm_free(raw->groups.items[i].members);
    }
    for (size_t i = 0; i < raw->topologies.count; i++) {
        fm_free(raw->topologies.items[i].dimensions);
    }
    fm_references_free(&raw->nodes);
    fm_references_free(&raw->location_groups);
    fm_references_free(&raw->dimensions);
    fm_vector_free(&raw->regions);
    fm_vector_free(&raw->parameters);
    fm_vector_free(&raw->lines);
    fm_vector_free(&raw->groups);
    fm_vector_free(&raw->communicators);
    fm_vector_free(&raw->windows);
    fm_vector_free(&raw->contexts);
    fm_vector_free(&raw->generators);
    fm_vector_free(&raw->nodes_raw);
    fm_vector_free(&raw->location_groups_raw);
    fm_vector_free(&raw->objects);
    fm_vector_free(&raw->worlds);
    fm_vector_free(&raw->ends);
    fm_vector_free(&raw->locations);
    fm_vector_free(&raw->dimensions_raw);
    fm_vector_free(&raw->topologies);
    fm_vector_free(&raw->coordinates);
    fm_map_free(&raw->location_of_id);
}
